import { afterAll, expect, test } from 'vitest';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { countsWith } from '../simulator/traffic/merge/counts.fixture.ts';
import type { SegmentCounts } from '../simulator/traffic/merge/counts.ts';

const main = fileURLToPath(new URL('./main.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'svc-conformance-merging-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const sequence = '0,1/2,1';
const first = countsWith({ segment: '0:1/2', sequence });
const second = countsWith({ segment: '1/2:1', sequence });

function merging(
  counts: readonly SegmentCounts[],
  ...argv: readonly string[]
): { readonly status: number | null; readonly stdout: string; readonly stderr: string } {
  const files = counts.map((one, index) => {
    const file = join(folder, `${index}.json`);
    writeFileSync(file, JSON.stringify(one));
    return file;
  });
  return spawnSync(process.execPath, [main, 'simulate', 'merge', ...files, ...argv], { encoding: 'utf8' });
}

test('two halves come to a summary and a report', () => {
  const file = join(folder, 'report.md');
  const { status, stdout } = merging([first, second], '--report', `markdown=${file}`);
  expect({ status, stdout }).toMatchObject({ status: 0, stdout: expect.stringMatching(/read +2 .*200: 2/) });
  expect(readFileSync(file, 'utf8')).toContain('# Traffic on example');
});

test.each<[number, string, SegmentCounts]>([
  [1, 'a rule was broken', { ...second, violations: { 'paging.link.total-number': 1 }, judged: 1 }],
  [3, 'journeys could not begin', { ...second, skipped: 1 }],
])('the exit code is %d when %s', (exitCode, _, other) => {
  expect(merging([first, other]).status).toBe(exitCode);
});

test('files that are not one run end with 2, one sentence and no report', () => {
  const file = join(folder, 'none.json');
  const { status, stdout, stderr } = merging(
    [first, { ...second, run: { ...second.run, seed: 2 } }],
    '--report',
    `json=${file}`,
  );
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toMatch(/^svc-conformance: Expected the seed 1.*found 2.*\n$/);
  expect(() => readFileSync(file)).toThrow(/ENOENT/);
});

test('a file that is named twice is told', () => {
  const file = join(folder, '0.json');
  expect(merging([first], file)).toMatchObject({ status: 2, stderr: expect.stringContaining(`found ${file} twice`) });
});
