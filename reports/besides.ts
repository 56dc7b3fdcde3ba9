import type { Assessment } from './assessment.ts';
import { coverageOf } from './coverage/coverage.ts';
import { coverageSentence } from './coverage/coverage-blocks.ts';
import { likenessOf } from './likeness.ts';
import type { Run } from './run.ts';

/** What a run tells beside its verdicts, for formats that have a place for facts: the known faults that it looks like, and what it reached. */
export function besidesOf(run: Run, assessment: Assessment): Readonly<Record<string, string>> {
  const near = likenessOf(assessment).map(({ fault, likeness }) => `${fault} (${likeness.toFixed(2)})`);
  const coverage = coverageOf(run, assessment);
  return {
    ...(near.length > 0 && { looksLike: near.join(', ') }),
    ...(coverage !== undefined && { reached: coverageSentence(coverage) }),
  };
}
