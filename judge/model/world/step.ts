import { type Arbitrary, array, constant, constantFrom, nat, oneof, record, sample } from 'fast-check';
import { isFixedByValue } from '../../service/queries.ts';
import type { EditCommand, Start } from '../command.ts';
import type { SingleEdit } from '../state.ts';
import type { World } from './homes.ts';
import { firstLook, type Look, lookFactors, type Sender, senderFactors, tellLook, tellSender } from './ways.ts';

/** What may happen in a step. Several kinds of edits that differ in little are one kind, since pairs of kinds are what a run is to meet. */
export const stepKinds = [
  'merge',
  'put',
  'scalar',
  'object',
  'append',
  'entry text',
  'inside entry',
  'removal',
  'reference',
  'promote',
  'demote',
  'promote elsewhere',
  'several',
  'failing several',
  'refused',
  'forbidden',
  'create',
  'multi-create',
  'delete',
  'batch',
  'failing batch',
] as const;
export type StepKind = (typeof stepKinds)[number];

/** Edits of which a step of that kind makes one. */
export const editsOf: Readonly<Partial<Record<StepKind, readonly SingleEdit['kind'][]>>> = {
  merge: ['merge'],
  put: ['put'],
  scalar: ['replace scalar', 'add scalar', 'remove scalar'],
  object: ['replace inside object', 'add object', 'remove object'],
  append: ['append'],
  'entry text': ['replace text', 'add text', 'remove text', 'replace value'],
  'inside entry': ['replace inside entry', 'append inside', 'remove inside entry'],
  removal: ['remove entry', 'remove mandatory'],
  reference: ['add reference', 'remove reference'],
  promote: ['promote'],
  demote: ['demote'],
  'promote elsewhere': ['promote elsewhere'],
};

/** One thing that happens, before it is known which objects there are. */
export interface Step {
  readonly kind: StepKind;
  /** The object with which it begins, and where in it. */
  readonly at: Pick<EditCommand, 'object' | 'at' | 'choice' | 'value'>;
  /** What else is to be done in the same request. */
  readonly parts: readonly Part[];
  /** Decides what is left to decide. */
  readonly dice: number;
  readonly start: Start;
  readonly sender: Sender;
  readonly look: Look | undefined;
  /** Whether another object is looked at than one that it was about. */
  readonly looksAside: boolean;
}

/** One of several things in a request. */
export interface Part extends Pick<EditCommand, 'object' | 'at' | 'choice' | 'value'> {
  readonly dice: number;
}

/** Objects to begin with, and what happens to them. */
export interface WorldHistory {
  readonly starts: readonly Start[];
  readonly steps: readonly Step[];
}

interface Size {
  readonly histories: number;
  readonly steps: number;
}

/** How many histories are drawn, and which go before them. */
export interface Histories extends Size {
  readonly always: readonly (readonly StepKind[])[];
}

const dice = nat({ max: 1_000_000 });

const positions = oneof(
  { arbitrary: constantFrom(0, -1, 9, 10), weight: 4 },
  { arbitrary: nat({ max: 30 }), weight: 2 },
);

/** The first object gets far, the others stand beside it. */
const place = record({
  object: oneof({ arbitrary: constant(0), weight: 2 }, { arbitrary: nat({ max: 5 }), weight: 3 }),
  at: positions,
  choice: nat({ max: 7 }),
  value: nat({ max: 999 }),
});

const start: Arbitrary<Start> = record({
  entries: constantFrom(0, 1, 3, 9, 10, 11, 12, 20, 21),
  second: constantFrom(0, 0, 1, 11),
  age: constant(0),
  filled: constantFrom(true, true, false),
});

/** In so many ways a history looks again and again: what is kept of the first time shows the second time. */
const waysToLook = 3;

/** So many are drawn for each place of which one is taken. */
const candidates = 8;

const drawn = record({
  place,
  parts: array(
    record({ place, dice }).map((part) => ({ ...part.place, dice: part.dice })),
    { minLength: 5, maxLength: 5 },
  ),
  dice,
  start,
  draws: array(dice, { minLength: candidates, maxLength: candidates }),
  looks: constantFrom(true, true, true, false),
  looksAside: constantFrom(false, false, true),
  looksAnew: constantFrom(false, false, true),
});
type DrawnStep = typeof drawn extends Arbitrary<infer D> ? D : never;

type Factors = Readonly<Record<string, readonly string[]>>;

/** What the target can follow: kinds of steps, and of each factor the values that it has. */
interface Kinds {
  readonly steps: readonly StepKind[];
  readonly senders: { readonly [Name in keyof typeof senderFactors]: readonly Sender[Name][] };
  readonly looks: { readonly [Name in keyof Look]: readonly Look[Name][] };
}

/** All that there is. */
export const everyKind: Kinds = { steps: stepKinds, senders: senderFactors, looks: lookFactors };

export function kindsIn({ context: { profile }, homes, offers }: World): Kinds {
  const kinds = new Set(homes.flatMap(({ shape }) => [...shape.kinds]));
  const { filters, identities } = profile.all;
  const isFilterable = homes[0]?.shape.filter !== undefined;
  const hasPages = homes.some(({ shape }) => shape.ports.length > 0);
  const has: Readonly<Partial<Record<StepKind | Look[keyof Look], boolean>>> = {
    several: offers.has('several'),
    'failing several': offers.has('several'),
    'inside entry': offers.has('inside entry'),
    reference: offers.has('add reference') || offers.has('remove reference'),
    'promote elsewhere': offers.has('promote elsewhere'),
    'multi-create': offers.has('multi-create'),
    delete: offers.has('delete'),
    batch: offers.has('batch'),
    'failing batch': offers.has('batch'),
    fixed: isFilterable,
    'by value': isFilterable && isFixedByValue(filters),
    reader: identities.reader !== undefined,
    'second editor': identities.secondEditor !== undefined,
    'personal token': offers.has('personal token'),
    'in a batch': offers.has('batch'),
    'another schema': profile.primary.secondOutputSchema !== undefined,
    pages: hasPages,
    'linked pages': hasPages,
  };
  const isOffered = (kind: StepKind): boolean => has[kind] ?? editsOf[kind]?.some((edit) => kinds.has(edit)) ?? true;
  const offeredOf = <V extends Look[keyof Look]>(values: readonly V[]): readonly V[] =>
    values.filter((value) => has[value] ?? true);
  const senders = { as: offeredOf(senderFactors.as), taken: senderFactors.taken };
  return {
    steps: stepKinds.filter(isOffered),
    senders,
    looks: {
      by: offeredOf(lookFactors.by),
      filter: offeredOf(lookFactors.filter),
      as: offeredOf(lookFactors.as),
      sent: offeredOf(lookFactors.sent),
      taken: lookFactors.taken,
    },
  };
}

/**
 * Histories in which as many pairs as can be come behind each other: of two kinds of steps, and of a step, who takes it and how it is looked at.
 * Every second history has a few kinds of steps only, since what two of them do to each other shows where no third comes between.
 */
export function drawHistories({ steps, senders, looks }: Kinds, size: Size, seed: number): readonly WorldHistory[] {
  const all = sample(
    record({
      starts: array(start, { minLength: 3, maxLength: 3 }),
      steps: array(drawn, { minLength: size.steps, maxLength: size.steps }),
    }),
    { seed, numRuns: size.histories },
  );
  const met = { kinds: new Set<string>(), senders: new Set<string>(), looks: new Set<string>() };
  return all.map(({ starts, steps: drawnSteps }, index) => {
    const some = index % 2 === 0 ? steps : narrowed(steps, drawnSteps);
    const repeated = drawnSteps
      .slice(0, waysToLook)
      .flatMap(({ draws }) => newest(combinations(looks, draws), pairsOf, met.looks) ?? []);
    let before: StepKind | undefined;
    return {
      starts,
      steps: drawnSteps.flatMap((one) => {
        const kind = newest(turned(some, one.dice), (next) => [`${before} then ${next}`], met.kinds);
        if (kind === undefined) return [];
        before = kind;
        const sender = newest(combinations(senders, one.draws), (next) => pairsOf({ kind, ...next }), met.senders);
        const ways = one.looksAnew ? combinations(looks, one.draws) : turned(repeated, one.dice);
        const look = one.looks ? newest(ways, (next) => pairsOf({ kind, ...next }), met.looks) : undefined;
        return sender === undefined ? [] : [stepOf(one, kind, sender, look)];
      }),
    };
  });
}

/** The first of those that meet most pairs that were not met before; they are met then. */
function newest<T>(all: readonly T[], pairs: (one: T) => readonly string[], met: Set<string>): T | undefined {
  const gain = (one: T): number => pairs(one).filter((pair) => !met.has(pair)).length;
  const [best] = all.toSorted((one, other) => gain(other) - gain(one));
  for (const pair of best === undefined ? [] : pairs(best)) met.add(pair);
  return best;
}

/** Any two of the values. */
function pairsOf(values: Readonly<Record<string, string>>): readonly string[] {
  const told = Object.entries(values).map(([name, value]) => `${name} ${value}`);
  return told.flatMap((one, index) => told.slice(index + 1).map((other) => `${one}, ${other}`));
}

type Combination<F extends Factors> = { readonly [Name in keyof F]: F[Name][number] };

/** For each lot a value of each factor. */
function combinations<F extends Factors>(factors: F, lots: readonly number[]): readonly Combination<F>[] {
  return lots.map((lot) => {
    let left = lot;
    const values = Object.entries(factors).map(([name, all]) => {
      const value = all[left % all.length];
      left = Math.floor(left / all.length);
      return [name, value];
    });
    return Object.fromEntries(values);
  });
}

/** The list from that place on, and then what comes before. */
export function turned<T>(list: readonly T[], from: number): readonly T[] {
  const at = list.length === 0 ? 0 : from % list.length;
  return [...list.slice(at), ...list.slice(0, at)];
}

function narrowed(steps: readonly StepKind[], drawnSteps: readonly DrawnStep[]): readonly StepKind[] {
  const few = drawnSteps.slice(0, 6).flatMap((one) => steps[one.dice % Math.max(1, steps.length)] ?? []);
  return [...new Set(few)];
}

function stepOf(
  { place: at, parts, dice: thrown, start: begun, looksAside }: DrawnStep,
  kind: StepKind,
  sender: Sender,
  look: Look | undefined,
): Step {
  return { kind, at, parts, dice: thrown, start: begun, sender, look, looksAside };
}

/** A history of these kinds of steps, as far as the target can follow, each looked at. */
export function plainHistory({ steps }: Kinds, kinds: readonly StepKind[]): WorldHistory {
  const at = { object: 0, at: 0, choice: 0 };
  const begun = { entries: 3, second: 1, age: 0, filled: true };
  const sender = { as: 'own', taken: 'plain' } as const;
  return {
    starts: [begun, begun],
    steps: kinds
      .filter((kind) => steps.includes(kind))
      .map((kind) => ({ kind, at, parts: [], dice: 6, start: begun, sender, look: firstLook, looksAside: false })),
  };
}

/** A history in words, for a report. */
export function tellWorldHistory({ starts, steps }: WorldHistory): string {
  const begun = starts.map(({ entries, second }, index) => `object ${index + 1} with ${entries} and ${second} entries`);
  const done = steps.map(
    ({ kind, sender, look }) =>
      `${kind}${tellSender(sender)}${look === undefined ? '' : `, seen by ${look.by}${tellLook(look)}`}`,
  );
  return [...begun, ...done].join('; ');
}
