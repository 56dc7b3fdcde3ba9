import { isContent, itemsOf } from '../../../reference-server/areas/content.ts';
import type { Content } from '../../../reference-server/ports/store.ts';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, listAt, many } from '../service.ts';

export const operationsMistakes: Batch = {
  'operations.id-by-count': {
    source: 'core: System properties, $entryId',
    breaks:
      'An $entryId tells one entry of an array from the others, also when one was removed before another was added.',
    kind: 'combination',
    variant: replaces('operations', 'operateObject', (right, areas, call, writing) =>
      right(areas, call, {
        ...writing,
        updateEntry: async (oid, port, entryId, content) => {
          const before = await writing.entry(oid, port, entryId);
          await writing.updateEntry(oid, port, entryId, recounted(before?.content ?? {}, content));
        },
      }),
    ),
    async shows({ edda }) {
      const revisions = many(3, (number) => ({ text: `revision ${number}` }));
      const made = await edda.make('Document', { title: 't', files: [{ name: 'one', revisions }] });
      await edda.operate(made, 1, [{ op: 'remove', path: '/files/1/revisions/1/' }]);
      await edda.operate(made, 2, [{ op: 'add', path: '/files/1/revisions', value: { text: 'last' } }]);
      const ids = listAt(await edda.read(made), '/data/files/0/revisions').map((item) => at(item, '/$entryId'));
      return new Set(ids).size < ids.length;
    },
  },

  'operations.add-of-nothing': {
    source: 'core: Patch operation, value',
    breaks: 'An add needs a value, also where an entry without any member would do.',
    kind: 'place',
    variant: replaces('operations', 'operationOf', (right, areas, item, pointer) => {
      const isBare = isContent(item) && item['op'] === 'add' && !('value' in item);
      return right(areas, isBare ? { ...item, value: {} } : item, pointer);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      return (await edda.operate(made, 1, [{ op: 'add', path: '/contacts' }])).status < 400;
    },
  },
};

export const writingMistakes: Batch = {
  'editing.merge-of-the-same': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'An accepted merge answers 204, also when each field has the value already.',
    kind: 'value',
    variant: replaces('editing', 'mergeObject', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      const edits = isContent(call.json) ? Object.entries(call.json) : [];
      const isSame = edits.every(([name, value]) => call.object.content[name] === value);
      return isSame ? { ...answer, status: 200, body: { message: 'not changed' } } : answer;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', note: 'same' });
      return (await edda.merge(made, 1, { note: 'same' })).status !== 204;
    },
  },
};

/** Numbers an item that came to an array of the entry by how many the array has now. */
function recounted(before: Content, after: Content): Content {
  const members = Object.entries(after).map(([name, value]) => {
    const items = itemsOf(after, name);
    const last = items.at(-1);
    if (last === undefined || items.length <= itemsOf(before, name).length) return [name, value];
    return [name, [...items.slice(0, -1), { ...last, $entryId: items.length }]];
  });
  return Object.fromEntries(members);
}
