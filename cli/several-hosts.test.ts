import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { afterEach, expect, test } from 'vitest';
import { systemProgram } from '../fixtures/system-program.ts';
import { freePort, postgres, startCluster } from '../reference-server/store/postgres.fixture.ts';
import type { Entry } from '../simulator/extension/entry.ts';
import { startExtensionHost } from '../simulator/extension/host.ts';
import { breachesOf } from '../suites/register/check.ts';
import type { RegisterOperation } from '../suites/register/history.ts';
import type { Announcement } from './serve.ts';

const nginx = systemProgram('nginx');
const main = fileURLToPath(new URL('main.ts', import.meta.url));
const recipe = new URL('../docs/nginx.conf', import.meta.url);
const documents = '/api/space/main/softtype/Document/documentInput';

/** How long the load goes on before a host is killed, and after it. */
const beforeMs = 2500;
const afterMs = 3000;
/** Leases of a host that died end after 6 s; the rest is for a busy machine. */
const drainMs = 20_000;

const endings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end();
});

interface Process {
  /** First line of its output. */
  readonly line: string;
  kill(): Promise<void>;
}

async function started(program: string, argv: readonly string[]): Promise<Process> {
  const child = spawn(program, argv, { stdio: ['ignore', 'pipe', 'ignore'] });
  const exited = once(child, 'exit');
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exited;
  };
  endings.push(kill);
  const { value = '' } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
  return { line: String(value), kill };
}

/** Two hosts on one database behind nginx, which is told what the recipe says, with ports and folders of our own. */
async function deployed() {
  const cluster = await startCluster();
  endings.push(async () => cluster[Symbol.asyncDispose]());
  const folder = await mkdtemp(join(tmpdir(), 'several-hosts-'));
  endings.push(() => rm(folder, { recursive: true }));
  await chmod(folder, 0o755);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const argv = [main, 'serve', '--store', cluster.url, '--files', join(folder, 'files'), '--base-address', url];
  const hosts = await Promise.all([1, 2].map(() => started(process.execPath, argv)));
  const [first, second] = hosts.map(({ line, kill }) => ({ url: (JSON.parse(line) as Announcement).url, kill }));
  if (!first || !second) throw new Error('Expected two hosts.');
  await startNginx(folder, [String(port), new URL(first.url).port, new URL(second.url).port]);
  return { cluster, url, first, second };
}

async function startNginx(folder: string, [port = '', first = '', second = '']: readonly string[]): Promise<void> {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`);
  const text = (await readFile(recipe, 'utf8'))
    .replaceAll('127.0.0.1:8080', `127.0.0.1:${port}`)
    .replaceAll('127.0.0.1:8081', `127.0.0.1:${first}`)
    .replaceAll('127.0.0.1:8082', `127.0.0.1:${second}`)
    .replaceAll('/var/log/nginx/', `${folder}/`)
    .replaceAll('/run/', `${folder}/`)
    .replace('http {', `http {\n    ${temporary.join(' ')}`);
  const file = join(folder, 'nginx.conf');
  await mkdir(join(folder, 'proxy'), { recursive: true });
  await writeFile(file, text);
  const child = spawn(nginx.path ?? '', ['-p', folder, '-c', file, '-g', 'daemon off;'], { stdio: 'ignore' });
  const exited = once(child, 'exit');
  endings.push(async () => {
    child.kill('SIGTERM');
    await exited;
  });
  await expect.poll(() => fetch(`http://127.0.0.1:${port}/api/collection/template`).then(({ status }) => status, () => 0), { timeout: 10_000 }).toBe(401);
}

interface Answered {
  /** 0 where the connection broke. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  readonly invokedAt: number;
  readonly respondedAt: number;
}

class Caller {
  readonly #pool: Pool;
  readonly statuses = new Map<number, number>();

  constructor(url: string) {
    this.#pool = new Pool(url, { connections: 24 });
    endings.push(() => this.#pool.destroy());
  }

  async send(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object | string, headers: Readonly<Record<string, string>> = {}): Promise<Answered> {
    const invokedAt = performance.now();
    const sent = { authorization: 'Bearer svcpat-edda-7d1c0b9e5a', 'svc-informationfilter': btoa('{}'), 'content-type': 'application/json', ...headers };
    const answer = await this.#pool
      .request({ method, path, headers: sent, ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }) })
      .then(async (answer) => ({ status: answer.statusCode, headers: answer.headers, body: await answer.body.text() }))
      .catch(() => ({ status: 0, headers: {}, body: '' }));
    this.statuses.set(answer.status, (this.statuses.get(answer.status) ?? 0) + 1);
    return { ...answer, invokedAt, respondedAt: performance.now() };
  }
}

interface Load {
  isOver: boolean;
  /** Titles by path, of objects whose creation was acknowledged. */
  readonly created: Map<string, string>;
  readonly registers: ReadonlyMap<string, RegisterOperation[]>;
  /** Ids by marker, of events that were accepted. */
  readonly accepted: Map<string, string>;
}

async function creating(caller: Caller, load: Load, process: number): Promise<void> {
  for (let number = 0; !load.isOver; number += 1) {
    const title = `document ${process}-${number}`;
    const { status, headers } = await caller.send('POST', documents, { title, files: [{ name: title }] });
    if (status === 201) load.created.set(new URL(String(headers['location']), 'http://x').pathname, title);
  }
}

interface Data {
  readonly $version: number;
  readonly title: string;
  readonly note: string;
}

function dataOf(body: string): Data {
  return (JSON.parse(body) as { readonly data: Data }).data;
}

async function readInto(caller: Caller, path: string, operations: RegisterOperation[], process: number): Promise<number | undefined> {
  const { status, body, invokedAt, respondedAt } = await caller.send('GET', path);
  if (status !== 200) return undefined;
  const { $version: version, note: value } = dataOf(body);
  operations.push({ kind: 'read', process, version, value, invokedAt, respondedAt });
  return version;
}

const results: Readonly<Record<number, 'accepted' | 'conflict'>> = { 200: 'accepted', 204: 'accepted', 409: 'conflict' };

async function editing(caller: Caller, load: Load, process: number): Promise<void> {
  const all = [...load.registers];
  for (let number = process; !load.isOver; number += 1) {
    const [path, operations] = all[number % all.length] ?? ['', []];
    const stated = await readInto(caller, path, operations, process);
    if (stated === undefined) continue;
    const value = `note ${process}-${number}`;
    const target = `${documents}/${path.split('/').at(-1)}`;
    const { status, headers, invokedAt, respondedAt } = await caller.send('PATCH', target, { note: value }, { 'svc-uoiversion': String(stated) });
    const result = results[status] ?? 'unknown';
    const told = headers['svc-uoiversion'];
    const version = result === 'accepted' && told !== undefined ? { version: Number(told) } : {};
    operations.push({ kind: 'write', process, stated, result, value, invokedAt, respondedAt: result === 'unknown' ? Infinity : respondedAt, ...version });
  }
}

async function triggering(caller: Caller, load: Load, process: number, registrationId: string): Promise<void> {
  for (let number = 0; !load.isOver; number += 1) {
    const marker = `event ${process}-${number}.`;
    const recordId = `event-${number % endpoints}`;
    const { status, body } = await caller.send('POST', '/api/space/main/externalEvent', { registrationId, recordId, contentPayload: { marker } });
    if (status >= 200 && status < 300) load.accepted.set(marker, (JSON.parse(body) as { readonly id: string }).id);
  }
}

const endpoints = 8;
const records = Array.from({ length: endpoints }, (_, number) => ({
  id: `event-${number}`,
  version: '1.0.0',
  name: `Events ${number}`,
  endpoint: `event/${number}`,
  extensionType: 'ExternalEvent' as const,
  category: 'test',
  rateLimitNumberOfExecutions: 10_000,
}));

function markerOf({ body }: Entry): string | undefined {
  return /"marker":"([^"]*)"/.exec(Buffer.from(body).toString())?.[1];
}

/** What one host is given, all have. */
async function expectFiles(gateway: Caller, hosts: readonly Caller[]): Promise<void> {
  const content = 'x'.repeat(100_000);
  const file = '/api/space/main/fs/file/folder/list.txt';
  const sent = { 'content-type': 'text/plain', checksum: createHash('md5').update(content).digest('hex') };
  expect((await gateway.send('POST', file.replace('/file/', '/file/stream/'), content, sent)).status).toBe(201);
  for (const caller of [gateway, ...hosts]) expect(await caller.send('GET', file)).toMatchObject({ status: 200, body: content });
  expect((await gateway.send('DELETE', file)).status).toBe(204);
  for (const caller of [gateway, ...hosts]) expect((await caller.send('GET', file)).status).toBe(404);
}

const isMissing = postgres.path === undefined || nginx.path === undefined;

test.skipIf(isMissing)(`two hosts behind nginx, one of which is killed, lose nothing that was acknowledged${postgres.note}${nginx.note}`, { timeout: 90_000 }, async () => {
  const { cluster, url, first, second } = await deployed();
  const caller = new Caller(url);
  await expectFiles(new Caller(url), [new Caller(first.url), new Caller(second.url)]);
  const extensions = await startExtensionHost({ records });
  endings.push(() => extensions.close());
  const registered = await caller.send('POST', '/api/admin/svcExtension', { hostUri: extensions.url, apiKey: btoa('the key of this extension host'), tokenLifeTime: 5 }, { authorization: 'Bearer svcpat-cora-6f8b0d2e4a' });
  const { id: registrationId } = JSON.parse(registered.body) as { readonly id: string };
  const load: Load = { isOver: false, created: new Map(), accepted: new Map(), registers: new Map() };
  await creatingRegisters(caller, load);
  await expectDeletable(new Caller(url));

  const under = [0, 1, 2, 3, 4, 5].flatMap((process) => [editing(caller, load, process), ...(process < 3 ? [creating(caller, load, process), triggering(caller, load, process, registrationId)] : [])]);
  await sleep(beforeMs);
  await first.kill();
  const onLease = new Set(idsOf(await cluster.ask('SELECT id FROM deliveries WHERE lease_owner IS NOT NULL')));
  const beforeKill = { created: load.created.size, accepted: load.accepted.size };
  await sleep(afterMs);
  load.isOver = true;
  await Promise.all(under);

  expect(load.created.size).toBeGreaterThan(beforeKill.created);
  expect(load.accepted.size).toBeGreaterThan(beforeKill.accepted);
  expect([...caller.statuses.keys()].filter((status) => ![200, 201, 202, 204, 409, 0, 502].includes(status))).toEqual([]);
  await expectCreated(new Caller(second.url), load);
  await expectRegisters(new Caller(second.url), load);
  await expect.poll(() => cluster.ask('SELECT id FROM deliveries'), { timeout: drainMs, interval: 200 }).toEqual([]);
  const arrivals = Map.groupBy(extensions.entries(), markerOf);
  const notOnce = [...load.accepted].filter(([marker]) => arrivals.get(marker)?.length !== 1);
  // sent and not yet on record when the host died: those may come twice
  expect(notOnce.filter(([marker, id]) => arrivals.get(marker)?.length !== 2 || !onLease.has(id))).toEqual([]);
});

function idsOf(rows: readonly unknown[]): readonly string[] {
  return (rows as readonly { readonly id: string }[]).map(({ id }) => id);
}

async function creatingRegisters(caller: Caller, load: { registers: ReadonlyMap<string, RegisterOperation[]> }): Promise<void> {
  const registers = load.registers as Map<string, RegisterOperation[]>;
  for (const number of [0, 1, 2, 3]) {
    const { headers } = await caller.send('POST', documents, { title: `register ${number}`, note: 'start' });
    registers.set(new URL(String(headers['location']), 'http://x').pathname, []);
  }
}

async function expectDeletable(caller: Caller): Promise<void> {
  const { headers } = await caller.send('POST', documents, { title: 'deleted' });
  const path = String(headers['location']);
  expect((await caller.send('DELETE', path, undefined, { 'svc-uoiversion': '1' })).status).toBe(204);
  expect((await caller.send('GET', path)).status).toBe(404);
}

async function expectCreated(caller: Caller, { created }: Load): Promise<void> {
  const found = await Promise.all(
    [...created].map(async ([path, title]) => {
      const { status, body } = await caller.send('GET', path);
      return status === 200 && dataOf(body).title === title;
    }),
  );
  expect(found).not.toContain(false);
}

async function expectRegisters(caller: Caller, { registers }: Load): Promise<void> {
  for (const [path, operations] of registers) {
    await readInto(caller, path, operations, 9);
    expect(operations.filter((operation) => operation.kind === 'write' && operation.result === 'accepted').length).toBeGreaterThan(0);
    expect(breachesOf({ start: { version: 1, value: 'start' }, operations })).toEqual([]);
  }
}
