import type { SoftType } from '../../../reference-server/configuration.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, editPath, listAt, many, movePath, versionHeader } from '../service.ts';

export const batchMistakes: Batch = {
  'batch.no-demote': {
    source: 'core: Batch rules 2',
    breaks: 'A batch may demote.',
    kind: 'place',
    variant: replaces('batch', 'operationRouteOf', (right, areas, table, method, path) =>
      path.includes('/maturityAction/demote/') ? undefined : right(areas, table, method, path),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.move(made, 1);
      const demote = { method: 'PUT', href: movePath(made, 'demote'), headers: versionHeader(2) };
      return (await edda.batch([demote])).status !== 200;
    },
  },

  'batch.more-than-the-guideline': {
    source: 'core: Limits',
    breaks: 'A batch may hold more than the hundred operations of the guideline.',
    kind: 'value',
    variant: replaces('batch', 'batchOperationsOf', (right, areas, body) => {
      const operations = right(areas, body);
      if (operations.length <= 120) return operations;
      throw new Refusal(400, 'A batch holds about 100 operations.');
    }),
    async shows({ edda }) {
      const { path: href } = await edda.make('Document', { title: 't' });
      return (await edda.batch(many(121, () => ({ method: 'GET', href })))).status !== 200;
    },
  },

  'batch.missing-version-is-no-failure': {
    source: 'core: Batch rules 3',
    breaks: 'A batch answers 500 when an operation failed, whatever the status of that one.',
    kind: 'value',
    variant: replaces('batch', 'batchStatus', (right, areas, results) =>
      right(areas, results.some(({ statusCode }) => statusCode === 412) ? [] : results),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      return (await edda.batch([{ method: 'PATCH', href: editPath(made), body: { note: 'n' } }])).status !== 500;
    },
  },

  'batch.one-result': {
    source: 'core: Endpoint table, POST batch',
    breaks: 'The results of a batch are an array, also that of a single operation.',
    kind: 'value',
    variant: replaces('batch', 'batchAnswer', (right, areas, results) => {
      const [only] = results;
      return { ...right(areas, results), body: results.length === 1 ? only : results };
    }),
    async shows({ edda }) {
      const { path: href } = await edda.make('Document', { title: 't' });
      return !Array.isArray((await edda.batch([{ method: 'GET', href }])).json);
    },
  },
};

export const multiCreateMistakes: Batch = {
  'multi-create.type-of-an-id-before': {
    source: 'core: Multi-create item, $softType',
    breaks: 'An item is of the SoftType that it names, whatever had its id in an earlier request.',
    kind: 'copy',
    variant: breaks('multiCreate', 'identifyItems', (right) => {
      const types = new Map<string, SoftType>();
      return (areas, items) =>
        right(
          areas,
          items.map((item) => {
            const softType = types.get(item.$id ?? '') ?? item.softType;
            if (item.$id !== undefined) types.set(item.$id, softType);
            return { ...item, softType };
          }),
        );
    }),
    async shows({ edda }) {
      await edda.multiCreate([{ $id: 'a', $softType: 'Part', data: { name: 'part' } }]);
      return (await edda.multiCreate([{ $id: 'a', $softType: 'Document', data: { title: 't' } }])).status >= 400;
    },
  },

  'multi-create.fifty-of-a-type': {
    source: 'core: Multi-create rules 3',
    breaks: 'One request takes fifty instances at most, of all SoftTypes together.',
    kind: 'combination',
    variant: replaces('multiCreate', 'withinLimit', (right, areas, items) => {
      right(
        areas,
        items.filter((item) => at(item, '/$softType') === at(items[0], '/$softType')),
      );
      return items;
    }),
    async shows({ edda }) {
      const parts = many(50, (number) => ({ $softType: 'Part', data: { name: `part ${number}` } }));
      return (await edda.multiCreate([...parts, { $softType: 'Document', data: { title: 't' } }])).status < 400;
    },
  },

  'multi-create.ids-of-a-failed-one': {
    source: 'core: Multi-create rules 1',
    breaks: 'A multi-create that failed leaves nothing behind, so that it may be sent again put right.',
    kind: 'copy',
    variant: breaks('multiCreate', 'multiCreate', (right) => {
      const pending = new Set<unknown>();
      return async (areas, call, writing) => {
        const ids = listAt(call.json, '').flatMap((item) => at(item, '/$id') ?? []);
        if (ids.some((id) => pending.has(id))) throw new Refusal(422, 'An item with this $id is under way.');
        for (const id of ids) pending.add(id);
        const answer = await right(areas, call, writing);
        for (const id of ids) pending.delete(id);
        return answer;
      };
    }),
    async shows({ edda }) {
      const item = { $id: 'd', $softType: 'Document', data: {} };
      await edda.multiCreate([item]);
      return (await edda.multiCreate([{ ...item, data: { title: 't' } }])).status >= 400;
    },
  },
};
