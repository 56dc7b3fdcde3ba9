import { Clean } from '../outlet.ts';
import { appendFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder } from '../../fixtures/folder.fixture.ts';
import { runWith } from '../../reports/run.fixture.ts';
import { captureOutput } from '../output.fixture.ts';
import { checkCommand } from '../check.ts';
import { serve } from '../served.fixture.ts';
import { startOutcomesFile } from './outcomes-file.ts';

const folder = makeFolder();
const run = runWith([]);
const { address } = await serve();

/** Writes a whole run, and does something to its record in between. */
function failureWith(name: string, between: (path: string) => void): string | undefined {
  const file = startOutcomesFile(join(folder, name), Clean.of(run.header));
  between(file.path);
  for (const outcome of run.outcomes) file.append(Clean.of(outcome));
  if (run.footer !== undefined) file.finish(Clean.of(run.footer));
  return file.failure();
}

test('a record that nobody else wrote to is whole', () => {
  expect(failureWith('alone', () => undefined)).toBeUndefined();
});

test.each<[string, (path: string) => void]>([
  ['a line of somebody else', (path) => appendFileSync(path, `${JSON.stringify(run.header)}\n`.repeat(2000))],
  ['another run that begins there', (path) => truncateSync(path)],
])('a record is not whole with %s in it', (name, between) => {
  expect(failureWith(name, between)).toMatch(/^the record .* something else wrote there meanwhile/);
});

test('of two runs into one folder one is incomplete at least: a record can be that of one of them', async () => {
  const options = {
    profile: address,
    out: join(folder, 'shared'),
    rules: ['caching.etag.present'],
    quiet: true,
  } as const;
  const codes: number[] = [];
  const { printed } = await captureOutput(async () => {
    codes.push(...(await Promise.all([7, 8].map((seed) => checkCommand({ ...options, seed })))));
    return 0;
  });
  expect(printed).toContain('give each run a folder of its own');
  expect(codes).toContain(3);
});
