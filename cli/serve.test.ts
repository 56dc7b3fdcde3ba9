import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, test, vi } from 'vitest';
import { announced } from './announced.fixture.ts';
import { checkCommand } from './check.ts';
import { captureOutput } from './output.fixture.ts';
import { run } from './run.ts';
import type { Announcement } from './serve.ts';

const main = fileURLToPath(new URL('./main.ts', import.meta.url));

const served = (...argv: readonly string[]) => announced<Announcement>(['serve', ...argv]);

/** A request whose last byte is held back until `finish`. */
async function unfinishedRequest(url: string): Promise<{ finish(): void; readonly answer: Promise<string> }> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  const body = 'grant_type=none';
  socket.write(
    `POST /auth/token HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  // the server has begun with it
  await once(socket, 'readable');
  socket.write(body.slice(0, -1));
  return { finish: () => void socket.write(body.slice(-1)), answer: text(socket) };
}

describe('serve', () => {
  test('writes a profile of itself to a file, which goes when the server goes', async () => {
    const child = spawn(process.execPath, [main, 'serve'], { stdio: ['ignore', 'pipe', 'inherit'] });
    const exited = once(child, 'exit');
    const { value } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
    const { url, profile, docs, ...rest } = JSON.parse(value ?? 'null') as Announcement;
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(await readFile(profile, 'utf8')).toContain(`baseUrl: ${url}\n`);
    expect((await fetch(docs)).status).toBe(200);
    expect((await fetch(`${url}/_control/profile.yaml`)).status).toBe(404);
    expect(rest).toEqual({});
    child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
    expect(existsSync(profile)).toBe(false);
  });

  test('shows its profile itself, and a control token, when the control routes are open', async () => {
    await using server = await served('--control');
    const { url, profile, controlToken } = server.announcement;
    expect(profile).toBe(`${url}/_control/profile.yaml`);
    expect(await (await fetch(profile)).text()).toContain(`baseUrl: ${url}\n`);
    expect(controlToken).toMatch(/^\S{20,}$/);
    expect(await server.end('SIGINT')).toBe(0);
  });

  test('lets pages of the origins that are named read, and refuses what is no origin', async () => {
    await using server = await served('--allow-origin', 'http://localhost:5173');
    const read = async (Origin: string): Promise<string | null> =>
      (await fetch(server.announcement.url, { headers: { Origin } })).headers.get('access-control-allow-origin');
    expect(await read('http://localhost:5173')).toBe('http://localhost:5173');
    expect(await read('http://localhost:5174')).toBe(null);
    const refused = await captureOutput(() => run(['serve', '--allow-origin', 'localhost:5173']));
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('found localhost:5173')]);
  });

  test('takes a control token from the environment, which it says nowhere', async () => {
    vi.stubEnv('SVC_CONTROL_TOKEN', 'sixteen-or-more!');
    await using server = await served('--control');
    vi.unstubAllEnvs();
    const { url, profile, controlToken } = server.announcement;
    expect(controlToken).toBeUndefined();
    expect(await (await fetch(profile)).text()).not.toContain('sixteen-or-more!');
    const headers = { authorization: 'Bearer sixteen-or-more!' };
    expect((await fetch(`${url}/_control/clock`, { headers })).status).toBe(200);
  });

  test.each([
    [['--control', '--control-token', 'short'], 'Expected a control token of 16 or more'],
    [['--control', 'all'], 'Allowed choices are any'],
  ])('refuses %j', async (words, message) => {
    const { exitCode, stderr } = await captureOutput(() => run(['serve', ...words]));
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  test('opens the control routes to others where any is said', async () => {
    await using server = await served('--control', 'any', '--fault', 'reading.create.status-201');
    const { url, controlToken } = server.announcement;
    const headers = { authorization: `Bearer ${controlToken}` };
    expect(await (await fetch(`${url}/_control/faults`, { headers })).json()).toMatchObject({
      set: ['reading.create.status-201'],
    });
  });

  test.each([[], ['--control']])(
    'tells extensions, and its profile, of the base address that it is given (%s)',
    async (...control) => {
      await using server = await served('--base-address', 'https://service.example.com/root/', ...control);
      const { url, profile } = server.announcement;
      const told = control.length > 0 ? await (await fetch(profile)).text() : await readFile(profile, 'utf8');
      expect(told).toContain(`baseUrl: ${url}\n`);
      expect(told).toContain('\nbaseAddress: https://service.example.com/root\n');
      const out = await mkdtemp(join(tmpdir(), 'svc-conformance-base-'));
      const options = { profile, rules: ['calls.envelope.base-address'], out, quiet: true as const };
      expect((await captureOutput(() => checkCommand(options))).stdout).toContain('1 passed');
      await rm(out, { recursive: true });
    },
  );

  test('finishes what it is answering before it ends', async () => {
    await using server = await served();
    const request = await unfinishedRequest(server.announcement.url);
    const ended = server.end('SIGTERM');
    // it takes no more, and still answers what it has begun
    await expect.poll(() => fetch(server.announcement.url).catch(() => 'closed')).toBe('closed');
    request.finish();
    expect(await request.answer).toMatch(/HTTP\/1\.1 40[01] /);
    expect(await ended).toBe(0);
  });

  test('keeps a file as store over its own end', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-conformance-store-'));
    const file = join(folder, 'service.db');
    for (const _round of [1, 2]) {
      await using server = await served('--store', `sqlite:${file}`);
      expect(await server.end('SIGTERM')).toBe(0);
      expect(existsSync(file)).toBe(true);
    }
    await rm(folder, { recursive: true });
  });

  test('refuses a store that is damaged, and leaves it as it is', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-conformance-store-'));
    const file = join(folder, 'service.db');
    await using server = await served('--store', `sqlite:${file}`);
    expect(await server.end('SIGTERM')).toBe(0);
    const bytes = await readFile(file);
    const damaged = [
      bytes.map((byte, at) => (at > 4200 && at < 12_000 ? byte ^ 0x5a : byte)),
      Buffer.alloc(9000, 'no'),
    ];
    for (const image of damaged) {
      await writeFile(file, image);
      const { exitCode, stderr } = await captureOutput(() => run(['serve', '--store', `sqlite:${file}`]));
      expect(exitCode).toBe(2);
      expect(stderr).toMatch(/is damaged \(.*put a copy of it in its place/);
      expect(await readFile(file)).toEqual(Buffer.from(image));
    }
    await rm(folder, { recursive: true });
  });

  test('says what to change when its port is taken', async () => {
    await using first = await served();
    const { port } = new URL(first.announcement.url);
    const second = await captureOutput(() => run(['serve', '--port', port]));
    expect(second.exitCode).not.toBe(0);
    expect(second.stderr).toMatch(
      new RegExp(`^svc-conformance: Cannot listen on 127.0.0.1, port ${port} .*choose another --port`),
    );
  });
});

describe('serve with bulk upload', () => {
  const path = '/admin/fileupload/main';
  const key = Buffer.alloc(16, 5).toString('base64');

  async function uploadFrom(url: string, sourceDirectory: string, under: string): Promise<number> {
    const mac = createHmac('sha512', Buffer.from(under, 'base64')).update(path).digest('base64url');
    const headers = { authorization: `Bearer ${mac}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ sourceDirectory, writeLog: false });
    return (await fetch(url + path, { method: 'POST', headers, body })).status;
  }

  test.each([
    [['--administration-key', key], {}],
    [['--control'], { SVC_ADMINISTRATION_KEY: key }],
  ])('opens it to the key that it is given by %j and %j, which no profile shows', async (flags, variables) => {
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
    await using server = await served(...flags);
    vi.unstubAllEnvs();
    const { url, profile } = server.announcement;
    expect(await uploadFrom(url, tmpdir(), Buffer.alloc(16, 6).toString('base64'))).toBe(401);
    expect(await uploadFrom(url, '/nowhere', key)).toBe(400);
    const shown = await (profile.startsWith('http') ? (await fetch(profile)).text() : readFile(profile, 'utf8'));
    expect(shown).not.toContain(key);
    expect(shown).toContain('adminApiKey: ${SVC_ADMINISTRATION_KEY}\n');
  });

  test.each([[[]], [['--control']]])('with a key that is public opens no folder of the host: %j', async (flags) => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-conformance-bulk-'));
    await writeFile(join(folder, 'secret.txt'), 'of the host');
    await using server = await served('--administration-key', key, ...flags);
    const { url, profile } = server.announcement;
    expect(await uploadFrom(url, folder, key)).toBe(400);
    expect(await uploadFrom(url, '/etc', key)).toBe(400);
    const shown = await (profile.startsWith('http') ? (await fetch(profile)).text() : readFile(profile, 'utf8'));
    const own = /hostDirectory: \{ path: "(.*?)"/.exec(shown)?.[1] ?? '';
    expect(await uploadFrom(url, own, key)).toBe(200);
    expect(await server.end('SIGTERM')).toBe(0);
    expect(existsSync(own)).toBe(false);
    await rm(folder, { recursive: true });
  });

  test('takes files from the directories that it is given, and lets its profile use the first one', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-conformance-bulk-'));
    const allowed = join(folder, 'allowed');
    await mkdir(allowed);
    await using server = await served('--administration-key', key, '--bulk-source', allowed, join(folder, 'other'));
    expect(server.announcement).toBeNull();
    expect(await server.said).toMatch(/Cannot take bulk uploads from .*other.*it is no directory/);
    await using strict = await served('--administration-key', key, '--bulk-source', allowed);
    const { url, profile } = strict.announcement;
    expect(await uploadFrom(url, allowed, key)).toBe(200);
    expect(await uploadFrom(url, folder, key)).toBe(400);
    expect(await readFile(profile, 'utf8')).toContain(`hostDirectory: { path: "${allowed}/`);
    expect(await strict.end('SIGTERM')).toBe(0);
    expect(await readdir(allowed)).toEqual([]);
    await rm(folder, { recursive: true });
  });
});
