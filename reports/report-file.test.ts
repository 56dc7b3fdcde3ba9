import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readReport } from './report-file.ts';
import { readRun } from './run.ts';
import { allRules } from './run.fixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-conformance-'));
afterAll(() => rmSync(folder, { recursive: true }));

function fileWith(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

test('the folder of a run is no report, and the file in it is named', async () => {
  const report = fileWith('report.json', '');
  const outcomes = fileWith('outcomes.ndjson', '');
  expect(() => readReport(folder)).toThrow(`it is a folder and no file; name ${report}`);
  await expect(readRun(folder, allRules)).rejects.toThrow(`it is a folder and no file; name ${outcomes}`);
  expect(() => readReport(tmpdir())).toThrow(/no file$/);
});

test('what a run has emptied, and a report of traffic, are told as what they are', () => {
  expect(() => readReport(fileWith('empty.json', ''))).toThrow('is empty: the run that was to write it');
  expect(() => readReport(fileWith('traffic.json', '{"kind":"traffic"}'))).toThrow('svc-conformance simulate compare');
});
