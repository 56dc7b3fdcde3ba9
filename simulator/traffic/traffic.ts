import type { IdentityName, Profile } from '../../contract/profile.ts';
import type { DeliverySummary } from '../../contract/schemas/traffic.ts';
import { openCredentials } from './credentials.ts';
import { drivePrepared } from './drive-prepared.ts';
import type { Engine, EngineEnd, EngineSetup, Load, TrafficObserver } from './engine.ts';
import { openTrafficExtension } from './extension.ts';
import { groundOf } from './ground-of.ts';
import type { Ground } from './ground.ts';
import { Deliveries } from './judging/deliveries.ts';
import { TrafficJudge } from './judging/judge.ts';
import type { BreachesOf } from './judging/objects.ts';
import type { FoundViolation } from './judging/violations.ts';
import { Tally } from './measure/tally.ts';
import type { Mix } from './mix.ts';
import { everyone } from './observers.ts';
import { openSender } from './send.ts';

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
  /** As during the load, to show how a request was sent. */
  readonly authorizationOf: EngineSetup['authorizationOf'];
}

const usualTimeoutMs = 30_000;
const usualObjects = 50;
const lookMs = 250;
/** Connections of what is done before and after the load. */
const ownConnections = 16;

/** Makes what journeys need, then the load, and holds it against the rules. @throws {PreparationFailed} the service refuses what the journeys need, or cannot be reached */
export async function makeTraffic(run: TrafficRun): Promise<TrafficEnd> {
  using credentials = await openCredentials(run.profile, run.tokenOf);
  const broken = new AbortController();
  const signal = AbortSignal.any([run.signal, broken.signal]);
  const bare = { ...setupOf(run, (identity) => credentials.of(identity)), signal };
  await using sender = openSender(bare, ownConnections);
  const wantsEvents = (run.mix.journeys['extension-life']?.weight ?? 0) > 0;
  await using extension = wantsEvents ? await openTrafficExtension(run.profile, sender.send) : undefined;
  const objects = await drivePrepared(bare, sender.send, run.mix.objects ?? usualObjects);
  const ground: Ground = { ...bare.ground, objects, ...(extension && { trigger: extension.trigger }) };

  const judge = new TrafficJudge({ ground, ratio: run.judge, breachesOf: run.breachesOf });
  using deliveries = extension && new Deliveries(extension);
  const tally = new Tally(performance.now());
  const observers: readonly TrafficObserver[] = run.judge > 0 ? [tally, judge] : [tally];
  run.begun?.({ tally, violations: () => judge.violations.count });
  using _watch = run.stopsAtViolation && lookingFor(() => judge.isBroken() || deliveries?.isBroken(performance.now()) === true, broken);
  const engine = await run.engine({ ...bare, ground }, everyone(observers, (exchange) => deliveries?.see(exchange)));
  const delivered = await deliveries?.finish(run.judge > 0 ? judge.violations.complain : () => undefined, signal);
  const { authorizationOf } = bare;
  return { tally, engine, ground, authorizationOf, violations: judge.finish(), judged: judge.exchanges, ...(delivered && { deliveries: delivered }) };
}

function lookingFor(isBroken: () => boolean, broken: AbortController): Disposable {
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
