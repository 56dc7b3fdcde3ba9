import { Refusal } from '../../../reference-server/http/refusal.ts';
import type { MultiCreate } from '../../../reference-server/areas/multi-create.ts';
import { breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, listAt } from '../service.ts';
import { oidIn, referenceTo } from './scenes.ts';

export const batchMistakes: Batch = {
  'batch.one-result-for-equal-reads': {
    source: 'core: Batch rules 3',
    breaks: 'There is a result for each operation, also for one that was there before.',
    kind: 'combination',
    variant: replaces('batch', 'runBatch', (right, areas, call, writing, table) => {
      const seen = new Set<string>();
      const json = call.json.filter((operation) => {
        const text = JSON.stringify(operation);
        const isAgain = at(operation, '/method') === 'GET' && seen.has(text);
        seen.add(text);
        return !isAgain;
      });
      return right(areas, { ...call, json }, writing, table);
    }),
    async shows(service) {
      const edda = service.edda;
      const { path: href } = await edda.make('Document', { title: 't' });
      const { json } = await edda.batch([
        { method: 'GET', href },
        { method: 'GET', href },
      ]);
      return listAt(json, '').length !== 2;
    },
  },

  'batch.output-schema-of-a-read': {
    source: 'core: SoftType read response',
    breaks: 'The data is that of the output schema in the path, in a batch as well.',
    kind: 'combination',
    variant: replaces('batch', 'prepareOperation', (right, areas, ...args) => {
      const prepared = right(areas, ...args);
      const { outputSchemaId: _schema, ...params } = prepared.call.params;
      const isPage = prepared.call.params['arrayPortId'] !== undefined;
      return isPage ? prepared : { ...prepared, call: { ...prepared.call, params } };
    }),
    async shows(service) {
      const edda = service.edda;
      const { oid } = await edda.make('Document', { title: 't', note: 'n' });
      const href = `/api/space/main/softtype/Document/documentSummary/${oid}`;
      return at((await edda.batch([{ method: 'GET', href }])).json, '/0/body/data/note') !== undefined;
    },
  },

  'batch.second-multi-create': {
    source: 'core: Batch rules 4',
    breaks: 'A multi-create in a batch is one of its own: what another one there calls its items does not matter.',
    kind: 'combination',
    variant: breaks('multiCreate', 'multiCreate', (right) => {
      const taken = new Map<string, Set<unknown>>();
      return (areas, call, writing) => {
        if (call.isSibling === undefined) return right(areas, call, writing);
        const before = taken.get(call.correlationId) ?? new Set();
        const ids = listAt(call.json, '').flatMap((item) => at(item, '/$id') ?? []);
        if (ids.some((id) => before.has(id))) throw new Refusal(422, 'Another item has this $id already.');
        taken.set(call.correlationId, new Set([...before, ...ids]));
        return right(areas, call, writing);
      };
    }),
    async shows(service) {
      const body = [{ $id: 'p', $softType: 'Part', data: { name: 'n' } }];
      const operation = { method: 'POST', href: '/space/main/softtype', body };
      return (await service.edda.batch([operation, operation])).status !== 200;
    },
  },
};

type Item = Parameters<MultiCreate['findItem']>[0][number];

const earlierItems = new Map<string, Item>();

export const multiCreateMistakes: Batch = {
  'multi-create.id-used-up': {
    source: 'core: Multi-create rules 2',
    breaks: 'Any number of items may refer to the same one.',
    kind: 'moment',
    variant: breaks('multiCreate', 'findItem', (right) => {
      const used = new WeakMap<object, Set<string>>();
      return (areas, items, $id, referrer) => {
        const before = used.get(items) ?? new Set();
        used.set(items, new Set([...before, $id]));
        return before.has($id) ? undefined : right(areas, items, $id, referrer);
      };
    }),
    async shows(service) {
      const describes = [referenceTo('p', 'Part')];
      const answer = await service.edda.multiCreate([
        { $id: 'p', $softType: 'Part', data: { name: 'n' } },
        { $id: 'd1', $softType: 'Document', data: { title: 't', describes } },
        { $id: 'd2', $softType: 'Document', data: { title: 't', describes } },
      ]);
      return answer.status >= 400;
    },
  },

  'multi-create.id-of-the-request-before': {
    source: 'core: Multi-create item',
    breaks: 'A temporary id is worth something inside its request only.',
    kind: 'moment',
    variant: together(
      replaces('multiCreate', 'identifyItems', (right, areas, items) => {
        const identified = right(areas, items);
        for (const item of identified) if (item.$id !== undefined) earlierItems.set(item.$id, item);
        return identified;
      }),
      replaces(
        'multiCreate',
        'findItem',
        (right, areas, items, $id, referrer) => right(areas, items, $id, referrer) ?? earlierItems.get($id),
      ),
    ),
    async shows(service) {
      const edda = service.edda;
      await edda.multiCreate([{ $id: 'before', $softType: 'Part', data: { name: 'n' } }]);
      const data = { title: 't', describes: [referenceTo('before', 'Part')] };
      return (await edda.multiCreate([{ $id: 'd', $softType: 'Document', data }])).status < 400;
    },
  },

  'multi-create.equal-items-once': {
    source: 'core: Endpoint table, POST softtype list',
    breaks: 'Every item becomes an instance of its own, also one that is equal to another.',
    kind: 'value',
    variant: together(
      replaces('multiCreate', 'identifyItems', (right, areas, items) => {
        const known = new Map<string, string>();
        return right(areas, items).map((item) => {
          const text = `${item.softType.id} ${JSON.stringify(item.data)}`;
          const oid = known.get(text) ?? item.oid;
          known.set(text, oid);
          return { ...item, oid };
        });
      }),
      replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
        const isFirst = ({ oid }: Item, index: number) => items.findIndex((item) => item.oid === oid) === index;
        const kept = inputs.filter((_input, index) => items[index] !== undefined && isFirst(items[index], index));
        return right(areas, call, writing, items.filter(isFirst), kept);
      }),
    ),
    async shows(service) {
      const items = ['one', 'other'].map(($id) => ({ $id, $softType: 'Part', data: { name: 'same' } }));
      const { json } = await service.edda.multiCreate(items);
      return oidIn(json, '/0/href') === oidIn(json, '/1/href');
    },
  },
};
