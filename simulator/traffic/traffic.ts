import type { IdentityName, Profile } from '../../contract/profile.ts';
import type { DeliverySummary } from '../../contract/schemas/traffic.ts';
import { type Authorizations, openCredentials } from './credentials.ts';
import type { Engine, EngineEnd, EngineSetup, Load } from './engine.ts';
import { openTrafficExtension, type TrafficExtension } from './extension.ts';
import { groundOf } from './ground-of.ts';
import type { Ground } from './ground.ts';
import { isDoneWithin, unlessAborted } from './interrupted.ts';
import { Deliveries } from './judging/deliveries.ts';
import type { BreachesOf } from './judging/objects.ts';
import type { FoundViolation } from './judging/violations.ts';
import { Tally } from './measure/tally.ts';
import type { Mix } from './mix.ts';
import { type LoadPreparation, PreparationFailed, prepareLoad } from './preparation.ts';
import { openSender } from './send.ts';
import { type Crew, openCrew } from './workers/crew.ts';
import { makeAlone, type MakingParts } from './workers/running-load.ts';
import { makeTogether } from './workers/together.ts';

export interface TrafficRun {
  readonly profile: Profile;
  readonly mix: Mix;
  readonly load: Load;
  readonly durationMs: number;
  readonly rampMs: number;
  readonly seed: number;
  readonly engine: Engine;
  /** Access token of an identity. */
  readonly tokenOf: (identity: IdentityName) => Promise<string | null>;
  /** Share of the journeys and objects that are judged; 0 judges nothing. */
  readonly judge: number;
  readonly breachesOf: BreachesOf;
  /** Called when everything is there and the load begins. */
  readonly begun?: (progress: TrafficProgress) => void;
  readonly timeoutMs?: number;
  /** Threads that make the load; this one alone unless given. */
  readonly workers?: number;
  /** Ends the load when the first rule is seen broken. */
  readonly stopsAtViolation?: true;
  /** Ends the load; what was under way is counted. */
  readonly signal: AbortSignal;
}

/** What can be asked while the load goes on. */
export interface TrafficProgress {
  readonly tally: Tally;
  readonly violations: () => number;
}

export interface TrafficEnd {
  readonly tally: Tally;
  readonly engine: EngineEnd;
  readonly ground: Ground;
  readonly violations: readonly FoundViolation[];
  /** Answers that were looked at. */
  readonly judged: number;
  readonly deliveries?: DeliverySummary;
  /** Sentences for the report that the engine does not say. */
  readonly remarks: readonly string[];
  /** As during the load, to show how a request was sent. */
  readonly authorizationOf: EngineSetup['authorizationOf'];
}

const usualTimeoutMs = 30_000;
const lookMs = 250;
/** Connections of what is done before and after the load. */
const ownConnections = 16;
/** How long the deletion of the registration may take, in ms; when the run is interrupted, the report has to be there within a second. */
const [usualPatienceMs, interruptedPatienceMs] = [10_000, 250];

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
  const bare: EngineSetup = { ...setupOf(run, (identity) => credentials.of(identity)), signal };
  await using sender = openSender(bare, ownConnections);
  await unlessAborted(credentials.renew(), signal);
  const wantsEvents = (run.mix.journeys['extension-life']?.weight ?? 0) > 0;
  const extension =
    wantsEvents && !signal.aborted
      ? await unlessAborted(openTrafficExtension(run.profile, sender.send), signal, (late) =>
          late?.[Symbol.asyncDispose](),
        )
      : undefined;
  let isLeft = false;
  const leave = async (): Promise<readonly string[]> => {
    isLeft = true;
    const patienceMs = signal.aborted ? interruptedPatienceMs : usualPatienceMs;
    const isDone = extension === undefined || (await isDoneWithin(patienceMs, extension[Symbol.asyncDispose]()));
    return isDone
      ? []
      : ['The registration of the extension of this traffic was not deleted in time: delete it by hand.'];
  };
  try {
    const preparation = signal.aborted
      ? undefined
      : await unlessAborted(prepareLoad(run.profile, bare, sender.send, extension?.trigger), signal);
    const failure = await unlessAborted(crew?.ready ?? Promise.resolve(undefined), signal);
    if (failure !== undefined)
      throw new PreparationFailed(`A worker could not be started (${failure}); ask for fewer with --workers.`);
    if (preparation === undefined || signal.aborted) return endOfNothing(bare, await leave());
    const made = await makeLoad({ run, bare, preparation, extension, crew, authorizations: credentials.all, broken });
    return { ...made, remarks: [...preparation.remarks, ...(await leave())] };
  } finally {
    if (!isLeft) await leave();
  }
}

interface LoadParts {
  readonly run: TrafficRun;
  readonly bare: EngineSetup;
  readonly preparation: LoadPreparation;
  readonly extension: TrafficExtension | undefined;
  readonly crew: Crew | undefined;
  readonly authorizations: Authorizations;
  /** Aborted to end the load when a rule is broken. */
  readonly broken: AbortController;
}

async function makeLoad({
  run,
  bare,
  preparation,
  extension,
  crew,
  authorizations,
  broken,
}: LoadParts): Promise<Omit<TrafficEnd, 'remarks'>> {
  const { engine, judge: ratio, breachesOf } = run;
  const { ground, mix } = preparation;
  using deliveries = extension && new Deliveries(extension);
  const parts: MakingParts = {
    setup: { ...bare, ground, mix },
    engine,
    ratio,
    breachesOf,
    see: (exchange) => deliveries?.see(exchange),
  };
  const making = crew === undefined ? makeAlone(parts) : makeTogether(crew, parts, authorizations);
  run.begun?.(making);
  using _watch =
    run.stopsAtViolation &&
    watchFor(() => making.isBroken() || deliveries?.isBroken(performance.now()) === true, broken);
  const end = await making.make();
  const delivered = await deliveries?.finish(ratio > 0 ? making.complain : () => undefined, bare.signal);
  const violations = making.finish();
  const { tally } = making;
  return {
    tally,
    engine: end,
    ground,
    authorizationOf: bare.authorizationOf,
    violations,
    judged: making.judged(),
    ...(delivered && { deliveries: delivered }),
  };
}

/** Of a run that was interrupted before its load began. */
function endOfNothing({ ground, authorizationOf }: EngineSetup, remarks: readonly string[]): TrafficEnd {
  const engine: EngineEnd = { durationMs: 0, remarks: ['The load had not begun: what it needs was still being made.'] };
  return { tally: new Tally(performance.now()), engine, ground, authorizationOf, violations: [], judged: 0, remarks };
}

function watchFor(isBroken: () => boolean, broken: AbortController): Disposable {
  const timer = setInterval(() => isBroken() && broken.abort(), lookMs).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

function setupOf(run: TrafficRun, authorizationOf: EngineSetup['authorizationOf']): EngineSetup {
  const { profile, mix, load, durationMs, rampMs, seed, signal, timeoutMs = usualTimeoutMs } = run;
  const filter = profile.informationFilter?.default;
  return {
    baseUrl: profile.baseUrl,
    ground: groundOf(profile, seed),
    mix,
    load,
    durationMs,
    rampMs,
    seed,
    authorizationOf,
    timeoutMs,
    signal,
    ...(filter && { informationFilter: Buffer.from(JSON.stringify(filter)).toString('base64') }),
  };
}
