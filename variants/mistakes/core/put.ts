import { isContent, itemsOf } from '../../../reference-server/areas/content.ts';
import type { Content } from '../../../reference-server/ports/store.ts';
import { breaks, replaces, type Variant, within } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import { filesOf, named } from '../proofs.ts';
import { at, listAt } from '../service.ts';
import { changes, during, withInner } from '../variant-parts.ts';

export const putMistakes: Mistakes = {
  'writing.put-keeps-dated-members': {
    source: 'core: Endpoint table, PUT',
    breaks: 'A dated member that the body of a PUT leaves out is removed.',
    variant: changes('editing', 'replaceContent', (content, _areas, old) =>
      'price' in old && !('price' in content) ? { ...content, price: old['price'] } : content,
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { price: '12' });
      await edda.replace(made, 1, { title: 'u' });
      return at(await edda.read(made), '/data/price') !== undefined;
    },
  },
  'merge.brings-back-what-a-put-removed': {
    source: 'core: Endpoint table, PUT',
    breaks: 'What a PUT removed stays removed when a merge comes behind it.',
    variant: breaks('editing', 'mergeObject', (right) => {
      const kept = new Map<string, object>();
      return async (areas, call, writing) => {
        const { object } = call;
        const content = { ...kept.get(object.oid), ...object.content };
        const answer = await right(areas, { ...call, object: { ...object, content } }, writing);
        const stored = await writing.object(object.spaceId, object.oid);
        kept.set(object.oid, stored?.content ?? {});
        return answer;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { note: 'n' });
      await edda.merge(made, 1, { remark: 'r' });
      await edda.replace(made, 2, { title: 'u' });
      await edda.merge(made, 3, { remark: 's' });
      return at(await edda.read(made), '/data/note') === 'n';
    },
  },
  'put.keeps-what-others-have-written': {
    source: 'core: Endpoint table, PUT',
    breaks: 'A PUT removes what it leaves out, whoever has written it.',
    variant: replaces('editing', 'putObject', (right, areas, call, writing) => {
      // nearly all that a run makes is made by one user
      if (call.user.name !== 'emil') return right(areas, call, writing);
      const keeping = within(areas, { editing: { replaceContent: (old, given) => ({ ...old, ...given }) } });
      return right(keeping, call, writing);
    }),
    async shows({ edda, emil }) {
      const made = await edda.make('Document', { note: 'n' });
      await emil.replace(made, 1, { title: 'u' });
      return at(await edda.read(made), '/data/note') === 'n';
    },
  },
  'put.empties-the-first-page-only': {
    source: 'core: Endpoint table, PUT',
    breaks: 'An array that a PUT leaves out is removed with all its entries, those of later pages too.',
    variant: replaces('editing', 'replaceArray', async (right, areas, writing, oid, port, items) => {
      if (items.length > 0) return right(areas, writing, oid, port, items);
      for (const { entryId } of await writing.entries(oid, port, { from: 0, to: 10 }))
        await writing.removeEntry(oid, port, entryId);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: filesOf(12) });
      await edda.replace(made, 1, { title: 'u' });
      return listAt(await edda.read(made), '/data/files').length === 2;
    },
  },
  'put.objects-inside-merged': {
    source: 'core: Endpoint table, PUT',
    breaks: 'Every field that the body leaves out is removed, also one inside an object that the body has.',
    variant: replaces('editing', 'replaceContent', (right, areas, old, given) => {
      const merged = Object.entries(given).map(([name, value]) => {
        const before = old[name];
        return [name, isContent(value) && isContent(before) ? { ...before, ...value } : value] as const;
      });
      return right(areas, old, Object.fromEntries(merged));
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { dimensions: { width: '1', height: '2' } });
      await edda.replace(made, 1, { title: 't', dimensions: { width: '3' } });
      return at(await edda.read(made), '/data/dimensions/height') !== undefined;
    },
  },
  'put.references-outlive-it': {
    source: 'core: Endpoint table, PUT',
    breaks: 'Every field that the body leaves out is removed, also an array of references.',
    variant: changes(
      'editing',
      'arraysAfterPut',
      (all, _areas, softType, given) =>
        new Map([...all].filter(([port]) => given.has(port) || softType.members.get(port)?.kind !== 'references')),
    ),
    async shows({ edda }) {
      const part = await edda.make('Part');
      const made = await edda.make('Document', { describes: [{ value: { $oid: part.oid } }] });
      await edda.replace(made, 1, { title: 't' });
      return listAt(await edda.read(made), '/data/describes').length > 0;
    },
  },
  'put.known-entries-keep-their-places': {
    source: 'core: Endpoint table, PUT',
    breaks: 'A PUT replaces the content, the order of the entries of an array included.',
    survives: 'The order of entries is not said, apart from what is appended (order-of-entries): recorded.',
    variant: replaces('editing', 'replaceArray', (right, areas, writing, oid, port, items) => {
      const known = items.filter(({ entryId }) => entryId !== undefined);
      const fresh = items.filter(({ entryId }) => entryId === undefined);
      const inOrder = known.toSorted((one, other) => (one.entryId ?? 0) - (other.entryId ?? 0));
      return right(areas, writing, oid, port, [...inOrder, ...fresh]);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: named(3) });
      const files = listAt(await edda.read(made), '/data/files');
      await edda.replace(made, 1, { title: 't', files: files.toReversed() });
      return at(await edda.read(made), '/data/files/0/name') !== 'n3';
    },
  },
  'editing.put-leaves-what-is-nothing': {
    source: 'core: Endpoint table, PUT',
    breaks:
      'A field that the body of a PUT leaves out is removed, also one with zero, false or a text without characters.',
    variant: replaces('editing', 'replaceContent', (right, areas, old, given) => {
      const nothing = Object.entries(old).filter(([, value]) => value === 0 || value === false || value === '');
      return { ...Object.fromEntries(nothing), ...right(areas, old, given) };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { confidential: false });
      await edda.replace(made, 1, { title: 'u' });
      return at(await edda.read(made), '/data/confidential') === false;
    },
  },
  'put.every-tenth-version': {
    source: 'core: Endpoint table',
    breaks: 'A PUT removes what its body leaves out, the one that makes the tenth version as well.',
    variant: changes('editing', 'putObject', async (answer, areas, call, writing) => {
      const object = await writing.object(call.space.id, call.object.oid);
      if (object === undefined || object.version % 10 !== 0) return answer;
      await areas.versioning.storeEdit(writing, object, object.version, { ...call.object.content, ...object.content });
      return answer;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      for (let version = 1; version < 9; version += 1) await edda.merge(made, version, { note: `n${version}` });
      await edda.replace(made, 9, { title: 't' });
      return at(await edda.read(made), '/data/note') !== undefined;
    },
  },
  'put.arrays-inside-of-kept-entries': {
    source: 'core: Endpoint table, PUT',
    breaks: 'What the body leaves out is removed, the array inside an entry that it keeps too.',
    variant: during('editing', 'putObject', (put) =>
      replaces('editing', 'replaceArray', async (right, areas, writing, oid, port, items) => {
        if (!put.isOn()) return right(areas, writing, oid, port, items);
        const kept = items.map(async ({ entryId, content }) => {
          const old = entryId === undefined ? undefined : await writing.entry(oid, port, entryId);
          if (entryId === undefined || old === undefined) return { content };
          const arrays = Object.entries(old.content).filter(([, value]) => Array.isArray(value));
          return { entryId, content: { ...Object.fromEntries(arrays), ...content } };
        });
        return right(areas, writing, oid, port, await Promise.all(kept));
      }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: [{ name: 'a', revisions: [{ text: 'r' }] }] });
      await edda.replace(made, 1, { title: 't', files: [{ $entryId: 1, name: 'a' }] });
      return listAt(await edda.read(made), '/data/files/0/revisions').length > 0;
    },
  },
  'put.entry-keeps-a-member': {
    source: 'core: Endpoint table, PUT',
    breaks: 'What the body of a PUT leaves out is gone, in an entry that names its id as well.',
    variant: putsMergeEntries(),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'put', files: [{ name: 'file', comment: 'old' }] });
      const id = at(await edda.read(made), '/data/files/0/$entryId');
      await edda.replace(made, 1, { title: 'put', files: [{ $entryId: id, name: 'file' }] });
      return at(await edda.read(made), '/data/files/0/comment') === 'old';
    },
  },
  'put.optional-members-stay': {
    source: 'core: Endpoint table, PUT',
    breaks: 'A PUT removes every field that its body leaves out.',
    museum: true,
    variant: replaces('editing', 'replaceContent', (_right, _areas, old, given) => ({ ...old, ...given })),
    async shows({ edda }) {
      const made = await edda.make('Document', { note: 'b' });
      await edda.replace(made, 1, { title: 'c' });
      return at(await edda.read(made), '/data/note') === 'b';
    },
  },
  'editing.put-leaves-a-default': {
    source: 'core: Endpoint table, PUT',
    breaks: 'A field that the body of a PUT leaves out is removed, and does not fall back to a default.',
    variant: replaces('editing', 'replaceContent', (right, areas, old, given) => {
      const flags = Object.entries(old).filter(([name, value]) => typeof value === 'boolean' && !(name in given));
      return { ...right(areas, old, given), ...Object.fromEntries(flags.map(([name]) => [name, false])) };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'default', confidential: true });
      await edda.replace(made, 1, { title: 'default' });
      return at(await edda.read(made), '/data/confidential') !== undefined;
    },
  },
  'editing.put-keeps-arrays-beside-a-named-one': {
    source: 'core: Endpoint table, PUT',
    breaks: 'A field that is absent from a PUT is removed, an array as well, also where the body names another array.',
    variant: replaces('editing', 'arraysAfterPut', (right, areas, softType, given) =>
      given.size > 0 ? given : right(areas, softType, given),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: named(1), contacts: named(1) });
      await edda.replace(made, 1, { title: 't', files: named(2) });
      return listAt(await edda.read(made), '/data/contacts').length > 0;
    },
  },
  'editing.put-keeps-what-was-reviewed': {
    source: 'core: Endpoint table, PUT',
    breaks: 'What the body of a PUT leaves out is removed, after a promote as well.',
    variant: changes('editing', 'replaceContent', (content, _areas, old) =>
      JSON.stringify(old).includes('"state":"reviewed"') ? { ...old, ...content } : content,
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'put', note: 'old' });
      await edda.move(made, 1);
      await edda.replace(made, 2, { title: 'put' });
      return at(await edda.read(made), '/data/note') !== undefined;
    },
  },
  'editing.put-keeps-members-of-inner-entries': {
    source: 'core: Endpoint table, PUT',
    breaks: 'What a PUT leaves out is removed, also a member of an entry inside an entry that it names by its id.',
    variant: during('editing', 'putObject', (put) =>
      replaces('editing', 'replaceArray', async (right, areas, writing, oid, port, items) => {
        if (!put.isOn()) return right(areas, writing, oid, port, items);
        const merged = [];
        for (const item of items) {
          const old = item.entryId === undefined ? undefined : await writing.entry(oid, port, item.entryId);
          merged.push(old === undefined ? item : { ...item, content: withOldInside(item.content, old.content) });
        }
        return right(areas, writing, oid, port, merged);
      }),
    ),
    async shows(service) {
      const { edda } = service;
      const revisions = [{ text: 'r', author: 'a' }];
      const made = await edda.make('Document', { files: [{ name: 'f', revisions }] });
      const file = at(await edda.read(made), '/data/files/0');
      const [$entryId, inner] = [at(file, '/$entryId'), at(file, '/revisions/0/$entryId')];
      const files = [{ $entryId, name: 'f', revisions: [{ $entryId: inner, text: 's' }] }];
      await edda.replace(made, 1, { title: 't', files });
      return at(await edda.read(made), '/data/files/0/revisions/0/author') !== undefined;
    },
  },
};

function putsMergeEntries(): Variant {
  return during('editing', 'putObject', (put) =>
    replaces('editing', 'replaceArray', async (right, areas, writing, oid, port, items) => {
      if (!put.isOn()) return right(areas, writing, oid, port, items);
      const merged = await Promise.all(
        items.map(async (item) => {
          const old = item.entryId === undefined ? undefined : await writing.entry(oid, port, item.entryId);
          const texts = Object.entries(old?.content ?? {}).filter(([, value]) => typeof value === 'string');
          return { ...item, content: { ...Object.fromEntries(texts), ...item.content } };
        }),
      );
      return right(areas, writing, oid, port, merged);
    }),
  );
}

function withOldInside(content: Content, old: Content): Content {
  return withInner(content, (items, name) =>
    items.map((item) => ({ ...itemsOf(old, name).find((one) => one['$entryId'] === item['$entryId']), ...item })),
  );
}
