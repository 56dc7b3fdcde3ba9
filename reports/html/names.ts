import type { State } from '../../contract/schemas/report.ts';
import type { Level } from '../../contract/rule.ts';

/** States in the order of how much they need a reader, each with its word. */
export const stateWords: readonly (readonly [State, string])[] = [
  ['fail', 'failed'],
  ['warn', 'warned'],
  ['broken', 'broken'],
  ['blocked', 'blocked'],
  ['not-run', 'not run'],
  ['observed', 'observed'],
  ['pass', 'passed'],
  ['not-selected', 'not selected'],
];

export const levels: readonly Level[] = ['must', 'should', 'observe'];

/** The word of a state. */
export function wordOf(state: State): string {
  return stateWords.find(([name]) => name === state)?.[1] ?? state;
}
