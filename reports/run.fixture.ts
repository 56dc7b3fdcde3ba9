import { catalogue } from '../suites/catalogue.ts';
import * as fc from 'fast-check';
import type { RuleId } from '../contract/rule.ts';
import type { Outcome, RunHeader, Timeline, Verdict, ViolationReport } from '../judge/outcome.ts';
import type { ReportedRule, Run } from './run.ts';

/** Ids for outcomes that are made up. */
export const allIds: readonly RuleId[] = catalogue.all.map((rule) => rule.id);

/** Every rule as a report is told of it. */
export const allRules: readonly ReportedRule[] = catalogue.all.map(({ test, ...rule }) => ({
  ...rule,
  kind: test.kind,
}));

/** Every tenth rule, of nearly every area and of each level and side: what is made of a run is made of one rule as of the next. */
const someRules = allRules.filter((_rule, index) => index % 10 === 0);
const someIds = someRules.map(({ id }) => id);

const verdicts: readonly Verdict[] = ['pass', 'fail', 'warn', 'observed', 'blocked', 'broken'];

/** What a hostile target might send: markup of every report, control sequences, broken surrogates. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc
    .array(
      fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
      { maxLength: 20 },
    )
    .map((units) => units.join('')),
  fc.constantFrom(
    '\u001b[2J\u001b[31mred\u0007',
    '\r\n| a | b |\n|---|',
    ']]><!--&amp;&#0;',
    '</pre></details><script>alert(1)</script>',
    '```\n# title\n',
    '\u0000\u0001\ufffe\uffff\ud800',
    '\u202eevil\u2028\u2029\u009b31m',
    'a\\|b',
    '<br>',
    '',
  ),
);

const violation: fc.Arbitrary<ViolationReport> = fc.record(
  {
    expected: hostileText,
    actual: hostileText,
    curl: fc.array(hostileText, { maxLength: 3 }),
    counterexample: hostileText,
  },
  { requiredKeys: ['expected', 'actual', 'curl'] },
);

const time = fc.oneof(fc.integer({ min: -8_640_000_000, max: 8_640_000_000 }), fc.integer({ min: 0, max: 70_000 }));

/** Whatever the schema admits of a timeline, also what no case would tell. */
const timeline: fc.Arbitrary<Timeline> = fc.record(
  {
    title: hostileText,
    zero: hostileText,
    expected: fc.array(
      fc.record(
        { label: hostileText, fromMs: time, untilMs: time, calls: fc.nat(10_000), missing: fc.nat(10_000) },
        { requiredKeys: ['label', 'fromMs', 'calls'] },
      ),
      { maxLength: 4 },
    ),
    seen: fc.array(
      fc.record(
        { label: hostileText, atMs: time, untilMs: time, status: fc.nat(999), isOff: fc.boolean() },
        { requiredKeys: ['label', 'atMs'] },
      ),
      { maxLength: 4 },
    ),
    leftOut: fc.nat(10_000),
  },
  { requiredKeys: ['title', 'zero', 'expected', 'seen'] },
);

export const outcomeArbitrary: fc.Arbitrary<Outcome> = fc.record(
  {
    rule: fc.constantFrom(...someIds),
    verdict: fc.constantFrom(...verdicts),
    reason: hostileText,
    standsOn: fc.array(fc.constantFrom(...someIds), { maxLength: 2 }),
    missing: fc.array(fc.constantFrom('array-port', 'put-route'), { maxLength: 2 }),
    violation,
    observations: fc.array(fc.record({ what: hostileText, seen: hostileText }), { maxLength: 2 }),
    remarks: fc.array(hostileText, { maxLength: 2 }),
    timelines: fc.array(timeline, { maxLength: 2 }),
    assertions: fc.nat(100),
    exchanges: fc.nat(100),
    retries: fc.array(hostileText, { maxLength: 2 }),
    durationMs: fc.double({ min: 0, max: 1e7, noNaN: true }),
  },
  { requiredKeys: ['rule', 'verdict', 'observations', 'remarks', 'assertions', 'exchanges', 'durationMs'] },
);

const reasons = fc.dictionary(fc.oneof(fc.constantFrom<string>(...someIds), hostileText), hostileText, { maxKeys: 3 });

const headerArbitrary: fc.Arbitrary<RunHeader> = fc.record({
  schemaVersion: fc.constant(1 as const),
  kind: fc.constant('run' as const),
  implementation: hostileText,
  baseUrl: fc.oneof(fc.webUrl(), hostileText),
  seed: fc.integer(),
  runs: fc.nat(1000),
  startedAt: fc.constant('2026-07-01T08:00:00.000Z'),
  suiteVersion: fc.constant('0.1.0'),
  command: hostileText,
  selected: fc.oneof(fc.constant(someIds), fc.subarray([...someIds])),
  notSupported: reasons,
  knownFailures: reasons,
  variables: reasons,
});

const footerArbitrary = fc.record(
  {
    kind: fc.constant('end' as const),
    durationMs: fc.double({ min: 0, max: 1e7, noNaN: true }),
    remains: fc.array(fc.record({ uri: hostileText, reason: hostileText }), { maxLength: 3 }),
    aborted: hostileText,
    requests: fc.nat(),
  },
  { requiredKeys: ['kind', 'durationMs', 'remains', 'requests'] },
);

/** Any run, with hostile texts wherever a target or a profile can put one. */
export const runArbitrary: fc.Arbitrary<Run> = fc.record(
  {
    rules: fc.constant(someRules),
    header: headerArbitrary,
    outcomes: fc.uniqueArray(outcomeArbitrary, { selector: ({ rule }) => rule, maxLength: 12 }),
    footer: footerArbitrary,
    notes: fc.array(hostileText, { maxLength: 1 }),
  },
  { requiredKeys: ['rules', 'header', 'outcomes'] },
);

/** A plain outcome of a built rule. */
export function outcomeWith(rule: RuleId, verdict: Verdict, more: Partial<Outcome> = {}): Outcome {
  return { rule, verdict, observations: [], remarks: [], assertions: 1, exchanges: 1, durationMs: 12, ...more };
}

/** A run over the whole catalogue in which everything built passed, but for what is given. */
export function runWith(outcomes: readonly Outcome[], header: Partial<RunHeader> = {}): Run {
  const given = new Set(outcomes.map(({ rule }) => rule));
  return {
    rules: allRules,
    header: {
      schemaVersion: 1,
      kind: 'run',
      implementation: 'somebody',
      baseUrl: 'http://127.0.0.1:8080/api',
      seed: 42,
      runs: 100,
      startedAt: '2026-07-01T08:00:00.000Z',
      suiteVersion: '0.1.0',
      command: 'svc-conformance check --profile their.yaml --seed 42',
      selected: allIds,
      notSupported: {},
      knownFailures: {},
      variables: { EDITOR_TOKEN: '# password grant of the editor' },
      ...header,
    },
    outcomes: [...allIds.filter((id) => !given.has(id)).map((id) => outcomeWith(id, 'pass')), ...outcomes],
    footer: { kind: 'end', durationMs: 3210, remains: [], requests: 900 },
  };
}
