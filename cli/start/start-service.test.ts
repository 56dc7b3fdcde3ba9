import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createVariant } from '../../variants/create-variant.ts';
import { captureOutput } from '../output.fixture.ts';
import { run } from '../run.ts';
import { isTaken } from './presence.ts';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));
const rule = 'reading.body.data-is-object';

/** Answers everything with 404, leaves the ids of its processes, and lets nobody end it with SIGTERM where it is told so. */
const nothingThere = `
  import { spawn } from 'node:child_process';
  import { createServer } from 'node:http';
  import { writeFileSync } from 'node:fs';
  const [port, pids, stubborn] = process.argv.slice(2);
  const other = spawn(process.execPath, ['--eval', 'setInterval(() => undefined, 1000)'], { stdio: 'ignore' });
  if (stubborn !== undefined) process.on('SIGTERM', () => undefined);
  createServer((_request, response) => response.writeHead(404).end()).listen(Number(port), '127.0.0.1', () => {
    writeFileSync(pids, JSON.stringify([process.pid, other.pid]));
    console.log('listening with', process.env.EDITOR_PASSWORD);
  });
`;

let folder = '';
let port = 0;
let address = '';
let profile = '';
beforeEach(async () => {
  vi.stubEnv('EDITOR_PASSWORD', 'whisper-it-softly');
  folder = mkdtempSync(join(tmpdir(), 'svc-conformance-start-'));
  port = await freePort();
  address = `http://127.0.0.1:${port}`;
  profile = join(folder, 'profile.yaml');
  writeFileSync(
    profile,
    [
      'profileVersion: 1',
      'implementation: small',
      `baseUrl: ${address}`,
      'space: main',
      'identities: { editor: { username: edda, password: "${EDITOR_PASSWORD}" } }',
      '',
    ].join('\n'),
  );
  writeFileSync(join(folder, 'service.mjs'), nothingThere);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const found = server.address();
  server.close();
  await once(server, 'close');
  return typeof found === 'object' && found !== null ? found.port : 0;
}

interface Ended {
  readonly exitCode: number;
  readonly said: string;
}

const lineOf = (words: readonly string[]): string[] => [
  'check',
  '--rules',
  rule,
  '--out',
  join(folder, 'out'),
  ...words,
];

/** In this process, which nobody interrupts. */
async function checked(...words: readonly string[]): Promise<Ended> {
  const { exitCode, stderr, stdout } = await captureOutput(() => run(lineOf(words)));
  return { exitCode, said: `${stderr}\n${stdout}` };
}

/** In a process of its own. */
function check(...words: readonly string[]): { readonly child: ChildProcess; readonly ended: Promise<Ended> } {
  const child = spawn(process.execPath, [main, ...lineOf(words)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = Promise.all([text(child.stderr), text(child.stdout)]);
  const ended = once(child, 'close').then(async ([exitCode]) => ({
    exitCode: Number(exitCode),
    said: (await said).join('\n'),
  }));
  return { child, ended };
}

const pids = (): readonly number[] => JSON.parse(readFileSync(join(folder, 'pids'), 'utf8')) as number[];
const small = (more = ''): string =>
  `'${process.execPath}' '${join(folder, 'service.mjs')}' ${port} '${join(folder, 'pids')}' ${more}`;
const reference = (): string => `exec '${process.execPath}' '${main}' serve --control --port ${port}`;
const served = (): readonly string[] => ['--profile', `${address}/_control/profile.yaml`];

/** A server of this process at the address of the profile. */
async function serving(): Promise<AsyncDisposable> {
  const server = createVariant({ control: true });
  await server.listen({ port });
  return { [Symbol.asyncDispose]: () => server.close() };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function untilAll(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(20);
}

describe('--start', () => {
  test('starts the service, judges it and stops it', async () => {
    const { exitCode, said } = await checked(...served(), '--start', reference());
    expect(exitCode, said).toBe(0);
    expect(await isTaken(address)).toBe(false);
    expect(readFileSync(join(folder, 'out', 'service.log'), 'utf8')).toContain(address);
    const { command } = JSON.parse(readFileSync(join(folder, 'out', 'outcomes.ndjson'), 'utf8').split('\n')[0] ?? '');
    expect(command).toContain(" --start 'exec '");
  });

  test('keeps what a service prints within bounds, the end of it above all', async () => {
    const most = 32 * 1024 ** 2;
    const chatter = `yes 'nothing to tell' | head -c ${most + 2}`;
    await checked('--profile', profile, '--start', `${chatter}; ${chatter}; ${small()}`);
    const log = join(folder, 'out', 'service.log');
    expect(statSync(`${log}.1`).size).toBeGreaterThanOrEqual(most);
    expect(statSync(log).size).toBeLessThanOrEqual(most);
    expect(readFileSync(log, 'utf8') + readFileSync(`${log}.1`, 'utf8')).toContain('listening with');
    await checked('--profile', profile, '--start', `yes 'nothing to tell' | head -c ${most - 1000}; ${small()}`);
    expect(existsSync(`${log}.1`)).toBe(false);
    expect(statSync(log).size).toBeGreaterThan(most - 1000);
  });

  test('refuses where something answers already, and judges that with --reuse', async () => {
    await using _there = await serving();
    const refused = await checked(...served(), '--start', small());
    expect([refused.exitCode, refused.said]).toEqual([2, expect.stringContaining(`answers at ${address}`)]);
    const reused = await checked(...served(), '--start', small(), '--reuse');
    expect([reused.exitCode, reused.said]).toEqual([0, expect.stringContaining('nothing is started')]);
    expect(existsSync(join(folder, 'pids'))).toBe(false);
    expect(await isTaken(address)).toBe(true);
  });

  test('tells how it ended where it did, with the end of what it printed and no secret', async () => {
    const command = 'echo "no database for $EDITOR_PASSWORD" >&2; exit 7';
    const { exitCode, said } = await checked('--profile', profile, '--start', command);
    expect([exitCode, said]).toEqual([2, expect.stringMatching(/ended with 7 before .*\n {2}no database for \$/s)]);
    expect(said).not.toContain('whisper');
  });

  test('waits no longer than it is told, and leaves nobody behind', async () => {
    const command = `${small().replace(` ${port} `, ' 0 ')} & wait`;
    const { exitCode, said } = await checked('--profile', profile, '--start', command, '--wait', '1.5s');
    expect([exitCode, said]).toEqual([2, expect.stringContaining(`nothing answers at ${address} within 1.5 s`)]);
    await untilAll(() => !pids().some(isAlive));
  });

  test('stops what it started where nothing can be judged, also what does not listen', async () => {
    const { exitCode, said } = await checked('--profile', profile, '--start', small('stubborn'));
    expect(exitCode, said).toBe(3);
    await untilAll(() => !pids().some(isAlive));
  });

  test('tells of what made a session of its own, which nobody can end with the rest', async () => {
    const { said } = await checked('--profile', profile, '--start', `setsid ${small()} & sleep 600`);
    expect(said).toContain(`something still answers at ${address}`);
    for (const pid of pids()) process.kill(pid, 'SIGKILL');
    await untilAll(() => !pids().some(isAlive));
  });

  test.each([
    ['once', 1],
    ['twice', 2],
  ])('stops it on Ctrl-C, pressed %s', async (_what, times) => {
    const { child, ended } = check('--profile', profile, '--start', `sleep 1; exec ${small('stubborn')}`);
    await untilAll(() => existsSync(join(folder, 'pids')));
    for (let pressed = 0; pressed < times; pressed += 1) {
      child.kill('SIGINT');
      await sleep(50);
    }
    expect((await ended).exitCode).toBe(3);
    await untilAll(() => !pids().some(isAlive));
  });

  test('does not go together with what would make it useless', async () => {
    for (const words of [['--start', 'true'], ['--reuse'], ['--wait', '3s']])
      expect((await checked(...words)).exitCode).toBe(2);
  });
});

test('--watch waits for a service that restarts, and judges it again', async () => {
  const start = (): ChildProcess =>
    spawn(process.execPath, [main, 'serve', '--control', '--port', String(port)], { stdio: 'ignore' });
  let service = start();
  while (!(await isTaken(address))) await sleep(20);
  const { child, ended } = check(...served(), '--watch');
  let printed = '';
  child.stdout?.on('data', (data) => (printed += String(data)));
  await untilAll(() => printed.includes('the service when it is restarted; Ctrl-C ends.'));
  service.kill();
  await once(service, 'exit');
  service = start();
  await untilAll(() => printed.includes('Since the run before: 1 rule as before.'));
  child.kill('SIGINT');
  expect((await ended).exitCode).toBe(0);
  service.kill();
  await once(service, 'exit');
});

test('--watch starts a service anew when its files change, also one that could not be started', async () => {
  const flags = join(folder, 'flags');
  writeFileSync(flags, '--no-such-flag');
  const command = `${reference()} $(cat '${flags}')`;
  const { child, ended } = check(...served(), '--start', command, '--watch', '--watch-path', flags);
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data) => (printed += String(data)));
  const waits = (): number => printed.split('Waiting for changes').length - 1;
  await untilAll(() => waits() === 1);
  expect(printed).toContain('ended with 2 before anything answered');
  writeFileSync(flags, `--fault ${rule}`);
  await untilAll(() => waits() === 2);
  expect(printed).toContain(`FAIL  ${rule}`);
  writeFileSync(flags, '');
  await untilAll(() => waits() === 3);
  expect(printed).toContain(`fixed    ${rule}: fail, now pass`);
  child.kill('SIGINT');
  expect((await ended).exitCode).toBe(0);
  expect(await isTaken(address)).toBe(false);
});
