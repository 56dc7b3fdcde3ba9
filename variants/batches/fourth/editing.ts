import { Refusal } from '../../../reference-server/http/refusal.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { nameOf } from '../../../reference-server/areas/operations.ts';
import { type Variant, Step, together, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, listAt, many } from '../service.ts';

/** PUT, merges and lists of operations. */
export const editing: Batch = {
  'put.entry-keeps-a-member': {
    source: 'core: Endpoint table, PUT',
    breaks: 'What the body of a PUT leaves out is gone, in an entry that names its id as well.',
    kind: 'place',
    variant: putsMergeEntries(),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'put', files: [{ name: 'file', comment: 'old' }] });
      const id = at(await edda.read(made), '/data/files/0/$entryId');
      await edda.replace(made, 1, { title: 'put', files: [{ $entryId: id, name: 'file' }] });
      return at(await edda.read(made), '/data/files/0/comment') === 'old';
    },
  },
  'put.long-integer': {
    source: 'core: Batch rules 5 (PUT replaces all fields with the payload)',
    breaks: 'An integer of a PUT is stored as it is given, beyond 32 bits too.',
    kind: 'value',
    variant: replaces('editing', 'replaceContent', (right, areas, old, given) => {
      const short = Object.entries(given).map(([name, value]) => [
        name,
        Number.isInteger(value) ? Number(value) | 0 : value,
      ]);
      return right(areas, old, Object.fromEntries(short));
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'number' });
      await edda.replace(made, 1, { title: 'number', pageCount: 3_000_000_000 });
      return at(await edda.read(made), '/data/pageCount') !== 3_000_000_000;
    },
  },
  'merge.second-level-back': {
    source: 'core: Endpoint table, PATCH (merge); States and transitions',
    breaks: 'A merge moves no current state, that of the second level included.',
    kind: 'combination',
    variant: replaces('editing', 'mergePatch', (right, areas, target, edits) => {
      const merged = right(areas, target, edits);
      const states = merged['$states'];
      if (!isContent(states) || !isContent(states['approval'])) return merged;
      return { ...merged, $states: { ...states, approval: { ...states['approval'], state: 'open' } } };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'approved' });
      await edda.move(made, 1, 'promote', 'approval');
      await edda.merge(made, 2, { note: 'edited' });
      return at(await edda.read(made), '/data/approval/state') === 'open';
    },
  },
  'operations.id-at-the-end-of-another': {
    source: 'core: Operations-based PATCH rules 4',
    breaks: 'An entry is addressed by its id, not by one that ends alike.',
    kind: 'value',
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
  'operations.marker-of-the-first-page': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'The end marker means the end of the whole array, not that of its first page.',
    kind: 'place',
    variant: replaces('operations', 'appendToPort', async (right, areas, run, target, contents) => {
      await right(areas, run, target, contents);
      const { writing, object } = run;
      const port = nameOf(target);
      const count = await writing.countEntries(object.oid, port);
      if (!('marker' in target) || !target.marker || count - contents.length <= 10) return;
      const all = await writing.entries(object.oid, port, { from: 0, to: count });
      const before = count - contents.length;
      const moved = [...all.slice(0, 10), ...all.slice(before), ...all.slice(10, before)];
      await writing.replaceEntries(object.oid, port, moved);
    }),
    async shows({ edda }) {
      const files = many(12, (number) => ({ name: `file ${number}` }));
      const made = await edda.make('Document', { title: 'marker', files });
      await edda.operate(made, 1, [{ op: 'add', path: '/files/-', value: { name: 'new' } }]);
      return at(listAt((await edda.page(made, 'files', 1)).json, '/data').at(-1), '/name') !== 'new';
    },
  },
  'operations.version-spent-by-a-failure': {
    source: 'core: Versioning 3',
    breaks: 'The version is compared with that of the object: a list that failed has not changed it.',
    kind: 'moment',
    variant: failuresSpendVersions(),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'failed', note: 'there' });
      await edda.operate(made, 1, [{ op: 'add', path: '/note', value: 'again' }]);
      return (await edda.merge(made, 1, { note: 'new' })).status === 409;
    },
  },
};

function putsMergeEntries(): Variant {
  const put = new Step();
  return together(
    replaces('editing', 'putObject', (right, areas, ...args) => put.run(() => right(areas, ...args))),
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

function failuresSpendVersions(): Variant {
  const failed = new Set<string>();
  return together(
    replaces('operations', 'operateObject', async (right, areas, call, writing) => {
      try {
        return await right(areas, call, writing);
      } catch (error) {
        failed.add(call.object.oid);
        throw error;
      }
    }),
    replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      if (failed.delete(object.oid)) throw new Refusal(409, 'The object is at another version.');
      return right(areas, call, object);
    }),
  );
}
