import type { OrdinalRange } from '../../store/store.ts';
import { replacing, type FaultsOf } from '../fault.ts';
import { isLongRoute, within } from '../reads.ts';

/** Longer than any array. */
const whole: OrdinalRange = { from: 0, to: 1_000_000 };

export const instanceReadFaults = {
  'paging.instance-read.at-most-ten': replacing('readInstance', (right) => (service, call, reading) => {
    const generous = within(service, { firstReadRange: () => ({ from: 0, to: 11 }) });
    return right(isLongRoute(call) ? generous : service, call, reading);
  }),

  'paging.instance-read.short-array-complete': replacing('firstSlice', (right) => async (...args) => {
    const slice = await right(...args);
    return slice.total === 10 ? { ...slice, entries: slice.entries.slice(0, 9) } : slice;
  }),

  'paging.instance-read.every-array-limited': replacing(
    'firstSlice',
    (right) => async (service, reading, object, section, filter) => {
      const softType = service.configuration.spaces.get(object.spaceId)?.template.softTypes.get(object.softType);
      const first = softType?.members.entries().find(([, member]) => member.kind === 'entries')?.[0];
      const limited = section.port === first ? service : within(service, { firstReadRange: () => whole });
      return right(limited, reading, object, section, filter);
    },
  ),

  'paging.nested-array.limited': replacing('nestedReadRange', () => () => whole),
} satisfies Partial<FaultsOf<'paging'>>;
