import { replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, listAt, many } from '../service.ts';

/** More than about a hundred operations. */
const mostOperations = 128;

/** Batches and multi-creates. */
export const manyMistakes: Batch = {
  'batch.results-end-at-a-failed-read': {
    source: 'core: Batch rules 3',
    breaks: 'There is a result for each operation, also where a read has failed.',
    kind: 'combination',
    variant: replaces('batch', 'resultsOfUndone', (right, areas, batch, count, index, failed) => {
      const results = right(areas, batch, count, index, failed);
      const operations: unknown = JSON.parse(batch.body?.toString() ?? '[]');
      return at(operations, `/${index}/method`) === 'GET' ? results.slice(0, index + 1) : results;
    }),
    async shows({ edda }) {
      const { path } = await edda.make('Part', { name: 'p' });
      const answer = await edda.batch([
        { method: 'GET', href: path },
        { method: 'GET', href: '/api/space/main/softtype/none' },
        { method: 'GET', href: path },
      ]);
      return listAt(answer.json, '').length !== 3;
    },
  },

  'batch.reads-without-their-query': {
    source: 'core: Batch operation, href',
    breaks: 'The href of an operation is the whole URI, its query too.',
    kind: 'combination',
    variant: replaces('batch', 'prepareOperation', (right, areas, ...args) => {
      const prepared = right(areas, ...args);
      return prepared.call.method === 'GET'
        ? { ...prepared, call: { ...prepared.call, query: new URLSearchParams() } }
        : prepared;
    }),
    async shows({ edda }) {
      const files = [{ name: 'a', category: 'drawing' }, { name: 'b' }];
      const { path } = await edda.make('Document', { title: 't', files });
      const answer = await edda.batch([{ method: 'GET', href: `${path}?softTypeFilterId=drawings` }]);
      return listAt(answer.json, '/0/body/data/files').length !== 1;
    },
  },

  'batch.only-so-many': {
    source: 'core: Limits, text below the table',
    breaks: 'A batch has no hard limit: all of its operations are carried out.',
    kind: 'value',
    variant: replaces('batch', 'batchOperationsOf', (right, areas, body) =>
      right(areas, body).slice(0, mostOperations),
    ),
    async shows({ edda }) {
      const { path } = await edda.make('Part', { name: 'p' });
      const answer = await edda.batch(many(mostOperations + 1, () => ({ method: 'GET', href: path })));
      return listAt(answer.json, '').length !== mostOperations + 1;
    },
  },

  'multi-create.definitions-of-the-first-space': {
    source: 'core: Multi-create item, $softType',
    breaks: 'An item is of a definition of the space that it is created in.',
    kind: 'combination',
    variant: replaces('multiCreate', 'itemTypeOf', (right, areas, call, $softType, pointer) => {
      const [space = call.space] = areas.configuration.spaces.values();
      return right(areas, { ...call, space }, $softType, pointer);
    }),
    async shows({ edda }) {
      const items = [{ $id: 'a', $softType: 'Dossier', data: { title: 't' } }];
      return (await edda.multiCreate(items, 'depot')).status >= 400;
    },
  },

  'multi-create.beginning-of-an-id': {
    source: 'core: Multi-create item, reference',
    breaks: 'A reference leads to the item whose $id it holds, not to one whose $id begins alike.',
    kind: 'value',
    variant: replaces(
      'multiCreate',
      'findItem',
      (right, areas, items, $id, referrer) =>
        items.find((item) => item.$id?.startsWith($id)) ?? right(areas, items, $id, referrer),
    ),
    async shows({ edda }) {
      const describes = [{ id: 'r', value: { instanceRef: 'p1', softTypeId: 'Part' } }];
      const answer = await edda.multiCreate([
        { $id: 'p10', $softType: 'Part', data: { name: 'ten' } },
        { $id: 'p1', $softType: 'Part', data: { name: 'one' } },
        { $id: 'd', $softType: 'Document', data: { title: 't', describes } },
      ]);
      const document = (await edda.get(String(at(answer.json, '/2/href')))).json;
      const part = await edda.get(String(at(document, '/data/describes/0/value/href')));
      return at(part.json, '/data/name') !== 'one';
    },
  },

  'multi-create.equal-items-are-one': {
    source: 'core: Multi-create rules 1',
    breaks: 'Each item becomes an instance, also where two of them are alike.',
    kind: 'value',
    variant: together(
      replaces('multiCreate', 'identifyItems', (right, areas, items) => {
        const known = new Map<string, string>();
        return right(areas, items).map((item) => {
          const key = JSON.stringify([item.softType.id, item.data]);
          const oid = known.get(key) ?? item.oid;
          known.set(key, oid);
          return { ...item, oid };
        });
      }),
      replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
        const isFirst = items.map(({ oid }, index) => items.findIndex((item) => item.oid === oid) === index);
        return right(
          areas,
          call,
          writing,
          items.filter((_item, index) => isFirst[index]),
          inputs.filter((_input, index) => isFirst[index]),
        );
      }),
    ),
    async shows({ edda }) {
      const answer = await edda.multiCreate([
        { $id: 'a', $softType: 'Part', data: { name: 'p' } },
        { $id: 'b', $softType: 'Part', data: { name: 'p' } },
      ]);
      return at(answer.json, '/0/href') === at(answer.json, '/1/href');
    },
  },
};
