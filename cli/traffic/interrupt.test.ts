import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { makeFolder } from '../../fixtures/folder.fixture.ts';
import type { TrafficReport } from '../../contract/schemas/traffic.ts';
import { halfDead } from './half-dead.fixture.ts';
import { serve } from '../served.fixture.ts';

/** Ctrl-C ends a run long before its time, with a report of what was, wherever it is caught. */
const duration = '3600s';
const main = fileURLToPath(new URL('../main.ts', import.meta.url));

const { url: behind, profile } = await serve();
const folder = makeFolder();

function profileOf(url: string): string {
  const file = join(folder, 'profile.yaml');
  writeFileSync(file, profile.replaceAll(behind, url));
  return file;
}

const reportFile = (): string => join(folder, 'report.json');

function begin(argv: readonly string[]): ChildProcess & { readonly said: () => string } {
  rmSync(reportFile(), { force: true });
  const child = spawn(
    process.execPath,
    [
      main,
      'simulate',
      'traffic',
      '--duration',
      duration,
      '--ramp',
      '0.1s',
      '--report',
      `json=${reportFile()}`,
      ...argv,
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => (said += part));
  return Object.assign(child, { said: () => said });
}

async function loading(child: ReturnType<typeof begin>): Promise<void> {
  while (child.said().split(/p99 [1-9]/).length <= 2) {
    expect(child.exitCode, child.said()).toBeNull();
    await sleep(20);
  }
}

/** Sends Ctrl-C; resolves with the report of what was until then. */
async function interrupt(child: ReturnType<typeof begin>): Promise<TrafficReport | undefined> {
  const exited = once(child, 'exit');
  child.kill('SIGINT');
  expect(await exited, child.said()).toEqual([3, null]);
  return existsSync(reportFile()) ? (JSON.parse(readFileSync(reportFile(), 'utf8')) as TrafficReport) : undefined;
}

function childrenOf({ pid }: ChildProcess): readonly string[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
}

const [open, closed] = [
  ['--rate', '30'],
  ['--users', '4'],
];

describe('a load', () => {
  test.each([
    ['1', open],
    ['2', closed],
  ])('by %s workers, %j', async (workers, load) => {
    const child = begin(['--profile', profileOf(behind), '--workers', workers, ...load]);
    await loading(child);
    const report = await interrupt(child);
    expect(report).toMatchObject({ interrupted: true, violations: [], all: { errors: 0 }, workers: Number(workers) });
    expect(report?.all.requests).toBeGreaterThan(20);
    expect(child.said()).toContain('Interrupted: this is what was until then.');
  });

  test.each([
    ['1', closed],
    ['2', open],
  ])('by %s workers, %j, on a target that answers no more', async (workers, load) => {
    await using target = await halfDead(behind);
    const child = begin(['--profile', profileOf(target.url), '--workers', workers, ...load]);
    await loading(child);
    await target.die();
    const report = await interrupt(child);
    expect(report).toMatchObject({ interrupted: true, violations: [], all: { errors: 0 } });
  });
});

describe('a preparation', () => {
  const posts = (path: RegExp) => (asked: IncomingMessage) => asked.method === 'POST' && path.test(asked.url ?? '');
  test.each([
    ['a token', posts(/\/auth\/token/)],
    ['the registration of the extension', posts(/\/api\/admin\/svcExtension/)],
    ['the objects', posts(/\/softtype\//)],
  ])('that waits for ever for %s', async (_what, isDead) => {
    let isAsked: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => (isAsked = resolve));
    await using target = await halfDead(behind, (request) => {
      if (isDead(request)) isAsked();
      return isDead(request);
    });
    const child = begin(['--profile', profileOf(target.url), '--workers', '2']);
    await asked;
    const report = await interrupt(child);
    expect(report).toMatchObject({
      interrupted: true,
      violations: [],
      all: { requests: 0 },
      remarks: expect.arrayContaining([expect.stringContaining('had not begun')]),
    });
  });

  test.runIf(process.platform === 'linux')('whose process is killed takes its own server with it', async () => {
    const child = begin([]);
    while (!child.said().includes('p99')) await sleep(20);
    const [server = 0] = childrenOf(child).map(Number);
    expect(server).toBeGreaterThan(0);
    child.kill('SIGKILL');
    while (existsSync(`/proc/${server}`)) await sleep(20);
  });

  test.runIf(process.platform === 'linux')(
    'in which the own server is still starting has nothing to report',
    async () => {
      const child = begin([]);
      while (childrenOf(child).length === 0) await sleep(20);
      await interrupt(child);
      expect(child.said()).not.toContain('Error');
    },
  );
});
