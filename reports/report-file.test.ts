import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readReport } from './report-file.ts';
import { formats } from './formats.ts';
import { readRun } from './run.ts';
import { allRules, runWith } from './run.fixture.ts';

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

test('one file of a run in the place of another is told as what it is, and which to name', async () => {
  const { header } = runWith([]);
  const outcomes = fileWith('record', `${JSON.stringify(header)}\n`);
  const report = fileWith('report', formats.json.write(runWith([])));
  const cassette = fileWith('cassette', `svc-conformance cassette 2\n${'0'.repeat(64)}\n\u00ff`);
  expect(() => readReport(outcomes)).toThrow('it is the record of a run; name the report.json of the run');
  expect(() => readReport(cassette)).toThrow('it is a cassette, which rejudge');
  await expect(readRun(report, allRules)).rejects.toThrow('it is a report.json; name the outcomes.ndjson of the run');
  await expect(readRun(cassette, allRules)).rejects.toThrow('it is a cassette, which rejudge');
});
