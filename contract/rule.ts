import type { Area } from './areas.ts';

/** `must`: a breach fails. `should`: a breach warns. `observe`: the documents are silent, what is seen is recorded. */
export type Level = 'must' | 'should' | 'observe';
/** What is under test. */
export type Side = 'service' | 'extension';
/** The form of a rule's id; whether there is such a rule is checked when the catalogue is put together. */
export type RuleId = `${Area}.${string}`;
