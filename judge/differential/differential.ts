import { sample } from 'fast-check';
import { curlLine, type Hiding } from '../curl/curl.ts';
import { scriptLines } from '../curl/script.ts';
import { variablesOf } from '../curl/variables.ts';
import { type OccurredBreach, type OccurredDifference, silenceById } from './pair.ts';
import { type PlayedCommand, playedHistories, type PlayedHistory, tellPlayed } from './history.ts';
import type { Parties, Party } from './party.ts';
import { play, type PlayedThrough, type Shown } from './play.ts';
import { type Probe, probeName } from './probe.ts';
import { probesFor } from './probes.ts';
import type { FoundBreach, FoundDifference, PartyName } from './result.ts';
import { type BatchCommand, type EditCommand, type Start, withoutObject, withStart } from '../model/command.ts';
import type { CommandKind } from '../model/object.ts';
import { findShortest, findSimplest } from '../model/shortest.ts';
import type { Sent } from '../client/wire.ts';
import type { Secrets } from '../redact/redact.ts';

type Shows = (history: PlayedHistory) => Promise<boolean>;

/** Less to begin with, the least first. */
const simpler: readonly ((start: Start) => Start)[] = [
  () => ({ entries: 0, second: 0, age: 0, filled: false }),
  (start) => ({ ...start, second: 0, age: 0 }),
  (start) => ({ ...start, entries: 0 }),
  (start) => ({ ...start, entries: Math.min(1, start.entries) }),
  (start) => ({ ...start, entries: Math.min(11, start.entries) }),
  (start) => ({ ...start, filled: false }),
];

interface DifferentialOptions {
  readonly seed: number;
  /** Generated histories. */
  readonly runs: number;
  /** Longest time for playing, and again for shrinking, in ms. */
  readonly longestMs: number;
  /** Longest search for a shorter history of one finding, in ms; 2500 by itself. */
  readonly longestShrinkMs?: number;
  readonly signal: AbortSignal;
  /** Rules that a profile expects to be broken, with the reasons. */
  readonly known?: Readonly<Record<PartyName, Readonly<Record<string, string>>>>;
}

export interface Found {
  readonly histories: number;
  readonly breaches: readonly FoundBreach[];
  readonly differences: readonly FoundDifference[];
  /** Why not every history was played. */
  readonly cut?: string;
}

interface First {
  readonly history: PlayedHistory;
  readonly shown: Shown;
  readonly seenIn: Set<string>;
}

/** Plays histories to both and tells what showed, each once, with the shortest history. @throws {PartyFailed} */
export async function compareParties(lanes: readonly Parties[], options: DifferentialOptions): Promise<Found> {
  const [parties] = lanes;
  if (parties === undefined) return { histories: 0, breaches: [], differences: [] };
  const all = [...singleHistories(parties), ...generated(parties, options)];
  const results = await played(lanes, all, options);
  const firsts = new Map<string, First>();
  for (const [index, history] of all.entries()) {
    const result = results[index];
    if (result !== undefined) gather(firsts, history, result);
  }
  const known = new Map(all.map((history, index) => [JSON.stringify(history), results[index]] as const));
  const listed = await shortened(lanes, firsts, known, options);
  const left = results.filter((result) => result === undefined).length;
  return {
    histories: all.length - left,
    breaches: listed.flatMap((first) => breachFrom(parties, first, firsts, options.known)),
    differences: listed.flatMap((first) => differenceFrom(parties, first)),
    ...(left > 0 && { cut: `${left} of ${all.length} histories were not played, as the time was over` }),
  };
}

/** What each history showed; undefined for those for which there was no time. */
async function played(
  lanes: readonly Parties[],
  all: readonly PlayedHistory[],
  { longestMs, signal }: DifferentialOptions,
): Promise<readonly (PlayedThrough | undefined)[]> {
  const until = performance.now() + longestMs;
  return inLanes(lanes, all, async (parties, history) =>
    signal.aborted || performance.now() > until ? undefined : play(parties, history),
  );
}

/** Does the work for each item, on the lane that is free next; the results are in the order of the items. */
async function inLanes<T, R>(
  lanes: readonly Parties[],
  items: readonly T[],
  work: (parties: Parties, item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results = new Map<number, R>();
  const open = items.entries();
  await Promise.all(
    lanes.map(async (parties) => {
      for (const [index, item] of open) results.set(index, await work(parties, item));
    }),
  );
  return [...items.keys()].flatMap((index) => (results.has(index) ? [results.get(index)] : [])) as readonly R[];
}

function generated({ first, second }: Parties, { seed, runs }: DifferentialOptions): readonly PlayedHistory[] {
  const names = probesFor(first, second).map(probeName);
  return sample(playedHistories(first.shape, names), { seed, numRuns: runs });
}

/** Numbers of entries that fill pages, or the last one in part. */
const manyEntries = [10, 18, 20, 25, 31];

/** Commands that leave the object alone and share one. */
const together = 12;

/** Every command by itself, or among others that change nothing, so that what one request shows does not depend on the seed. */
function singleHistories({ first, second }: Parties): readonly PlayedHistory[] {
  const start = { entries: 2, second: 1, age: 0, filled: true };
  const bare = { entries: 0, second: 0, age: 0, filled: false };
  const startOf = (probe: Probe): Start => (probe.isBare ? bare : { ...start, entries: probe.entries ?? 2 });
  const commandOf = (probe: Probe): PlayedCommand => ({ kind: 'probe', name: probeName(probe), object: 0 });
  const asked = probesFor(first, second);
  const harmless = Map.groupBy(
    asked.filter(({ touches }) => touches === 'nothing' || touches === 'makes'),
    (probe) => JSON.stringify(startOf(probe)),
  );
  return [
    { starts: [{ ...start, entries: 12 }], commands: [] },
    ...manyEntries.map((entries) => ({ starts: [{ ...start, entries }], commands: [] })),
    { starts: [bare], commands: [] },
    ...[...first.shape.kinds]
      .flatMap(editsOf)
      .map((commands) => ({ starts: [{ ...start, entries: 12, age: 1 }, start], commands })),
    ...[...harmless.values()].flatMap((probes) =>
      chunks(probes, together).map((some) => ({
        starts: some.slice(0, 1).map(startOf),
        commands: some.map(commandOf),
      })),
    ),
    ...asked
      .filter(({ touches }) => touches === 'object' || touches === 'removes')
      .map((probe) => ({ starts: [startOf(probe)], commands: [commandOf(probe)] })),
  ];
}

function chunks<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_chunk, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

function editsOf(kind: CommandKind): readonly (readonly PlayedCommand[])[] {
  const edit = (of: EditCommand['kind'], more: Partial<EditCommand> = {}): EditCommand => ({
    kind: of,
    object: 0,
    at: 0,
    choice: 0,
    version: 'current',
    ...more,
  });
  if (kind === 'batch') {
    const parts = [edit('merge'), edit('merge', { object: 1 })];
    return [undefined, 0, 1, 2].map((failing) => [{ kind, parts, failing }]);
  }
  const before = kind === 'demote' ? [edit('promote')] : [];
  return [
    [...before, edit(kind), edit(kind, { at: -1, choice: 7 })],
    [...before, edit(kind, { version: 'absent' }), edit(kind, { version: 'stale' }), edit(kind, { version: 'ahead' })],
  ];
}

function gather(firsts: Map<string, First>, history: PlayedHistory, { occurrences, commands }: PlayedThrough): void {
  for (const [key, shown] of occurrences) {
    const first = firsts.get(key) ?? { history, shown, seenIn: new Set<string>() };
    firsts.set(key, first);
    for (const command of commands.get(key) ?? []) first.seenIn.add(command);
  }
}

/** Each with the shortest history that was found in time. */
async function shortened(
  lanes: readonly Parties[],
  firsts: ReadonlyMap<string, First>,
  known: Map<string, PlayedThrough | undefined>,
  { longestMs, longestShrinkMs = 2500, signal }: DifferentialOptions,
): Promise<readonly First[]> {
  const until = performance.now() + longestMs;
  return inLanes(lanes, [...firsts], async (parties, [key, first]) => {
    const end = Math.min(until, performance.now() + longestShrinkMs);
    let { shown } = first;
    const shows = async (history: PlayedHistory): Promise<boolean> => {
      const name = JSON.stringify(history);
      const before = known.get(name);
      if (before === undefined && (signal.aborted || performance.now() > end)) return false;
      const result = before ?? (await play(parties, history));
      known.set(name, result);
      const again = result.occurrences.get(key);
      if (again === undefined || !isAlike(again, first.shown)) return false;
      shown = again;
      return true;
    };
    const history = await shrinkHistory(first.history, first.shown.command, shows);
    return { ...first, history, shown };
  });
}

/** Whether the outcome is told in the same words, where it is one: in another state the same request may mean something else. */
function isAlike({ occurrence: one }: Shown, { occurrence: two }: Shown): boolean {
  return (
    isBreach(one) ||
    isBreach(two) ||
    !one.key.startsWith('outcome') ||
    (one.first === two.first && one.second === two.second)
  );
}

function breachFrom(
  parties: Parties,
  { history, shown: { occurrence, sent } }: First,
  all: ReadonlyMap<string, First>,
  expected: DifferentialOptions['known'],
): readonly FoundBreach[] {
  if (!isBreach(occurrence)) return [];
  const { party, breach, where } = occurrence;
  const other: PartyName = party === 'first' ? 'second' : 'first';
  const known = expected?.[party][breach.rule];
  return [
    {
      rule: breach.rule,
      party,
      where,
      expected: breach.expected,
      actual: breach.actual,
      isShared: all.has(`breach ${other} ${breach.rule}`),
      ...(known !== undefined && { known }),
      history: tellPlayed(history),
      curl: linesOf(parties[party], sent[party]),
    },
  ];
}

function differenceFrom(
  { first, second }: Parties,
  { history, seenIn, shown: { occurrence, sent } }: First,
): readonly FoundDifference[] {
  if (isBreach(occurrence)) return [];
  const { key: _key, silence, ...difference } = occurrence;
  const covering = silenceById(silence);
  return [
    {
      ...difference,
      ...(covering !== undefined && { silence: covering }),
      seenIn: [...seenIn],
      history: tellPlayed(history),
      curl: { first: linesOf(first, sent.first), second: linesOf(second, sent.second) },
    },
  ];
}

function isBreach(occurrence: OccurredBreach | OccurredDifference): occurrence is OccurredBreach {
  return 'breach' in occurrence;
}

function linesOf(party: Party, sent: readonly Sent[]): readonly string[] {
  const hiding = hidingOf(party);
  return sent.length === 1 ? sent.map(({ request }) => curlLine(request, hiding)) : scriptLines(sent, hiding);
}

/** The variables of the second one have names of their own, since both have an editor. */
function hidingOf({ name, loaded, session: { secrets } }: Pick<Party, 'name' | 'loaded' | 'session'>): Hiding {
  if (name === 'first') return secrets;
  const known = new Set(Object.keys(variablesOf(loaded)));
  return secondly(secrets, known);
}

function secondly(secrets: Secrets, known: ReadonlySet<string>): Hiding {
  return {
    redact: (text) =>
      secrets
        .redact(text)
        .replaceAll(/\$([A-Z][A-Z_]+)/g, (whole, variable: string) =>
          known.has(variable) ? `$SECOND_${variable}` : whole,
        ),
    parts: (text) =>
      secrets.parts(text).map((part) => ('variable' in part ? { variable: `SECOND_${part.variable}` } : part)),
  };
}

/**
 * The shortest history found that still shows the same: the beginning or one command alone where that does, else with every command and every
 * object left out that can go; with as little in the objects as will do.
 * @param culprit the command at which it showed
 */
export async function shrinkHistory(
  history: PlayedHistory,
  culprit: PlayedCommand | undefined,
  shows: Shows,
): Promise<PlayedHistory> {
  const short = (await alone(history, culprit, shows)) ?? (await fewer(history, shows));
  const changes = short.starts.flatMap((_start, index) =>
    simpler.map((change) => withStart<PlayedHistory>(index, change)),
  );
  return findSimplest(short, changes, shows);
}

/** No command, or the one at which it showed, at an object of its own. */
async function alone(
  { starts }: PlayedHistory,
  culprit: PlayedCommand | undefined,
  shows: Shows,
): Promise<PlayedHistory | undefined> {
  const begun = { starts: starts.slice(0, 1), commands: [] };
  if (await shows(begun)) return begun;
  if (culprit === undefined || culprit.kind === 'batch') return undefined;
  const start = starts[culprit.object % Math.max(1, starts.length)];
  const candidate = { starts: start === undefined ? [] : [start], commands: [{ ...culprit, object: 0 }] };
  return (await shows(candidate)) ? candidate : undefined;
}

async function fewer(history: PlayedHistory, shows: Shows): Promise<PlayedHistory> {
  const commands = await findShortest(history.commands, (less) => shows({ ...history, commands: less }));
  const without = [...history.starts.keys()]
    .toReversed()
    .map((index) => withoutObject<Exclude<PlayedCommand, BatchCommand>>(index));
  return findSimplest({ ...history, commands }, without, shows);
}
