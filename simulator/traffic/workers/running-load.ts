import {
  type Engine,
  type EngineEnd,
  type EngineSetup,
  shareOf,
  tellAll,
  type TrafficExchange,
  type TrafficObserver,
} from '../engine.ts';
import { TrafficJudge, type Judging } from '../judging/judge.ts';
import type { Complain, FoundViolation } from '../judging/violations.ts';
import { madeIn } from '../made.ts';
import { Tally } from '../measure/tally.ts';

/** A load that is made, by one thread or by several. */
export interface RunningLoad {
  readonly tally: Tally;
  /** When the load begins, in monotonic ms. */
  readonly startsAt: number;
  /** Answers that were looked at so far. */
  readonly judged: () => number;
  /** Times that a rule was seen broken so far. */
  readonly violations: () => number;
  /** Whether a rule is broken already, while requests are under way. */
  readonly isBroken: () => boolean;
  readonly make: () => Promise<EngineEnd>;
  /** For whoever finds something once the load is made. */
  readonly complain: Complain;
  /** What was found, once all answers are in. */
  readonly finish: () => readonly FoundViolation[];
}

/** What is made, and how it is judged. */
export interface LoadOrder {
  readonly setup: EngineSetup;
  readonly engine: Engine;
  readonly judging: Judging;
  /** When the load begins, in monotonic ms; at once unless given. */
  readonly startsAt?: number;
  /** Told of every exchange, as far as it concerns more than one journey. */
  readonly see: (exchange: TrafficExchange) => void;
  /** Told the ids of objects that were made. */
  readonly made: (oids: readonly string[]) => void;
}

/** By this thread alone. */
export function makeAlone({ setup, engine, judging, see, made, startsAt = performance.now() }: LoadOrder): RunningLoad {
  const { ground, authorizationOf } = setup;
  const judge = new TrafficJudge({ ...judging, ground, authorizationOf, startsAt });
  const tally = new Tally(startsAt);
  const observers: readonly TrafficObserver[] = judging.ratio > 0 ? [tally, judge] : [tally];
  const look = (exchange: TrafficExchange): void => {
    made(madeIn(exchange, ground));
    see(exchange);
  };
  return {
    tally,
    startsAt,
    judged: () => judge.exchanges,
    violations: () => judge.violations.count,
    isBroken: () => judge.isBroken(),
    make: () => engine({ ...setup, share: { ...shareOf(setup.segment, 0, 1), startsAt } }, tellAll(observers, look)),
    complain: judge.violations.complain,
    finish: () => judge.finish(),
  };
}
