import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, editPath, listAt, many, versionHeader } from '../service.ts';

export const manyMistakes: Batch = {
  'batch.kept-in-spite-of-a-read': {
    source: 'core: Batch rules 1',
    breaks: 'If one operation fails nothing is kept, also when the one that fails only reads.',
    kind: 'value',
    variant: replaces(
      'batch',
      'failsBatch',
      (right, areas, outcome) => right(areas, outcome) && outcome.call.method !== 'GET',
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'kept' });
      await edda.batch([
        { method: 'PATCH', href: editPath(made), headers: versionHeader(1), body: { note: 'kept' } },
        { method: 'GET', href: made.path.replace(made.oid, crypto.randomUUID()) },
      ]);
      return at(await edda.read(made), '/version') !== 1;
    },
  },

  'batch.read-under-a-schema': {
    source: 'core: Batch rules 2',
    breaks: 'A batch supports the reads of SoftTypes, that with definition and output schema as well.',
    kind: 'place',
    variant: replaces('batch', 'operationRouteOf', (right, areas, table, method, path) => {
      const found = right(areas, table, method, path);
      return method === 'GET' && found?.params['outputSchemaId'] !== undefined ? undefined : found;
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Document', { title: 'long' });
      const href = `/api/space/main/softtype/Document/documentFull/${oid}`;
      return (await edda.batch([{ method: 'GET', href }])).status !== 200;
    },
  },

  'batch.status-of-a-conflict': {
    source: 'core: Batch rules 3',
    breaks: 'The status of a batch with an operation that failed is 500, also when it failed for its version.',
    kind: 'value',
    variant: replaces('batch', 'batchStatus', (right, areas, results) => {
      return results.some(({ statusCode }) => statusCode === 409) ? 409 : right(areas, results);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'conflict' });
      const operation = { method: 'PATCH', href: editPath(made), headers: versionHeader(5), body: { note: 'x' } };
      return (await edda.batch([operation])).status !== 500;
    },
  },

  'batch.query-decoded-twice': {
    source: 'core: Batch operation',
    breaks: 'An operation is the request that its href writes, with what is encoded in its query.',
    kind: 'value',
    variant: replaces('batch', 'prepareOperation', (right, areas, ...args) => {
      const { call, route } = right(areas, ...args);
      const [, query = ''] = call.url.split('?');
      return { route, call: { ...call, query: new URLSearchParams(decodeURIComponent(query)) } };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'query', files: [{ name: 'one', category: 'a&b' }] });
      const href = `${made.path}?softTypeFilterId=byCategory&fileGroup.category=a%26b`;
      const { json } = await edda.batch([{ method: 'GET', href }]);
      return listAt(json, '/0/body/data/files').length !== 1;
    },
  },

  'multi-create.id-of-the-object': {
    source: 'core: Multi-create item',
    breaks: 'The $id of an item is for references inside the request alone; another request may use it again.',
    kind: 'moment',
    variant: replaces('multiCreate', 'identifyItems', (right, areas, items) => {
      return right(areas, items).map((item) => ({ ...item, oid: item.$id ?? item.oid }));
    }),
    async shows({ edda }) {
      const items = [{ $id: 'again', $softType: 'Part', data: { name: 'part' } }];
      const [one, other] = [await edda.multiCreate(items), await edda.multiCreate(items)];
      return other.status >= 400 || at(one.json, '/0/href') === at(other.json, '/0/href');
    },
  },

  'multi-create.limit-by-type': {
    source: 'core: Multi-create rules 3',
    breaks: 'A request creates 50 instances at most, of all SoftTypes together.',
    kind: 'value',
    variant: replaces('multiCreate', 'withinLimit', (right, areas, items) => {
      const groups = Map.groupBy(items, (item) => at(item, '/$softType'));
      for (const group of groups.values()) right(areas, group);
      return items.length === 0 ? right(areas, items) : items;
    }),
    async shows({ edda }) {
      const parts = many(26, (number) => ({ $id: `p${number}`, $softType: 'Part', data: { name: 'part' } }));
      const texts = many(26, (number) => ({ $id: `r${number}`, $softType: 'Requirement', data: { text: 'text' } }));
      return (await edda.multiCreate([...parts, ...texts])).status < 400;
    },
  },
};
