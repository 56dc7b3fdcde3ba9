import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TrafficReport } from '../../contract/schemas/traffic.ts';
import { createServer } from '../../reference-server/server.ts';
import { halfDead } from './half-dead.fixture.ts';

/** Ctrl-C ends a run within a second, with a report of what was, wherever it is caught. A busy machine may be slower, but not three times. */
const limitMs = 1000;
const options = { timeout: 40_000, retry: 2 };
const main = fileURLToPath(new URL('../main.ts', import.meta.url));

const service = createServer({ control: true });
let behind = '';
let folder = '';
beforeAll(async () => {
  behind = await service.listen();
  folder = mkdtempSync(join(tmpdir(), 'svc-interrupt-'));
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

async function profileOf(url: string): Promise<string> {
  const text = await (await fetch(`${behind}/_control/profile.yaml`)).text();
  const file = join(folder, 'profile.yaml');
  writeFileSync(file, text.replaceAll(behind, url));
  return file;
}

const reportFile = (): string => join(folder, 'report.json');

function begun(argv: readonly string[]): ChildProcess & { readonly said: () => string } {
  rmSync(reportFile(), { force: true });
  const child = spawn(
    process.execPath,
    [main, 'simulate', 'traffic', '--duration', '60s', '--ramp', '0.1s', '--report', `json=${reportFile()}`, ...argv],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => (said += part));
  return Object.assign(child, { said: () => said });
}

async function loading(child: ChildProcess): Promise<void> {
  if (child.stderr === null) throw new Error('The command has no error output.');
  let lines = 0;
  for await (const line of createInterface({ input: child.stderr }))
    if (/p99 [1-9]/.test(line) && ++lines === 2) return;
}

/** How long it took to end, in ms, and its report. */
async function interrupted(
  child: ReturnType<typeof begun>,
): Promise<{ readonly tookMs: number; readonly report: TrafficReport | undefined }> {
  const exited = once(child, 'exit');
  const signalledAt = performance.now();
  child.kill('SIGINT');
  expect(await exited, child.said()).toEqual([3, null]);
  const tookMs = performance.now() - signalledAt;
  return {
    tookMs,
    report: existsSync(reportFile()) ? (JSON.parse(readFileSync(reportFile(), 'utf8')) as TrafficReport) : undefined,
  };
}

describe.each([['1'], ['2']])('a load by %s workers', (workers) => {
  test.each([
    ['open', ['--rate', '30']],
    ['closed', ['--users', '4']],
  ])('of the %s model', options, async (_model, load) => {
    const child = begun(['--profile', await profileOf(behind), '--workers', workers, ...load]);
    await loading(child);
    const { tookMs, report } = await interrupted(child);
    expect(report).toMatchObject({ interrupted: true, violations: [], all: { errors: 0 }, workers: Number(workers) });
    expect(report?.all.requests).toBeGreaterThan(20);
    expect(child.said()).toContain('Interrupted: this is what was until then.');
    expect(tookMs).toBeLessThan(limitMs);
  });

  test.each([
    ['open', ['--rate', '30']],
    ['closed', ['--users', '4']],
  ])('of the %s model, on a target that answers no more', options, async (_model, load) => {
    await using target = await halfDead(behind);
    const child = begun(['--profile', await profileOf(target.url), '--workers', workers, ...load]);
    await loading(child);
    target.die();
    await sleep(1000);
    const { tookMs, report } = await interrupted(child);
    expect(report).toMatchObject({ interrupted: true, violations: [], all: { errors: 0 } });
    expect(tookMs).toBeLessThan(limitMs);
  });
});

describe('a preparation', () => {
  const posts = (path: RegExp) => (asked: IncomingMessage) => asked.method === 'POST' && path.test(asked.url ?? '');
  test.each([
    ['a token', posts(/\/auth\/token/)],
    ['the registration of the extension', posts(/\/api\/admin\/svcExtension/)],
    ['the objects', posts(/\/softtype\//)],
  ])('that waits for ever for %s', options, async (_what, isDead) => {
    let isAsked: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => (isAsked = resolve));
    await using target = await halfDead(behind, (request) => {
      if (isDead(request)) isAsked();
      return isDead(request);
    });
    const child = begun(['--profile', await profileOf(target.url), '--workers', '2']);
    await asked;
    const { tookMs, report } = await interrupted(child);
    expect(report).toMatchObject({
      interrupted: true,
      violations: [],
      all: { requests: 0 },
      remarks: expect.arrayContaining([expect.stringContaining('had not begun')]),
    });
    expect(tookMs).toBeLessThan(limitMs);
  });

  test.runIf(process.platform === 'linux')(
    'in which the own server is still starting has nothing to report',
    options,
    async () => {
      const child = begun([]);
      while (readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8') === '') await sleep(20);
      const { tookMs } = await interrupted(child);
      expect(child.said()).not.toContain('Error');
      expect(tookMs).toBeLessThan(limitMs);
    },
  );
});
