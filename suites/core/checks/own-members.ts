import { dataOf } from '../../../judge/service/answers.ts';
import type { CaseContext } from '../../../judge/case.ts';
import type { Reply } from '../../../judge/exchange.ts';
import { isObject } from '../../../judge/json.ts';
import type { Members } from './member-kinds.ts';

/** An object and a list of texts, of those that the profile has, with texts that nothing else has. */
export function ownMembers({ given, profile }: CaseContext): Members {
  const { object, scalarList } = profile.primary;
  return {
    ...(object && {
      [object.member]: given.inner(
        object,
        object.scalars.map(() => given.unique()),
      ),
    }),
    ...(scalarList !== undefined && { [scalarList]: [given.unique()] }),
  };
}

/** Objects that are made by one request with an object and a list of texts read each with its own. @param make the reads of what the bodies became; undefined where they are refused */
export async function expectOwnMembers(
  context: CaseContext,
  way: string,
  make: (bodies: readonly Record<string, unknown>[]) => Promise<readonly Reply[] | undefined>,
): Promise<void> {
  const { given, expect, notes } = context;
  const members = [ownMembers(context), ownMembers(context), ownMembers(context)];
  if (members.every((one) => Object.keys(one).length === 0)) return;
  const reads = await make(members.map((more) => given.body(more)));
  notes.observe(`${way} of objects that hold other objects and lists`, reads !== undefined);
  if (reads?.length !== members.length) return;
  for (const [index, read] of reads.entries())
    for (const [name, value] of Object.entries(members[index] ?? {})) {
      const seen = dataOf(read)[name];
      const texts = isObject(value) && isObject(seen) ? Object.keys(value).map((inner) => seen[inner]) : seen;
      const expected = isObject(value) ? Object.values(value) : value;
      expect(texts, `${name} of object ${index} of ${members.length} by ${way}`, read).toEqual(expected);
    }
}
