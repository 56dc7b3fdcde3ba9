import { Ajv } from 'ajv';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { reportListSchema, reportSchema } from '../contract/schemas/report.ts';
import { hiddenCharacters } from './hidden.fixture.ts';
import { writeJson, writeJsonOfAll } from './json.ts';
import { allIds, outcomeWith, runArbitrary, runWith } from './run.fixture.ts';

const ajv = new Ajv({ allErrors: true });
const isReport = ajv.addSchema(reportSchema).compile(reportSchema);
const isReportList = ajv.compile(reportListSchema);

test('any run gives a report that its schema describes', () => {
  fc.assert(
    fc.property(runArbitrary, (run) => {
      const text = writeJson(run);
      isReport(JSON.parse(text));
      expect(isReport.errors).toBeNull();
      expect(text).not.toMatch(hiddenCharacters);
    }),
    { numRuns: 40 },
  );
});

test('several runs are an array of reports', () => {
  isReportList(JSON.parse(writeJsonOfAll([runWith([]), runWith([])])));
  expect(isReportList.errors).toBeNull();
});

test('the schema finds what is wrong', () => {
  const report = JSON.parse(writeJson(runWith([])));
  expect(isReport({ ...report, exitCode: 4 })).toBe(false);
  expect(isReport({ ...report, surplus: 1 })).toBe(false);
  expect(isReport({ ...report, rules: [{ ...report.rules[0], state: 'green' }] })).toBe(false);
});

test('a breach carries its evidence and the command that replays it', () => {
  const [rule] = allIds;
  if (rule === undefined) throw new Error('no rule is built');
  const violation = {
    expected: '8 entries',
    actual: '10',
    curl: ['curl x'],
    exchange: { request: { method: 'GET', url: '/a', headers: [['a', 'b']] as const }, sentAt: 1, durationMs: 2 },
  };
  const report = JSON.parse(writeJson(runWith([outcomeWith(rule, 'fail', { violation })])));
  expect(report.rules.find(({ id }: { id: string }) => id === rule)).toMatchObject({
    state: 'fail',
    violation,
    replay: `svc-conformance check --profile their.yaml --rules ${rule} --seed 42`,
  });
});
