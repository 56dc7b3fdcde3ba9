import type { EngineSetup, TrafficExchange, TrafficObserver } from '../engine.ts';
import type { Ground } from '../ground.ts';
import type { CheckStep } from '../step.ts';
import { Answers } from './answers.ts';
import { type BreachesOf, Objects } from './objects.ts';
import { sampler } from './sample.ts';
import { type FoundViolation, Violations } from './violations.ts';

/** How much is judged, and by what. */
export interface Judging {
  /** Share of the journeys, and of the objects, that are judged: 0 to 1; 0 judges nothing. */
  readonly ratio: number;
  /** Checks the history of one versioned object. */
  readonly breachesOf: BreachesOf;
}

export interface JudgeOptions extends Judging {
  readonly ground: Ground;
  /** Who has which token now, where tokens are replaced. */
  readonly authorizationOf?: EngineSetup['authorizationOf'];
  /** Takes what was done to objects; kept and checked here unless given. */
  readonly histories?: Histories;
  /** When the load begins, in monotonic ms; now unless given. */
  readonly startsAt?: number;
}

/** Looks at what was done to each object, by whomever. */
export type Histories = Pick<Objects, 'see' | 'isBroken' | 'finish'>;

/** Holds the answers against the rules while the load runs. A sample takes whole journeys and whole objects, so that what is judged is judged in full. */
export class TrafficJudge implements TrafficObserver {
  readonly violations: Violations;
  readonly #answers: Answers;
  readonly #objects: Histories;
  readonly #isJudged: (key: string) => boolean;
  #exchanges = 0;

  constructor({ ground, authorizationOf, ratio, breachesOf, histories, startsAt = performance.now() }: JudgeOptions) {
    this.violations = new Violations(startsAt);
    this.#answers = new Answers(ground, this.violations.complain, authorizationOf);
    this.#isJudged = sampler(ratio);
    this.#objects =
      histories ?? new Objects({ ground, breachesOf, complain: this.violations.complain, isJudged: this.#isJudged });
  }

  /** Answers that were looked at. */
  get exchanges(): number {
    return this.#exchanges;
  }

  exchange(exchange: TrafficExchange): void {
    this.#objects.see(exchange);
    if (exchange.error !== undefined || !this.#isJudged(`${exchange.user}/${exchange.iteration}`)) return;
    this.#exchanges += 1;
    this.#answers.see(exchange);
  }

  check({ rule, ok, detail = 'it does not hold' }: CheckStep): void {
    if (!ok) this.violations.complain(rule, 'what the journey looked at to hold', detail);
  }

  journeyEnded(_journey: string, _whole: boolean, of: { readonly user: number; readonly iteration: number }): void {
    this.#answers.forget(of);
  }

  /** Whether a rule is broken already, while requests are under way. */
  isBroken(): boolean {
    return this.violations.count > 0 || this.#objects.isBroken();
  }

  /** What was found, once all answers are in. */
  finish(): readonly FoundViolation[] {
    this.#objects.finish();
    return this.violations.all();
  }
}
