import { readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createServer } from '../server.ts';
import { mountSmallDisk } from '../ports/small-disk.fixture.ts';
import { openFileStore } from '../ports/disk.ts';
import { NoRoom, type FilePlace, type FileStore } from '../ports/file-store.ts';
import {
  bytesOf,
  chunkRequest,
  editor,
  filesBelow,
  md5,
  openWorld,
  type Received,
  type World,
} from './world.fixture.ts';

const base = '/api/space/main/fs';
const chunkSize = 100_000;

function expectNoRoom({ status, headers, body }: Received): void {
  expect(status, body.toString()).toBe(507);
  expect(headers['content-type']).toBe('application/problem+json');
  expect(JSON.parse(body.toString())).toMatchObject({ status, detail: expect.stringMatching(/no room for full\/up/) });
}

const stream = (world: World, bytes: Uint8Array, path = 'full/up'): Promise<Received> =>
  world.send('POST', `${base}/file/stream/${path}`, { headers: { ...editor, checksum: md5(bytes) }, body: bytes });
const chunk = (world: World, file: Buffer, number: number): Promise<Received> => {
  const { headers, body } = chunkRequest('full/up', file, chunkSize, number);
  return world.send('POST', `${base}/file`, { headers: { ...editor, ...headers }, body });
};
const download = (world: World): Promise<Received> => world.send('GET', `${base}/file/full/up`, { headers: editor });

let isFull = true;
const world = await openWorld({ filesThrough: (files) => filling(files, () => isFull) });

describe('a store without room', () => {
  test('refuses a stream and keeps nothing of it', async () => {
    isFull = true;
    expectNoRoom(await stream(world, bytesOf(500_000)));
    expect((await download(world)).status).toBe(404);
    isFull = false;
    expect((await stream(world, bytesOf(500))).status).toBe(201);
    expect((await world.send('DELETE', `${base}/file/full/up`, { headers: editor })).status).toBe(204);
  });

  test('refuses a chunk, which comes again when there is room', async () => {
    const file = bytesOf(250_000);
    isFull = true;
    expectNoRoom(await chunk(world, file, 1));
    expect((await download(world)).status).toBe(404);
    isFull = false;
    expect((await chunk(world, file, 1)).status).toBe(200);
    isFull = true;
    expectNoRoom(await chunk(world, file, 2));
    isFull = false;
    expect((await chunk(world, file, 3)).status).toBe(200);
    expect((await chunk(world, file, 2)).status).toBe(201);
    expect((await download(world)).body.equals(file)).toBe(true);
  });
});

function filling(files: FileStore, isFull: () => boolean): FileStore {
  const assertRoom = (): void => {
    if (isFull()) throw new NoRoom('The disk is full.');
  };
  return {
    ...files,
    write: (place, content, options) => files.write(place, upToTheEnd(content, assertRoom), options),
    async begin(place, section, beginning) {
      assertRoom();
      return files.begin(place, section, beginning);
    },
    async openToGrow(place) {
      const file = await files.openToGrow(place);
      return file && { ...file, write: async (section) => (assertRoom(), file.write(section)) };
    },
  };
}

async function* upToTheEnd(content: AsyncIterable<Uint8Array>, end: () => void): AsyncGenerator<Uint8Array> {
  yield* content;
  end();
}

/** A disk for each test: when the room of a deleted file can be taken again is the system's to say. */
const disks = [1, 2, 3].map(() => mountSmallDisk(1_000_000) ?? '');
const [forStream = '', forChunk = '', forLaterChunk = ''] = disks;

describe.skipIf(disks.includes(''))('a disk that is full', () => {
  const place: FilePlace = { area: { kind: 'space', spaceId: 'main' }, segments: ['full', 'up'] };
  const beginning = { accept: async () => undefined, withdraw: async () => undefined };
  const big = bytesOf(3_000_000);
  const [half, rest] = [big.subarray(0, 600_000), big.subarray(600_000)];

  test('keeps nothing of a stream', async () => {
    const server = createServer({ files: openFileStore(join(forStream, 'files')) });
    const url = await server.listen();
    const headers = { ...editor, checksum: md5(big) };
    const answer = await fetch(`${url}${base}/file/stream/full/up`, { method: 'POST', headers, body: big });
    expect([answer.status, await answer.text()]).toEqual([507, expect.stringMatching(/no room for full\/up/)]);
    await expectNothingBelow(forStream);
    await server.close();
  });

  test('keeps nothing of a first chunk', async () => {
    const files = openFileStore(join(forChunk, 'files'));
    await expect(files.begin(place, { position: 0, pieces: [half, rest] }, beginning)).rejects.toThrow(NoRoom);
    await expectNothingBelow(forChunk);
  });

  test('keeps of a later chunk nothing that counts', async () => {
    const files = openFileStore(join(forLaterChunk, 'files'));
    await files.begin(place, { position: 0, pieces: [half] }, beginning);
    using file = await files.openToGrow(place);
    await expect(file?.write({ position: 600_000, pieces: [rest] })).rejects.toThrow(NoRoom);
    file?.[Symbol.dispose]();
    expect(await readdir(join(forLaterChunk, 'files/space/main/full'))).toEqual(['up']);
  });
});

/** No file, and none that is deleted and still held open. */
async function expectNothingBelow(folder: string): Promise<void> {
  expect([...(await filesBelow(folder))]).toEqual([]);
  const open = await Promise.all(
    (await readdir('/proc/self/fd')).map(async (fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
  );
  expect(open.filter((path) => path.startsWith(folder))).toEqual([]);
}
