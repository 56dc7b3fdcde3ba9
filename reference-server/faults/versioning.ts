import { headerNames, mediaTypes } from '../../contract/names.ts';
import { Refusal } from '../problem.ts';
import type { Call, Service } from '../service.ts';
import type { StoredObject } from '../store/store.ts';
import { replacing, together, type Fault, type FaultsOf } from './fault.ts';

const versionHeader = headerNames.version.toLowerCase();

/** Writes of this kind are not compared with the version of the object. */
export function withoutComparison(applies: (call: Call) => boolean): Fault {
  return replacing('assertVersion', (right) => (service, call, object) => {
    if (!applies(call)) return right(service, call, object);
    service.behaviours.versionHeaderOf(service, call);
    return object.version;
  });
}

/** Writes of this kind need no version. */
export function withoutNeed(applies: (call: Call) => boolean): Fault {
  return replacing(
    'assertVersion',
    (right) => (service, call, object) =>
      applies(call) && call.headers[versionHeader] === undefined ? object.version : right(service, call, object),
  );
}

function isOperations(call: Call): boolean {
  return (call.headers['content-type'] ?? '').startsWith(mediaTypes.operations);
}

function isMerge(call: Call): boolean {
  return call.method === 'PATCH' && !isOperations(call);
}

function isPut(call: Call): boolean {
  return call.method === 'PUT' && !call.url.includes('/maturityAction/');
}

/** The comparison of a merge is another one. */
function comparingMerges(same: (sent: number, current: number) => boolean): Fault {
  return replacing('assertVersion', (right) => (service, call, object) => {
    if (!isMerge(call)) return right(service, call, object);
    const sent = service.behaviours.versionHeaderOf(service, call);
    return same(sent, object.version) ? object.version : right(service, call, object);
  });
}

export const versioningFaults: FaultsOf<'versioning'> = {
  'versioning.create.starts-at-one': replacing('firstVersion', () => () => 0),

  'versioning.edit.merge-adds-one': replacing(
    'versionAfterMerge',
    () => (_service, object, body) =>
      object.version + Math.max(1, typeof body === 'object' && body !== null ? Object.keys(body).length : 1),
  ),

  'versioning.edit.operations-add-one': replacing(
    'versionAfterOperations',
    () => (_service, object, operations) => object.version + Math.max(1, operations.length),
  ),

  'versioning.edit.put-adds-one': replacing('versionAfterPut', () => () => 1),

  'versioning.object.own-counter': replacing('storeEdit', (right) => {
    let before: StoredObject | undefined;
    return async (service, writing, object, version, content) => {
      const other =
        before !== undefined && before.oid !== object.oid
          ? await writing.object(before.spaceId, before.oid)
          : undefined;
      if (other !== undefined) await right(service, writing, other, other.version + 1, other.content);
      before = object;
      await right(service, writing, object, version, content);
    };
  }),

  'versioning.read.leaves-version': replacing('carryOut', (right) => async (service, route, call) => {
    const answer = await right(service, route, call);
    if (call.method === 'GET' && call.query.has('softTypeFilterId')) await raised(service, call);
    return answer;
  }),

  'versioning.mismatch.lower-409': comparingMerges((sent, current) => sent < current - 1),
  'versioning.mismatch.higher-409': comparingMerges((sent, current) => sent > current),
  'versioning.mismatch.operations-409': withoutComparison(isOperations),
  'versioning.mismatch.put-409': withoutComparison(isPut),

  'versioning.mismatch.across-users-409': comparingWithLastRead(),

  'versioning.absent.merge-412': replacing('assertVersion', (right) => (service, call, object) => {
    if (isMerge(call) && call.headers[versionHeader] === undefined)
      throw new Refusal(409, `The object is at version ${object.version}.`);
    return right(service, call, object);
  }),
  'versioning.absent.operations-412': withoutNeed(isOperations),
  'versioning.absent.put-412': withoutNeed(isPut),

  'versioning.refused.changes-nothing': replacing('carryOut', (right) => async (service, route, call) => {
    try {
      return await right(service, route, call);
    } catch (refusal) {
      if (refusal instanceof Refusal && refusal.status === 409) await raised(service, call);
      throw refusal;
    }
  }),

  'versioning.value.text-refused': replacing(
    'assertVersion',
    (right) => (service, call, object) =>
      /^[a-zA-Z*]/.test(call.headers[versionHeader] ?? '') ? object.version : right(service, call, object),
  ),

  'versioning.header.only-for-put-and-patch': replacing('readDynamicOpenApi', (right) => async (service, call) => {
    if (call.headers[versionHeader] === undefined) throw new Refusal(412, 'A read needs the version.');
    return right(service, call);
  }),

  'versioning.race.one-writer-wins': storingAfterAPause(() => true),

  'versioning.race.different-objects-independent': replacing('carryOut', (right) => {
    let writers = 0;
    return async (service, route, call) => {
      if (!isMerge(call)) return right(service, route, call);
      if (writers > 0) throw new Refusal(409, 'Somebody else writes in this space.');
      writers += 1;
      await service.clock.sleep(2);
      writers -= 1;
      return right(service, route, call);
    };
  }),

  'versioning.race.retry-loop-loses-nothing': replacing('carryOut', (right) => async (service, route, call) => {
    try {
      return await right(service, route, call);
    } catch (refusal) {
      const appends = isOperations(call) && /"op"\s*:\s*"add"/.test(String(call.body));
      if (refusal instanceof Refusal && refusal.status === 409 && appends) await right(unguarded(service), route, call);
      throw refusal;
    }
  }),

  'versioning.sequence.matches-model': raisingTwiceAfterRefusal(),
};

/** For writes of this kind the check is one step, the store another one, with other requests in between. */
export function storingAfterAPause(applies: (call: Call) => boolean): Fault {
  return replacing('carryOut', (right) => async (service, route, call) => {
    const { spaceId = '', objectId = '' } = call.params;
    if (route.effect !== 'write' || call.headers[versionHeader] === undefined || !applies(call))
      return right(service, route, call);
    const object = await service.store.read((reading) => reading.object(spaceId, objectId));
    if (object === undefined || call.headers['authorization'] === undefined) return right(service, route, call);
    if (String(object.version) !== call.headers[versionHeader]) return right(service, route, call);
    await service.clock.sleep(2);
    return right(unguarded(service), route, call);
  });
}

/** The service that takes any version for the current one. */
function unguarded(service: Service): Service {
  return {
    ...service,
    behaviours: { ...service.behaviours, assertVersion: (_service, _call, object) => object.version },
  };
}

/** Each user has to send the version that this user saw last. */
function comparingWithLastRead(): Fault {
  const seen = new Map<string, number>();
  const keyOf = (call: Call, object: StoredObject) => `${call.headers['authorization']} ${object.oid}`;
  return together(
    replacing('locateObject', (right) => async (service, call, reading) => {
      const object = await right(service, call, reading);
      if (call.method === 'GET') seen.set(keyOf(call, object), object.version);
      return object;
    }),
    replacing('assertVersion', (right) => (service, call, object) => {
      const last = seen.get(keyOf(call, object));
      const sent = service.behaviours.versionHeaderOf(service, call);
      if (last === undefined || last === object.version || sent !== last) return right(service, call, object);
      return object.version;
    }),
  );
}

/** The accepted write after a refused one counts twice. */
function raisingTwiceAfterRefusal(): Fault {
  const refused = new Set<string>();
  const extra = (object: StoredObject) => (refused.delete(object.oid) ? 1 : 0);
  return together(
    replacing('assertVersion', (right) => (service, call, object) => {
      try {
        return right(service, call, object);
      } catch (refusal) {
        refused.add(object.oid);
        throw refusal;
      }
    }),
    replacing('versionAfterMerge', (right) => (service, object, body) => right(service, object, body) + extra(object)),
    replacing('versionAfterPut', (right) => (service, object) => right(service, object) + extra(object)),
  );
}

async function raised(service: Service, call: Call): Promise<void> {
  const { spaceId = '', objectId = '' } = call.params;
  await service.store.change(async (writing) => {
    const object: StoredObject | undefined = await writing.object(spaceId, objectId);
    if (object === undefined) return;
    service.behaviours.forgetReads(service, spaceId, objectId);
    await writing.updateObject(spaceId, objectId, object.version + 1, object.content);
  });
}
