import { headerNames, mediaTypes } from '../../../contract/names.ts';
import { routes } from '../../../contract/routes.ts';
import type { Areas } from '../../../reference-server/areas.ts';
import type { SpaceCall } from '../../../reference-server/http/call.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import type { Writing } from '../../../reference-server/ports/store.ts';
import { type Variant, Step, breaks, together, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { type Made, at, editPath, many, movePath, operationsPath, versionHeader } from '../service.ts';

const inBatch = new Step();

const behindTheFirst = new Step();

type Redo = (areas: Areas, call: SpaceCall, operation: unknown, writing: Writing) => Promise<unknown>;

/** After a batch was undone, does by itself what `redo` knows how to do. */
function stays(redo: Redo): Variant {
  return replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
    const answer = await right(areas, route, call);
    if (route.path !== routes.batch || answer.status !== 500) return answer;
    const inSpace = { ...call, user: await areas.auth.authenticate(call), space: areas.auth.spaceOf(call) };
    const operations: unknown = JSON.parse(call.body?.toString() ?? '[]');
    for (const operation of Array.isArray(operations) ? operations : [])
      await areas.store.change((writing) => redo(areas, inSpace, operation, writing)).catch(passOver);
    return answer;
  });
}

function passOver(error: unknown): void {
  if (!(error instanceof Refusal)) throw error;
}

/** The operation as a call of its own, where its path and method are those. */
function callOf(call: SpaceCall, operation: unknown, method: string, path: RegExp): SpaceCall | undefined {
  const params = path.exec(String(at(operation, '/href')))?.groups;
  if (params === undefined || at(operation, '/method') !== method) return undefined;
  const version = String(at(operation, `/headers/${headerNames.version}`));
  return { ...call, params, headers: { ...call.headers, [headerNames.version.toLowerCase()]: version } };
}

const promotePath = /\/promote\/(?<objectId>[^/]+)\/(?<processId>[^/]+)\/(?<levelId>[^/]+)$/;

const operatedPath = /\/softtype\/[^/]+\/(?<objectId>[^/]+)$/;

function merging(made: Made, version: number, body: object): object {
  return { method: 'PATCH', href: editPath(made), headers: versionHeader(version), body };
}

const part = ($id: string): object => ({ $id, $softType: 'Part', data: { name: $id } });

const describes = ($id: string, ...refs: readonly string[]): object => ({
  $id,
  $softType: 'Document',
  data: {
    title: $id,
    describes: refs.map((instanceRef) => ({ id: 'r', value: { instanceRef, softTypeId: 'Part' } })),
  },
});

export const manyAtOnce: Batch = {
  'many.what-an-undone-batch-read-is-remembered': {
    source: 'core: Batch rules 1',
    breaks: 'Nothing of a batch that failed is seen later, not even in a copy that one of its reads left behind.',
    kind: 'copy',
    variant: together(
      replaces('memory', 'forgetReads', () => undefined),
      replaces('memory', 'rememberedRead', async (right, areas, call, reading, object, view, assemble) => {
        const outside = new Proxy(reading, {
          has: (target, key) => key !== 'insertObject' && Reflect.has(target, key),
        });
        return right(areas, call, outside, object, view, assemble);
      }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.batch([
        merging(made, 1, { note: 'undone' }),
        { method: 'GET', href: made.path },
        merging(made, 99, { note: 'stale' }),
      ]);
      await edda.merge(made, 1, { note: 'kept' });
      return at(await edda.read(made), '/data/note') !== 'kept';
    },
  },
  'many.operations-patch-stays-of-an-undone-batch': {
    source: 'core: Batch rules 1',
    breaks: 'A batch that fails takes back what its operation lists did.',
    kind: 'place',
    variant: stays(async (areas, call, operation, writing) => {
      const own = callOf(call, operation, 'PATCH', operatedPath);
      if (own === undefined || !Array.isArray(at(operation, '/body'))) return;
      const object = await areas.objects.locateObject(own, writing);
      areas.versioning.assertVersion(own, object);
      const place = areas.objects.softTypeOf(call.space, object.softType);
      const json = areas.operations.operationsOf(at(operation, '/body'));
      return areas.operations.operateObject({ ...own, object, place, json }, writing);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const headers = { ...versionHeader(1), 'Content-Type': mediaTypes.operations };
      const body = [{ op: 'add', path: '/note', value: 'undone' }];
      await edda.batch([
        { method: 'PATCH', href: operationsPath(made), headers, body },
        merging(made, 99, { remark: 'stale' }),
      ]);
      return at(await edda.read(made), '/data/note') !== undefined;
    },
  },
  'many.promote-stays-of-an-undone-batch': {
    source: 'core: Batch rules 1 and 2',
    breaks: 'A batch that fails takes back its promotions.',
    kind: 'place',
    variant: stays(async (areas, call, operation, writing) => {
      const own = callOf(call, operation, 'PUT', promotePath);
      if (own === undefined) return;
      const object = await areas.objects.locateObject(own, writing);
      areas.versioning.assertVersion(own, object);
      const place = areas.maturity.levelOf(own, object);
      return areas.maturity.promoteObject({ ...own, object, place, json: undefined }, writing);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.batch([
        { method: 'PUT', href: movePath(made), headers: versionHeader(1) },
        merging(made, 99, { note: 'stale' }),
      ]);
      return at(await edda.read(made), '/version') !== 1;
    },
  },
  'many.second-edit-has-the-result-of-the-first': {
    source: 'core: Batch result, body',
    breaks: 'The result of each edit of a batch has the version that this edit led to.',
    kind: 'copy',
    variant: breaks('batch', 'writtenBody', (right) => {
      const results = new Map<string, unknown>();
      return (areas, call, answer) => {
        const body = right(areas, call, answer);
        const key = `${call.correlationId} ${String(at(body, '/href'))}`;
        if (!results.has(key)) results.set(key, body);
        return results.get(key);
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const { json } = await edda.batch([merging(made, 1, { note: '1' }), merging(made, 2, { note: '2' })]);
      return at(json, '/1/body/version') !== 3;
    },
  },
  'many.circles-are-refused': {
    source: 'core: Multi-create rules 2',
    breaks: 'Items may refer to each other, also both of them at once.',
    kind: 'combination',
    variant: replaces('multiCreate', 'findItem', (right, areas, items, $id, referrer) => {
      const target = right(areas, items, $id, referrer);
      const back = `"instanceRef":${JSON.stringify(referrer.$id)}`;
      return target !== referrer && JSON.stringify(target?.data ?? {}).includes(back) ? undefined : target;
    }),
    async shows({ edda }) {
      const back = [{ id: 'b', value: { instanceRef: 'd', softTypeId: 'Document' } }];
      const { status } = await edda.multiCreate([
        describes('d', 'p'),
        { $id: 'p', $softType: 'Part', data: { name: 'p', describedBy: back } },
      ]);
      return status >= 300;
    },
  },
  'many.item-is-found-once': {
    source: 'core: Multi-create rules 2',
    breaks: 'Any number of items may refer to one and the same.',
    kind: 'combination',
    variant: breaks('multiCreate', 'findItem', (right) => {
      const used = new WeakMap<object, Set<string>>();
      return (areas, items, $id, referrer) => {
        const gone = used.get(items) ?? new Set();
        if (gone.has($id)) return undefined;
        used.set(items, gone.add($id));
        return right(areas, items, $id, referrer);
      };
    }),
    async shows({ edda }) {
      const { status } = await edda.multiCreate([part('p'), describes('one', 'p'), describes('two', 'p')]);
      return status >= 300;
    },
  },
  'many.references-count-against-the-limit': {
    source: 'core: Multi-create rules 3',
    breaks: 'What is limited to fifty is the instances, not what they refer to.',
    kind: 'combination',
    variant: replaces('multiCreate', 'withinLimit', (right, areas, items) => {
      const references = JSON.stringify(items).split('"instanceRef"').length - 1;
      right(areas, [...items, ...many(references, String)]);
      return items;
    }),
    async shows({ edda }) {
      const items = many(45, (n) => describes(`d${n}`, 'p'));
      return (await edda.multiCreate([part('p'), ...items])).status >= 300;
    },
  },
  'many.no-limit-inside-a-batch': {
    source: 'core: Multi-create rules 3',
    breaks: 'More than fifty instances are refused, also as an operation of a batch.',
    kind: 'combination',
    variant: together(
      replaces('batch', 'runOperation', (right, areas, ...args) => inBatch.run(() => right(areas, ...args))),
      replaces('multiCreate', 'withinLimit', (right, areas, items) => (inBatch.isOn() ? items : right(areas, items))),
    ),
    async shows({ edda }) {
      const body = many(51, (n) => part(`p${n}`));
      const { status } = await edda.batch([{ method: 'POST', href: '/space/main/softtype', body }]);
      return status === 200;
    },
  },
  'many.first-operation-vouches-for-the-rest': {
    source: 'core: What the service does, space level',
    breaks: 'The role decides on each operation of a batch, also behind one that it allows.',
    kind: 'role',
    variant: together(
      replaces('batch', 'runOperation', async (right, areas, batch, writing, table, operation, index) => {
        const run = (): ReturnType<typeof right> => right(areas, batch, writing, table, operation, index);
        return index === 0 ? run() : behindTheFirst.run(run);
      }),
      replaces('auth', 'authorize', (right, areas, user, access, call) => {
        if (!behindTheFirst.isOn()) right(areas, user, access, call);
      }),
    ),
    async shows({ edda, rita }) {
      const made = await edda.make('Document', { title: 't' });
      await rita.batch([{ method: 'GET', href: made.path }, merging(made, 1, { note: 'by a reader' })]);
      return at(await rita.read(made), '/version') !== 1;
    },
  },
  'many.query-of-a-read-is-lost': {
    source: 'core: Batch operation, href',
    breaks: 'The href of an operation is the whole URI, with its query.',
    kind: 'combination',
    variant: replaces('batch', 'prepareOperation', (right, areas, ...args) => {
      const prepared = right(areas, ...args);
      return { ...prepared, call: { ...prepared.call, query: new URLSearchParams() } };
    }),
    async shows({ edda }) {
      const files = ['drawing', 'text'].map((category) => ({ name: category, category }));
      const made = await edda.make('Document', { title: 't', files });
      const { json } = await edda.batch([{ method: 'GET', href: `${made.path}?softTypeFilterId=drawings` }]);
      return at(json, '/0/body/data/files/1/name') !== undefined;
    },
  },
  'many.two-hundred-at-most': {
    source: 'core: Limits',
    breaks: 'The number of operations of a batch has no hard limit.',
    kind: 'value',
    variant: replaces('batch', 'batchOperationsOf', (right, areas, body) => {
      const operations = right(areas, body);
      if (operations.length > 200) throw new Refusal(413, 'Expected at most 200 operations.');
      return operations;
    }),
    async shows({ edda }) {
      const made = await edda.make('Part', { name: 'p' });
      return (await edda.batch(many(201, () => ({ method: 'GET', href: made.path })))).status !== 200;
    },
  },
};
