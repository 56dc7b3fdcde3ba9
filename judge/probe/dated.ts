import type { Profile, SoftTypeProfile } from '../../contract/profile.ts';
import { dataOf } from '../answer.ts';
import { valueAt } from '../json-pointer.ts';
import type { CaseContext } from '../case.ts';
import { PreconditionFailed } from '../violation.ts';

type Dated = NonNullable<SoftTypeProfile['dated']>;

export interface FoundDate {
  readonly dated: Dated;
  readonly dateMember: NonNullable<NonNullable<Profile['informationFilter']>['dateMember']>;
}

/** What the member of an information filter for the chosen date may be called: the documents do not show it. */
const usualNames = ['time', 'date', 'effectivityDate', 'effectivity'];
const dates = ['2019-03-04T00:00:00Z', '2021-11-30T00:00:00Z'];

/** The first element whose effectivity date follows the date of the information filter. Source: core, Operations 7 */
export async function datedIn(
  context: CaseContext,
  type: SoftTypeProfile,
  candidates: readonly Dated[],
): Promise<FoundDate | undefined> {
  for (const dated of candidates)
    for (const dateMember of usualNames)
      if (await follows(context, type, { dated, dateMember })) return { dated, dateMember };
  return undefined;
}

async function follows(
  { given, service, profile }: CaseContext,
  type: SoftTypeProfile,
  { dated, dateMember }: FoundDate,
): Promise<boolean> {
  try {
    let thing = await given.object(dated.value, { type });
    for (const date of dates) {
      const filter = { ...profile.all.informationFilter?.default, [dateMember]: date };
      const value = String(dated.replaceWith).replaceAll('{{unique}}', given.unique('probe'));
      const reply = await service.operations(thing, [{ op: 'replace', path: dated.path, value }], { filter });
      const seen =
        reply.status >= 300 ? undefined : valueAt(dataOf(await service.readLong(thing, { filter })), dated.datePath);
      if (typeof seen !== 'string' || Date.parse(seen) !== Date.parse(date)) return false;
      thing = await given.current(thing);
    }
    return true;
  } catch (error) {
    if (error instanceof PreconditionFailed) return false;
    throw error;
  }
}
