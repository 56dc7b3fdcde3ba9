import type { Answer, Call, Service } from '../../service.ts';
import type { StoredObject } from '../../store/store.ts';
import { isJson } from '../answer.ts';
import { replacing, type Fault } from '../fault.ts';

/** Each edit of a batch is a change set of its own, and what had passed is written back when a later one fails. */
export function committingOneByOne(): Fault {
  return replacing('carryOut', (right) => async (service, route, call) => {
    const operations = editsOf(call);
    if (operations.length < 2) return right(service, route, call);
    const before = await originals(service, call, operations);
    const results: unknown[] = [];
    for (const operation of operations) {
      const answer = await right(service, route, { ...call, body: Buffer.from(JSON.stringify([operation])) });
      results.push(...(Array.isArray(answer.body) ? answer.body : []));
      if (answer.status >= 400) return failed(service, before, results, operations.length);
      await service.clock.sleep(2);
    }
    return { status: 200, body: results };
  });
}

/** The operations of a batch that only merges; none for any other request. */
function editsOf(call: Call): readonly unknown[] {
  if (!call.url.endsWith('/batch') || call.headers['authorization'] === undefined) return [];
  const operations: unknown = parsed(call);
  const onlyMerges =
    Array.isArray(operations) &&
    operations.every((operation) => isJson(operation) && operation['method'] === 'PATCH' && isJson(operation['body']));
  return onlyMerges ? operations : [];
}

function parsed(call: Call): unknown {
  try {
    return JSON.parse(String(call.body));
  } catch {
    return undefined;
  }
}

async function originals(
  service: Service,
  call: Call,
  operations: readonly unknown[],
): Promise<readonly StoredObject[]> {
  const oids = operations.map(
    (operation) => (isJson(operation) ? String(operation['href']).split('/').at(-1) : '') ?? '',
  );
  const found = await service.store.read((reading) =>
    Promise.all(oids.map((oid) => reading.object(call.params['spaceId'] ?? '', oid))),
  );
  return found.filter((object) => object !== undefined);
}

async function failed(
  service: Service,
  before: readonly StoredObject[],
  results: readonly unknown[],
  count: number,
): Promise<Answer> {
  await service.store.change(async (writing) => {
    for (const { spaceId, oid, version, content } of before) {
      service.behaviours.forgetReads(service, spaceId, oid);
      await writing.updateObject(spaceId, oid, version, content);
    }
  });
  const undone = Array.from({ length: count - results.length }, () => ({ statusCode: 424 }));
  return { status: 500, body: [...results, ...undone] };
}
