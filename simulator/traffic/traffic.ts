import type { IdentityName, Profile } from '../../contract/profile.ts';
import { openCredentials } from './credentials.ts';
import { drivePrepared } from './drive-prepared.ts';
import type { Engine, EngineEnd, EngineSetup, Load, TrafficObserver } from './engine.ts';
import { groundOf } from './ground-of.ts';
import type { Ground } from './ground.ts';
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
  /** Further parts of what journeys start from: a trigger, for one. */
  readonly ground?: Partial<Ground>;
  /** Hears everything besides the tally. Made when the objects are there and the load is about to begin. */
  readonly observers?: (ground: Ground, startedAt: number) => readonly TrafficObserver[];
  /** Called with the tally when the load begins. */
  readonly begun?: (tally: Tally) => void;
  readonly timeoutMs?: number;
  readonly signal: AbortSignal;
}

export interface TrafficEnd {
  readonly tally: Tally;
  readonly engine: EngineEnd;
  readonly ground: Ground;
}

const usualTimeoutMs = 30_000;
const usualObjects = 50;

/** Makes what journeys need, then the load. @throws {PreparationFailed} the service refuses what the journeys need, or cannot be reached */
export async function makeTraffic(run: TrafficRun): Promise<TrafficEnd> {
  const { profile, mix, seed, signal } = run;
  using credentials = await openCredentials(profile, run.tokenOf);
  const bare: Ground = { ...groundOf(profile, seed), ...run.ground };
  const setup: EngineSetup = {
    baseUrl: profile.baseUrl,
    ground: bare,
    mix,
    load: run.load,
    durationMs: run.durationMs,
    rampMs: run.rampMs,
    seed,
    authorizationOf: (identity) => credentials.of(identity),
    ...(profile.informationFilter && { informationFilter: base64(profile.informationFilter.default) }),
    timeoutMs: run.timeoutMs ?? usualTimeoutMs,
    signal,
  };
  await using sender = openSender(setup, 16);
  const objects = await drivePrepared(setup, sender.send, mix.objects ?? usualObjects);
  const ground: Ground = { ...bare, objects };
  const startedAt = performance.now();
  const tally = new Tally(startedAt);
  run.begun?.(tally);
  const observer = everyone([tally, ...(run.observers?.(ground, startedAt) ?? [])]);
  const engine = await run.engine({ ...setup, ground }, observer);
  return { tally, engine, ground };
}

function base64(filter: object): string {
  return Buffer.from(JSON.stringify(filter)).toString('base64');
}
