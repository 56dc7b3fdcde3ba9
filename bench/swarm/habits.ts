import { startReference } from '../../api/deployment.ts';
import { patient } from '../../cli/published/texts.ts';
import { randomFrom } from '../../simulator/traffic/chance.ts';
import type { RuleId } from '../../contract/rule.ts';
import type { Outcome } from '../../judge/outcome.ts';
import type { Variant } from '../../variants/breaks.ts';
import { createVariant } from '../../variants/create-variant.ts';
import type { Dialect } from '../../variants/dialect/dialects.ts';
import { describesPlainJson } from '../../variants/dialect/wire.ts';
import { furtherHabits } from '../../variants/further-habits.fixture.ts';
import * as known from '../../variants/habits.fixture.ts';
import { namesOf, type Part, shuffled } from './draw.ts';
import { type Asked, type Ended, judgeOnce, withoutParts } from './judge.ts';

/** Habits by the name that the command line knows. */
const habits: Readonly<Record<string, Variant>> = { ...known, ...furtherHabits };

/** What is right in some places only, or for those who say so in their profile: never drawn. */
const partial: ReadonlySet<string> = new Set([
  'asOfThen',
  'closedBehindTheFirst',
  'creationsWait',
  'endNamedOtherwise',
  'filledByItself',
  'latestValidationAsked',
  'remarkByDefault',
  'shallowPaths',
  'tokensOfMinutes',
]);

/** Pairs of which the one makes wrong what the other does. */
const apart: readonly (readonly [string, string])[] = [
  // no value shows as zero with the one, as null with the other
  ['zerosForNone', 'strange'],
  ['idsOfAllSigns', 'pathsOfGateways'],
];

const drawable = Object.keys(habits).filter((name) => !partial.has(name));
export const countOfHabits = drawable.length;

/** The habits in turn, each alone. */
export function habitInTurn(seed: number): readonly Part[] {
  const index = (seed - 1) % countOfHabits;
  return drawable.slice(index, index + 1).map((name) => ({ kind: 'habit', name }));
}

/** Four to eight habits, and the strange dialect around them in one of three runs. */
export function drawHabits(seed: number): readonly Part[] {
  const random = randomFrom(seed);
  const count = 4 + Math.floor(random() * 5);
  const dialects: readonly Part[] = random() < 1 / 3 ? [{ kind: 'dialect', name: 'strange' }] : [];
  const drawn: Part[] = [...dialects];
  for (const name of shuffled(drawable, random))
    if (drawn.length < count + dialects.length && !drawn.some((other) => areApart(name, other.name)))
      drawn.push({ kind: 'habit', name });
  return drawn;
}

/** What is rightly said of a habit: a guideline from which it departs, or a remark. */
const departures: Readonly<Record<string, readonly RuleId[]>> = {
  errorsInList: ['batch.auth.forbidden-operation'],
  guidsAsIds: ['calls.envelope.id-correlation-verbatim'],
  guidsInCapitals: ['calls.envelope.id-from-correlation'],
  unversionedDemotes: ['maturity.demote.version-plus-one'],
  shortArraysLinked: ['paging.link.absent-up-to-ten'],
};

/** Judges the server that has the habits. @throws {RangeError} there is no such habit */
export async function judgeHabits({ parts, rules, seed }: Asked): Promise<Ended> {
  const names = namesOf('habit', parts);
  const [dialect] = namesOf('dialect', parts) as readonly Dialect[];
  await using target = await startReference(dialect === undefined ? {} : { dialect }, (options) =>
    createVariant({ ...options, faults: [describesPlainJson, ...names.map(habitCalled)] }),
  );
  const left = new Set(names.flatMap((name) => departures[name] ?? []));
  const loaded = withoutParts(target.loaded, parts);
  const { outcomes, ...ended } = await judgeOnce({ loaded: patient(loaded), rules, seed, runs: 2 });
  const isMeant = ({ verdict, rule, reason = '' }: Outcome): boolean =>
    (verdict !== 'fail' && left.has(rule)) || [...left].some((one) => reason.startsWith(`stands on ${one}`));
  return { ...ended, outcomes: outcomes.filter((outcome) => !isMeant(outcome)) };
}

function habitCalled(name: string): Variant {
  const habit = habits[name];
  if (habit === undefined) throw new RangeError(`Expected the name of a habit, found "${name}".`);
  return habit;
}

function areApart(one: string, other: string): boolean {
  return apart.some((pair) => pair.includes(one) && pair.includes(other));
}
