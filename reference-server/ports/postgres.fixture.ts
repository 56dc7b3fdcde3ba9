import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chownSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';
import { systemProgram } from '../../fixtures/system-program.ts';

export const postgres = systemProgram('postgres');

/** A database server of a test, in a folder of its own. */
export interface Cluster extends AsyncDisposable {
  readonly url: string;
  /** Address of an empty place, over the socket or over the loopback interface. */
  emptyPlace(way?: 'socket' | 'loopback'): Promise<string>;
  ask(sql: string): Promise<readonly unknown[]>;
  /** Ends the server at once, as a crash would, with all connections. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** The program refuses to be run by root. */
interface Account {
  readonly uid?: number;
  readonly gid?: number;
}

/** Makes a cluster that writes to the disk as one in use does, and starts it. */
export async function startCluster(): Promise<Cluster> {
  const folder = await mkdtemp(join(tmpdir(), 'postgres-'));
  const account = accountFor(folder);
  const data = join(folder, 'data');
  const programs = dirname(postgres.path ?? '');
  execFileSync(
    join(programs, 'initdb'),
    ['--pgdata', data, '--username', 'postgres', '--auth', 'trust', '--encoding', 'UTF8', '--no-locale', '--no-sync'],
    { ...account, cwd: folder, stdio: 'ignore' },
  );
  const port = await freePort();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const start = (): Promise<ChildProcess> =>
    started(
      join(programs, 'postgres'),
      [
        '-D',
        data,
        '-p',
        String(port),
        '-h',
        '127.0.0.1',
        '-k',
        folder,
        '-c',
        'fsync=on',
        '-c',
        'shared_buffers=32MB',
        '-c',
        'track_commit_timestamp=on',
      ],
      { ...account, cwd: folder },
    );
  let running: ChildProcess | undefined = await start();
  const stop = async (): Promise<void> => {
    const child = running;
    running = undefined;
    if (child) await ended(child);
  };
  return {
    url,
    async emptyPlace(way = 'loopback') {
      const schema = `place_${randomUUID().replaceAll('-', '')}`;
      await asked(url, `CREATE SCHEMA ${schema}`);
      const address = way === 'loopback' ? `${url}?` : `postgres://postgres@/postgres?host=${folder}&port=${port}&`;
      return `${address}options=${encodeURIComponent(`-c search_path=${schema}`)}`;
    },
    ask: (sql) => asked(url, sql),
    stop,
    async start() {
      running ??= await start();
    },
    async [Symbol.asyncDispose]() {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function accountFor(folder: string): Account {
  if (process.getuid?.() !== 0) return {};
  const [uid, gid] = ['-u', '-g'].map((flag) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' })));
  if (uid === undefined || gid === undefined) throw new Error('Expected a user nobody, found none.');
  chownSync(folder, uid, gid);
  return { uid, gid };
}

async function started(
  program: string,
  argv: readonly string[],
  options: Account & { readonly cwd: string },
): Promise<ChildProcess> {
  const child = spawn(program, argv, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
  const said: string[] = [];
  for await (const line of createInterface({ input: child.stderr })) {
    said.push(line);
    if (!line.includes('ready to accept connections')) continue;
    child.stderr.resume();
    return child;
  }
  throw new Error(`Expected PostgreSQL to start, found:\n${said.join('\n')}`);
}

async function ended(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGQUIT');
  await exited;
}

async function asked(url: string, sql: string): Promise<readonly unknown[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('Expected a port.');
  return address.port;
}
