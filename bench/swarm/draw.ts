import { type Need, needs } from '../../contract/needs.ts';
import { randomFrom } from '../../simulator/traffic/chance.ts';
import { drawable, rivalsOf } from './service.ts';

/** One thing in which a run differs from the bundled pair: a choice of the service, or a need or a key that its profile does without. */
export interface Part {
  readonly kind: 'choice' | 'need' | 'key' | 'habit' | 'dialect';
  /** What a client meets under the choice, the need, the dotted path of the key, or how the habit or the dialect is called. */
  readonly name: string;
}

/** How many of each kind are drawn: a share of all, from the first to the second. */
type Shares = Readonly<Record<'choice' | 'need' | 'key', readonly [least: number, most: number]>>;

const separator = '; ';

const needsOfAll = Object.keys(needs) as Need[];

/** One of these by lot, so that each kind is met alone and with the others. */
const manners: readonly Shares[] = [
  { choice: [0.1, 0.9], need: [0, 0], key: [0, 0] },
  { choice: [0.1, 0.9], need: [0.02, 0.4], key: [0, 0] },
  { choice: [0.1, 0.9], need: [0, 0], key: [0.01, 0.2] },
  { choice: [0, 0.3], need: [0, 0.1], key: [0.01, 0.1] },
];

/** What the run of that seed consists of. @param keys dotted paths of what the profile may do without */
export function drawParts(seed: number, keys: readonly string[]): readonly Part[] {
  const random = randomFrom(seed);
  const shares = manners[Math.floor(random() * manners.length)] ?? { choice: [0, 0], need: [0, 0], key: [0, 0] };
  const drawn = (kind: keyof Shares, names: readonly string[]): readonly Part[] => {
    const [least, most] = shares[kind];
    const share = least + (most - least) * random();
    return names.filter(() => random() < share).map((name) => ({ kind, name }));
  };
  const choices = drawn(
    'choice',
    drawable.map(({ meets }) => meets),
  );
  return [...withoutRivals(shuffled(choices, random)), ...drawn('need', needsOfAll), ...drawn('key', keys)];
}

/** The part as a command names it, and back. */
export function textOf({ kind, name }: Part): string {
  return `${kind} ${name}`;
}

/** @throws {RangeError} no kind of part */
export function partOf(text: string): Part {
  const [, kind, name = ''] = /^(choice|need|key|habit|dialect) (.+)$/.exec(text.trim()) ?? [];
  if (kind !== undefined) return { kind: kind as Part['kind'], name };
  throw new RangeError(`Expected a choice, a need, a key, a habit or a dialect and its name, found "${text}".`);
}

/** Parts as a command names several of them. @throws {RangeError} one is no kind of part */
export function partsIn(text: string): readonly Part[] {
  return text
    .split(separator.trim())
    .filter((each) => each.trim() !== '')
    .map(partOf);
}

export function textOfAll(parts: readonly Part[]): string {
  return parts.map(textOf).join(separator);
}

export function namesOf(kind: Part['kind'], parts: readonly Part[]): readonly string[] {
  return parts.filter((part) => part.kind === kind).map(({ name }) => name);
}

/** Where two cannot stand together, the first does. */
function withoutRivals(drawn: readonly Part[]): readonly Part[] {
  const kept: Part[] = [];
  for (const part of drawn)
    if (!rivalsOf(part.name).some((rival) => kept.some(({ name }) => name === rival))) kept.push(part);
  return kept;
}

export function shuffled<T>(items: readonly T[], random: () => number): readonly T[] {
  return items
    .map((item) => ({ item, lot: random() }))
    .toSorted((one, other) => one.lot - other.lot)
    .map(({ item }) => item);
}
