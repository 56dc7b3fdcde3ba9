import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { declaredOn } from './declarations.ts';
import { type ListedRule, listRules } from './rules.ts';
import { packageVersion } from './version.ts';
import type { Booking, BookingNews } from '../judge/case/bookings.ts';
import { withoutCredentials } from '../contract/credentials.ts';
import type { Need } from '../contract/needs.ts';
import type { RuleId } from '../contract/rule.ts';
import { variablesOf } from '../judge/curl/variables.ts';
import type { Profile } from '../contract/profile.ts';
import { keysIn } from '../contract/coverage/profile-keys.ts';
import { type Gate, isBreach, type Outcome, type RunFooter, type RunHeader, type Shard } from '../judge/outcome.ts';
import { type LoadedProfile, statedIn, withPlaces } from '../judge/profile/load.ts';
import { registryOf } from '../judge/redact/profile-secrets.ts';
import { Base } from '../judge/run/base.ts';
import type { RuleTrace, Run } from '../judge/run/run.ts';
import { type EndOfCases, runCases, stopWhen } from '../judge/run/run-cases.ts';
import { settle, Settling } from '../judge/run/settle.ts';
import { assess, isViolated } from '../reports/assessment.ts';
import { entriesOf } from '../reports/entries.ts';
import { type Exit, exitOf } from '../reports/exit.ts';
import { startThread, type Thread } from '../judge/run/thread.ts';
import { catalogue, catalogueUrl } from '../suites/catalogue.ts';

const origin = /\bhttps?:\/\/[^\s/"]+/gi;

const digits = 16;

/** One run and what it is held against. */
export interface Judging {
  readonly run: Run;
  /** First line of its record. */
  readonly header: RunHeader;
  /** Monotonic, in ms. */
  readonly startedAt: number;
  /** Ends the run early. */
  readonly signal: AbortSignal;
  /** Ends with the first violation. */
  readonly bail?: boolean;
  /** Leaves what the cases created where it is. */
  readonly keepData?: boolean;
  /** A thread that has begun to load the rules; started unless given. */
  readonly thread?: Thread;
}

/** Who is told of a run while it goes on. */
export interface Witness {
  /** An outcome as it comes; once more where it has changed when all are known. */
  readonly onOutcome: (outcome: Outcome, when: 'as it came' | 'settled') => void;
  /** Why the run has to end, where its record cannot be kept. */
  readonly failure?: () => string | undefined;
  /** A sentence about a part that is not judged. */
  readonly onUnusable: (sentence: string) => void;
  /** Told where requests say nothing of where they come from, because the target refuses those that do. */
  readonly onUntraced?: () => void;
  /** Told of what the run makes, at once, where it collects it. */
  readonly onBooking?: (news: BookingNews) => void;
  /** Told before what the cases created is removed, of which there may be thousands. */
  readonly onCleanUp?: (objects: number) => void;
}

/** How a run ended. */
export interface Judged {
  /** Settled. */
  readonly outcomes: readonly Outcome[];
  readonly footer: RunFooter;
  readonly exitCode: Exit['code'];
  /** What the cases saw of the world, in a run that is recorded. */
  readonly tape?: Uint8Array;
  /** What the cases sent, where the run keeps it. */
  readonly traces?: readonly RuleTrace[];
  /** Why nothing was judged: profile and target do not fit together, or it was stopped before. */
  readonly refusal?: string;
}

interface Ended extends EndOfCases {
  readonly outcomes: readonly Outcome[];
  readonly traces: readonly RuleTrace[];
}

const nothingJudged: Ended = { outcomes: [], traces: [], booked: [], tape: Promise.resolve(undefined) };

/** What the rules need, and SoftTypes where one of those on which they stand does: that one is judged as well where they do not hold. */
export function neededBy(rules: readonly RuleId[]): ReadonlySet<Need> {
  const needsOf = (all: Iterable<RuleId>): Set<Need> => new Set([...all].flatMap((rule) => catalogue.get(rule).needs));
  const below = new Set(rules);
  for (const rule of below) for (const ground of catalogue.standsOn(rule)) below.add(ground);
  const needs = needsOf(rules);
  return needsOf(below).has('soft-type') ? needs.add('soft-type') : needs;
}

export async function judgeRun(judging: Judging, witness: Witness): Promise<Judged> {
  const { run, header, signal } = judging;
  await using thread = judging.thread ?? startThread(catalogueUrl);
  const base = new Base(run, signal, neededBy(run.rules), witness.onBooking);
  try {
    const refusal = await base.preflight();
    const stopped = signal.aborted || refusal === undefined ? interruption(signal) : withPlaces(refusal, run.loaded);
    if (stopped !== undefined) {
      const footer = await footerOf(judging, base, { ...nothingJudged, aborted: stopped });
      return { outcomes: [], footer, exitCode: exitCodeOf(header, [], footer), refusal: stopped };
    }
    const unusable = Object.fromEntries(
      Object.entries(base.unusable()).map(([need, sentence]) => [need, withPlaces(sentence, run.loaded)]),
    );
    for (const sentence of new Set(Object.values(unusable))) witness.onUnusable(sentence);
    if (base.refusesTraces()) witness.onUntraced?.();
    const tracing = base.refusesTraces() && run.tracing ? { tracing: { ...run.tracing, sends: false } } : {};
    const loaded = completed(run.loaded, base.completed());
    const fastestAnswerMs = base.fastestAnswerMs();
    const ended = await judgeCases(
      { ...judging, thread, run: { ...run, ...tracing, loaded, unusable, fastestAnswerMs } },
      base,
      witness,
    );
    const outcomes = settle(ended.outcomes, (rule) => catalogue.standsOn(rule));
    for (const [index, outcome] of outcomes.entries())
      if (outcome !== ended.outcomes[index]) witness.onOutcome(outcome, 'settled');
    const footer = await footerOf(judging, base, ended, witness);
    const exitCode = exitCodeOf(header, outcomes, footer);
    const { traces } = ended;
    const tape = await ended.tape;
    return { outcomes, footer, exitCode, traces, ...(tape !== undefined && { tape }) };
  } finally {
    await base.close();
  }
}

/** What was stated is kept where it is another, as a cassette is held against the digest of that. */
function completed(loaded: LoadedProfile, profile: Profile): LoadedProfile {
  return { ...loaded, profile, ...(!isDeepStrictEqual(profile, loaded.profile) && { stated: loaded.profile }) };
}

function interruption({ aborted }: AbortSignal): string | undefined {
  return aborted ? 'interrupted' : undefined;
}

async function judgeCases(
  { run, header, signal, thread, bail }: Judging & { readonly thread: Thread },
  base: Base,
  witness: Witness,
): Promise<Ended> {
  const outcomes: Outcome[] = [];
  const traces: RuleTrace[] = [];
  const settling = new Settling(run.rules, (rule) => catalogue.standsOn(rule));
  // what another rule explains is no violation of its own
  const endsAt = (outcome: Outcome): boolean =>
    bail === true && settling.hear(outcome).some((settled) => isViolation(settled, header));
  const stopped = stopWhen(endsAt, () => base.isAlive());
  const attendance = {
    signal,
    stopAfter: async (outcome: Outcome) => witness.failure?.() ?? (await stopped(outcome)),
    onOutcome: (outcome: Outcome) => {
      outcomes.push(outcome);
      witness.onOutcome(outcome, 'as it came');
    },
    onTrace: (trace: RuleTrace) => void traces.push(trace),
    ...(witness.onBooking !== undefined && { onBooking: witness.onBooking }),
  };
  const judged = { ...run, granted: base.granted(), notSupported: header.notSupported, groundsAtOnce: bail === true };
  return { outcomes, traces, ...(await runCases(judged, attendance, thread)) };
}

function exitCodeOf(header: RunHeader, outcomes: readonly Outcome[], footer: RunFooter): Exit['code'] {
  return exitOf({ rules: reportedRules(), header, outcomes, footer, notes: [] }).code;
}

/** Whether the rule is broken by itself and nothing excuses it. */
export function isViolation(outcome: Outcome, header: RunHeader): boolean {
  if (!isBreach(outcome)) return false;
  const run = { rules: reportedRules().filter(({ id }) => id === outcome.rule), header, outcomes: [outcome] };
  return entriesOf(run, assess(run)).some(({ kind, standing }) => kind === 'failure' && isViolated(standing?.state));
}

async function footerOf(judging: Judging, base: Base, ended: Ended, witness?: Witness): Promise<RunFooter> {
  const remains = await remainsOf(judging, base, [...base.booked(), ...ended.booked], witness);
  const exchanges = ended.outcomes.reduce((sum, outcome) => sum + outcome.exchanges, 0);
  const isLost = judging.run.record === true && (await ended.tape) === undefined;
  const aborted = ended.aborted ?? (isLost ? 'what the cases saw could not be put together' : undefined);
  return {
    kind: 'end',
    durationMs: Math.round(performance.now() - judging.startedAt),
    remains,
    ...(aborted !== undefined && { aborted }),
    requests: base.requests() + exchanges,
    ...(ended.reached !== undefined && { reached: { ...ended.reached, keys: keysIn(judging.run.loaded.profile) } }),
  };
}

async function remainsOf(
  { run, keepData }: Judging,
  base: Base,
  booked: readonly Booking[],
  witness?: Witness,
): Promise<RunFooter['remains']> {
  if (run.collect !== true) return [];
  if (keepData === true)
    return booked.map(({ uri }) => ({ uri: base.redact(uri), reason: 'kept, as --keep-data asked for' }));
  if (booked.length > 0) witness?.onCleanUp?.(booked.length);
  return base.cleanUp(booked);
}

/** Every rule as the reports are told of it. */
export function reportedRules(): readonly ListedRule[] {
  return listRules(catalogue.all);
}

/** What tells one run's ground from another's. */
export type Ground = Pick<RunHeader, 'implementation' | 'suiteVersion' | 'profileDigest'>;

/** What a run is told with besides its rules. */
interface Told {
  /** What repeats it, with its seed and its number of runs. */
  readonly command: string;
  /** What counts for the exit code, where somebody says so. */
  readonly gate?: (own: Ground) => Gate;
  readonly shard?: Shard;
  /** RFC 3339, UTC; now unless given. */
  readonly startedAt?: string;
}

/** The first line of a run's record. */
export function headerOf(
  { loaded, rules, seed, runs }: Pick<Run, 'loaded' | 'rules' | 'seed' | 'runs'>,
  { command, gate, shard, startedAt = new Date().toISOString() }: Told,
): RunHeader {
  const { implementation, baseUrl, claims } = loaded.profile;
  const own: Ground = { implementation, suiteVersion: packageVersion(), profileDigest: profileDigest(loaded) };
  return {
    schemaVersion: 1,
    kind: 'run',
    ...own,
    baseUrl: withoutCredentials(baseUrl),
    seed,
    runs,
    startedAt,
    command: withoutCredentials(command),
    selected: rules,
    ...(claims !== undefined && { claims }),
    ...declaredOn(startedAt, loaded.profile),
    ...(gate !== undefined && { gate: gate(own) }),
    ...(shard !== undefined && { shard }),
    variables: variablesOf(loaded),
  };
}

/** The same text for two profiles that differ in nothing but what they claim and excuse, secrets, hosts, ports and folders of the machine, as those of two shards do. */
function profileDigest(loaded: LoadedProfile): string {
  const secrets = registryOf(loaded);
  const { bulk, claims: _claimed, notSupported: _declared, knownFailures: _known, ...rest } = statedIn(loaded);
  const content = { ...rest, ...(bulk !== undefined && { bulk: { ...bulk, hostDirectory: '' } }) };
  const plain = JSON.stringify(sorted(secrets.redactAll(content, (text) => text))).replaceAll(origin, 'http://host');
  return createHash('sha256').update(plain).digest('hex').slice(0, digits);
}

/** With the members of every object in the order of their names. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  );
}
