import type { CheckStep } from '../step.ts';
import type { TrafficExchange, TrafficObserver } from '../engine.ts';
import type { Ground } from '../ground.ts';
import { Answers } from './answers.ts';
import { Objects, type BreachesOf } from './objects.ts';
import { sampler } from './sample.ts';
import { Violations, type FoundViolation } from './violations.ts';

export interface JudgeOptions {
  readonly ground: Ground;
  /** Share of the journeys, and of the objects, that are judged: 0 to 1. */
  readonly ratio: number;
  /** Checks the history of one versioned object. */
  readonly breachesOf: BreachesOf;
}

/** Holds the answers against the rules while the load runs. A sample takes whole journeys and whole objects, so that what is judged is judged in full. */
export class TrafficJudge implements TrafficObserver {
  readonly violations = new Violations();
  readonly #answers: Answers;
  readonly #objects: Objects;
  readonly #isJudged: (key: string) => boolean;
  #exchanges = 0;

  constructor({ ground, ratio, breachesOf }: JudgeOptions) {
    this.#answers = new Answers(ground, this.violations.complain);
    this.#objects = new Objects(ground, breachesOf, this.violations.complain);
    this.#isJudged = sampler(ratio);
  }

  /** Answers that were looked at. */
  get exchanges(): number {
    return this.#exchanges;
  }

  exchange(exchange: TrafficExchange): void {
    const oid = oidOf(exchange);
    if (oid !== undefined && this.#isJudged(oid)) this.#objects.see(exchange);
    if (!this.#isJudged(`${exchange.user}/${exchange.iteration}`)) return;
    this.#exchanges += 1;
    this.#answers.see(exchange);
  }

  check({ rule, ok, detail = 'it does not hold' }: CheckStep): void {
    if (!ok) this.violations.complain(rule, 'what the journey looked at to hold', detail);
  }

  journeyEnded(_journey: string, _whole: boolean, of: { readonly user: number; readonly iteration: number }): void {
    this.#answers.forget(of);
  }

  /** What was found, once all answers are in. */
  finish(): readonly FoundViolation[] {
    this.#objects.finish();
    return this.violations.all();
  }
}

/** What an exchange is sampled by: the object it is about; that of a create or a batch is in its answer. */
function oidOf({ step: { about }, result }: TrafficExchange): string | undefined {
  if (about === undefined) return undefined;
  if ('oid' in about) return about.oid;
  if (about.kind === 'create') return result.headers['location']?.split(/[?#]/)[0]?.split('/').pop();
  return about.kind === 'batch' ? about.operations[0]?.oid : undefined;
}
