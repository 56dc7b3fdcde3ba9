import { storedStates } from '../../reference-server/areas/soft-type.ts';
import type { Call } from '../../reference-server/http/call.ts';
import { type Variant, type Variants, together, replaces } from '../breaks.ts';
import { storeAfterPause, withoutComparison, withoutNeed } from './versioning.ts';

export const maturityFaults = {
  'maturity.state-field.shape': replaces('instances', 'dataOf', (right, areas, space, object, view, slices) => {
    const bare = Object.entries(storedStates(object)).map(([level, { state }]) => [level, state]);
    return { ...right(areas, space, object, view, slices), ...Object.fromEntries(bare) };
  }),

  'maturity.promote.status-204': replaces('maturity', 'promoteObject', async (right, areas, call, writing) => {
    areas.messages.jsonBodyOf(call);
    return right(areas, call, writing);
  }),

  'maturity.promote.moves-state': replaces('maturity', 'nextState', (right, areas, level) =>
    right(areas, level) === undefined ? undefined : level.current,
  ),

  'maturity.promote.version-plus-one': replaces('maturity', 'versionAfterPromote', () => 1),

  'maturity.promote.then-edit': countingApart(),

  'maturity.promote.wrong-version-409': withoutComparison(isPromote),
  'maturity.promote.absent-version-412': withoutNeed(isPromote),
  'maturity.promote.race-one-winner': storeAfterPause(isPromote),

  'maturity.promote.reader-refused': replaces('auth', 'authorize', (right, areas, user, access, call) => {
    const inSpace = access === 'space' && areas.auth.rolesOf(user, areas.auth.spaceOf(call)).length > 0;
    if (inSpace && (isPromote(call) || isDemote(call))) return;
    right(areas, user, access, call);
  }),

  'maturity.demote.version-plus-one': replaces(
    'maturity',
    'versionAfterDemote',
    (_right, _areas, object) => object.version - 1,
  ),
  'maturity.demote.version-guarded': withoutComparison(isDemote),
} satisfies Variants;

function isPromote(call: Call): boolean {
  return call.url.includes('/maturityAction/promote/');
}

function isDemote(call: Call): boolean {
  return call.url.includes('/maturityAction/demote/');
}

/** A merge is compared with the version that leaves promotes out. */
function countingApart(): Variant {
  const promotes = new Map<string, number>();
  return together(
    replaces('maturity', 'versionAfterPromote', (right, areas, object) => {
      promotes.set(object.oid, (promotes.get(object.oid) ?? 0) + 1);
      return right(areas, object);
    }),
    replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      if (call.method !== 'PATCH') return right(areas, call, object);
      right(areas, call, { ...object, version: object.version - (promotes.get(object.oid) ?? 0) });
      return object.version;
    }),
  );
}
