import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { expect } from 'vitest';
import { systemProgram } from '../fixtures/system-program.ts';
import { freePort, startCluster, type Cluster } from '../reference-server/ports/postgres.fixture.ts';
import type { Announcement } from './serve.ts';

export const nginx = systemProgram('nginx');
const main = fileURLToPath(new URL('./main.ts', import.meta.url));
const recipe = new URL('../docs/nginx.conf', import.meta.url);

/** What a test began, and how that ends. */
export const endings: (() => Promise<unknown>)[] = [];

export async function endAll(): Promise<void> {
  for (const end of endings.splice(0).toReversed()) await end();
}

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

interface Host {
  readonly url: string;
  kill(): Promise<void>;
}

interface Deployment {
  readonly cluster: Cluster;
  /** That of nginx. */
  readonly url: string;
  readonly first: Host;
  readonly second: Host;
}

/** Two hosts on one database behind nginx, which is told what the recipe says, with ports and folders of our own. */
export async function deployed(): Promise<Deployment> {
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
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
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
  await expect
    .poll(() =>
      fetch(`http://127.0.0.1:${port}/api/collection/template`).then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .toBe(401);
}

interface Answered {
  /** 0 where the connection broke. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  readonly invokedAt: number;
  readonly respondedAt: number;
}

/** A client of a host or of the gateway. */
export class Caller {
  readonly #pool: Pool;
  readonly statuses = new Map<number, number>();

  constructor(url: string) {
    this.#pool = new Pool(url, { connections: 24 });
    endings.push(() => this.#pool.destroy());
  }

  async send(
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    body?: object | string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answered> {
    const invokedAt = performance.now();
    const sent = {
      authorization: 'Bearer svcpat-edda-7d1c0b9e5a',
      'svc-informationfilter': btoa('{}'),
      'content-type': 'application/json',
      ...headers,
    };
    const answer = await this.#pool
      .request({
        method,
        path,
        headers: sent,
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      .then(async (answer) => ({ status: answer.statusCode, headers: answer.headers, body: await answer.body.text() }))
      .catch(() => ({ status: 0, headers: {}, body: '' }));
    this.statuses.set(answer.status, (this.statuses.get(answer.status) ?? 0) + 1);
    return { ...answer, invokedAt, respondedAt: performance.now() };
  }
}
