import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeFolder } from '../fixtures/folder.fixture.ts';
import { runWith } from '../reports/run.fixture.ts';
import { reportCommand } from './report.ts';

const folder = makeFolder();
const file = (name: string) => join(folder, name);

beforeAll(async () => {
  const { header, outcomes, footer } = runWith([]);
  const whole = [header, ...outcomes, footer].map((line) => `${JSON.stringify(line)}\n`).join('');
  await writeFile(file('whole.ndjson'), whole);
  await writeFile(file('cut.ndjson'), whole.slice(0, -20));
  await writeFile(file('wrong.ndjson'), `${JSON.stringify(header)}\n{}\n`);
});

async function made(format: string, ...names: readonly string[]): Promise<string> {
  expect(await reportCommand(format, names.map(file), { out: file('made') })).toBe(0);
  return readFile(file('made'), 'utf8');
}

describe('report', () => {
  test('one file is one report, several are several in one document', async () => {
    expect(JSON.parse(await made('json', 'whole.ndjson'))).toMatchObject({ kind: 'report', exitCode: 0 });
    expect(JSON.parse(await made('json', 'whole.ndjson', 'cut.ndjson'))).toMatchObject([
      { exitCode: 0 },
      { exitCode: 3 },
    ]);
    expect((await made('markdown', 'whole.ndjson', 'cut.ndjson')).match(/^## /gm)).toHaveLength(2);
    expect((await made('junit', 'whole.ndjson', 'whole.ndjson')).match(/<testsuite /g)).toHaveLength(44);
  });

  test('a run that was cut off is reported as incomplete and says so', async () => {
    expect(JSON.parse(await made('json', 'cut.ndjson'))).toMatchObject({
      complete: false,
      notes: [expect.stringContaining('cut off')],
    });
    expect(await made('markdown', 'cut.ndjson')).toContain('the run was cut off');
  });

  test.each([
    ['jsn', 'whole.ndjson', 'did you mean "json"'],
    ['json', 'missing.ndjson', 'missing.ndjson: cannot be read'],
    ['json', 'wrong.ndjson', 'wrong.ndjson:2: expected the outcome of a rule'],
  ])('%s %s cannot be done', async (format, name, message) => {
    await expect(reportCommand(format, [file(name)])).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringContaining(message),
    });
  });
});
