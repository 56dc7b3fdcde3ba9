import { type Arbitrary, array, constant, constantFrom, nat, oneof, record, sample } from 'fast-check';
import { isFixedByValue } from '../../service/queries.ts';
import type { EditCommand, Start } from '../command.ts';
import type { SingleEdit } from '../state.ts';
import type { World } from './homes.ts';

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

/** How an object may be looked at behind a step. */
export const lookKinds = [
  'first read and pages',
  'long route',
  'pages',
  'linked pages',
  'filtered',
  'filtered by a value',
  'reader',
  'reader, filtered',
  'second editor',
  'batch',
  'batch, filtered',
  'another schema',
  'forbidden',
] as const;
export type LookKind = (typeof lookKinds)[number];

/** Edits of which a step of that kind makes one. */
export const editsOf: Readonly<Partial<Record<StepKind, readonly SingleEdit['kind'][]>>> = {
  merge: ['merge'],
  put: ['put'],
  scalar: ['replace scalar', 'add scalar', 'remove scalar'],
  object: ['replace inside object', 'add object', 'remove object'],
  append: ['append'],
  'entry text': ['replace text', 'add text', 'remove text'],
  'inside entry': ['replace inside entry', 'append inside', 'remove inside entry'],
  removal: ['remove entry', 'remove mandatory'],
  reference: ['remove reference'],
  promote: ['promote'],
  demote: ['demote'],
  'promote elsewhere': ['promote elsewhere'],
};

/** One thing that happens, before it is known which objects there are. */
export interface Step {
  readonly kind: StepKind;
  /** The object with which it begins, and where in it. */
  readonly at: Pick<EditCommand, 'object' | 'at' | 'choice'>;
  /** What else is to be done in the same request. */
  readonly parts: readonly Part[];
  /** Decides what is left to decide. */
  readonly dice: number;
  readonly start: Start;
  readonly look: { readonly kind: LookKind; readonly isOfOther: boolean } | undefined;
}

/** One of several things in a request. */
export interface Part extends Pick<EditCommand, 'object' | 'at' | 'choice'> {
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
});

const start: Arbitrary<Start> = record({
  entries: constantFrom(0, 1, 3, 9, 10, 11, 12, 20, 21),
  second: constantFrom(0, 0, 1, 11),
  age: constant(0),
  filled: constantFrom(true, true, false),
});

const drawn = record({
  place,
  parts: array(
    record({ place, dice }).map((part) => ({ ...part.place, dice: part.dice })),
    { minLength: 5, maxLength: 5 },
  ),
  dice,
  start,
  looks: constantFrom(true, true, true, false),
  isOfOther: constantFrom(false, false, true),
});
type Drawn = typeof drawn extends Arbitrary<infer D> ? D : never;

/** Kinds of steps and of looks that the target can follow. */
interface Kinds {
  readonly steps: readonly StepKind[];
  readonly looks: readonly LookKind[];
}

export function kindsIn({ context: { profile }, homes, offers }: World): Kinds {
  const kinds = new Set(homes.flatMap(({ shape }) => [...shape.kinds]));
  const { filters, identities } = profile.all;
  const has: Readonly<Partial<Record<StepKind | LookKind, boolean>>> = {
    several: offers.has('several'),
    'failing several': offers.has('several'),
    'inside entry': offers.has('inside entry'),
    reference: offers.has('remove reference'),
    'promote elsewhere': offers.has('promote elsewhere'),
    'multi-create': offers.has('multi-create'),
    delete: offers.has('delete'),
    batch: offers.has('batch'),
    'failing batch': offers.has('batch'),
    filtered: homes[0]?.shape.filter !== undefined,
    'filtered by a value': homes[0]?.shape.filter !== undefined && isFixedByValue(filters),
    reader: identities.reader !== undefined,
    'reader, filtered': identities.reader !== undefined && homes[0]?.shape.filter !== undefined,
    'second editor': identities.secondEditor !== undefined,
    'batch, filtered': offers.has('batch') && homes[0]?.shape.filter !== undefined,
    'another schema': profile.primary.secondOutputSchema !== undefined,
    pages: homes.some(({ shape }) => shape.ports.length > 0),
    'linked pages': homes.some(({ shape }) => shape.ports.length > 0),
  };
  const isOffered = (kind: StepKind | LookKind, edits: readonly SingleEdit['kind'][] = []): boolean =>
    has[kind] ?? (edits.length === 0 || edits.some((edit) => kinds.has(edit)));
  return {
    steps: stepKinds.filter((kind) => isOffered(kind, editsOf[kind])),
    looks: lookKinds.filter((kind) => isOffered(kind)),
  };
}

/**
 * Histories in which as many pairs as can be come behind each other: of two kinds of steps, and of a step and a look behind it. Every second
 * history has a few kinds of steps only, since what two of them do to each other shows where no third comes between.
 */
export function drawHistories({ steps, looks }: Kinds, size: Size, seed: number): readonly WorldHistory[] {
  const all = sample(
    record({
      starts: array(start, { minLength: 3, maxLength: 3 }),
      steps: array(drawn, { minLength: size.steps, maxLength: size.steps }),
    }),
    { seed, numRuns: size.histories },
  );
  const met = new Map<string, number>();
  const leastMet = <K extends string>(
    kinds: readonly K[],
    tellPair: (kind: K) => string,
    by: number,
  ): K | undefined => {
    const turned = [...kinds.slice(by % Math.max(1, kinds.length)), ...kinds.slice(0, by % Math.max(1, kinds.length))];
    const countOf = (kind: K): number => met.get(tellPair(kind)) ?? 0;
    const [least] = turned.toSorted((one, other) => countOf(one) - countOf(other));
    if (least !== undefined) met.set(tellPair(least), countOf(least) + 1);
    return least;
  };
  return all.map(({ starts, steps: drawnSteps }, index) => {
    const some = index % 2 === 0 ? steps : narrowed(steps, drawnSteps);
    let before: StepKind | undefined;
    return {
      starts,
      steps: drawnSteps.flatMap((one) => {
        const kind = leastMet(some, (next) => `${before} then ${next}`, one.dice);
        if (kind === undefined) return [];
        before = kind;
        const look = one.looks ? leastMet(looks, (next) => `${kind} seen by ${next}`, one.dice) : undefined;
        return [stepOf(one, kind, look)];
      }),
    };
  });
}

function narrowed(steps: readonly StepKind[], drawnSteps: readonly Drawn[]): readonly StepKind[] {
  const few = drawnSteps.slice(0, 6).flatMap((one) => steps[one.dice % Math.max(1, steps.length)] ?? []);
  return [...new Set(few)];
}

function stepOf(
  { place: at, parts, dice: thrown, start: begun, isOfOther }: Drawn,
  kind: StepKind,
  look?: LookKind,
): Step {
  return { kind, at, parts, dice: thrown, start: begun, look: look && { kind: look, isOfOther } };
}

/** A history of these kinds of steps, as far as the target can follow, each looked at. */
export function plainHistory({ steps }: Kinds, kinds: readonly StepKind[]): WorldHistory {
  const at = { object: 0, at: 0, choice: 0 };
  const begun = { entries: 3, second: 1, age: 0, filled: true };
  const look = { kind: 'first read and pages', isOfOther: false } as const;
  return {
    starts: [begun, begun],
    steps: kinds
      .filter((kind) => steps.includes(kind))
      .map((kind) => ({ kind, at, parts: [], dice: 6, start: begun, look })),
  };
}

/** A history in words, for a report. */
export function tellWorldHistory({ starts, steps }: WorldHistory): string {
  const begun = starts.map(({ entries, second }, index) => `object ${index + 1} with ${entries} and ${second} entries`);
  const done = steps.map(({ kind, look }) => (look === undefined ? kind : `${kind}, seen by ${look.kind}`));
  return [...begun, ...done].join('; ');
}
