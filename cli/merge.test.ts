import { expect, test } from 'vitest';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../fixtures/folder.fixture.ts';
import { countsWith } from '../simulator/traffic/merge/counts.fixture.ts';
import { captureOutput, type Output } from './output.fixture.ts';
import { run } from './run.ts';
import type { SegmentCounts } from '../simulator/traffic/merge/counts.ts';

const folder = makeFolder();

const sequence = '0,1/2,1';
const first = countsWith({ segment: '0:1/2', sequence });
const second = countsWith({ segment: '1/2:1', sequence });

function merging(counts: readonly SegmentCounts[], ...argv: readonly string[]): Promise<Output> {
  const files = counts.map((one, index) => {
    const file = join(folder, `${index}.json`);
    writeFileSync(file, JSON.stringify(one));
    return file;
  });
  return captureOutput(() => run(['simulate', 'merge', ...files, ...argv]));
}

test('two halves come to a summary and a report', async () => {
  const file = join(folder, 'report.md');
  const { exitCode, stdout } = await merging([first, second], '--report', `markdown=${file}`);
  expect({ exitCode, stdout }).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/read +2 .*200: 2/) });
  expect(readFileSync(file, 'utf8')).toContain('# Traffic on example');
});

test.each<[number, string, SegmentCounts]>([
  [1, 'a rule was broken', { ...second, violations: { 'paging.link.total-number': 1 }, judged: 1 }],
  [3, 'journeys could not begin', { ...second, skipped: 1 }],
])('the exit code is %d when %s', async (exitCode, _, other) => {
  expect((await merging([first, other])).exitCode).toBe(exitCode);
});

test('segments that nobody answered are no good sign, and no report is written over what was counted', async () => {
  const operations = { read: { accepted: {}, errors: { 16: 1 }, outcomes: { ECONNREFUSED: 1 }, totalMs: 1, maxMs: 1 } };
  expect(await merging([countsWith({ operations })])).toMatchObject({
    exitCode: 3,
    stderr: expect.stringContaining('nobody answered'),
  });
  const own = join(folder, '0.json');
  const { exitCode } = await merging([countsWith()], '--report', `json=${own}`);
  expect([exitCode, JSON.parse(readFileSync(own, 'utf8')).kind]).toEqual([2, 'traffic-counts']);
});

test('files that are not one run end with 2, one sentence and no report', async () => {
  const file = join(folder, 'none.json');
  const { exitCode, stdout, stderr } = await merging(
    [first, { ...second, run: { ...second.run, seed: 2 } }],
    '--report',
    `json=${file}`,
  );
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toMatch(/^svc-conformance: Expected the seed 1.*found 2.*\n$/);
  expect(() => readFileSync(file)).toThrow(/ENOENT/);
});

test('a file that is named twice is told', async () => {
  const file = join(folder, '0.json');
  expect(await merging([first], file)).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining(`found ${file} twice`),
  });
});
