import { makeFolder } from '../fixtures/folder.fixture.ts';
import { catalogue } from '../suites/catalogue.ts';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { RuleId } from '../contract/rule.ts';
import { outcomeWith, runWith } from '../reports/run.fixture.ts';
import type { Outcome, RunHeader } from '../judge/outcome.ts';
import { run } from './run.ts';
import { captureOutput } from './output.fixture.ts';

const folder = makeFolder();

async function rerun(outcomes: readonly Outcome[], more: Partial<RunHeader> = {}): Promise<string> {
  const made = runWith(outcomes, {
    command: "svc-conformance check --profile 'their own.yaml' --areas paging --runs 7 --seed 42",
    ...more,
  });
  const file = join(folder, 'outcomes.ndjson');
  writeFileSync(file, [made.header, ...made.outcomes, made.footer].map((line) => `${JSON.stringify(line)}\n`).join(''));
  const { exitCode, stdout } = await captureOutput(() => run(['report', 'rerun', file]));
  expect(exitCode).toBe(0);
  return stdout;
}

const caching = catalogue.all.filter(({ area }) => area === 'caching').map(({ id }) => id);
const must: RuleId = 'paging.page-one.holds-the-rest';

test('one line with seed, profile and runs, and what failed by name', async () => {
  expect(await rerun([outcomeWith(must, 'fail'), outcomeWith('caching.etag.present', 'broken')])).toBe(
    `svc-conformance check --profile 'their own.yaml' --runs 7 --rules ${must},caching.etag.present --seed 42\n`,
  );
});

test('a whole area is a pattern, quoted for the shell', async () => {
  expect(await rerun(caching.map((id) => outcomeWith(id, 'fail')))).toContain("--rules 'caching.*' --seed 42\n");
});

test('what is known to fail is not run again, and nothing is printed where nothing failed', async () => {
  expect(await rerun([outcomeWith(must, 'fail')], { knownFailures: { [must]: 'ticket 7' } })).toBe('');
  expect(await rerun([])).toBe('');
});
