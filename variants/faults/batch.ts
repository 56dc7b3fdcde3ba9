import { headerNames, mediaTypes } from '../../contract/names.ts';
import { routes } from '../../contract/routes.ts';
import { type Areas, operationRouteOf } from '../../reference-server/areas.ts';
import type { OperationRoute } from '../../reference-server/areas/batch.ts';
import type { Answer, Call, SpaceCall } from '../../reference-server/http/call.ts';
import { Refusal } from '../../reference-server/http/refusal.ts';
import type { StoredObject, Writing } from '../../reference-server/ports/store.ts';
import { takeAnyVersion } from './versioning.ts';
import { type Variant, type Variants, breaks, together, replaces } from '../breaks.ts';
import { isJson } from './answers.ts';

const versionHeader = headerNames.version.toLowerCase();

const filterHeader = headerNames.informationFilter.toLowerCase();

const undoneStatus = 424;

export const batchFaults = {
  'batch.success.status-200': replaces('batch', 'batchStatus', (right, areas, results) => {
    const status = right(areas, results);
    return status === 200 && results.some(({ statusCode }) => statusCode === 201) ? 201 : status;
  }),

  'batch.failure.status-500': replaces(
    'batch',
    'batchStatus',
    (right, areas, results) =>
      results.find(({ statusCode }) => statusCode >= 400 && statusCode !== undoneStatus)?.statusCode ??
      right(areas, results),
  ),

  'batch.result.one-per-operation': replaces(
    'batch',
    'resultsOfUndone',
    (right, areas, batch, count, failedIndex, failed) =>
      right(areas, batch, count, failedIndex, failed).slice(0, failedIndex + 1),
  ),

  'batch.result.keeps-order': replaces('batch', 'batchAnswer', (right, areas, results) =>
    right(
      areas,
      results.toSorted((one, other) => one.statusCode - other.statusCode),
    ),
  ),

  'batch.result.status-code-is-integer': replaces('batch', 'operationResult', (right, areas, call, answer) => {
    const result = right(areas, call, answer);
    return result.statusCode < 400 ? { ...result, statusCode: 200 } : result;
  }),

  'batch.result.create-href': replaces('batch', 'batchAnswer', (right, areas, results) => {
    const last = results.findLast(({ statusCode }) => statusCode === 201)?.body;
    return right(
      areas,
      results.map((result) =>
        result.statusCode === 201 && isJson(result.body) && isJson(last)
          ? { ...result, body: { ...result.body, href: last['href'] } }
          : result,
      ),
    );
  }),

  'batch.result.version-in-body': replaces('batch', 'writtenBody', (right, areas, call, answer) => {
    const body = right(areas, call, answer);
    return call.method === 'PATCH' && isJson(body) ? { ...body, version: Number(body['version']) - 1 } : body;
  }),

  'batch.result.create-carries-no-data': replaces('batch', 'writtenBody', (right, areas, call, answer) => {
    const body = right(areas, call, answer);
    return answer.status === 201 && isJson(body) ? { ...body, data: JSON.parse(String(call.body)), links: [] } : body;
  }),

  'batch.get.returns-read-response': replaces('batch', 'operationResult', (right, areas, call, answer) => {
    const result = right(areas, call, answer);
    const { body } = result;
    return call.method === 'GET' && isJson(body) && 'data' in body
      ? { ...result, body: { href: body['href'], version: body['version'] } }
      : result;
  }),

  'batch.version.mismatch-409': replaces('batch', 'operationHeaders', (right, areas, batch, operation) => {
    const headers = right(areas, batch, operation);
    return batch.headers[versionHeader] === undefined
      ? headers
      : { ...headers, [versionHeader]: batch.headers[versionHeader] };
  }),

  'batch.version.absent-412': takeAnyVersion((step) =>
    replaces('batch', 'carryOutOperation', (right, areas, prepared, writing) => {
      const work = () => right(areas, prepared, writing);
      return prepared.call.headers[versionHeader] === undefined ? step.run(work) : work();
    }),
  ),

  'batch.rollback.edits-undone': afterFailedBatch(
    ({ call, method }) => method === 'PATCH' && call.params['inputSchemaId'] !== undefined,
    async (areas, { call }, writing) => {
      const object = await writing.object(call.space.id, call.params['objectId'] ?? '');
      if (object === undefined) return;
      areas.memory.forgetReads(object.spaceId, object.oid);
      await writing.updateObject(object.spaceId, object.oid, object.version + 1, object.content);
    },
  ),

  'batch.rollback.creates-undone': afterFailedBatch(
    ({ call, method }) => method === 'POST' && call.params['inputSchemaId'] !== undefined,
    carryOutAgain,
  ),

  'batch.rollback.promotion-undone': afterFailedBatch(
    ({ call }) => call.url.includes('/maturityAction/promote/'),
    carryOutAgain,
  ),

  'batch.rollback.failed-read-aborts-writes': replaces(
    'batch',
    'failsBatch',
    (right, areas, outcome) => outcome.call.method !== 'GET' && right(areas, outcome),
  ),

  'batch.rollback.objects-stay-writable': lockingAfterFailure(),

  'batch.commit.visible-together': committingOneByOne(),
  'batch.commit.one-after-another': leavingAppendsOfOverlapping(),

  'batch.headers.authorization-inherited': replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
    const own = /"authorization"\s*:\s*"(Bearer [^"]+)"/i.exec(String(call.body))?.[1];
    const borrowed = call.url.endsWith('/batch') && call.headers['authorization'] === undefined && own !== undefined;
    return right(areas, route, borrowed ? { ...call, headers: { ...call.headers, authorization: own } } : call);
  }),

  'batch.headers.authorization-not-replaced': together(
    replaces('batch', 'operationHeaders', (right, areas, batch, operation) => {
      const own = Object.entries(operation.headers).find(([name]) => name.toLowerCase() === 'authorization')?.[1];
      return { ...right(areas, batch, operation), ...(own !== undefined && { authorization: own }) };
    }),
    replaces('batch', 'carryOutOperation', async (right, areas, prepared, writing) => {
      const user = await areas.auth.authenticate(prepared.call);
      return right(areas, { ...prepared, call: { ...prepared.call, user } }, writing);
    }),
  ),

  'batch.headers.filter-inherited': replaces('batch', 'operationHeaders', (right, areas, batch, operation) => ({
    ...right(areas, batch, operation),
    [filterHeader]: Buffer.from('{}').toString('base64'),
  })),

  'batch.auth.forbidden-operation': replaces('batch', 'carryOutOperation', (_right, areas, { route, call }, writing) =>
    areas.dispatcher.carryOutWrite(route, call, writing),
  ),

  'batch.route.create-and-edit': replaces('batch', 'operationHeaders', (right, areas, batch, operation) => ({
    ...right(areas, batch, operation),
    'content-type': mediaTypes.json,
  })),

  'batch.route.put': replaces('batch', 'carryOutOperation', (right, areas, prepared, writing) =>
    prepared.call.method === 'PUT' && prepared.call.url.includes('/softtype/')
      ? right(areas, { ...prepared, route: operationRouteOf(areas, 'PATCH', routes.merge) }, writing)
      : right(areas, prepared, writing),
  ),

  'batch.route.maturity-actions': hideFromBatch('/maturityAction/'),
  'batch.route.lock-objects': hideFromBatch('/lock/'),

  'batch.route.multi-create': afterFailedBatch(
    ({ call, method }) => method === 'POST' && /\/softtype$/i.test(call.url),
    carryOutAgain,
  ),

  'batch.operation.required-members': replaces('batch', 'batchOperationFrom', (right, areas, value, index) =>
    right(areas, isJson(value) && value['method'] === undefined ? { ...value, method: 'GET' } : value, index),
  ),

  'batch.relation.across-operations-impossible': sharingTemporaryIds(),

  'batch.size.hundred-operations': refusingMoreThan(50),
  'batch.size.no-hard-limit': refusingMoreThan(100),

  'batch.size.finishes-without-client': replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
    if (!call.url.endsWith('/batch')) return right(areas, route, call);
    // on a busy machine a client has left, and it is known of a turn later only
    for (let looks = 0; looks < 4; looks += 1) {
      await areas.clock.sleep(20);
      if (call.isAbandoned?.()) throw new Refusal(408, 'Nobody waits for the answer.');
    }
    return right(areas, route, call);
  }),
} satisfies Variants;

/** An operation that had passed before another one failed. */
interface Passed {
  readonly route: OperationRoute;
  readonly method: string;
  readonly call: SpaceCall;
}

async function carryOutAgain(areas: Areas, { route, call }: Passed, writing: Writing): Promise<void> {
  await areas.dispatcher.carryOutWrite(route, call, writing);
}

/** A batch knows no route of this kind. */
function hideFromBatch(segment: string): Variant {
  return replaces('batch', 'operationRouteOf', (right, areas, table, method, path) =>
    path.includes(segment) ? undefined : right(areas, table, method, path),
  );
}

function refusingMoreThan(limit: number): Variant {
  return replaces('batch', 'batchOperationsOf', (right, areas, body) => {
    const operations = right(areas, body);
    if (operations.length > limit) throw new Refusal(413, `A batch takes at most ${limit} operations.`);
    return operations;
  });
}

/** What a failed batch edited cannot be edited any more. */
function lockingAfterFailure(): Variant {
  const locked = new Set<string>();
  return together(
    afterFailedBatch(
      ({ method }) => method === 'PATCH',
      async (_areas, { call }) => void locked.add(call.params['objectId'] ?? ''),
    ),
    replaces('objects', 'locateObject', async (right, areas, call, reading) => {
      if (call.method !== 'GET' && locked.has(call.params['objectId'] ?? ''))
        throw new Refusal(423, 'A batch has not let go of the object.');
      return right(areas, call, reading);
    }),
  );
}

/** When a batch has failed and was rolled back, some of the operations that had passed leave something behind all the same. */
function afterFailedBatch(
  applies: (passed: Passed) => boolean,
  leave: (areas: Areas, passed: Passed, writing: Writing) => Promise<void>,
): Variant {
  const passedOf = new Map<string, Passed[]>();
  return together(
    replaces('batch', 'carryOutOperation', async (right, areas, prepared, writing) => {
      const answer = await right(areas, prepared, writing);
      const passed = { ...prepared, method: prepared.call.method };
      if (answer.status < 400 && applies(passed))
        passedOf.set(passed.call.correlationId, [...(passedOf.get(passed.call.correlationId) ?? []), passed]);
      return answer;
    }),
    breaks('messages', 'finish', (right) => async (areas, call, answer): Promise<Answer> => {
      const finished = await right(areas, call, answer);
      // An operation that is none is answered for the batch as well, inside its change set: only the answer to the batch itself is an array.
      if (!call.url.endsWith('/batch') || !Array.isArray(answer.body)) return finished;
      const passed = passedOf.get(call.correlationId) ?? [];
      passedOf.delete(call.correlationId);
      if (answer.status >= 400)
        for (const one of passed) await areas.store.change((writing) => leave(areas, one, writing));
      return finished;
    }),
  );
}

/** What a batch had appended before it was refused stays where another batch was under way as well. */
function leavingAppendsOfOverlapping(): Variant {
  let underWay = 0;
  let overlaps = false;
  return together(
    replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      if (!call.url.endsWith('/batch') || call.headers['authorization'] === undefined) return right(areas, route, call);
      overlaps = underWay > 0;
      underWay += 1;
      try {
        return await right(areas, route, call);
      } finally {
        underWay -= 1;
      }
    }),
    afterFailedBatch(
      ({ call, method }) => overlaps && method === 'PATCH' && call.params['inputSchemaId'] === undefined,
      carryOutAgain,
    ),
  );
}

/** Each edit of a batch is a change set of its own, and what had passed is written back when a later one fails. */
function committingOneByOne(): Variant {
  return replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
    const operations = editsOf(call);
    if (operations.length < 2) return right(areas, route, call);
    const before = await originals(areas, call, operations);
    const results: unknown[] = [];
    for (const operation of operations) {
      const answer = await right(areas, route, { ...call, body: Buffer.from(JSON.stringify([operation])) });
      results.push(...(Array.isArray(answer.body) ? answer.body : []));
      if (answer.status >= 400) return failed(areas, before, results, operations.length);
      await areas.clock.sleep(2);
    }
    return { status: 200, body: results };
  });
}

/** The operations of a batch that only merges; none for any other request. */
function editsOf(call: Call): readonly unknown[] {
  if (!call.url.endsWith('/batch') || call.headers['authorization'] === undefined) return [];
  const operations: unknown = parseText(call);
  const onlyMerges =
    Array.isArray(operations) &&
    operations.every((operation) => isJson(operation) && operation['method'] === 'PATCH' && isJson(operation['body']));
  return onlyMerges ? operations : [];
}

function parseText(call: Call): unknown {
  try {
    return JSON.parse(String(call.body));
  } catch {
    return undefined;
  }
}

async function originals(areas: Areas, call: Call, operations: readonly unknown[]): Promise<readonly StoredObject[]> {
  const oids = operations.map(
    (operation) => (isJson(operation) ? String(operation['href']).split('/').at(-1) : '') ?? '',
  );
  const found = await areas.store.read((reading) =>
    Promise.all(oids.map((oid) => reading.object(call.params['spaceId'] ?? '', oid))),
  );
  return found.filter((object) => object !== undefined);
}

async function failed(
  areas: Areas,
  before: readonly StoredObject[],
  results: readonly unknown[],
  count: number,
): Promise<Answer> {
  await areas.store.change(async (writing) => {
    for (const { spaceId, oid, version, content } of before) {
      areas.memory.forgetReads(spaceId, oid);
      await writing.updateObject(spaceId, oid, version, content);
    }
  });
  const undone = Array.from({ length: count - results.length }, () => ({ statusCode: 424 }));
  return { status: 500, body: [...results, ...undone] };
}

/** A temporary id that one create of a batch carries can be referred to by the creates behind it. */
function sharingTemporaryIds(): Variant {
  const oids = new Map<string, string>();
  const keyOf = (correlationId: string, $id: string) => `${correlationId} ${$id}`;
  return replaces('batch', 'carryOutOperation', async (right, areas, prepared, writing) => {
    const { call } = prepared;
    const body: unknown = call.method === 'POST' && call.body !== undefined ? JSON.parse(String(call.body)) : undefined;
    if (!isJson(body)) return right(areas, prepared, writing);
    const { $id, ...content } = body;
    const resolved = JSON.stringify(content).replaceAll(/"instanceRef":"([^"]*)"/g, (whole, named: string) => {
      const oid = oids.get(keyOf(call.correlationId, named));
      return oid === undefined ? whole : `"$oid":${JSON.stringify(oid)}`;
    });
    const answer = await right(
      areas,
      { ...prepared, call: { ...call, body: Buffer.from(resolved), isSibling: () => false } },
      writing,
    );
    const oid = answer.headers?.['Location']?.split('/').at(-1);
    if (typeof $id === 'string' && oid !== undefined) oids.set(keyOf(call.correlationId, $id), oid);
    return answer;
  });
}
