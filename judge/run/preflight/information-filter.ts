import type { Profile } from '../../../contract/profile.ts';
import { isSuccess } from '../../exchange.ts';
import { filterAt } from '../../service/queries.ts';
import { insteadOfRefusal } from '../../violation.ts';
import type { Ground } from '../preflight.ts';

/** Any day that is over. */
const formerly = '2021-03-04T05:06:07Z';

/** The profile with a date as the form of dates in a filter, where objects are read under one of these and under no time: which form is asked for is not said. Source: core, Operations-based PATCH rules 7 */
export async function withDateForm({ given, service }: Ground, profile: Profile): Promise<Profile> {
  const { informationFilter } = profile;
  if (informationFilter?.dateMember === undefined || informationFilter.dateForm !== undefined) return profile;
  const onDays: Profile = { ...profile, informationFilter: { ...informationFilter, dateForm: 'date' } };
  return insteadOfRefusal(profile, async () => {
    const thing = await given.object();
    for (const stated of [profile, onDays]) {
      const read = await service.read(thing, { filter: filterAt({ profile: { all: stated } }, formerly) });
      if (isSuccess(read.status)) return stated;
    }
    return profile;
  });
}
