import { randomUUID } from 'node:crypto';
import { routes } from '../contract/routes.ts';
import { openSqliteStore } from '../reference-server/ports/sqlite.ts';
import { Client, document, path } from './harness/client.ts';
import { loaded } from './harness/load.ts';
import { machineLine } from './harness/figures.ts';
import { makeScratch } from './harness/scratch.ts';
import { startSide } from './harness/side.ts';

/** Memory of a server over a file of 1,000,000 objects against one of 1,000, each after reads all over it. */
const objectsPerChangeSet = 10_000;
const readingSeconds = 10;
await using folder = await makeScratch();
const few = await residentBytes(1_000);
const many = await residentBytes(1_000_000);
console.log(`memory with 1,000,000 objects in SQLite against 1,000, after ${readingSeconds} s of reads`);
console.log(`  ${megabytes(few)} MB, ${megabytes(many)} MB: ${megabytes(many - few)} MB more   goal <= 100`);
console.log(`  ${machineLine()}`);

async function residentBytes(count: number): Promise<number> {
  const file = folder.file(`${count}.sqlite`);
  const oids = await filled(file, count);
  await using side = await startSide('reference', { file });
  const client = await Client.of(side.url);
  const target = (): string =>
    path(routes.instanceShort, { ...document, objectId: oids[Math.floor(Math.random() * count)] ?? '' });
  const requests = () => [
    {
      method: 'GET' as const,
      setupRequest: (request: object) => ({ ...request, path: target(), headers: client.headers }),
    },
  ];
  await loaded(side, { connections: 50, seconds: readingSeconds, requests });
  return await side.residentBytes();
}

async function filled(file: string, count: number): Promise<readonly string[]> {
  const store = openSqliteStore(file);
  // in order of the key, so that filling takes seconds
  const oids = Array.from({ length: count }, () => randomUUID()).sort();
  for (let from = 0; from < count; from += objectsPerChangeSet) {
    await store.change(async (writing) => {
      for (const oid of oids.slice(from, from + objectsPerChangeSet)) {
        const content = { title: `Document ${oid}`, note: 'a note', keywords: ['one', 'two'] };
        await writing.insertObject({ spaceId: 'main', oid, softType: 'Document', version: 1, content });
        await writing.appendEntries(oid, 'files', [{ name: 'file', comment: 'as delivered' }]);
      }
    });
  }
  await store.close();
  return oids;
}

function megabytes(bytes: number): string {
  return Math.round(bytes / 2 ** 20).toLocaleString('en');
}
