import { isContent } from '../../../reference-server/areas/content.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { detach } from '../../../reference-server/ports/store.ts';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, editPath, listAt, many } from '../service.ts';

const mostItems = 50;
const atOnce = 10;

/** Batches and multi-creates. */
export const manyMistakes: Batch = {
  'batch.missing-version-is-no-failure': {
    source: 'core: Endpoint table, POST batch',
    breaks: 'The answer is 500 when an operation has failed, for want of a version too.',
    kind: 'value',
    variant: replaces('batch', 'batchStatus', (right, areas, results) =>
      right(
        areas,
        results.filter(({ statusCode }) => statusCode !== 412),
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      return (await edda.batch([{ method: 'PATCH', href: editPath(made), body: { title: 'u' } }])).status === 200;
    },
  },

  'batch.locks-are-taken-alone': {
    source: 'core: Batch rules 2',
    breaks: 'A batch knows the routes of lock objects, that by which a lock is freed too.',
    kind: 'place',
    variant: replaces('batch', 'operationRouteOf', (right, areas, table, method, path) =>
      method === 'DELETE' && path.includes('/lock/') ? undefined : right(areas, table, method, path),
    ),
    async shows({ edda }) {
      const { oid } = await edda.make('Document', { title: 't' });
      const href = `/api/space/main/lock/${oid}`;
      await edda.post(href);
      return (await edda.batch([{ method: 'DELETE', href }])).status === 500;
    },
  },

  'batch.one-result-a-read': {
    source: 'core: Batch rules 3',
    breaks: 'There is one result for each operation, for one that reads the same again too.',
    kind: 'combination',
    variant: replaces('batch', 'runBatch', async (right, areas, call, writing, table) => {
      const answer = await right(areas, call, writing, table);
      const reads = call.json.map((operation) => (at(operation, '/method') === 'GET' ? at(operation, '/href') : {}));
      const { body } = answer;
      return Array.isArray(body)
        ? { ...answer, body: body.filter((_result, index) => reads.indexOf(reads[index]) === index) }
        : answer;
    }),
    async shows({ edda }) {
      const { path: href } = await edda.make('Document', { title: 't' });
      const read = { method: 'GET', href };
      return listAt((await edda.batch([read, read])).json, '').length === 1;
    },
  },

  'multi-create.ten-at-once': {
    source: 'core: Multi-create rules 1',
    breaks: 'All instances are created in one change set, or none, however many they are.',
    kind: 'value',
    variant: replaces('multiCreate', 'multiCreate', async (right, areas, call, writing) => {
      try {
        return await right(areas, call, writing);
      } catch (error) {
        const index = error instanceof Refusal ? Number(error.pointer?.split('/')[1]) : 0;
        const before = Array.isArray(call.json) ? call.json.slice(0, index - (index % atOnce)) : [];
        if (before.length > 0)
          detach(() => void areas.store.change((own) => right(areas, { ...call, json: before }, own)));
        throw error;
      }
    }),
    async shows({ edda }) {
      const items = many(11, (number) => ({ $softType: 'Part', data: number > atOnce ? {} : { name: 'left-over' } }));
      await edda.multiCreate(items);
      await edda.make('Part', { name: 'p' });
      return listAt((await edda.get('/api/space/main/instances/Part?text=left-over')).json, '/data').length > 0;
    },
  },

  'multi-create.fifty-of-each-definition': {
    source: 'core: Limits, instances per multi-create',
    breaks: 'A request creates at most fifty instances, of all definitions together.',
    kind: 'combination',
    variant: replaces('multiCreate', 'withinLimit', (right, areas, items) => {
      const counts = Object.values(Object.groupBy(items, (item) => String(isContent(item) && item['$softType'])));
      return counts.some((same) => (same?.length ?? 0) > mostItems) ? right(areas, items) : items;
    }),
    async shows({ edda }) {
      const parts = many(mostItems, () => ({ $softType: 'Part', data: { name: 'p' } }));
      return (await edda.multiCreate([...parts, { $softType: 'Document', data: { title: 't' } }])).status < 300;
    },
  },
};
