import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { request, type Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { createServer, type Server } from '../server.ts';
import { openSqliteStore } from '../ports/sqlite.ts';
import type { Store } from '../ports/store.ts';
import { openFileStore } from '../ports/disk.ts';
import type { FileStore } from '../ports/file-store.ts';
import { makeFolder } from '../../fixtures/folder.fixture.ts';
import { endWithTest } from '../../fixtures/end-with-test.fixture.ts';

/** Folder of a file system in memory, on Linux. */
const memoryFolder = '/dev/shm';

/** A server whose files are below a folder of their own, in a folder that nothing else is in; until its test ends. */
export interface World {
  readonly url: string;
  /** Folder around that of the files. */
  readonly outside: string;
  readonly root: string;
  /** Ends the server and starts another one over the same store and files. */
  restart(): Promise<void>;
  send(method: string, path: string, options?: Sent): Promise<Received>;
}

interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
  readonly agent?: Agent;
}

export interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
}

export const editor = { authorization: 'Bearer svcpat-edda-7d1c0b9e5a' };
export const administrator = { authorization: 'Bearer svcpat-cora-6f8b0d2e4a' };

/** The areas with somebody who may use each, and their folders below the root. */
export const areas = [
  { kind: 'collection', base: '/api/collection/fs', as: administrator, folder: 'collection' },
  { kind: 'space', base: '/api/space/main/fs', as: editor, folder: 'space/main' },
  { kind: 'user', base: '/api/space/main/user/fs', as: editor, folder: 'user/main/edda' },
  { kind: 'participant', base: '/api/space/main/participant/owner/fs', as: editor, folder: 'participant/main/owner' },
] as const;

export interface WorldOptions {
  /** Everything is kept in memory, where the machine lets a folder be there. A restart forgets what is no file. */
  readonly inMemory?: true;
  /** Put before the files. */
  readonly filesThrough?: (files: FileStore) => FileStore;
  readonly maxStreamBytes?: number;
}

export async function openWorld({
  inMemory,
  filesThrough = (files) => files,
  ...options
}: WorldOptions = {}): Promise<World> {
  const outside = makeFolder(inMemory && existsSync(memoryFolder) ? memoryFolder : tmpdir());
  const root = join(outside, 'root');
  const start = async (): Promise<{ readonly server: Server; readonly store: Store }> => {
    const store = openSqliteStore(inMemory ? undefined : join(outside, 'store.db'));
    const server = createServer({ files: filesThrough(openFileStore(root)), store, ...options });
    await server.listen();
    return { server, store };
  };
  const end = async (): Promise<void> => {
    await running.server.close();
    await running.store.close();
  };
  let running = await start();
  endWithTest(end);
  return {
    get url() {
      return running.server.url;
    },
    outside,
    root,
    async restart() {
      await end();
      running = await start();
    },
    send: (method, path, sent) => exchanged(running.server.url, method, path, sent),
  };
}

/** The path goes out as it is. */
function exchanged(
  url: string,
  method: string,
  path: string,
  { headers = {}, body, agent }: Sent = {},
): Promise<Received> {
  const { hostname, port } = new URL(url);
  const length = method === 'POST' ? { 'content-length': String(Buffer.byteLength(body ?? '')) } : {};
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path, headers: { ...length, ...headers }, ...(agent && { agent }) });
    sent.on('error', reject);
    sent.on('response', (response) => {
      const { statusCode = 0 } = response;
      const flat = Object.fromEntries(Object.entries(response.headers).map(([name, value]) => [name, String(value)]));
      buffer(response).then((body) => resolve({ status: statusCode, headers: flat, body }), reject);
    });
    sent.end(body);
  });
}

export function md5(bytes: Uint8Array | string): string {
  return createHash('md5').update(bytes).digest('hex');
}

/** Bytes that differ from place to place. */
export function bytesOf(size: number, seed = 1): Buffer {
  const bytes = Buffer.alloc(size);
  for (let index = 0; index < size; index += 1) bytes[index] = (index * 31 + (index >> 8) * 7 + seed * 13) & 0xff;
  return bytes;
}

/** Every file below a folder with its content. */
export async function filesBelow(folder: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(
    await Promise.all(
      files.map(async (file) => [file.slice(folder.length + 1), await readFile(file, 'latin1')] as const),
    ),
  );
}

export async function putFile(file: string, content: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
}

export interface FormOptions {
  /** Parts that are sent otherwise, by name; null leaves one out. */
  readonly parts?: Readonly<Record<string, string | number | null>>;
  /** Names in the order of the body; the others follow. */
  readonly order?: readonly string[];
  readonly bytes?: Uint8Array;
  /** More parts, as they are. */
  readonly more?: string;
  readonly checksum?: string | null;
}

/** A chunk of a file as headers and body of its request. */
export function chunkRequest(
  path: string,
  file: Buffer,
  chunkSize: number,
  number: number,
  {
    parts = {},
    order = [],
    more = '',
    checksum,
    bytes = file.subarray((number - 1) * chunkSize, number * chunkSize),
  }: FormOptions = {},
): { readonly headers: Record<string, string>; readonly body: Buffer } {
  const texts: Record<string, string | number | null> = {
    resumableTotalSize: file.length,
    resumableChunkNumber: number,
    resumableChunkSize: chunkSize,
    resumableCurrentChunkSize: bytes.length,
    resumableTotalChunks: Math.max(1, Math.ceil(file.length / chunkSize)),
    resumableType: 'text/csv',
    resumableFilename: 'name.csv',
    resumableRelativePath: path,
    file: '',
    ...parts,
  };
  const names = [...new Set([...order, ...Object.keys(texts)])].filter((name) => texts[name] !== null);
  const pieces = names.map((name) => partOf(name, name === 'file' ? bytes : Buffer.from(String(texts[name]))));
  const sum = checksum === undefined ? md5(bytes) : checksum;
  return {
    headers: { 'content-type': 'multipart/form-data; boundary=edge', ...(sum !== null && { checksum: sum }) },
    body: Buffer.concat([...pieces, Buffer.from(more), Buffer.from('--edge--\r\n')]),
  };
}

function partOf(name: string, content: Uint8Array): Buffer {
  const about = name === 'file' ? '; filename="name.csv"\r\nContent-Type: application/octet-stream' : '';
  return Buffer.concat([
    Buffer.from(`--edge\r\nContent-Disposition: form-data; name="${name}"${about}\r\n\r\n`),
    content,
    Buffer.from('\r\n'),
  ]);
}
