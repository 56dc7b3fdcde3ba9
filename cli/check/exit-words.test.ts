import fc from 'fast-check';
import { expect, test } from 'vitest';
import { exitOf } from '../../reports/exit.ts';
import { runWith } from '../../reports/run.fixture.ts';
import { exitCodeOf } from '../../judge/run/exit-code.ts';
import { outcomesArbitrary, someRules, standsOnArbitrary } from '../../judge/run/outcomes.fixture.ts';
import { settle } from '../../judge/run/settle.ts';

const reasons = fc.dictionary(fc.constantFrom<string>(...someRules), fc.constant('a reason'));
const entry = { list: 'knownFailures', entry: 'paging.*', reason: 'ticket 7', until: '2026-01-31' } as const;
const states = fc.dictionary(
  fc.constantFrom<string>(...someRules),
  fc.constantFrom('pass', 'fail', 'warn', 'blocked', 'broken'),
);
const gates = fc.record(
  {
    expired: fc.constant([entry]),
    gate: fc.record(
      {
        failOn: fc.constant('should' as const),
        maxWarnings: fc.nat(3),
        since: fc.record({ report: fc.constant('a.json'), states }),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
);
const ends = fc.option(fc.constant('interrupted'), { nil: undefined });

test('the exit code and the words of the reports about it come to the same end', () => {
  fc.assert(
    fc.property(
      outcomesArbitrary,
      standsOnArbitrary,
      reasons,
      reasons,
      ends,
      gates,
      (raw, standsOn, notSupported, knownFailures, aborted, gate) => {
        const outcomes = settle(raw, standsOn);
        const selected = outcomes.map((outcome) => outcome.rule);
        const footer = {
          kind: 'end',
          durationMs: 1,
          remains: [],
          requests: 1,
          ...(aborted !== undefined && { aborted }),
        } as const;
        const run = { ...runWith([], { selected, notSupported, knownFailures, ...gate }), outcomes, footer };
        expect(exitOf(run).code).toBe(exitCodeOf(outcomes, run.header, aborted));
      },
    ),
    { numRuns: 2000 },
  );
});
