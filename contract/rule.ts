import type { Area } from './areas.ts';
import type { Need } from './needs.ts';

/** `must`: a breach fails. `should`: a breach warns. `observe`: the documents are silent, what is seen is recorded. */
export type Level = 'must' | 'should' | 'observe';
/** What is under test. */
export type Side = 'service' | 'extension';
export type Style = 'scenario' | 'property' | 'model' | 'concurrency' | 'schedule';

/** One rule as its row states it; `side` is `service` and `style` is `scenario` where the row says nothing. */
export interface Row {
  readonly level: Level;
  readonly side?: Side;
  /** Document, section and number of the sentence behind the rule. */
  readonly source: string;
  readonly statement: string;
  /** What a client sends and compares. */
  readonly check: string;
  /** The smallest wrong implementation that breaks this rule alone; absent where the rule only records. */
  readonly fault?: string;
  readonly needs: readonly Need[];
  readonly style?: Style;
  /** Schedule rules: service time at the documented figures, in seconds. */
  readonly seconds?: number;
  /** Rules that this one stands on: when one of them failed, this one is inconclusive. */
  readonly after?: readonly string[];
}

/** Fixes the ids and levels of an area's rows as types, so that cases and faults can be checked for completeness. */
export function rules<A extends Area, const R extends Readonly<Record<`${A}.${string}`, Row>>>(_area: A, rows: R): R {
  return rows;
}
