import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const broken = 'headers.uoi-version.on-create';
let place = '';

beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), 'svc-conformance-vitest-'));
  symlinkSync(join(root, 'node_modules'), join(place, 'node_modules'));
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

interface Told {
  readonly fullName: string;
  readonly status: string;
  /** In ms. */
  readonly duration: number;
  readonly failureMessages: readonly string[];
}

/** What somebody's own vitest says of that file. */
async function runOf(text: string, ...flags: readonly string[]): Promise<readonly Told[]> {
  writeTests(text);
  await new Promise((resolve) => execFile(process.execPath, vitest('run', ...flags), { cwd: place }, resolve));
  return reported();
}

function writeTests(text: string): void {
  writeFileSync(
    join(place, 'some.test.ts'),
    `import { conformance } from '${root}api/vitest.ts';\nimport { startServer } from '${root}api/server.ts';\n${text}`,
  );
}

function vitest(...command: readonly string[]): readonly string[] {
  const report = join(place, 'report.json');
  return [join(root, 'node_modules/vitest/vitest.mjs'), ...command, '--reporter=json', `--outputFile=${report}`];
}

function reported(): readonly Told[] {
  const { testResults } = JSON.parse(readFileSync(join(place, 'report.json'), 'utf8')) as {
    readonly testResults: readonly { readonly assertionResults: readonly Told[] }[];
  };
  return testResults.flatMap(({ assertionResults }) => assertionResults);
}

/** The tests of the next run that somebody's vitest makes by itself. */
async function nextRun(): Promise<readonly Told[]> {
  for (;;) {
    try {
      const told = reported();
      rmSync(join(place, 'report.json'));
      return told;
    } catch {
      await sleep(50);
    }
  }
}

const byStatus = (told: readonly Told[]): Readonly<Record<string, number>> =>
  Object.fromEntries([...Map.groupBy(told, ({ status }) => status)].map(([status, tests]) => [status, tests.length]));

test('a violation reads like an assertion, at the line that asks for the rules, and says how to repeat it', async () => {
  const told = await runOf(
    `conformance({ target: () => startServer({ faults: ['${broken}'] }), rules: ['headers.uoi-version.*'], seed: 7, runs: 2 });`,
  );
  const [failed] = told.filter(({ status }) => status === 'failed');
  expect(failed?.fullName).toContain(broken);
  const text = failed?.failureMessages.join('\n') ?? '';
  for (const part of [
    'Violation: ',
    'expected: ',
    'actual: ',
    'request: POST http://',
    'answer: 201',
    'curl ',
    `repeat: conformance({ rules: ['${broken}'], seed: 7, runs: 2 })`,
  ])
    expect(text).toContain(part);
  expect(text).toMatch(/some\.test\.ts:3:/);
});

test('only the rules whose tests run are judged', async () => {
  const told = await runOf(`conformance({ runs: 1 });`, '-t', broken);
  const { passed = 0, skipped = 0, pending = 0 } = byStatus(told);
  expect([passed, skipped + pending > 300]).toEqual([1, true]);
});

test('what is watched is judged again when a file changes, on a target of its own', async () => {
  rmSync(join(place, 'report.json'), { force: true });
  const watched = join(place, 'faults.ts');
  writeFileSync(watched, 'export const faults = [];');
  writeTests(`
    import { faults } from './faults.ts';
    conformance({ target: () => startServer({ faults }), rules: ['${broken}'], runs: 1 });`);
  const child = spawn(process.execPath, vitest('watch'), { cwd: place, stdio: ['pipe', 'ignore', 'ignore'] });
  const ended = once(child, 'exit');
  try {
    expect(byStatus(await nextRun())).toEqual({ passed: 1 });
    writeFileSync(watched, `export const faults = ['${broken}'];`);
    expect(byStatus(await nextRun())).toEqual({ failed: 1 });
    writeFileSync(watched, 'export const faults = [];');
    expect(byStatus(await nextRun())).toEqual({ passed: 1 });
  } finally {
    child.kill();
    await ended;
  }
});

test('a test ends with its own rule, not with the run', async () => {
  const slow = 'delivery.success.other-2xx';
  const told = await runOf(`conformance({ rules: ['${broken}', '${slow}'], runs: 5 });`);
  const lasted = (rule: string): number => told.find(({ fullName }) => fullName.includes(rule))?.duration ?? 0;
  expect(byStatus(told)).toEqual({ passed: 2 });
  expect(lasted(broken)).toBeLessThan(lasted(slow));
});

test('tests that are given up end the run, and what it had opened', async () => {
  const told = await runOf(
    `
    import { appendFileSync } from 'node:fs';
    conformance({
      target: async () => {
        const server = await startServer({ faults: ['${broken}'] });
        return { ...server, profile: server.profile, [Symbol.asyncDispose]: async () => {
          await server.close();
          appendFileSync('closed', 'closed');
        } };
      },
      rules: ['headers.uoi-version.*', 'delivery.*'],
      runs: 1,
    });`,
    '--bail=1',
  );
  const { failed = 0, passed = 0 } = byStatus(told);
  expect([failed > 0, passed < told.length - failed]).toEqual([true, true]);
  expect(readFileSync(join(place, 'closed'), 'utf8')).toBe('closed');
});

test('known failures are expected to fail, one that does not is told, and what is not offered is skipped', async () => {
  const declared = (rule: string): string => `
    conformance({
      rules: ['${broken}', 'metadata.host.*'],
      runs: 1,
      profile: async () => {
        const server = await startServer({ faults: ['${broken}'] });
        return { ...server.profile, knownFailures: { '${rule}': 'ticket 7' }, [Symbol.asyncDispose]: () => server.close() };
      },
    });`;
  const known = await runOf(declared(broken));
  expect(known.filter(({ status }) => status === 'failed')).toEqual([]);
  expect(known.find(({ fullName }) => fullName.includes(broken))?.status).toBe('passed');
  expect(
    known
      .filter(({ fullName }) => fullName.includes('metadata.host.'))
      .every(({ status }) => /skipped|pending/.test(status)),
  ).toBe(true);
});

test('a target that cannot be judged is an error, not a pass', async () => {
  const told = await runOf(
    `conformance({ rules: ['${broken}'], profile: async () => { const server = await startServer(); await server.close(); return server.profile; } });`,
  );
  expect(byStatus(told)).toEqual({ failed: 1 });
  expect(told[0]?.failureMessages.join('')).toContain('nothing was judged: ');
});
