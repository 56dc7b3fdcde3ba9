import type { Call } from '../service.ts';
import { storedStates } from '../soft-type/current-state.ts';
import { replacing, together, type Fault, type FaultsOf } from './fault.ts';
import { storingAfterAPause, withoutComparison, withoutNeed } from './versioning.ts';

function isPromote(call: Call): boolean {
  return call.url.includes('/maturityAction/promote/');
}

function isDemote(call: Call): boolean {
  return call.url.includes('/maturityAction/demote/');
}

export const maturityFaults: FaultsOf<'maturity'> = {
  'maturity.state-field.shape': replacing('dataOf', (right) => (service, space, object, view, slices) => {
    const bare = Object.entries(storedStates(object)).map(([level, { state }]) => [level, state]);
    return { ...right(service, space, object, view, slices), ...Object.fromEntries(bare) };
  }),

  'maturity.promote.status-204': replacing('promoteObject', (right) => async (service, call, writing) => {
    service.behaviours.jsonBodyOf(service, call);
    return right(service, call, writing);
  }),

  'maturity.promote.moves-state': replacing(
    'nextState',
    (right) => (level) => (right(level) === undefined ? undefined : level.current),
  ),

  'maturity.promote.version-plus-one': replacing('versionAfterPromote', () => () => 1),

  'maturity.promote.then-edit': countingApart(),

  'maturity.promote.wrong-version-409': withoutComparison(isPromote),
  'maturity.promote.absent-version-412': withoutNeed(isPromote),
  'maturity.promote.race-one-winner': storingAfterAPause(isPromote),

  'maturity.promote.reader-refused': replacing('authorize', (right) => (service, user, access, call) => {
    const inSpace =
      access === 'space' &&
      service.behaviours.rolesOf(service, user, service.behaviours.spaceOf(service, call)).length > 0;
    if (inSpace && (isPromote(call) || isDemote(call))) return;
    right(service, user, access, call);
  }),

  'maturity.demote.version-plus-one': replacing('versionAfterDemote', () => (_service, object) => object.version - 1),
  'maturity.demote.version-guarded': withoutComparison(isDemote),
};

/** A merge is compared with the version that leaves promotes out. */
function countingApart(): Fault {
  const promotes = new Map<string, number>();
  return together(
    replacing('versionAfterPromote', (right) => (service, object) => {
      promotes.set(object.oid, (promotes.get(object.oid) ?? 0) + 1);
      return right(service, object);
    }),
    replacing('assertVersion', (right) => (service, call, object) => {
      if (call.method !== 'PATCH') return right(service, call, object);
      right(service, call, { ...object, version: object.version - (promotes.get(object.oid) ?? 0) });
      return object.version;
    }),
  );
}
