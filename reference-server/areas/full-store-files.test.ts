import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openFileStore } from '../ports/disk.ts';
import { schemaSql, storeOver } from '../ports/sqlite.ts';
import { onBulkStage } from './host.fixture.ts';
import { chunkRequest, editor, filesBelow, md5 } from './world.fixture.ts';
import { makeFolder } from '../../fixtures/folder.fixture.ts';

const base = '/api/space/main/fs/file';
const content = Buffer.from('a small file');
const mostFiles = 400;

let folder: string;
let database: DatabaseSync;

beforeEach(() => {
  folder = makeFolder();
  database = new DatabaseSync(':memory:');
  database.exec(schemaSql);
});
afterEach(() => database.close());

/** The disk of the files has room all the while; only what is known of them has none. */
const options = () => ({ store: storeOver(database), files: openFileStore(join(folder, 'files')) });
/** Long, so that few of them fill what is left of a page. */
const nameOf = (number: number): string => `${'n'.repeat(200)}-${number}`;
const limit = (isFull: boolean): void => database.exec(`PRAGMA max_page_count = ${isFull ? 1 : 1_000_000}`);

async function untilRefused(send: (name: string) => Promise<Response>): Promise<readonly string[]> {
  for (let number = 0; number < mostFiles; number += 1) {
    const answer = await send(nameOf(number));
    if (answer.status === 507) {
      expect(await answer.text()).toContain('nothing of it was kept');
      return Array.from({ length: number }, (_name, index) => nameOf(index));
    }
    expect(answer.status, await answer.text()).toBe(201);
  }
  throw new Error('Expected a store that is full at some time.');
}

const keptNames = async (): Promise<readonly string[]> =>
  [...(await filesBelow(folder)).keys()].map((path) => path.split('/').at(-1) ?? '').toSorted();

test.each(['stream', 'chunks'] as const)('a file by %s of which nothing can be known is not there', (way) =>
  onBulkStage(async ({ server }) => {
    const send = (name: string): Promise<Response> => {
      if (way === 'stream')
        return fetch(`${server.url}${base}/stream/${name}`, {
          method: 'POST',
          headers: { ...editor, checksum: md5(content) },
          body: content,
        });
      const { headers, body } = chunkRequest(name, content, content.length, 1);
      return fetch(server.url + base, {
        method: 'POST',
        headers: { ...editor, ...headers },
        body: new Uint8Array(body),
      });
    };
    limit(true);
    const taken = await untilRefused(send);
    expect(await keptNames()).toEqual([...taken].toSorted());
    limit(false);
    expect((await send(nameOf(taken.length))).status).toBe(201);
  }, options()),
);

test('a bulk upload tells of each file that could not be known, and keeps the others whole', () =>
  onBulkStage(async ({ put, upload, left }) => {
    await put(
      Object.fromEntries(Array.from({ length: mostFiles }, (_name, number) => [nameOf(number), content.toString()])),
    );
    limit(true);
    const { status, report } = await upload('/admin/fileupload/main', { deleteFilesAfterUpload: true });
    limit(false);
    expect(status).toBe(200);
    const by = (wanted: string): readonly string[] =>
      report.files
        .filter((file) => file.status === wanted)
        .map(({ path }) => path)
        .toSorted();
    expect(by('failed').length).toBeGreaterThan(0);
    expect(by('failed').length + by('uploaded').length).toBe(mostFiles);
    expect(await keptNames()).toEqual(by('uploaded'));
    // what is not in the area is still where it was
    expect(await left()).toEqual(by('failed'));
  }, options()));
