import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createServer } from '../reference-server/server.ts';
import { parseRun } from '../reports/run.ts';
import { listedRules } from './rule-list.ts';

const main = fileURLToPath(new URL('./main.ts', import.meta.url));

/** Waits until the record of the run holds that many lines. */
async function linesIn(file: string, count: number): Promise<void> {
  while (!existsSync(file) || readFileSync(file, 'utf8').split('\n').length <= count) await sleep(20);
}

test('Ctrl-C ends a run with clean-up, partial reports and exit code 3', async () => {
  const server = createServer({ control: true });
  const url = await server.listen();
  const folder = mkdtempSync(join(tmpdir(), 'svc-conformance-'));
  const profile = join(folder, 'profile.yaml');
  writeFileSync(profile, await (await fetch(`${url}/_control/profile.yaml`)).text());
  const child = spawn(
    process.execPath,
    [main, 'check', '--profile', profile, '--areas', 'reading,paging', '--runs', '5000', '--out', folder],
    { stdio: 'ignore' },
  );
  const ended = once(child, 'exit');

  await linesIn(join(folder, 'outcomes.ndjson'), 4);
  child.kill('SIGINT');
  expect(await ended).toEqual([3, null]);

  const run = parseRun(readFileSync(join(folder, 'outcomes.ndjson'), 'utf8'), 'outcomes.ndjson', listedRules);
  expect(run.footer?.aborted).toBe('interrupted: SIGINT');
  expect(run.outcomes.length).toBeGreaterThan(2);
  expect(run.outcomes.length).toBeLessThan(run.header.selected.length);
  expect(run.outcomes.filter(({ verdict }) => verdict === 'fail' || verdict === 'broken')).toEqual([]);
  expect(run.footer?.remains).toEqual([]);
  for (const report of ['report.json', 'report.md', 'junit.xml', 'report.html'])
    expect(existsSync(join(folder, report))).toBe(true);
  await server.close();
  rmSync(folder, { recursive: true });
});
