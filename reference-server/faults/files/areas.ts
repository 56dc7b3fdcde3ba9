import type { AreaKind } from '../../files/areas.ts';
import { Refusal } from '../../problem.ts';
import { replacing, type Fault, type FaultsOf } from '../fault.ts';

export const areaFaults = {
  'files.collection-area.base-path': notServed('collection'),
  'files.user-area.base-path': notServed('user'),
  'files.participant-area.base-path': notServed('participant'),
  'files.space-area.base-path': replacing(
    'mayUseArea',
    (right) => (service, user, area, call) =>
      area.kind === 'space' ? service.behaviours.mayAdministrate(service, user) : right(service, user, area, call),
  ),
} satisfies Partial<FaultsOf<'files'>>;

/** Whoever asks by the documented path finds nothing: the area is served elsewhere, or not at all. */
function notServed(missing: AreaKind): Fault {
  return replacing('openArea', (right) => async (service, call, kind) => {
    if (kind === missing) throw new Refusal(404, 'There is no such route.');
    return right(service, call, kind);
  });
}
