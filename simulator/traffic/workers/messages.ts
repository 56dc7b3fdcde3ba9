import type { IdentityName } from '../../../contract/profile.ts';
import type { JourneySummary } from '../../../contract/schemas/traffic.ts';
import type { Authorizations } from '../credentials.ts';
import type { EngineEnd, EngineSetup, TrafficExchange } from '../engine.ts';
import type { HttpStep } from '../step.ts';
import type { FoundViolation } from '../judging/violations.ts';

/** What a worker is told to do; plain data. */
export type Order =
  | { readonly kind: 'begin'; readonly orders: Orders }
  /** They were renewed. */
  | { readonly kind: 'authorizations'; readonly authorizations: Authorizations }
  | { readonly kind: 'stop' };

export interface Orders {
  readonly setup: Omit<EngineSetup, 'authorizationOf' | 'signal' | 'share' | 'begunLate' | 'own'>;
  readonly index: number;
  readonly of: number;
  /** Share of the journeys and objects that is judged; 0 judges nothing. */
  readonly ratio: number;
  readonly authorizations: Authorizations;
  /** When the load begins, in ms of the clock of whoever ordered. */
  readonly startsAt: number;
  /** From that clock to the one that all threads share, in ms. */
  readonly shift: number;
}

/** What a worker answers. Times are in ms of the clock of whoever ordered. */
export type Answer =
  | { readonly kind: 'ready' }
  | ({ readonly kind: 'news' } & ShareNews)
  | ({ readonly kind: 'ended' } & Ended);

/** What happened since the worker told the last time. */
export interface ShareNews {
  /** Everything that ended until then was told. */
  readonly until: number;
  /** Outcomes that were not seen before; each counts by its place in the list of all. */
  readonly outcomes: readonly OutcomeOf[];
  /** Four numbers a request: place of its outcome, when it was due, when it was sent, when it ended. */
  readonly requests: Float64Array<ArrayBuffer>;
  /** How late journeys began, in ms. */
  readonly lateness: Float64Array<ArrayBuffer>;
  readonly journeys: readonly JourneySummary[];
  /** What was done to objects that others may have used as well, and events: cut down to what is looked at. */
  readonly shared: readonly TrafficExchange[];
  /** Ids of the objects that were made. */
  readonly made: readonly string[];
  /** Answers that were looked at, from the beginning on. */
  readonly judged: number;
  /** Times that the worker saw a rule broken, from the beginning on. */
  readonly violations: number;
}

/** How a request can end, as it is counted. */
export interface OutcomeOf {
  readonly journey: string;
  readonly op: string;
  readonly status: number;
  readonly accepted: boolean;
  readonly error?: string;
  /** The first request that ended so, and what its answer said, where that is an error. */
  readonly first?: Pick<HttpStep, 'method' | 'path'> & { readonly says: string };
  /** Whose token was refused, where that is what a 401 may say. */
  readonly refused?: IdentityName;
}

export interface Ended {
  readonly end: EngineEnd;
  readonly violations: readonly FoundViolation[];
}
