import { isDeepStrictEqual } from 'node:util';
import { isContent, itemsOf } from '../../../reference-server/areas/content.ts';
import { nameOf, type OperationsRun } from '../../../reference-server/areas/operations.ts';
import type { SchemaView } from '../../../reference-server/configuration.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import type { StoredEntry } from '../../../reference-server/ports/store.ts';
import { breaks, replaces, together, type Variant } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import { append, firstFile, named, namesOn, operationsOf, withContacts, withFiles } from '../proofs.ts';
import { at, listAt, many, versionHeader } from '../service.ts';
import { changes, whole } from '../variant-parts.ts';

export const operationPathsMistakes: Mistakes = {
  'operations.entry-ids-of-a-byte': {
    source: 'core: Operations-based PATCH rules 3',
    breaks: 'A path leads to an entry by an id above 127 as well.',
    variant: changes('operations', 'entryAt', (entry) => (entry && entry.entryId > 127 ? undefined : entry)),
    async shows({ edda }) {
      const made = await withFiles(edda, 130);
      return (await edda.operate(made, 1, [{ op: 'add', path: '/files/130/comment', value: 'c' }])).status >= 400;
    },
  },
  'operations.names-in-any-case': {
    source: 'core: Operations-based PATCH rules 3 and 7',
    breaks: 'A path is a JSON Pointer, whose names are those of members letter by letter; a replace needs its target.',
    variant: replaces('operations', 'targetOf', (right, areas, run, operation) => {
      const [first = '', ...rest] = operation.tokens;
      const names = [...run.view.names.keys()];
      const name = names.includes(first) ? first : names.find((one) => one.toLowerCase() === first.toLowerCase());
      return right(areas, run, { ...operation, tokens: name === undefined ? operation.tokens : [name, ...rest] });
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { note: 'n' });
      await edda.operate(made, 1, [{ op: 'replace', path: '/Note', value: 'other' }]);
      return at(await edda.read(made), '/data/note') !== 'n';
    },
  },
  'operations.end-marker-of-emptied-inner-array': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'The end marker may be given behind an array that is there, also when it has lost all it had.',
    variant: replaces('operations', 'addValue', async (right, areas, run, target, value, pointer) => {
      const isInside = target.kind === 'array' && target.marker && target.row.entry !== undefined;
      const isEmpty = Array.isArray(target.value) && target.value.length === 0;
      if (isInside && isEmpty) throw new Refusal(422, 'There is no entry with the id -.');
      return right(areas, run, target, value, pointer);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: [{ name: 'n', revisions: [{ text: 'r' }] }] });
      const revisions = `${await firstFile(edda, made)}/revisions`;
      const id = String(at(await edda.read(made), '/data/files/0/revisions/0/$entryId'));
      await edda.operate(made, 1, [{ op: 'remove', path: `${revisions}/${id}/` }]);
      const added = { op: 'add', path: `${revisions}/-`, value: { text: 's' } };
      return (await edda.operate(made, 2, [added])).status >= 400;
    },
  },
  'operations.end-marker-of-empty-array': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'The end marker may be given or left out, whatever the array holds.',
    variant: replaces('operations', 'appendToPort', async (right, areas, run, target, contents) => {
      const isMarked = 'marker' in target && target.marker;
      if (isMarked && (await run.writing.countEntries(run.object.oid, nameOf(target))) === 0)
        throw new Refusal(422, 'There is no entry with the id -.');
      return right(areas, run, target, contents);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      return (await edda.operate(made, 1, [{ op: 'add', path: '/files/-', value: { name: 'n' } }])).status >= 400;
    },
  },
  'operations.end-marker-of-texts': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'Where a text is appended to an array of texts the end marker may be given as well.',
    variant: replaces('operations', 'addValue', async (right, areas, run, target, value, pointer) => {
      if (target.kind === 'list' && target.marker) throw new Refusal(422, 'There is no entry with the id -.');
      return right(areas, run, target, value, pointer);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { keywords: ['one'] });
      return (await edda.operate(made, 1, [{ op: 'add', path: '/keywords/-', value: 'two' }])).status >= 400;
    },
  },
  'operations.equal-objects-of-entries-are-one': {
    source: 'core: Operations-based PATCH rules 3',
    breaks: 'An operation changes the entry that its path names, and no other that holds an equal object.',
    variant: replaces('operations', 'setMember', async (right, areas, run, target, value) => {
      const [holder, inner] = target.steps;
      const { entry, content } = target.row;
      await right(areas, run, target, value);
      if (entry === undefined || holder === undefined || inner === undefined) return;
      const before = content[holder.name];
      if (!isContent(before)) return;
      for (const other of await run.writing.entries(run.object.oid, entry.port, whole)) {
        if (other.entryId === entry.entryId || !isDeepStrictEqual(other.content[holder.name], before)) continue;
        const changed = { ...other.content, [holder.name]: { ...before, [inner.name]: value } };
        await run.writing.updateEntry(run.object.oid, entry.port, other.entryId, changed);
      }
    }),
    async shows({ edda }) {
      const origin = { place: 'p', maker: 'm' };
      const files = ['one', 'other'].map((name) => ({ name, origin }));
      const made = await edda.make('Document', { files });
      const path = `${await firstFile(edda, made)}/origin/place`;
      await edda.operate(made, 1, [{ op: 'replace', path, value: 'q' }]);
      return at(await edda.read(made), '/data/files/1/origin/place') === 'q';
    },
  },
  'operations.zeros-before-an-id': {
    source: 'core: Operations-based PATCH rules 3',
    breaks: 'An entry is addressed by its id, and not by another text of the same number.',
    survives:
      'In which texts a path may write an id is not said (entry-id-form); patch.path.unusual-pointers records what becomes of one with a zero before it.',
    variant: replaces('operations', 'entryAt', (right, areas, run, port, token) =>
      right(areas, run, port, token.replace(/^0+/, '')),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'zeros', files: named(1) });
      return (await edda.operate(made, 1, [{ op: 'replace', path: '/files/01/name', value: 'other' }])).status < 400;
    },
  },
  'operations.empty-path-passed-over': {
    source: 'core: Operations-based PATCH rules 3, second sentence',
    breaks: 'The empty path is unsupported, also where other operations stand beside the one that has it.',
    variant: replaces('operations', 'applyOperations', (right, areas, run, operations) =>
      right(areas, run, operations.length > 1 ? operations.filter(({ path }) => path !== '') : operations),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const operations = ['/title', ''].map((path) => ({ op: 'replace', path, value: 'u' }));
      return (await edda.operate(made, 1, operations)).status < 300;
    },
  },
  'operations.ids-read-as-far-as-digits-go': {
    source: 'core: Operations-based PATCH rules 3, fourth sentence',
    breaks: 'A path addresses the entry with that id, and none where something stands behind the digits.',
    variant: replaces('operations', 'entryAt', (right, areas, run, port, token) =>
      right(areas, run, port, String(Number.parseInt(token, 10))),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: named(1) });
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      return (await edda.operate(made, 1, [{ op: 'replace', path: `/files/${id}x/name`, value: 'm' }])).status < 300;
    },
  },
  'operations.whole-document-in-a-batch': {
    source: 'core: Operations-based PATCH rules 3',
    breaks: 'The empty path is not supported, in a batch neither.',
    variant: replaces('operations', 'applyOperation', async (right, areas, run, operation, place) => {
      const isWhole = operation.op !== 'remove' && operation.path === '';
      if (!isWhole || run.call.isSibling === undefined) return right(areas, run, operation, place);
      run.root = areas.editing.mergePatch(run.root, Object(operation.value)) as typeof run.root;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const answer = await edda.batch([
        operationsOf(made, 1, [{ op: 'replace', path: '', value: { title: 'whole' } }]),
      ]);
      return answer.status === 200;
    },
  },
  'operations.ids-move-up': {
    source: 'core: Operations-based PATCH rules 3',
    breaks: 'An id names its entry, also behind the removal of an earlier entry in the same list.',
    variant: (classes) => {
      const removed = new WeakMap<object, number[]>();
      return together(
        replaces('operations', 'removeTarget', async (right, areas, run, target) => {
          await right(areas, run, target);
          const entryId = target.kind === 'entry' ? target.row.entry?.entryId : undefined;
          if (entryId !== undefined) removed.set(run, [...(removed.get(run) ?? []), entryId]);
        }),
        replaces('operations', 'entryAt', async (right, areas, run, port, token) => {
          const before = (removed.get(run) ?? []).filter((id) => id < Number(token)).length;
          if (before === 0) return right(areas, run, port, token);
          return (await right(areas, run, port, String(Number(token) + before))) ?? right(areas, run, port, token);
        }),
      )(classes);
    },
    async shows({ edda }) {
      const made = await edda.make('Document', { files: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] });
      const ids = listAt(await edda.read(made), '/data/files').map((entry) => String(at(entry, '/$entryId')));
      await edda.operate(made, 1, [
        { op: 'remove', path: `/files/${ids[0]}/` },
        { op: 'replace', path: `/files/${ids[1]}/name`, value: 'changed' },
      ]);
      return at(await edda.read(made), '/data/files/0/name') !== 'changed';
    },
  },
  'operations.entries-of-the-creator': {
    source: 'core: Operations-based PATCH rules 3',
    breaks: 'A path leads to a member of an entry whoever writes, be it somebody else than made the object.',
    variant: ofCreator(),
    async shows({ edda, emil }) {
      const made = await edda.make('Document', { files: [{ name: 'n' }] });
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      const answer = await emil.operate(made, 1, [{ op: 'replace', path: `/files/${id}/name`, value: 'm' }]);
      return answer.status === 403;
    },
  },
  'operations.entry-as-it-was': {
    source: 'core: Operations-based PATCH rules 3',
    breaks: 'A path addresses the entry as the operations before it left it.',
    variant: breaks('operations', 'entryAt', (right) => {
      const loaded = new WeakMap<OperationsRun, Map<string, StoredEntry>>();
      return async (areas, run, port, token) => {
        const entries = loaded.get(run) ?? new Map<string, StoredEntry>();
        loaded.set(run, entries);
        const entry = entries.get(`${port}/${token}`) ?? (await right(areas, run, port, token));
        if (entry !== undefined) entries.set(`${port}/${token}`, entry);
        return entry;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: [{ name: 'a' }] });
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      await edda.operate(made, 1, [
        { op: 'replace', path: `/files/${id}/name`, value: 'b' },
        { op: 'add', path: `/files/${id}/comment`, value: 'c' },
      ]);
      return at(await edda.read(made), '/data/files/0/name') === 'a';
    },
  },
  'operations.escapes-in-wrong-order': {
    source: 'core: Operations-based PATCH rules 3',
    breaks: 'In a JSON Pointer ~01 stands for ~1, because a slash is unescaped before a tilde.',
    museum: true,
    variant: replaces('operations', 'pointerTokens', (right, areas, path) => {
      if (path === '' || right(areas, path) === undefined) return right(areas, path);
      const tokens = path.slice(1).split('/');
      return tokens.map((token) => token.replaceAll('~0', '~').replaceAll('~1', '/'));
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      return (await edda.operate(made, 1, [{ op: 'add', path: '/scale~1~01', value: 'b' }])).status !== 204;
    },
  },
  'operations.entries-of-the-first-page': {
    source: 'core: Operations-based PATCH rules 3',
    breaks: 'An entry is addressed by its id, on whichever page it is.',
    variant: changes('operations', 'entryAt', async (entry, _areas, run, port) => {
      const shown = await run.writing.entries(run.object.oid, port, { from: 0, to: 10 });
      return shown.some(({ entryId }) => entryId === entry?.entryId) ? entry : undefined;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'second page', files: named(11) });
      return (await edda.operate(made, 1, [{ op: 'replace', path: '/files/11/name', value: 'x' }])).status >= 400;
    },
  },
  'operations.id-that-begins-alike': {
    source: 'core: Operations-based PATCH rules 3',
    breaks: 'A path addresses the entry with that id, not one whose id the given one begins with.',
    variant: replaces('operations', 'entryAt', async (right, areas, run, port, token) => {
      for (let length = 1; length < token.length; length += 1) {
        const entry = await right(areas, run, port, token.slice(0, length));
        if (entry !== undefined) return entry;
      }
      return right(areas, run, port, token);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: named(12) });
      const page = await edda.page(made, 'files', 1);
      const id = String(at(page.json, '/data/1/$entryId'));
      await edda.operate(made, 1, [{ op: 'replace', path: `/files/${id}/name`, value: 'new' }]);
      return at((await edda.page(made, 'files', 1)).json, '/data/1/name') !== 'new';
    },
  },
  'operations.names-of-the-last-edit': {
    source: 'core: Operations-based PATCH rules 3',
    breaks: 'A path is one into the input schema, also after an edit by a schema that holds less.',
    variant: pathsByTheLastEdit(),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'paths' });
      const brief = `/api/space/main/softtype/Document/documentBrief/${made.oid}`;
      await edda.send('PATCH', brief, { headers: versionHeader(1), body: { note: 'brief' } });
      return (await edda.operate(made, 2, [{ op: 'add', path: '/label', value: 'label' }])).status >= 400;
    },
  },
  'operations.later-entries-by-place': {
    source: 'core: Operations-based PATCH rules 3',
    breaks: 'A path names an entry by its id, also one beyond the first ten, with one before it gone.',
    variant: replaces('operations', 'entryAt', async (right, areas, run, port, token) => {
      const place = Number(token);
      if (!(place > 10)) return right(areas, run, port, token);
      const [entry] = await run.writing.entries(run.object.oid, port, { from: place - 1, to: place });
      return entry;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: named(12) });
      await edda.operate(made, 1, [{ op: 'remove', path: `${await firstFile(edda, made)}/` }]);
      const last = String(at((await edda.page(made, 'files', 1)).json, '/data/0/$entryId'));
      return (await edda.operate(made, 2, [{ op: 'replace', path: `/files/${last}/name`, value: 'x' }])).status >= 400;
    },
  },
  'operations.a-position-inside-an-entry': {
    source: 'core: Operations-based PATCH rules 4',
    breaks: 'A position removes nothing from an array inside an entry.',
    variant: replaces('operations', 'targetOf', async (right, areas, run, operation) => {
      const [port = '', id = '', inner = '', position = '', ...rest] = operation.tokens;
      const entry = operation.op === 'remove' ? await areas.operations.entryAt(run, port, id) : undefined;
      const items: unknown = entry?.content[inner];
      const ids = (Array.isArray(items) ? items.filter(isContent) : []).map((item) => String(item['$entryId']));
      const found = ids.includes(position) ? undefined : ids[Number(position || NaN)];
      return right(
        areas,
        run,
        found === undefined ? operation : { ...operation, tokens: [port, id, inner, found, ...rest] },
      );
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: [{ name: 'n', revisions: [{ author: 'a', text: 'l' }] }] });
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      await edda.operate(made, 1, [{ op: 'remove', path: `/files/${id}/revisions/0/` }]);
      return listAt(await edda.read(made), '/data/files/0/revisions').length === 0;
    },
  },
  'operations.position-behind-the-last-value': {
    source: 'core: Operations-based PATCH rules 4, second sentence',
    breaks: 'Nothing is inserted at a position, also not at the one behind the last value of a list.',
    variant: replaces('operations', 'targetOf', (right, areas, run, operation) => {
      const [first = '', position = '', ...rest] = operation.tokens;
      const name = run.view.names.get(first) ?? '';
      const values = run.root[name];
      const isList = run.softType.members.get(name)?.kind === 'list' && Array.isArray(values);
      if (operation.op !== 'add' || rest.length > 0 || !isList || position !== String(values.length))
        return right(areas, run, operation);
      return right(areas, run, { ...operation, tokens: [first, '-'] });
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { keywords: ['a', 'b'] });
      return (await edda.operate(made, 1, [{ op: 'add', path: '/keywords/2', value: 'c' }])).status < 300;
    },
  },
  'operations.position-in-a-nested-array': {
    source: 'core: Operations-based PATCH rules 4',
    breaks: 'A position names no entry, also not in an array inside an entry.',
    variant: replaces('operations', 'targetOf', async (right, areas, run, operation) => {
      try {
        return await right(areas, run, operation);
      } catch (error) {
        const [port = '', entryId = '', member = '', position = ''] = operation.tokens;
        const entry = /^\d+$/.test(position)
          ? await run.writing.entry(run.object.oid, port, Number(entryId))
          : undefined;
        const item = itemsOf(entry?.content ?? {}, member)[Number(position)];
        if (item === undefined) throw error;
        return right(areas, run, { ...operation, tokens: operation.tokens.with(3, String(item['$entryId'])) });
      }
    }),
    async shows({ edda }) {
      const files = [{ name: 'one', revisions: [{ text: 'first' }, { text: 'second' }] }];
      const made = await edda.make('Document', { title: 'position', files });
      const replaced = { op: 'replace', path: '/files/1/revisions/0/text', value: 'by position' };
      return (await edda.operate(made, 1, [replaced])).status < 400;
    },
  },
  'operations.id-at-the-end-of-another': {
    source: 'core: Operations-based PATCH rules 4',
    breaks: 'An entry is addressed by its id, not by one that ends alike.',
    variant: replaces(
      'operations',
      'entryAt',
      async (right, areas, run, port, token) =>
        (await right(areas, run, port, `1${token}`)) ?? right(areas, run, port, token),
    ),
    async shows({ edda }) {
      const files = many(12, (number) => ({ name: `file ${number}`, comment: 'old' }));
      const made = await edda.make('Document', { title: 'alike', files });
      const second = at(await edda.read(made), '/data/files/1/$entryId');
      await edda.operate(made, 1, [{ op: 'replace', path: `/files/${String(second)}/comment`, value: 'new' }]);
      return at(await edda.read(made), '/data/files/1/comment') === 'old';
    },
  },
  'operations.number-is-a-position': {
    source: 'core: Operations-based PATCH rules 4',
    breaks: 'A number in a path is the id of an entry and never its place in the array.',
    museum: true,
    variant: replaces('operations', 'entryAt', async (right, areas, run, port, token) => {
      const position = Number(token);
      if (!Number.isSafeInteger(position)) return right(areas, run, port, token);
      const [entry] = await run.writing.entries(run.object.oid, port, { from: position, to: position + 1 });
      return entry;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: [{ name: 'b' }, { name: 'c' }, { name: 'd' }] });
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      await edda.operate(made, 1, [{ op: 'add', path: `/files/${id}/comment`, value: 'e' }]);
      return at(await edda.read(made), '/data/files/0/comment') !== 'e';
    },
  },
  'writing.id-of-a-gone-entry-is-a-position': {
    source: 'core: Operations-based PATCH rules 4',
    breaks: 'A number in a path is the id of an entry or of none, also where an entry once had it.',
    variant: changes('operations', 'entryAt', async (entry, _areas, run, port, token) => {
      if (entry !== undefined || !/^[1-9]\d*$/.test(token)) return entry;
      const from = Number(token) - 1;
      const [found] = await run.writing.entries(run.object.oid, port, { from, to: from + 1 });
      return found;
    }),
    async shows({ edda }) {
      const made = await withContacts(edda, 3);
      const path = `/contacts/${String(at(await edda.read(made), '/data/contacts/0/$entryId'))}/`;
      await edda.operate(made, 1, [{ op: 'remove', path }]);
      await edda.operate(made, 2, [{ op: 'remove', path }]);
      return namesOn((await edda.page(made, 'contacts', 0)).json) !== 'c2,c3';
    },
  },
  'operations.missing-entry-is-remembered': {
    source: 'core: Operations-based PATCH rules 3',
    breaks: 'A path addresses the entry with that id, also where there was none before.',
    variant: breaks('operations', 'entryAt', (right) => {
      const missing = new Set<string>();
      return async (areas, run, port, token) => {
        const key = JSON.stringify([run.object.oid, port, token]);
        const found = missing.has(key) ? undefined : await right(areas, run, port, token);
        if (found === undefined) missing.add(key);
        return found;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: named(1) });
      const rename = [{ op: 'replace', path: '/files/2/name', value: 'other' }];
      await edda.operate(made, 1, rename);
      await append(edda, made, 1, named(1));
      return (await edda.operate(made, 2, rename)).status >= 400;
    },
  },
};

function ofCreator(): Variant {
  return (classes) => {
    const creators = new Map<string, string>();
    return together(
      changes('editing', 'createObject', (answer, _areas, call) => {
        creators.set(answer.headers?.['Location']?.split('/').at(-1) ?? '', call.user.name);
        return answer;
      }),
      replaces('operations', 'entryAt', (right, areas, run, port, token) => {
        const creator = creators.get(run.object.oid) ?? run.call.user.name;
        if (creator !== run.call.user.name) throw new Refusal(403, 'The entry is that of another user.');
        return right(areas, run, port, token);
      }),
    )(classes);
  };
}

function pathsByTheLastEdit(): Variant {
  return (classes) => {
    const views = new Map<string, SchemaView>();
    return together(
      changes('editing', 'inputViewOf', (found, _areas, _call, object) => {
        views.set(object.oid, found.view);
        return found;
      }),
      replaces('operations', 'targetOf', (right, areas, run, operation) =>
        right(areas, { ...run, view: views.get(run.object.oid) ?? run.view }, operation),
      ),
    )(classes);
  };
}
