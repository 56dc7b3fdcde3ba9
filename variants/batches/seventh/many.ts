import { headerNames, mediaTypes } from '../../../contract/names.ts';
import { routes } from '../../../contract/routes.ts';
import type { Areas } from '../../../reference-server/areas.ts';
import type { SpaceCall } from '../../../reference-server/http/call.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import type { Writing } from '../../../reference-server/ports/store.ts';
import { type Variant, together, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { type Made, at, editPath, operationsPath, versionHeader } from '../service.ts';

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

const operatedPath = /\/softtype\/[^/]+\/(?<objectId>[^/]+)$/;

function merging(made: Made, version: number, body: object): object {
  return { method: 'PATCH', href: editPath(made), headers: versionHeader(version), body };
}

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
};
