import { setTimeout as sleep } from 'node:timers/promises';
import type { Profile } from '../../contract/profile.ts';
import type { DeliverySummary, ThresholdResult } from '../../contract/schemas/traffic.ts';
import { type BulkSource, openBulkSource } from './bulk-source.ts';
import { type Credentials, openCredentials, type TokenSource } from './credentials.ts';
import type { Send, Sent } from './drive.ts';
import {
  type Engine,
  type EngineEnd,
  type EngineSetup,
  type LoadPlan,
  type TrafficExchange,
  usualTimeoutMs,
} from './engine.ts';
import { openTrafficExtension, type TrafficExtension } from './extension.ts';
import { groundOf, informationFilterOf } from './ground-of.ts';
import type { Ground } from './ground.ts';
import { isDoneWithin, unlessAborted } from './interruption.ts';
import { Deliveries } from './judging/deliveries.ts';
import type { Judging } from './judging/judge.ts';
import type { FoundViolation } from './judging/violations.ts';
import { Leftovers } from './leftovers.ts';
import { Limits } from './limits.ts';
import { madeIn } from './made.ts';
import { type JourneyName, usualObjects } from './mix.ts';
import { Tally } from './measure/tally.ts';
import type { OwnJourneys } from './own-journeys.ts';
import { PreparationFailed, prepareLoad } from './preparation.ts';
import { openSender } from './send.ts';
import { type Crew, openCrew } from './workers/crew.ts';
import { type LoadOrder, makeAlone } from './workers/running-load.ts';
import { makeTogether } from './workers/together.ts';
import { waitMsOf } from '../../contract/patience.ts';
import type { HttpStep } from './step.ts';

const mostAttempts = 4;

export interface TrafficRun {
  readonly profile: Profile;
  /** Journeys that the profile does not allow are left out of its mix. */
  readonly plan: LoadPlan;
  readonly engine: Engine;
  readonly tokenOf: TokenSource;
  readonly judging: Judging;
  /** Journeys of the mix that are not bundled, by name. */
  readonly own?: OwnJourneys;
  /** Called before anything is asked of the target, with the number of objects that are made first. */
  readonly preparing?: (objects: number) => void;
  /** Called when everything is there and the load begins. */
  readonly begun?: (progress: TrafficProgress) => void;
  /** Called when the load is over, and what was made for it and by it is deleted. */
  readonly leaving?: () => void;
  readonly timeoutMs?: number;
  /** Threads that make the load; this one alone unless given. */
  readonly workers?: number;
  /** Ends the load when the first rule is seen broken. */
  readonly stopsAtViolation?: true;
  /** Ends the load when more than this share of the requests of ten seconds, in percent, are errors. */
  readonly mostErrors?: number;
  /** Ends the load; what was under way is counted. */
  readonly signal: AbortSignal;
}

/** What can be asked while the load goes on. */
export interface TrafficProgress {
  readonly tally: Tally;
  readonly violations: () => number;
  /** Answers that were looked at so far. */
  readonly judged: () => number;
}

export interface TrafficEnd {
  readonly tally: Tally;
  readonly engine: EngineEnd;
  readonly ground: Ground;
  readonly violations: readonly FoundViolation[];
  /** Answers that were looked at. */
  readonly judged: number;
  readonly deliveries?: DeliverySummary;
  /** Whether errors stayed within what the run allows. */
  readonly limit?: ThresholdResult;
  /** Sentences for the report that the engine does not say. */
  readonly remarks: readonly string[];
  /** As during the load, to show how a request was sent. */
  readonly authorizationOf: EngineSetup['authorizationOf'];
}

const lookMs = 250;
/** Connections of what is done before and after the load. */
const ownConnections = 16;
/** How long the deletion of the registration may take, in ms; when the run is interrupted, the report has to be there within a second. */
const [usualPatienceMs, interruptedPatienceMs] = [10_000, 250];
const [leastRemovalMs, mostRemovalMs] = [30_000, 600_000];

/**
 * Makes what journeys need, then the load, and holds it against the rules. Interrupted at any time, it resolves within a second with what was
 * until then. @throws {PreparationFailed} the service refuses what the journeys need, or cannot be reached; or a worker does not start
 */
export async function makeTraffic(run: TrafficRun): Promise<TrafficEnd> {
  const broken = new AbortController();
  const signal = AbortSignal.any([run.signal, broken.signal]);
  const { workers = 1 } = run;
  await using crew = workers > 1 ? openCrew(workers) : undefined;
  using credentials = openCredentials(run.profile, run.tokenOf, (all) => crew?.renew(all));
  const bare = bareSetup(run, (identity) => credentials.of(identity), signal);
  await using sender = openSender(bare, ownConnections);
  const leftovers = new Leftovers(run.profile, bare);
  const send = noting(patiently(sender.send, signal), (sent) => leftovers.note(madeIn(sent, bare.ground)));
  run.preparing?.(run.plan.mix.objects ?? usualObjects);
  await unlessAborted(credentials.renew(), signal);
  const extension = await openWantedExtension(run, send, signal);
  await using bulk = await openWantedBulk(run);
  const leave: Leave = async ({ violations = [], engine: { durationMs = 0 } = {} } = {}) => {
    const over = AbortSignal.any([run.signal, AbortSignal.timeout(removalMsAfter(durationMs))]);
    run.leaving?.();
    return [
      ...(await leftovers.remove(patiently(sender.send, over), violations, over)),
      ...(await closeInTime(extension, run.signal.aborted ? interruptedPatienceMs : usualPatienceMs)),
    ];
  };
  const left = once(leave);
  try {
    const preparation = signal.aborted
      ? undefined
      : await unlessAborted(
          prepareLoad(run.profile, bare, send, {
            ground: { ...extension?.ground, ...bulk?.ground },
            problems: { ...extension?.problems, bulk: bulk?.problem },
            replaceToken: () => credentials.replace('editor'),
          }),
          signal,
        );
    const failure = await unlessAborted(crew?.ready ?? Promise.resolve(undefined), signal);
    if (failure !== undefined)
      throw new PreparationFailed(`A worker could not be started (${failure}); ask for fewer with --workers.`);
    if (preparation === undefined || signal.aborted) return endOfNothing(bare, await left());
    const { ground, mix, remarks } = preparation;
    const startsAt = await untilStart(run.plan, signal);
    const made = await makeLoad(
      run,
      { ...bare, ground, mix, ...(run.own && { own: run.own }) },
      { extension, crew, broken, startsAt, credentials, made: (oids) => leftovers.note(oids) },
    );
    return {
      ...made,
      remarks: [
        ...remarks,
        ...remarksOnPace(run.profile, made),
        ...remarksOnTokens(credentials.ended),
        ...(extension?.problemsOfCalls() ?? []),
        ...(await left(made)),
      ],
    };
  } catch (error) {
    const stays = await left();
    throw error instanceof PreparationFailed && stays.length > 0
      ? new PreparationFailed([error.message, ...stays].join(' '))
      : error;
  }
}

/** Takes back what was made. @param made the load, where there was one @returns sentences on what stays */
type Leave = (made?: {
  readonly violations?: TrafficEnd['violations'];
  readonly engine?: Partial<EngineEnd>;
}) => Promise<readonly string[]>;

/** Called once at most: what it came to then is no news later. */
function once(leave: Leave): Leave {
  let isCalled = false;
  return async (made) => {
    if (isCalled) return [];
    isCalled = true;
    return leave(made);
  };
}

/** How long objects may be deleted, in ms: as long as it took to make them. */
function removalMsAfter(durationMs: number): number {
  return Math.min(Math.max(Math.ceil(durationMs), leastRemovalMs), mostRemovalMs);
}

function noting(send: Send, note: (sent: Pick<TrafficExchange, 'step' | 'result'>) => void): Send {
  return async (step) => {
    const sent = await send(step);
    note({ step, result: sent.result });
    return sent;
  };
}

/** What a load is made with. */
interface Means {
  readonly extension: TrafficExtension | undefined;
  readonly crew: Crew | undefined;
  /** Aborted to end the load when a rule is broken. */
  readonly broken: AbortController;
  /** In monotonic ms; at once unless given. */
  readonly startsAt: number | undefined;
  readonly credentials: Pick<Credentials, 'see'>;
  readonly made: LoadOrder['made'];
}

/** So much before the time at which the load begins everything is set up, in ms. */
const earlyMs = 50;

/** Waits until the load is about to begin. @returns when that is, in monotonic ms. @throws {PreparationFailed} it is past */
async function untilStart({ startAt }: LoadPlan, signal: AbortSignal): Promise<number | undefined> {
  if (startAt === undefined) return undefined;
  const leftMs = startAt - Date.now();
  if (leftMs < earlyMs)
    throw new PreparationFailed(
      `The load was to begin at ${new Date(startAt).toISOString()}, and what it needs was made ${((earlyMs - leftMs) / 1000).toFixed(1)} s too late for that; choose a later --start-at.`,
    );
  const startsAt = performance.now() + leftMs;
  await unlessAborted(sleep(leftMs - earlyMs, undefined, { signal }), signal).catch(() => undefined);
  return startsAt;
}

async function makeLoad(
  run: TrafficRun,
  setup: EngineSetup,
  { extension, crew, broken, startsAt, credentials, made }: Means,
): Promise<Omit<TrafficEnd, 'remarks'>> {
  const { engine, judging } = run;
  using deliveries = extension && isBegun(run.plan, 'extension-life') ? new Deliveries(extension) : undefined;
  const order: LoadOrder = {
    setup,
    engine,
    judging,
    see: (exchange) => {
      credentials.see(exchange);
      deliveries?.see(exchange);
    },
    made,
    ...(startsAt !== undefined && { startsAt }),
  };
  const load = crew === undefined ? makeAlone(order) : makeTogether(crew, order);
  run.begun?.(load);
  const complain = judging.ratio > 0 ? load.complain : () => undefined;
  const work = extension?.work(complain, setup.signal);
  const limits = new Limits(run.mostErrors);
  const isFound = (): boolean => load.isBroken() || deliveries?.isBroken(performance.now()) === true;
  using _watch = watchFor(
    () => limits.areCrossed(load.tally, performance.now()) || (run.stopsAtViolation === true && isFound()),
    broken,
  );
  const end = endedBy(limits, await load.make());
  const limit = limits.kept();
  const delivered = await deliveries?.finish(complain, setup.signal);
  await work?.finish();
  return {
    tally: load.tally,
    engine: end,
    ground: setup.ground,
    authorizationOf: setup.authorizationOf,
    violations: load.finish(),
    judged: load.judged(),
    ...(delivered && { deliveries: delivered }),
    ...(limit && { limit }),
  };
}

/** Errors beyond what may be are found by the load, which says something of the target then; where nobody answers it says nothing. */
function endedBy(limits: Limits, end: EngineEnd): EngineEnd {
  if (limits.reason === undefined) return end;
  const isFinding = limits.kept()?.met === false;
  return { ...end, remarks: [...end.remarks, limits.reason], ...(!isFinding && { endedEarly: true }) };
}

/** Of a run that was interrupted before its load began. */
function endOfNothing({ ground, authorizationOf }: EngineSetup, remarks: readonly string[]): TrafficEnd {
  const engine: EngineEnd = { durationMs: 0, remarks: ['The load had not begun: what it needs was still being made.'] };
  return { tally: new Tally(performance.now()), engine, ground, authorizationOf, violations: [], judged: 0, remarks };
}

/** The extension that the mix has called; it is closed again when the run is interrupted meanwhile. */
async function openWantedExtension(
  { profile, plan }: TrafficRun,
  send: Send,
  signal: AbortSignal,
): Promise<TrafficExtension | undefined> {
  const isWanted = (['extension-life', 'task-runner', 'key-holder'] as const).some((name) => isBegun(plan, name));
  if (!isWanted || signal.aborted) return undefined;
  return unlessAborted(openTrafficExtension(profile, send), signal, (late) => late?.[Symbol.asyncDispose]());
}

async function openWantedBulk({ profile, plan }: TrafficRun): Promise<BulkSource | undefined> {
  return isBegun(plan, 'bulk-loader') ? openBulkSource(profile, plan.seed) : undefined;
}

function isBegun({ mix }: LoadPlan, name: JourneyName): boolean {
  return (mix.journeys[name]?.weight ?? 0) > 0;
}

/** Sentences on what stays of the extension. */
async function closeInTime(extension: TrafficExtension | undefined, patienceMs: number): Promise<readonly string[]> {
  if (extension === undefined) return [];
  const closed = extension.leave();
  return (await isDoneWithin(patienceMs, closed))
    ? closed
    : [
        `The registration of the extension of this traffic at ${extension.address} was not deleted in time: delete it by hand.`,
      ];
}

function watchFor(isBroken: () => boolean, broken: AbortController): Disposable {
  const timer = setInterval(() => isBroken() && broken.abort(), lookMs).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** With a ground that nothing was made in yet. */
function bareSetup(
  { profile, plan, timeoutMs = usualTimeoutMs }: TrafficRun,
  authorizationOf: EngineSetup['authorizationOf'],
  signal: AbortSignal,
): EngineSetup {
  return {
    ...plan,
    baseUrl: profile.baseUrl,
    ground: groundOf(profile, plan.seed),
    authorizationOf,
    timeoutMs,
    signal,
    ...(profile.tls && { tls: profile.tls }),
    ...informationFilterOf(profile),
  };
}

/** The pace that a profile sets is that of a check, and a load has its own: whoever wrote it there may not have meant this one. */
export function remarksOnPace(
  { limits }: Pick<Profile, 'limits'>,
  { tally, engine }: { readonly tally: Pick<Tally, 'all'>; readonly engine: Pick<EngineEnd, 'durationMs'> },
): readonly string[] {
  const most = limits?.requestsPerSecond ?? Infinity;
  const perSecond = (1000 * tally.all.latency.count) / engine.durationMs;
  return perSecond > most
    ? [
        `limits.requestsPerSecond of the profile is ${most}, which check keeps to: this load sent ${perSecond.toFixed(1)} a second, as it was told.`,
      ]
    : [];
}

/** Requests of theirs failed for that alone. */
export function remarksOnTokens(ended: Credentials['ended']): readonly string[] {
  return [...ended].map(
    (name) =>
      `The token of identities.${name} was refused with 401 during the load, and the profile gives no other one: it may have ended.`,
  );
}

/**
 * A sender for what is made around a load, which nobody measures: it waits where the target asks for patience, and sends again what got no
 * answer, as a kept connection may end at any time. The signal ends its waits.
 */
function patiently(send: Send, signal: AbortSignal): Send {
  return async (step) => {
    for (let repeated = 0; ; repeated += 1) {
      const sent = await sendUntilAnswered(send, step);
      const { status, headers } = sent.result;
      const answeredAt = Date.parse(headers['date'] ?? '');
      const waitMs = waitMsOf({ status, retryAfter: headers['retry-after'], answeredAt, now: Date.now }, repeated);
      if (waitMs === undefined) return sent;
      await sleep(waitMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return sent;
    }
  };
}

async function sendUntilAnswered(send: Send, step: HttpStep): Promise<Sent> {
  for (let attempt = 1; attempt < mostAttempts; attempt += 1) {
    const sent = await send(step);
    if (sent.error === undefined || sent.error === 'ECONNREFUSED') return sent;
  }
  return send(step);
}
