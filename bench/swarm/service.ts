import { together, type Variant } from '../../variants/breaks.ts';
import type { Choice } from '../../variants/dialect/choice.ts';
import { choices } from '../../variants/dialect/dialects.ts';
import { loneChoices } from '../../variants/dialect/peculiar-content.ts';
import { describesItself, describesPlainJson, otherJsonTypes } from '../../variants/dialect/wire.ts';

const describers: readonly Variant[] = [describesItself, describesPlainJson];

/** Choices of all dialects that may be drawn, and those that stand in none, innermost first. What tells of the others comes with them. */
export const drawable: readonly Choice[] = [
  ...choices.foreign,
  ...choices.strange,
  ...choices.peculiar,
  ...loneChoices,
].filter(({ by }) => !describers.includes(by));

/** Pairs that cannot stand together and that no silence tells apart: the one answers the operations of a batch as if they came alone, with numbers that the batch cannot read. */
const apart: readonly (readonly [string, string])[] = [
  ['batches made for what was there before', 'entry ids of 64 bits'],
];

/** What cannot stand together with a choice: what another dialect takes for the same silence, and what is named here. */
export function rivalsOf(meets: string): readonly string[] {
  const own = drawable.find((choice) => choice.meets === meets);
  const isOfOther = (other: Choice): boolean => dialectOf(meets) !== dialectOf(other.meets);
  return [
    ...drawable
      .filter((other) => isOfOther(other) && other.silences.some((silence) => own?.silences.includes(silence)))
      .map((other) => other.meets),
    ...apart.filter((pair) => pair.includes(meets)).flatMap((pair) => pair.filter((one) => one !== meets)),
  ];
}

/** Undefined for those that stand in none. */
function dialectOf(meets: string): string | undefined {
  return Object.entries(choices).find(([, taken]) => taken.some((choice) => choice.meets === meets))?.[0];
}

/** The server that takes these choices. @throws {RangeError} there is no such choice */
export function serviceOf(names: readonly string[]): Variant {
  const unknown = names.find((name) => !drawable.some(({ meets }) => meets === name));
  if (unknown !== undefined) throw new RangeError(`Expected the name of a choice, found "${unknown}".`);
  const taken = drawable.filter(({ meets }) => names.includes(meets)).map(({ by }) => by);
  if (taken.length === 0) return together();
  return together(...taken, taken.includes(otherJsonTypes) ? describesItself : describesPlainJson);
}
