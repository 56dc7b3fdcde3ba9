import { setTimeout as sleep } from 'node:timers/promises';
import type { EngineSetup, TrafficExchange, TrafficObserver } from './engine.ts';
import type { JourneyEnv } from './journey.ts';
import { journeys } from './journeys/journeys.ts';
import type { JourneyName } from './mix.ts';
import { randomFrom } from './random.ts';
import type { HttpStep, Result } from './step.ts';

/** Sends one step and tells how it went; `dueAt` and the journey are filled in by whoever drives. */
export type Send = (step: HttpStep) => Promise<Pick<TrafficExchange, 'result' | 'sentAt' | 'endedAt' | 'error'>>;

export interface Turn {
  readonly name: JourneyName;
  readonly user: number;
  readonly iteration: number;
  /** When it was to begin. */
  readonly dueAt: number;
}

/** What journeys live in, for an engine of this process. */
export function envOf({ ground, seed }: Pick<EngineSetup, 'ground' | 'seed'>, user: number, iteration: number): JourneyEnv {
  return { user, iteration, ground, now: () => performance.now(), random: randomFrom(seed, user, iteration, 1) };
}

/** Drives one journey from its beginning to its end. When the run is over before, it is told as little of as if it had not begun. */
export async function drive(turn: Turn, setup: EngineSetup, send: Send, observer: TrafficObserver): Promise<void> {
  const { name, user, iteration } = turn;
  const env = envOf(setup, user, iteration);
  const pause = thinkingFrom(setup, name, env.random);
  const generator = journeys[name](env);
  let whole = true;
  let { dueAt } = turn;
  let next = generator.next();
  while (next.done !== true && !setup.signal.aborted) {
    const step = next.value;
    let result = noAnswer;
    if (step.kind === 'http') {
      const sent = await send(step);
      const cutOff = sent.error !== undefined && isOver(setup);
      const exchange: TrafficExchange = { journey: name, user, iteration, step, dueAt, ...sent, ...(cutOff && { cutOff }) };
      if (cutOff) return observer.exchange(exchange);
      whole &&= isAccepted(exchange);
      observer.exchange(exchange);
      ({ result } = exchange);
      await paused(pause(), setup.signal);
    } else if (step.kind === 'think') await paused(step.ms, setup.signal);
    else observer.check(step, { journey: name, user, iteration });
    // a timer that rings late is no lateness of the service
    dueAt = performance.now();
    next = generator.next(result);
  }
  if (next.done === true) observer.journeyEnded(name, whole, turn);
}

function isOver({ signal }: EngineSetup): boolean {
  return signal.aborted;
}

const noAnswer: Result = { status: 0, headers: {}, body: '' };

/** Whether an answer came, with a status that the step calls no error. */
export function isAccepted({ step, result, error }: Pick<TrafficExchange, 'step' | 'result' | 'error'>): boolean {
  if (error !== undefined) return false;
  return step.accept?.includes(result.status) ?? (result.status >= 200 && result.status < 300);
}

function thinkingFrom({ mix }: EngineSetup, name: JourneyName, random: () => number): () => number {
  const [shortest, longest] = mix.journeys[name]?.thinkMs ?? [0, 0];
  return () => (longest === 0 ? 0 : shortest + random() * (longest - shortest));
}

async function paused(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await sleep(ms, undefined, { signal }).catch(() => undefined);
}
