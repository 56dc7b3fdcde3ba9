import { routes } from '../../../contract/routes.ts';
import { operationRouteOf } from '../../../reference-server/areas.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, together, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, listAt, many, movePath } from '../service.ts';
import { batchIsKnown, inBatch } from './in-batch.ts';

const promotePath = /^\/api\/space\/([^/]+)\/maturityAction\/promote\/([^/]+)\/([^/]+)\/([^/]+)$/;

interface Sent {
  readonly method?: string;
  readonly href?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function operationsIn(body: Buffer | undefined): readonly Sent[] {
  const value: unknown = JSON.parse(body?.toString() ?? '[]');
  return Array.isArray(value) ? (value as readonly Sent[]) : [];
}

function part($id: string, name: string): object {
  return { $id, $softType: 'Part', data: { name } };
}

function documentOf(...targets: readonly string[]): object {
  const describes = targets.map((instanceRef) => ({ id: 'x', value: { instanceRef, softTypeId: 'Part' } }));
  return { $id: 'the document', $softType: 'Document', data: { title: 't', describes } };
}

export const manyAtOnce: Batch = {
  'many.status-looks-at-ten-results': {
    source: 'core: Batch rules 3',
    breaks: 'A batch fails as a whole also when its eleventh operation is the first to fail.',
    kind: 'place',
    variant: replaces('batch', 'batchStatus', (right, areas, results) => {
      const failed = results.findIndex(({ statusCode }) => statusCode >= 400 && statusCode !== 424);
      return failed < 10 ? right(areas, results) : 200;
    }),
    async shows({ edda }) {
      const made = await edda.make('Part', { name: 'p' });
      const gone = { method: 'GET', href: `${made.path}0` };
      const answer = await edda.batch([...many(10, () => ({ method: 'GET', href: made.path })), gone]);
      return answer.status !== 500;
    },
  },
  'many.promote-outlives-its-batch': {
    source: 'core: Batch rules 1',
    breaks: 'A promote in a batch that fails is undone as well.',
    kind: 'place',
    variant: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      const answer = await right(areas, route, call);
      if (route.path !== routes.batch || answer.status !== 500) return answer;
      for (const { method, href = '', headers = {} } of operationsIn(call.body)) {
        const [, spaceId = '', objectId = '', processId = '', levelId = ''] = promotePath.exec(href) ?? [];
        if (method !== 'PUT' || spaceId === '') continue;
        const own = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
        await right(areas, operationRouteOf(areas, 'PUT', routes.promote), {
          ...call,
          method: 'PUT',
          url: href,
          params: { spaceId, objectId, processId, levelId },
          headers: { ...call.headers, ...own },
          body: undefined,
        });
      }
      return answer;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.batch([
        { method: 'PUT', href: movePath(made), headers: { 'Svc-UOIVersion': '1' } },
        { method: 'GET', href: `${made.path}0` },
      ]);
      return at(await edda.read(made), '/version') !== 1;
    },
  },
  'many.moves-in-batch-tell-no-version': {
    source: 'core: Batch result',
    breaks: 'The result of a promote in a batch has the new version.',
    kind: 'place',
    variant: replaces('batch', 'writtenBody', (right, areas, call, answer) => {
      const body = right(areas, call, answer);
      return call.url.includes('/maturityAction/') ? { href: at(body, '/href') } : body;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const operation = { method: 'PUT', href: movePath(made), headers: { 'Svc-UOIVersion': '1' } };
      return at((await edda.batch([operation])).json, '/0/body/version') !== 2;
    },
  },
  'many.query-of-an-operation-is-lost': {
    source: 'core: Batch operation',
    breaks: 'An operation asks for its full URI, the filter in the query included.',
    kind: 'combination',
    variant: replaces('batch', 'prepareOperation', (right, areas, ...args) => {
      const prepared = right(areas, ...args);
      return { ...prepared, call: { ...prepared.call, query: new URLSearchParams() } };
    }),
    async shows({ edda }) {
      const files = [{ name: 'a', category: 'drawing' }, { name: 'b' }];
      const made = await edda.make('Document', { title: 't', files });
      const answer = await edda.batch([{ method: 'GET', href: `${made.path}?softTypeFilterId=drawings` }]);
      return listAt(answer.json, '/0/body/data/files').length !== 1;
    },
  },
  'many.fifty-items-are-too-many-in-a-batch': {
    source: 'core: Multi-create rules 3',
    breaks: 'A multi-create of fifty instances is one operation of a batch as well.',
    kind: 'combination',
    variant: together(
      batchIsKnown,
      replaces('multiCreate', 'withinLimit', (right, areas, items) => {
        if (inBatch.isOn() && items.length === 50) throw new Refusal(422, 'Too many items.');
        return right(areas, items);
      }),
    ),
    async shows({ edda }) {
      const body = many(50, (n) => part(`p${n}`, `p${n}`));
      const answer = await edda.batch([{ method: 'POST', href: '/space/main/softtype', body }]);
      return answer.status !== 200;
    },
  },
  'many.ids-are-remembered-from-request-to-request': {
    source: 'core: Multi-create item',
    breaks: 'A temporary id means an item of its own request, whatever had it before.',
    kind: 'copy',
    variant: breaks('multiCreate', 'storedTarget', (right) => {
      const known = new Map<string, string>();
      return (areas, item) => {
        const oid = right(areas, item);
        const first = known.get(item.$id ?? oid) ?? oid;
        known.set(item.$id ?? oid, first);
        return first;
      };
    }),
    async shows({ edda }) {
      await edda.multiCreate([part('p', 'first'), documentOf('p')]);
      const answer = await edda.multiCreate([part('p', 'second'), documentOf('p')]);
      const [target, source] = listAt(answer.json, '').map((item) => String(at(item, '/href')));
      const read = (await edda.get(source ?? '')).json;
      return !target?.endsWith(String(at(read, '/data/describes/0/value/$oid')));
    },
  },
  'many.batches-end-at-256': {
    source: 'core: Limits',
    breaks: 'The number of operations in a batch has no hard limit.',
    kind: 'value',
    variant: replaces('batch', 'batchOperationsOf', (right, areas, body) => {
      const operations = right(areas, body);
      if (operations.length > 256) throw new Refusal(422, 'Too many operations.');
      return operations;
    }),
    async shows({ edda }) {
      const made = await edda.make('Part', { name: 'p' });
      const answer = await edda.batch(many(257, () => ({ method: 'GET', href: made.path })));
      return answer.status !== 200;
    },
  },
  'many.second-reference-of-a-port-repeats-the-first': {
    source: 'core: Multi-create rules 2',
    breaks: 'Each reference of a port leads to the item that it names itself.',
    kind: 'combination',
    variant: breaks('multiCreate', 'findItem', (right) => {
      const first = new WeakMap<object, string>();
      return (areas, items, $id, referrer) => {
        const meant = first.get(referrer) ?? $id;
        first.set(referrer, meant);
        return right(areas, items, meant, referrer);
      };
    }),
    async shows({ edda }) {
      const answer = await edda.multiCreate([part('p', 'p'), part('q', 'q'), documentOf('p', 'q')]);
      const hrefs = listAt(answer.json, '').map((item) => String(at(item, '/href')));
      const read = (await edda.get(hrefs[2] ?? '')).json;
      return !hrefs[1]?.endsWith(String(at(read, '/data/describes/1/value/$oid')));
    },
  },
  'many.conflict-of-a-move-is-a-server-error': {
    source: 'core: Batch rules 3',
    breaks: 'A promote in a batch that was made for another version has the status that it has alone, 409.',
    kind: 'place',
    variant: replaces('batch', 'operationResult', (right, areas, call, answer) => {
      const result = right(areas, call, answer);
      const isConflict = call.url.includes('/maturityAction/') && result.statusCode === 409;
      return isConflict ? { ...result, statusCode: 500 } : result;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const operation = { method: 'PUT', href: movePath(made), headers: { 'Svc-UOIVersion': '9' } };
      return at((await edda.batch([operation])).json, '/0/statusCode') !== 409;
    },
  },
};
