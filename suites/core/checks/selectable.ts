import { decodedOnce, zerosBefore } from '../../../fixtures/values.ts';
import type { CaseContext } from '../../../judge/case.ts';
import type { Owner } from '../../../judge/things.ts';

/** Texts that differ, and that a language may take for one number. */
const alikeAsNumbers = ['0', '00', '0e1'];

/** What a value ends with whose blanks and signs count. */
export const oddEnd = `${decodedOnce}  `;

/** Signs that a query, a list, an expression or a statement takes for its own; a filter that takes equal values alone takes them as they are. */
const everySign = ` a&b=c#d;e|f,g 50% é😀/\\"'+(h)[i]:?!@^$~`;

/** What stands between the values of a list. */
const listSigns = [',', ';', '|'];

/** What stands for any character in the patterns of databases. */
export const anyCharacter = '_';

interface Selectable {
  readonly owner: Owner;
  readonly values: readonly string[];
  readonly valueOf: (index: number) => string;
}

/** An object with three entries for each of some values that end so. */
export async function makeSelectable(context: CaseContext, suffix: string): Promise<Selectable> {
  const { given, profile } = context;
  const { member = '' } = profile.all.filters?.withValue ?? {};
  const values = valuesEnding(context, suffix);
  const valueOf = (index: number): string => values[index % values.length] ?? '';
  const owner = await given.objectWithEntries(3 * values.length, {
    members: (index) => ({ [member]: valueOf(index) }),
  });
  return { owner, values, valueOf };
}

/** How a filter compares is configured: only where the profile says that it takes equal values alone may one begin like another. */
function valuesEnding({ given, profile }: CaseContext, suffix: string): readonly string[] {
  const stem = given.unique('a');
  if (profile.all.filters?.withValue?.equals !== true)
    return [`${stem} ${suffix}`, `${given.unique('b')} ${suffix}`, zerosBefore];
  const isOdd = suffix === oddEnd;
  const own = `${stem}${isOdd ? everySign : ''} ${suffix}`;
  const others = [`${own}0`, `${own}${anyCharacter}`, ...alikeAsNumbers, zerosBefore];
  if (!isOdd) return [own, ...others];
  // what a list would begin with
  const firsts = listSigns.map((sign) => own.slice(0, own.indexOf(sign)));
  return [own, ...others, ` ${own}`, `!${own}`, 'null', ...firsts];
}
