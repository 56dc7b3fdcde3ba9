import { type Conditions, exclusions, type Factor, factorNames, factors } from './factors.ts';

/** Conditions some of which may be none that the table knows. */
type Known = { readonly [F in Factor]: Conditions[F] | undefined };

const placesOfValues: ReadonlyMap<string, string> = new Map(
  factorNames.flatMap((factor) =>
    factors[factor].map((value, index) => [`${factor} ${value}`, String(index)] as const),
  ),
);

/** A character a factor, in their order: the place of its value. Undefined where one has no value of the table. */
export function codeOf(conditions: Known): string | undefined {
  let code = '';
  for (const factor of factorNames) {
    const place = placesOfValues.get(`${factor} ${conditions[factor]}`);
    if (place === undefined) return undefined;
    code += place;
  }
  return code;
}

/** @throws {RangeError} it is none of the table */
export function conditionsOf(code: string): Conditions {
  const values = factorNames.map((factor, index) => [factor, factors[factor][Number(code[index])]] as const);
  if (code.length !== factorNames.length || values.some(([, value]) => value === undefined))
    throw new RangeError(`"${code}" names no conditions`);
  return Object.fromEntries(values) as unknown as Conditions;
}

/** An exclusion by places: of each factor that it names, the characters of the values. */
interface Barred {
  readonly lists: readonly (readonly [place: number, values: string])[];
  readonly last: number;
}

const barred: readonly Barred[] = exclusions.map(({ without }) => {
  const lists = factorNames.flatMap((factor, place): Barred['lists'] => {
    const values: readonly string[] | undefined = without[factor];
    return values === undefined
      ? []
      : [[place, values.map((value) => placesOfValues.get(`${factor} ${value}`) ?? '').join('')]];
  });
  return { lists, last: Math.max(...lists.map(([place]) => place)) };
});

function isBarred(code: string, { lists }: Barred): boolean {
  return lists.every(([place, values]) => values.includes(code[place] ?? '?'));
}

/** Whether the values of that code go together. */
export function isPossible(code: string): boolean {
  return !barred.some((one) => isBarred(code, one));
}

/** The codes of all conditions that go together, in order. */
export function possibleCodes(): readonly string[] {
  let codes: readonly string[] = [''];
  for (const [place, factor] of factorNames.entries()) {
    const here = barred.filter(({ last }) => last === place);
    codes = codes.flatMap((code) =>
      factors[factor]
        .map((_value, index) => `${code}${index}`)
        .filter((longer) => !here.some((one) => isBarred(longer, one))),
    );
  }
  return codes;
}

/** Values of several factors: two digits each, the place of the factor and that of the value. */
type Combination = number;

/** Sets of so many factors, by their places. */
export function factorSets(size: number, from = 0): readonly (readonly number[])[] {
  if (size === 0) return [[]];
  return factorNames.flatMap((_factor, place) =>
    place < from ? [] : factorSets(size - 1, place + 1).map((others) => [place, ...others]),
  );
}

/** What a code has at these places. */
export function combinationAt(code: string, places: readonly number[]): Combination {
  let combination = 0;
  for (const place of places) combination = combination * 100 + place * 10 + code.charCodeAt(place) - zero;
  return combination;
}

const zero = '0'.charCodeAt(0);

/** Every combination of so many values that these codes have, each once, in order. */
export function combinationsIn(codes: Iterable<string>, size: number): readonly Combination[] {
  const sets = factorSets(size);
  const found = new Uint8Array(100 ** size);
  for (const code of codes) for (const places of sets) found[combinationAt(code, places)] = 1;
  const combinations: Combination[] = [];
  for (let at = found.indexOf(1); at !== -1; at = found.indexOf(1, at + 1)) combinations.push(at);
  return combinations;
}

/** In words, as `credential pat, role reader`. @param size how many values it is of */
export function combinationInWords(combination: Combination, size: number): string {
  const digits = String(combination).padStart(2 * size, '0');
  const words = digits.match(/../g)?.map(([place = '', index = '']) => {
    const factor = factorNames[Number(place)];
    return factor === undefined ? '' : `${factor} ${factors[factor][Number(index)]}`;
  });
  return (words ?? []).join(', ');
}
