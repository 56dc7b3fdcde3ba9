import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder } from '../fixtures/folder.fixture.ts';
import { writeJson, writeJsonOfAll } from '../reports/json.ts';
import { allIds, outcomeWith, runWith } from '../reports/run.fixture.ts';
import { run } from './run.ts';
import { captureOutput } from './output.fixture.ts';

const folder = makeFolder();

const [rule] = allIds;
if (rule === undefined) throw new Error('no rule is built');
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const good = file('good.json', writeJson(runWith([])));
const bad = file('bad.json', writeJson(runWith([outcomeWith(rule, 'fail')])));

async function comparing(...argv: readonly string[]): Promise<{ readonly exitCode: number; readonly printed: string }> {
  return captureOutput(() => run(['compare', ...argv]));
}

test('a regression ends with 1, a repair and sameness with 0', async () => {
  expect(await comparing(good, bad)).toMatchObject({
    exitCode: 1,
    printed: expect.stringContaining(`${rule}  pass -> fail`),
  });
  expect(await comparing(bad, good)).toMatchObject({
    exitCode: 0,
    printed: expect.stringContaining(`${rule}  fail -> pass`),
  });
  expect(await comparing(good, good)).toMatchObject({
    exitCode: 0,
    printed: expect.stringContaining('0 regressions, 0 repairs'),
  });
});

test('a rule that is gone is a regression, unless it may be', async () => {
  const all = runWith([]);
  const narrow = file(
    'narrow.json',
    writeJson({
      ...all,
      header: { ...all.header, selected: allIds.slice(1) },
      outcomes: all.outcomes.filter((outcome) => outcome.rule !== rule),
    }),
  );
  expect(await comparing(good, narrow)).toMatchObject({ exitCode: 1, printed: expect.stringContaining('1 gone') });
  expect(await comparing(bad, narrow)).toMatchObject({ exitCode: 1 });
  expect(await comparing(good, narrow, '--allow-gone')).toMatchObject({ exitCode: 0 });
  expect(await comparing(narrow, good)).toMatchObject({ exitCode: 0 });
});

test('a second run that says nothing about what failed, or judged nothing, is no good sign', async () => {
  const broken = file('broken.json', writeJson(runWith([outcomeWith(rule, 'broken')])));
  expect(await comparing(bad, broken)).toMatchObject({ exitCode: 3, printed: expect.stringContaining('1 lost') });
  const dead = file(
    'dead.json',
    writeJson({ ...runWith([]), outcomes: allIds.map((id) => outcomeWith(id, 'broken')) }),
  );
  expect(await comparing(dead, dead)).toMatchObject({ exitCode: 3 });
});

test('a first run that judged nothing is none to be held against', async () => {
  const all = runWith([]);
  const none = file('none.json', writeJson({ ...all, header: { ...all.header, selected: [] }, outcomes: [] }));
  expect(await comparing(none, good)).toMatchObject({ exitCode: 3 });
});

test('a rule that is in a report twice is told, and not taken by its last state', async () => {
  const report = JSON.parse(writeJson(runWith([outcomeWith(rule, 'fail')])));
  const rules = [...report.rules, { ...report.rules.find(({ id }: { id: string }) => id === rule), state: 'pass' }];
  expect(await comparing(good, file('twice.json', JSON.stringify({ ...report, rules })))).toMatchObject({
    exitCode: 2,
    printed: expect.stringContaining(`${rule} is in it twice`),
  });
});

test('the pages are written where they are asked for', async () => {
  const [page, file] = [join(folder, 'deep', 'comparison.md'), join(folder, 'wide', 'comparison.html')];
  await comparing(good, bad, '--markdown', page, '--html', file);
  expect(readFileSync(page, 'utf8')).toContain('### Regressions');
  expect(readFileSync(file, 'utf8')).toContain('<h2>Regressions');
});

test.each([
  ['a file that is not there', join(folder, 'absent.json'), 'absent.json: cannot be read'],
  ['no JSON', file('text.json', 'x'), 'text.json: expected a report.json'],
  ['another JSON', file('other.json', '{}'), 'the file lacks "schemaVersion"'],
  ['several runs', file('several.json', writeJsonOfAll([runWith([]), runWith([])])), 'found a list of 2'],
  [
    'another schema version',
    file('later.json', writeJson(runWith([])).replace('"schemaVersion": 1', '"schemaVersion": 2')),
    'expected schema version 1, found 2',
  ],
])('%s ends with 2 and one sentence', async (_what, other, words) => {
  for (const pair of [
    [good, other],
    [other, good],
  ] as const) {
    const { exitCode, printed } = await comparing(...pair);
    expect(exitCode).toBe(2);
    expect(printed).toMatch(/^svc-conformance: [^\n]+\n$/);
    expect(printed).toContain(words);
  }
});
