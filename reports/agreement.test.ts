import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { states } from '../contract/schemas/report.ts';
import type { RunHeader } from '../judge/outcome.ts';
import { writeCtrf } from './ctrf.ts';
import { exitOf } from './exit.ts';
import { writeHtml, writeMarkdown } from './formats.ts';
import { writeJson } from './json.ts';
import { writeJunit } from './junit.ts';
import { allIds, hostileText, outcomeWith, runArbitrary, runWith } from './run.fixture.ts';
import type { Run } from './run.ts';
import { writeSarif } from './sarif.ts';

interface Counts {
  readonly failures: number;
  readonly errors: number;
}

function junitCounts(run: Run): Counts {
  const sum = (name: string): number =>
    [...writeJunit(run).matchAll(new RegExp(`<testsuite [^>]* ${name}="(\\d+)"`, 'g'))].reduce(
      (total, [, count]) => total + Number(count),
      0,
    );
  return { failures: sum('failures'), errors: sum('errors') };
}

function ctrfCounts(run: Run): Counts {
  const { tests } = (JSON.parse(writeCtrf(run)) as { results: { tests: { status: string; rawStatus: string }[] } })
    .results;
  const failed = tests.filter(({ status }) => status === 'failed');
  const errors = failed.filter(({ rawStatus }) =>
    ['broken', 'not-run', 'blocked', 'incomplete'].includes(rawStatus),
  ).length;
  return { failures: failed.length - errors, errors };
}

interface SarifResult {
  readonly level: string;
  readonly suppressions?: readonly unknown[];
  readonly baselineState?: string;
}

function sarifCounts(run: Run): Counts {
  const [only] = (
    JSON.parse(writeSarif(run)) as {
      runs: { results: SarifResult[]; invocations: { toolExecutionNotifications: unknown[] }[] }[];
    }
  ).runs;
  const failures =
    only?.results.filter(
      ({ level, suppressions, baselineState }) =>
        level === 'error' && suppressions === undefined && baselineState !== 'unchanged',
    ).length ?? 0;
  return { failures, errors: only?.invocations[0]?.toolExecutionNotifications.length ?? 0 };
}

const expired = fc.record({
  list: fc.constantFrom('knownFailures' as const, 'notSupported' as const),
  entry: hostileText,
  reason: hostileText,
  until: fc.constant('2026-01-31'),
});
const gate = fc.record(
  {
    failOn: fc.constant('should' as const),
    maxWarnings: fc.nat(3),
    since: fc.record({
      report: hostileText,
      states: fc.dictionary(fc.constantFrom<string>(...allIds), fc.constantFrom<string>(...states)),
    }),
  },
  { requiredKeys: [] },
);
const gates: fc.Arbitrary<Partial<RunHeader>> = fc.record(
  { expired: fc.array(expired, { maxLength: 2 }), gate },
  { requiredKeys: [] },
);

test('whatever the run, every format counts the same failures and errors: failures exactly where the exit code is 1, nothing red exactly where it is 0', () => {
  fc.assert(
    fc.property(runArbitrary, gates, (made, more) => {
      const run = { ...made, header: { ...made.header, ...more } };
      const counts = junitCounts(run);
      expect(ctrfCounts(run)).toEqual(counts);
      expect(sarifCounts(run)).toEqual(counts);
      const { code } = exitOf(run);
      expect(counts.failures > 0).toBe(code === 1);
      expect(counts.failures + counts.errors > 0).toBe(code !== 0);
    }),
    { numRuns: 100 },
  );
});

test('a run with every verdict has the same failures in each format', () => {
  const violation = { expected: 'right', actual: 'wrong', curl: [] };
  const verdicts = ['fail', 'warn', 'observed', 'blocked', 'broken', 'pass', 'fail', 'pass'] as const;
  const outcomes = allIds.slice(0, verdicts.length).map((id, index) =>
    outcomeWith(id, verdicts[index] ?? 'pass', {
      violation,
      reason: 'no port',
      observations: [{ what: 'status', seen: '404' }],
    }),
  );
  const run = runWith(outcomes, {
    knownFailures: Object.fromEntries(allIds.slice(6, 8).map((id) => [id, 'ticket'])),
    expired: [{ list: 'knownFailures', entry: 'patch.*', reason: 'ticket 7', until: '2026-01-31' }],
  });
  for (const counts of [junitCounts(run), ctrfCounts(run), sarifCounts(run)])
    expect(counts).toEqual({ failures: 3, errors: 2 });
  expect(writeJunit(run)).toContain('<testcase name="knownFailures: patch.*" classname="svc-conformance.profile"');
  const report = JSON.parse(writeJson(run)) as {
    exitCode: number;
    totals: { fail: number };
    apart: { known: number; stale: number; expired: number };
  };
  expect(report.totals.fail - report.apart.known + report.apart.stale + report.apart.expired).toBe(3);
  expect(report.exitCode).toBe(1);
  for (const page of [writeHtml(run), writeMarkdown(run)]) {
    expect(page).toMatch(/(?:Failed|Violations) \(1\)/);
    expect(page).toContain('Expired entries of the profile');
  }
});

describe('a run in which nothing is violated', () => {
  const [rule, other] = allIds;
  if (rule === undefined || other === undefined) throw new Error('no rule is built');
  const blocked = outcomeWith(rule, 'blocked', { reason: 'no port', missing: ['array-port'] });
  const sound = runWith([]);
  const { footer, ...cutOff } = sound;
  const nothingJudged = runWith(
    allIds.map((id) => outcomeWith(id, 'blocked', { missing: ['array-port'] })),
    { notSupported: { 'array-port': 'none' } },
  );
  test.each<readonly [string, Run, 0 | 3, number]>([
    ['sound', sound, 0, 0],
    ['blocked, the need declared', runWith([blocked], { notSupported: { 'array-port': 'none' } }), 0, 0],
    ['blocked, the rule declared', runWith([blocked], { notSupported: { [rule]: 'none' } }), 0, 0],
    ['blocked, nothing declared', runWith([blocked]), 3, 1],
    ['blocked, something else declared', runWith([blocked], { notSupported: { [other]: 'none' } }), 3, 1],
    [
      'blocked as in the report before',
      runWith([blocked], { gate: { since: { report: 'report.json', states: { [rule]: 'blocked' } } } }),
      3,
      1,
    ],
    ['broken', runWith([outcomeWith(rule, 'broken', { reason: 'stumbled' })]), 3, 1],
    ['cut off', cutOff, 3, 1],
    [
      'ended early',
      { ...sound, footer: { kind: 'end', durationMs: 1, remains: [], requests: 1, ...footer, aborted: 'no token' } },
      3,
      1,
    ],
    ['nothing judged, all of it declared', nothingJudged, 3, 1],
    [
      'not run, as in the report before',
      {
        ...sound,
        outcomes: sound.outcomes.filter((outcome) => outcome.rule !== rule),
        header: { ...sound.header, gate: { since: { report: 'report.json', states: { [rule]: 'not-run' } } } },
      },
      3,
      1,
    ],
  ])('%s', (_what, run, code, errors) => {
    expect(exitOf(run).code).toBe(code);
    for (const counts of [junitCounts(run), ctrfCounts(run), sarifCounts(run)])
      expect(counts).toEqual({ failures: 0, errors });
  });
});
