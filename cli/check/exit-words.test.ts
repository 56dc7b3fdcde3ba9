import fc from 'fast-check';
import { expect, test } from 'vitest';
import { exitOf } from '../../reports/exit.ts';
import { runWith } from '../../reports/run.fixture.ts';
import { exitCodeOf } from '../../suites/engine/run/exit-code.ts';
import { outcomesArbitrary, someRules, standsOnArbitrary } from '../../suites/engine/run/outcomes.fixture.ts';
import { settle } from '../../suites/engine/run/settle.ts';

const reasons = fc.dictionary(fc.constantFrom<string>(...someRules), fc.constant('a reason'));
const ends = fc.option(fc.constant('interrupted'), { nil: undefined });

test('the exit code and the words of the reports about it come to the same end', () => {
  fc.assert(
    fc.property(outcomesArbitrary, standsOnArbitrary, reasons, reasons, ends, (raw, standsOn, notSupported, knownFailures, aborted) => {
      const outcomes = settle(raw, standsOn);
      const selected = outcomes.map((outcome) => outcome.rule);
      const footer = { kind: 'end', durationMs: 1, remains: [], requests: 1, ...(aborted !== undefined && { aborted }) } as const;
      const run = { ...runWith([], { selected, notSupported, knownFailures }), outcomes, footer };
      expect(exitOf(run).code).toBe(exitCodeOf(outcomes, run.header, aborted));
    }),
    { numRuns: 2000 },
  );
});
