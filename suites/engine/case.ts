import type { Arbitrary } from 'fast-check';
import type { Area } from '../../contract/areas.ts';
import type { BuiltIdOf, RuleIdOf } from '../../contract/rules.ts';
import type { Expect } from './expect.ts';
import type { Given } from './given.ts';
import type { Notes } from './notes.ts';
import type { Target } from './target.ts';
import type { BoundProfile } from './profile.ts';

/** What a case is given. */
export interface CaseContext {
  /** The implementation under test: typed routes, every exchange recorded. */
  readonly service: Target;
  /** Makes what the case needs and books it for clean-up. A failure in here is never a `fail` of the rule. */
  readonly given: Given;
  /** Assertions; a breach throws a Violation of the rule. */
  readonly expect: Expect;
  /** What is recorded without judging it. */
  readonly notes: Notes;
  readonly profile: BoundProfile;
}

export type CaseKind = 'scenario' | 'property' | 'model' | 'race' | 'schedule';

export interface Case {
  readonly kind: CaseKind;
  readonly run: (context: CaseContext, generation: Generation) => Promise<void>;
}

/** How generated data of a run is chosen: the same seed gives the same requests. */
export interface Generation {
  readonly seed: number;
  /** Number of generated runs of a property. */
  readonly runs: number;
}

/** A case for every built rule of the area. */
export type CasesOf<A extends Area> = Readonly<Record<BuiltIdOf<A>, Case>>;

/** A part of an area's cases, in a file of its own. */
export type SomeCasesOf<A extends Area> = Readonly<Partial<Record<RuleIdOf<A>, Case>>>;

export interface PropertyOptions<T> {
  /** Values that are tried in every run, whatever the seed. */
  readonly always?: readonly T[];
  /** Share of the runs that this property makes: 0.5 for a costly one. */
  readonly share?: number;
}

/** A fixed sequence of steps. */
export declare function scenario(run: (context: CaseContext, generation: Generation) => Promise<void>): Case;
export declare function property<T>(arbitrary: Arbitrary<T> | ((context: CaseContext) => Arbitrary<T>), run: (context: CaseContext, value: T) => Promise<void>, options?: PropertyOptions<T>): Case;
