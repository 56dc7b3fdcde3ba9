import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { makeFolder } from '../../fixtures/folder.fixture.ts';
import type { TrafficReport } from '../../contract/schemas/traffic.ts';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));
const breaking = new URL('./worker-broken.fixture.ts', import.meta.url).href;
const folder = makeFolder();

/** Loads the bundled server by two workers, of which one breaks down. */
async function ran(
  broken: string,
): Promise<{ readonly exitCode: number; readonly said: string; readonly report: TrafficReport | undefined }> {
  const file = join(folder, `${broken}.json`);
  const argv = [
    '--import',
    breaking,
    main,
    'simulate',
    'traffic',
    '--workers',
    '2',
    '--rate',
    '20',
    '--ramp',
    '0.1s',
    '--duration',
    '3600s',
    '--quiet',
    '--report',
    `json=${file}`,
  ];
  const child = spawn(process.execPath, argv, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, BROKEN: broken },
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (part: string) => (said += part));
  const [exitCode] = await once(child, 'close');
  return {
    exitCode,
    said,
    report: existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as TrafficReport) : undefined,
  };
}

test('a worker that breaks down under load is exit code 3 and a sentence, and what was until then is reported', async () => {
  const { exitCode, said, report } = await ran('2000');
  expect(said).toMatch(/Worker [12] of 2 broke down \(out of everything\), so the load ended early/);
  expect(said).not.toMatch(/^ +at /m);
  expect(exitCode).toBe(3);
  expect(report).toMatchObject({ endedEarly: true, violations: [], workers: 2 });
});

test('a worker that cannot begin is exit code 3 and a sentence', async () => {
  const { exitCode, said, report } = await ran('at once');
  expect(said).toContain('A worker could not be started (out of everything); ask for fewer with --workers.');
  expect([exitCode, report]).toEqual([3, undefined]);
});
