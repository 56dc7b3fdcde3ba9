import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readRun } from '../reports/run.ts';
import { allRules } from '../reports/run.fixture.ts';
import { systemProgram } from '../fixtures/system-program.ts';

const main = fileURLToPath(new URL('../cli/main.ts', import.meta.url));
const suite = `${process.execPath} ${main}`;

/** The examples are copied, so that nothing which their tools write is left among them. */
let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-examples-'));
  cpSync(fileURLToPath(new URL('.', import.meta.url)), folder, { recursive: true });
});
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

interface Ended {
  readonly exitCode: number;
  readonly said: string;
}

async function run(name: string, program: string, words: readonly string[], more: object = {}): Promise<Ended> {
  const env = { ...process.env, SVC_CONFORMANCE: suite, PYTHONDONTWRITEBYTECODE: '1', ...more };
  const child = spawn(program, words, { cwd: join(folder, name), env, stdio: ['ignore', 'pipe', 'pipe'] });
  const said = Promise.all([text(child.stdout), text(child.stderr)]);
  const [exitCode] = (await once(child, 'exit')) as [number | null];
  return { exitCode: exitCode ?? -1, said: (await said).join('') };
}

const python = systemProgram('python3');
const pytest = systemProgram('pytest', 'pytest-3', 'py.test');
const go = systemProgram('go');
const maven = systemProgram('mvn');

test.skipIf(pytest.path === undefined)(`client-pytest${pytest.note}`, async () => {
  const { exitCode, said } = await run('client-pytest', pytest.path ?? '', ['-q', '-p', 'no:cacheprovider']);
  expect(exitCode, said).toBe(0);
  expect(said).toContain('6 passed');
});

test.skipIf(go.path === undefined)(`client-go${go.note}`, async () => {
  const { exitCode, said } = await run('client-go', go.path ?? '', ['test', '-count=1', '-v', './...']);
  expect(exitCode, said).toBe(0);
  expect(said.match(/^--- PASS/gm)).toHaveLength(3);
});

test.skipIf(maven.path === undefined)(`client-junit${maven.note}`, async () => {
  const { exitCode, said } = await run('client-junit', maven.path ?? '', ['-B', 'test']);
  expect(exitCode, said).toBe(0);
  expect(said).toContain('Tests run: 3, Failures: 0, Errors: 0, Skipped: 0');
});

/** A program of an example that prints where it listens. */
async function startPython(name: string, program: string, env: object): Promise<{ url: string; end(): void }> {
  const child = spawn(python.path ?? '', [program], {
    cwd: join(folder, name),
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const { url } = JSON.parse(line) as { url: string };
  return { url, end: () => void child.kill() };
}

describe.skipIf(python.path === undefined)(`what is judged${python.note}`, () => {
  test('extension-python is green', async () => {
    const key = { EXTENSION_API_KEY: Buffer.alloc(64, 7).toString('base64') };
    const extension = await startPython('extension-python', 'extension.py', key);
    const words = [main, 'check-extension', '--profile', 'profile.yaml', '--quiet'];
    const more = { ...key, EXTENSION_URL: extension.url };
    const { exitCode, said } = await run('extension-python', process.execPath, words, more);
    extension.end();
    expect(exitCode, said).toBe(0);
    expect(await verdictsIn('extension-python')).toMatchObject({ failed: [], warned: [], broken: [] });
    expect((await verdictsIn('extension-python')).passed).toContain('calls.host.validation-outcome');
  });

  test('service-python is green as far as it goes', async () => {
    const token = { SERVICE_TOKEN: 'a-token-of-the-example' };
    const service = await startPython('service-python', 'service.py', token);
    const words = [main, 'check', '--profile', 'profile.yaml', '--quiet'];
    const more = { ...token, SERVICE_URL: service.url };
    const { exitCode, said } = await run('service-python', process.execPath, words, more);
    service.end();
    expect(exitCode, said).toBe(0);
    expect(await verdictsIn('service-python')).toMatchObject({ failed: [], broken: [] });
    expect((await verdictsIn('service-python')).passed).toContain('versioning.mismatch.lower-409');
  });
});

async function verdictsIn(
  name: string,
): Promise<Readonly<Record<'passed' | 'failed' | 'warned' | 'broken', string[]>>> {
  const file = join(folder, name, 'svc-conformance-report', 'outcomes.ndjson');
  const { outcomes } = await readRun(file, allRules);
  const ended = (verdict: string): string[] =>
    outcomes.filter((outcome) => outcome.verdict === verdict).map(({ rule }) => rule);
  return { passed: ended('pass'), failed: ended('fail'), warned: ended('warn'), broken: ended('broken') };
}
