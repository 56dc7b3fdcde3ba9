import { createHmac } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createServer, type Server, type ServerOptions } from '../server.ts';
import type { BulkReport } from './bulk-upload.ts';
import { makeFolder } from '../../fixtures/folder.fixture.ts';

export const administrationKey = Buffer.alloc(64, 9).toString('base64');

export interface BulkAnswer {
  readonly status: number;
  readonly report: BulkReport;
}

/** A service that listens, and a directory of its host. */
export interface BulkStage {
  readonly server: Server;
  /** Free of links. */
  readonly source: string;
  /** Writes files below the source, by path. */
  put(files: Readonly<Record<string, string | Uint8Array>>): Promise<void>;
  /** Paths below the source. */
  left(): Promise<readonly string[]>;
  /** A run without log unless asked for, signed with the administration key. */
  upload(path: string, more?: object, headers?: Readonly<Record<string, string>>): Promise<BulkAnswer>;
  /** A file of an area by the path of its route; undefined where there is none. */
  read(path: string): Promise<string | undefined>;
}

export function bulkSignature(path: string, key = administrationKey): string {
  return createHmac('sha512', Buffer.from(key, 'base64')).update(path).digest('base64url');
}

export async function onBulkStage(
  work: (stage: BulkStage) => Promise<void>,
  options: ServerOptions = {},
): Promise<void> {
  const source = makeFolder();
  const server = createServer({ administrationKey, ...options });
  await server.listen();
  try {
    await work(stageOf(server, source));
  } finally {
    await server.close();
  }
}

function stageOf(server: Server, source: string): BulkStage {
  return {
    server,
    source,
    async put(files) {
      for (const [path, content] of Object.entries(files)) {
        await mkdir(dirname(join(source, path)), { recursive: true });
        await writeFile(join(source, path), content);
      }
    },
    async left() {
      const entries = await readdir(source, { withFileTypes: true, recursive: true });
      const files = entries.filter((entry) => !entry.isDirectory());
      return files.map((entry) => join(entry.parentPath, entry.name).slice(source.length + 1)).toSorted();
    },
    async upload(path, more = {}, headers = {}) {
      const answer = await fetch(server.url + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${bulkSignature(path)}`, 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ sourceDirectory: source, writeLog: false, ...more }),
      });
      return { status: answer.status, report: (await answer.json()) as BulkReport };
    },
    async read(path) {
      const user = path.startsWith('/api/collection') ? 'svcpat-cora-6f8b0d2e4a' : 'svcpat-edda-7d1c0b9e5a';
      const answer = await fetch(server.url + path, { headers: { authorization: `Bearer ${user}` } });
      return answer.status === 200 ? answer.text() : undefined;
    },
  };
}

/** The log in the root of the source, if there is one, by name. */
export async function logsIn(source: string): Promise<Readonly<Record<string, string>>> {
  const names = (await readdir(source)).filter((name) => name.includes('FileUpload_'));
  const texts = await Promise.all(names.map((name) => readFile(join(source, name), 'utf8')));
  return Object.fromEntries(names.map((name, index) => [name, texts[index] ?? '']));
}
