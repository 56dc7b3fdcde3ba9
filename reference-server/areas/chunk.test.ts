import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  bytesOf,
  chunkRequest,
  editor,
  filesBelow,
  md5,
  openWorld,
  type FormOptions,
  type Received,
} from './world.fixture.ts';
import { partLimit, textLimitBytes, totalChunksLimit } from './chunks.ts';
import type { Progress } from './file-areas.ts';
import { uploadComplete, withChunk } from './file-areas.ts';

const base = '/api/space/main/fs';
const mebibyte = 1024 * 1024;
const world = await openWorld();

function send(
  path: string,
  file: Buffer,
  chunkSize: number,
  number: number,
  options: FormOptions = {},
): Promise<Received> {
  const { headers, body } = chunkRequest(path, file, chunkSize, number, options);
  return world.send('POST', `${base}/file`, { headers: { ...editor, ...headers }, body });
}

const download = (path: string): Promise<Received> => world.send('GET', `${base}/file/${path}`, { headers: editor });

async function statuses(
  path: string,
  file: Buffer,
  chunkSize: number,
  numbers: readonly number[],
): Promise<readonly number[]> {
  const found: number[] = [];
  for (const number of numbers) found.push((await send(path, file, chunkSize, number)).status);
  return found;
}

async function expectFile(path: string, file: Buffer): Promise<void> {
  const { status, body } = await download(path);
  expect(status).toBe(200);
  expect(body.equals(file)).toBe(true);
}

function expectProblem(
  { status, headers, body }: Received,
  expected: number,
  about: Record<string, unknown> = {},
): void {
  expect(status, body.toString()).toBe(expected);
  expect(headers['content-type']).toBe('application/problem+json');
  expect(JSON.parse(body.toString())).toMatchObject({ status: expected, detail: expect.stringMatching(/./), ...about });
}

describe('chunks', () => {
  test('of any sizes, in any order, make the file', async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 3000 }),
        fc.integer({ min: 250, max: 4000 }),
        fc.infiniteStream(fc.nat()),
        async (size, chunkSize, order) => {
          run += 1;
          const file = bytesOf(size, run);
          const numbers = Array.from({ length: Math.max(1, Math.ceil(size / chunkSize)) }, (_, index) => index + 1);
          const keys = new Map(numbers.map((number) => [number, order.next().value]));
          const shuffled = numbers.toSorted((one, other) => (keys.get(one) ?? 0) - (keys.get(other) ?? 0));
          expect(await statuses(`any/${run}`, file, chunkSize, shuffled)).toEqual([
            ...shuffled.slice(1).map(() => 200),
            201,
          ]);
          await expectFile(`any/${run}`, file);
        },
      ),
      { numRuns: 25 },
    );
  });

  test('go on after the server ended', async () => {
    const file = bytesOf(2500);
    expect(await statuses('restart/a', file, 1000, [3, 1])).toEqual([200, 200]);
    await world.restart();
    expectProblem(await send('restart/a', file, 1200, 1), 409);
    expect(await statuses('restart/a', file, 1000, [2])).toEqual([201]);
    await world.restart();
    await expectFile('restart/a', file);
    expect((await download('restart/a')).headers['content-type']).toBe('text/csv');
    expectProblem(await send('restart/a', file, 1000, 1), 409);
  });
});

describe('a file in the making', () => {
  const file = bytesOf(2500);

  test('is seen as far as it came, without a tag', async () => {
    await send('making/a', file, 1000, 1);
    const first = await download('making/a');
    expect([first.status, first.headers['content-type'], first.headers['etag']]).toEqual([200, 'text/csv', undefined]);
    expect(first.body.equals(file.subarray(0, 1000))).toBe(true);
    await send('making/a', file, 1000, 2);
    expect((await download('making/a')).body.equals(file.subarray(0, 2000))).toBe(true);
    await send('making/a', file, 1000, 3);
    expect((await download('making/a')).headers['etag']).toMatch(/^"/);
  });

  test('does not mix with another one, nor with a stream', async () => {
    await send('making/c', file, 1000, 1);
    expectProblem(await send('making/c', bytesOf(2600), 1000, 2), 409, {
      detail: expect.stringMatching(/2500 bytes in 3 chunks of 1000/),
    });
    expectProblem(await send('making/c', file, 1250, 2), 409);
    const stream = await world.send('POST', `${base}/file/stream/making/c`, {
      headers: { ...editor, checksum: md5('x') },
      body: 'x',
    });
    expectProblem(stream, 409);
    expect(await statuses('making/c', file, 1000, [2, 3])).toEqual([200, 201]);
    expectProblem(await send('making/c', file, 1000, 1), 409);
    await expectFile('making/c', file);
  });

  test('loses nothing to a chunk that breaks off', async () => {
    await send('making/e', file, 1000, 1);
    const { headers, body } = chunkRequest('making/e', file, 1000, 2);
    const { hostname, port } = new URL(world.url);
    const socket = connect(Number(port), hostname);
    const lines = Object.entries({ host: 'x', ...editor, ...headers, 'content-length': String(body.length) }).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    );
    socket.write(`POST ${base}/file HTTP/1.1\r\n${lines.join('')}\r\n`);
    socket.write(body.subarray(0, body.length / 2));
    await once(socket, 'connect');
    socket.destroy();
    expect(await statuses('making/e', file, 1000, [2, 3])).toEqual([200, 201]);
    await expectFile('making/e', file);
  });
});

describe('what does not fit is refused, and leaves nothing', () => {
  const file = bytesOf(2500);
  const refused = async (
    number: number,
    options: FormOptions,
    status: number,
    about: Record<string, unknown> = {},
  ): Promise<void> => {
    expectProblem(await send('refused/x', file, 1000, number, options), status, about);
    expectProblem(await download('refused/x'), 404);
  };

  test.each([
    ['resumableChunkNumber', 0],
    ['resumableChunkNumber', 4],
    ['resumableChunkNumber', '-1'],
    ['resumableChunkNumber', '1.5'],
    ['resumableChunkNumber', '01'],
    ['resumableChunkNumber', ' 1'],
    ['resumableChunkNumber', ''],
    ['resumableChunkNumber', 'one'],
    ['resumableChunkNumber', '9'.repeat(30)],
    ['resumableTotalChunks', 2],
    ['resumableTotalChunks', 4],
    ['resumableTotalChunks', 0],
    ['resumableTotalChunks', totalChunksLimit + 1],
    ['resumableTotalSize', 'much'],
    ['resumableChunkSize', 0],
    ['resumableChunkSize', 16 * mebibyte + 1],
    ['resumableCurrentChunkSize', 999],
    ['resumableType', 'text/csv\r\nX-More: 1'],
    ['resumableType', 'text'],
  ])('%s of %j', async (name, value) => {
    await refused(1, { parts: { [name]: value } }, 400, { pointer: name });
  });

  test.each([
    'resumableTotalSize',
    'resumableChunkNumber',
    'resumableChunkSize',
    'resumableCurrentChunkSize',
    'resumableTotalChunks',
    'resumableType',
    'resumableFilename',
    'resumableRelativePath',
    'file',
  ])('%s left out, or doubled', async (name) => {
    await refused(1, { parts: { [name]: null } }, 400, {
      pointer: name,
      detail: expect.stringContaining('found none'),
    });
    const more = `--edge\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n1\r\n`;
    await refused(1, { more }, 400, { pointer: name, detail: expect.stringContaining('found 2') });
  });

  test('a part file of another size than told', async () => {
    await refused(1, { bytes: file.subarray(0, 999), parts: { resumableCurrentChunkSize: 1000 } }, 400, {
      pointer: 'file',
    });
    await refused(1, { bytes: file.subarray(0, 1001), parts: { resumableCurrentChunkSize: 1000 } }, 400, {
      pointer: 'file',
    });
  });

  test('text parts that are too long, too many parts', async () => {
    await refused(1, { parts: { resumableFilename: 'x'.repeat(textLimitBytes + 1) } }, 413, {
      pointer: 'resumableFilename',
    });
    const more = (count: number): string =>
      Array.from(
        { length: count },
        (_, index) => `--edge\r\nContent-Disposition: form-data; name="m${index}"\r\n\r\n1\r\n`,
      ).join('');
    await refused(1, { more: more(partLimit - 9 + 1) }, 413);
    expect(
      (
        await send('limits/parts', file, 1000, 1, {
          more: more(partLimit - 9),
          parts: { resumableFilename: 'x'.repeat(textLimitBytes) },
        })
      ).status,
    ).toBe(200);
  });

  test('chunks beyond 16 MiB', async () => {
    const most = Buffer.alloc(16 * mebibyte, 5);
    expect((await send('limits/most', most, most.length, 1)).status).toBe(201);
    await expectFile('limits/most', most);
    const more = Buffer.alloc(16 * mebibyte + 1);
    expectProblem(await send('limits/more', more, more.length, 1), 413, { pointer: 'file' });
    expectProblem(await send('limits/more', Buffer.alloc(17 * mebibyte), 17 * mebibyte, 1), 413);
  });

  test.each([
    ['text/plain', 'x', 415],
    ['application/json', '{}', 415],
    ['multipart/form-data', 'x', 400],
    ['multipart/form-data; boundary=edge', '', 400],
    ['multipart/form-data; boundary=edge', '--edge--\r\n', 400],
    ['multipart/form-data; boundary=edge', '--edge\r\nContent-Disposition: form-data; name="file"\r\n\r\nabc', 400],
    ['multipart/form-data; boundary=edge', 'garbage', 400],
  ])('a body of type %s: %j', async (type, body, status) => {
    const headers = { ...editor, 'content-type': type, checksum: md5('x') };
    expectProblem(await world.send('POST', `${base}/file`, { headers, body }), status);
  });

  test('nothing of it is left on the disk', async () => {
    const names = [...(await filesBelow(join(world.root))).keys()];
    expect(names.filter((name) => name.includes('refused') || name.includes('incoming'))).toEqual([]);
  });
});

test('ranges of numbers tell what came, in whatever order', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 12 })), (numbers) => {
      const begun: Progress = { totalSize: 12, chunkSize: 1, totalChunks: 12, type: 'a/b', received: [] };
      const progress = numbers.reduce(withChunk, begun);
      const told = progress.received.flatMap(([first, last]) =>
        Array.from({ length: last - first + 1 }, (_, index) => first + index),
      );
      expect(told).toEqual([...new Set(numbers)].sort((one, other) => one - other));
      expect(
        progress.received.every(
          ([first], index) => index === 0 || first > (progress.received[index - 1]?.[1] ?? 0) + 1,
        ),
      ).toBe(true);
      expect(uploadComplete(progress)).toBe(new Set(numbers).size === 12);
    }),
  );
});
