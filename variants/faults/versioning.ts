import { headerNames, mediaTypes } from '../../contract/names.ts';
import type { Areas } from '../../reference-server/areas.ts';
import type { Call } from '../../reference-server/http/call.ts';
import { storedStates } from '../../reference-server/areas/soft-type.ts';
import { Refusal } from '../../reference-server/http/refusal.ts';
import type { StoredObject } from '../../reference-server/ports/store.ts';
import { Step, type Variant, type Variants, breaks, together, replaces } from '../breaks.ts';

const versionHeader = headerNames.version.toLowerCase();

/** Objects that were created since the server last started, by what is made anew with it. */
const created = new WeakMap<object, Set<string>>();

/** When objects were last edited, in ms of the clock of their server. */
const editedAt = new Map<string, number>();

export const versioningFaults = {
  'versioning.later.same-versions': together(
    replaces('versioning', 'storeEdit', async (right, areas, writing, object, version, content) => {
      await right(areas, writing, object, version, content);
      editedAt.set(object.oid, areas.clock.now());
    }),
    replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      const sinceMs = areas.clock.now() - (editedAt.get(object.oid) ?? Infinity);
      return sinceMs < 3_600_000 || areas.versioning.versionHeaderOf(call) > object.version
        ? right(areas, call, object)
        : object.version;
    }),
  ),
  'versioning.restart.same-versions': together(
    replaces('editing', 'newOid', (right, areas) => {
      const oid = right(areas);
      created.set(areas.outgoing, (created.get(areas.outgoing) ?? new Set()).add(oid));
      return oid;
    }),
    replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      const isFresh = created.get(areas.outgoing)?.has(object.oid) ?? false;
      return isFresh || areas.versioning.versionHeaderOf(call) > object.version
        ? right(areas, call, object)
        : object.version;
    }),
  ),

  'versioning.create.starts-at-one': replaces('versioning', 'firstVersion', () => 0),

  'versioning.edit.merge-adds-one': replaces(
    'versioning',
    'versionAfterMerge',
    (_right, _areas, object, body) =>
      object.version + Math.max(1, typeof body === 'object' && body !== null ? Object.keys(body).length : 1),
  ),

  'versioning.edit.operations-add-one': replaces(
    'versioning',
    'versionAfterOperations',
    (_right, _areas, object, operations) => object.version + Math.max(1, operations.length),
  ),

  'versioning.edit.put-adds-one': replaces('versioning', 'versionAfterPut', () => 1),

  'versioning.history.matches-model': breaks('versioning', 'storeEdit', (right) => {
    // by object, what each level that was promoted was in before
    const moved = new Map<string, Map<string, string>>();
    return async (areas, writing, object, version, content) => {
      const [before, after] = [storedStates(object), storedStates({ ...object, content })];
      const levels = Object.entries(before).filter(([level, { state }]) => after[level]?.state !== state);
      const known = new Map([
        ...levels.map(([level, { state }]) => [level, state] as const),
        ...(moved.get(object.oid) ?? []),
      ]);
      moved.set(object.oid, known);
      const [first] = known;
      const isTaken = first !== undefined && known.size > 1 && levels.length === 0;
      const kept = isTaken ? areas.maturity.contentInState(content, ...first) : content;
      await right(areas, writing, object, version, kept);
    };
  }),

  'versioning.object.own-counter': breaks('versioning', 'storeEdit', (right) => {
    let before: StoredObject | undefined;
    return async (areas, writing, object, version, content) => {
      const other =
        before !== undefined && before.oid !== object.oid
          ? await writing.object(before.spaceId, before.oid)
          : undefined;
      if (other !== undefined) await right(areas, writing, other, other.version + 1, other.content);
      before = object;
      await right(areas, writing, object, version, content);
    };
  }),

  'versioning.read.leaves-version': replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
    const answer = await right(areas, route, call);
    if (call.method === 'GET' && call.query.has('softTypeFilterId')) await raiseVersion(areas, call);
    return answer;
  }),

  'versioning.mismatch.lower-409': compareMerges((sent, current) => sent < current - 1),
  'versioning.mismatch.higher-409': compareMerges((sent, current) => sent > current),
  'versioning.mismatch.operations-409': withoutComparison(isOperations),
  'versioning.mismatch.put-409': withoutComparison(isPut),

  'versioning.mismatch.across-users-409': compareWithLastRead(),

  'versioning.absent.merge-412': replaces('versioning', 'assertVersion', (right, areas, call, object) => {
    if (isMerge(call) && call.headers[versionHeader] === undefined)
      throw new Refusal(409, `The object is at version ${object.version}.`);
    return right(areas, call, object);
  }),
  'versioning.absent.operations-412': withoutNeed(isOperations),
  'versioning.absent.put-412': withoutNeed(isPut),

  'versioning.refused.changes-nothing': replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
    try {
      return await right(areas, route, call);
    } catch (refusal) {
      if (refusal instanceof Refusal && refusal.status === 409) await raiseVersion(areas, call);
      throw refusal;
    }
  }),

  'versioning.value.text-refused': replaces('versioning', 'assertVersion', (right, areas, call, object) =>
    /^[a-zA-Z*]/.test(call.headers[versionHeader] ?? '') ? object.version : right(areas, call, object),
  ),

  'versioning.header.only-for-put-and-patch': replaces('openApi', 'readDynamicOpenApi', async (right, areas, call) => {
    if (call.headers[versionHeader] === undefined) throw new Refusal(412, 'A read needs the version.');
    return right(areas, call);
  }),

  'versioning.race.one-writer-wins': storeAfterPause(() => true),

  'versioning.race.different-objects-independent': breaks('dispatcher', 'carryOut', (right) => {
    let writers = 0;
    return async (areas, route, call) => {
      if (!isMerge(call)) return right(areas, route, call);
      if (writers > 0) throw new Refusal(409, 'Somebody else writes in this space.');
      writers += 1;
      await areas.clock.sleep(2);
      writers -= 1;
      return right(areas, route, call);
    };
  }),

  'versioning.race.retry-loop-loses-nothing': takeAnyVersion((step) =>
    replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      try {
        return await right(areas, route, call);
      } catch (refusal) {
        const appends = isOperations(call) && /"op"\s*:\s*"add"/.test(String(call.body));
        if (refusal instanceof Refusal && refusal.status === 409 && appends)
          await step.run(() => right(areas, route, call));
        throw refusal;
      }
    }),
  ),

  'versioning.sequence.matches-model': raiseTwiceAfterRefusal(),
} satisfies Variants;

/** Writes of this kind are not compared with the version of the object. */
export function withoutComparison(applies: (call: Call) => boolean): Variant {
  return replaces('versioning', 'assertVersion', (right, areas, call, object) => {
    if (!applies(call)) return right(areas, call, object);
    areas.versioning.versionHeaderOf(call);
    return object.version;
  });
}

/** Writes of this kind need no version. */
export function withoutNeed(applies: (call: Call) => boolean): Variant {
  return replaces('versioning', 'assertVersion', (right, areas, call, object) =>
    applies(call) && call.headers[versionHeader] === undefined ? object.version : right(areas, call, object),
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
function compareMerges(same: (sent: number, current: number) => boolean): Variant {
  return replaces('versioning', 'assertVersion', (right, areas, call, object) => {
    if (!isMerge(call)) return right(areas, call, object);
    const sent = areas.versioning.versionHeaderOf(call);
    return same(sent, object.version) ? object.version : right(areas, call, object);
  });
}

/** For writes of this kind the check is one step, the store another one, with other requests in between. */
export function storeAfterPause(applies: (call: Call) => boolean): Variant {
  return takeAnyVersion((step) =>
    replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      const { spaceId = '', objectId = '' } = call.params;
      if (route.effect !== 'write' || call.headers[versionHeader] === undefined || !applies(call))
        return right(areas, route, call);
      const object = await areas.store.read((reading) => reading.object(spaceId, objectId));
      if (object === undefined || call.headers['authorization'] === undefined) return right(areas, route, call);
      if (String(object.version) !== call.headers[versionHeader]) return right(areas, route, call);
      await areas.clock.sleep(2);
      return step.run(() => right(areas, route, call));
    }),
  );
}

/** Any version is taken for the current one in a step of the work, which `of` says when it is on. */
export function takeAnyVersion(of: (step: Step) => Variant): Variant {
  const step = new Step();
  return together(
    replaces('versioning', 'assertVersion', (right, areas, call, object) =>
      step.isOn() ? object.version : right(areas, call, object),
    ),
    of(step),
  );
}

/** Each user has to send the version that this user saw last. */
function compareWithLastRead(): Variant {
  const seen = new Map<string, number>();
  const keyOf = (call: Call, object: StoredObject) => `${call.headers['authorization']} ${object.oid}`;
  return together(
    replaces('objects', 'locateObject', async (right, areas, call, reading) => {
      const object = await right(areas, call, reading);
      if (call.method === 'GET') seen.set(keyOf(call, object), object.version);
      return object;
    }),
    replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      const last = seen.get(keyOf(call, object));
      const sent = areas.versioning.versionHeaderOf(call);
      if (last === undefined || last === object.version || sent !== last) return right(areas, call, object);
      return object.version;
    }),
  );
}

/** The accepted write after a refused one counts twice. */
function raiseTwiceAfterRefusal(): Variant {
  const refused = new Set<string>();
  const extra = (object: StoredObject) => (refused.delete(object.oid) ? 1 : 0);
  return together(
    replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      try {
        return right(areas, call, object);
      } catch (refusal) {
        refused.add(object.oid);
        throw refusal;
      }
    }),
    replaces(
      'versioning',
      'versionAfterMerge',
      (right, areas, object, body) => right(areas, object, body) + extra(object),
    ),
    replaces('versioning', 'versionAfterPut', (right, areas, object) => right(areas, object) + extra(object)),
  );
}

async function raiseVersion(areas: Areas, call: Call): Promise<void> {
  const { spaceId = '', objectId = '' } = call.params;
  await areas.store.change(async (writing) => {
    const object: StoredObject | undefined = await writing.object(spaceId, objectId);
    if (object === undefined) return;
    areas.memory.forgetReads(spaceId, objectId);
    await writing.updateObject(spaceId, objectId, object.version + 1, object.content);
  });
}
