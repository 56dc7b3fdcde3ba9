import { routes } from '../../../contract/routes.ts';
import type { StoredObject } from '../../store/store.ts';
import type { Behaviours } from '../../behaviours.ts';
import { isLongRoute } from '../reads.ts';

/** Shows by the long route what the last merge edit left behind. */
export function staleLongRoute(behaviours: Behaviours): Behaviours {
  const earlier = new Map<string, StoredObject>();
  return {
    ...behaviours,
    storeEdit: async (service, writing, object, ...rest) => {
      earlier.delete(object.oid);
      await behaviours.storeEdit(service, writing, object, ...rest);
    },
    mergeObject: async (service, call, writing) => {
      const before = await writing.object(call.space.id, call.params.objectId ?? '');
      const answer = await behaviours.mergeObject(service, call, writing);
      if (before !== undefined) earlier.set(before.oid, before);
      return answer;
    },
    locateObject: async (service, call, reading) => {
      const object = await behaviours.locateObject(service, call, reading);
      return isLongRoute(call) ? (earlier.get(object.oid) ?? object) : object;
    },
  };
}

/** An object that was merged into is another one to those who read it. */
export function newOidByMerge(behaviours: Behaviours): Behaviours {
  const merged = new Set<string>();
  return {
    ...behaviours,
    carryOut: async (service, route, call) => {
      const answer = await behaviours.carryOut(service, route, call);
      if (route.method === 'PATCH' && route.path === routes.merge) merged.add(call.params.objectId ?? '');
      return answer;
    },
    systemMembers: (object) => ({
      ...behaviours.systemMembers(object),
      $oid: merged.has(object.oid) ? `${object.oid}-${object.version}` : object.oid,
    }),
  };
}
