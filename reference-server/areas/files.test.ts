import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, test } from 'vitest';
import { createServer } from '../server.ts';
import { depthLimit, nameLimitBytes, pathLimitBytes } from './file-areas.ts';
import { bytesOf, editor, filesBelow, md5, openWorld, putFile, type Received } from './world.fixture.ts';

const base = '/api/space/main/fs';
const streamLimitBytes = 64 * 1024 * 1024;
const world = await openWorld();

type Headers = Readonly<Record<string, string>>;

const upload = (path: string, body: Uint8Array | string, headers: Headers = {}): Promise<Received> =>
  world.send('POST', `${base}/file/stream/${path}`, { headers: { ...editor, checksum: md5(body), ...headers }, body });
const download = (path: string, headers: Headers = {}): Promise<Received> =>
  world.send('GET', `${base}/file/${path}`, { headers: { ...editor, ...headers } });
const remove = (path: string): Promise<Received> => world.send('DELETE', `${base}/file/${path}`, { headers: editor });
const list = async (path: string): Promise<unknown> =>
  JSON.parse((await world.send('GET', `${base}/dir/${path}`, { headers: editor })).body.toString());

/** A connection that has sent the head of a request. @param headers each ended */
function sending(method: string, path: string, headers = '', { url } = world): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(
    `${method} ${base}/file/${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${editor.authorization}\r\n${headers}\r\n`,
  );
  return socket;
}

function expectProblem({ status, headers, body }: Received, expected: number, detail = /./): void {
  expect(status, body.toString()).toBe(expected);
  expect(headers['content-type']).toBe('application/problem+json');
  expect(JSON.parse(body.toString())).toMatchObject({ status: expected, detail: expect.stringMatching(detail) });
}

test.each([
  ['PUT', `${base}/file/stream/a`, 'GET, HEAD, POST, DELETE'],
  ['POST', `${base}/file/a/b`, 'GET, HEAD, DELETE'],
  ['GET', `${base}/file`, 'POST'],
  ['DELETE', `${base}/dir/a`, 'GET, HEAD'],
])('an area knows its methods: %s %s', async (method, path, allow) => {
  const answer = await world.send(method, path, { headers: editor });
  expectProblem(answer, 405);
  expect(answer.headers['allow']).toBe(allow);
});

describe('who may use what', () => {
  test('a role on a participant opens its area only', async () => {
    expectProblem(await world.send('GET', '/api/space/main/participant/supplier/fs/file/x', { headers: editor }), 403);
    expectProblem(await world.send('GET', '/api/space/main/participant/nobody/fs/file/x', { headers: editor }), 403);
    expectProblem(await world.send('GET', '/api/space/nowhere/fs/file/x', { headers: editor }), 404);
  });

  test('a token in the query opens neither uploads nor deletions', async () => {
    const query = '?token=svcpat-edda-7d1c0b9e5a';
    const headers = { checksum: md5('') };
    expectProblem(await world.send('POST', `${base}/file/stream/keys/a${query}`, { headers }), 401);
    expectProblem(await world.send('DELETE', `${base}/file/keys/a${query}`), 401);
  });
});

describe('a stream upload', () => {
  test.each([md5('x').toUpperCase(), md5('y')])(
    'with the checksum %s is refused and leaves nothing',
    async (checksum) => {
      expectProblem(await upload('checksum/a', 'x', { checksum }), 400, /checksum|MD5/);
      expect(await readdir(join(world.root, '.incoming')).catch(() => [])).toEqual([]);
    },
  );

  test('begins to take the largest file, and nothing that is announced as larger', async () => {
    const announced = (name: string, bytes: number): Socket =>
      sending('POST', `stream/${name}`, `checksum: ${md5('')}\r\nContent-Length: ${bytes}\r\n`);
    const begun = announced('largest', streamLimitBytes);
    begun.write('x');
    await expect.poll(() => readdir(join(world.root, '.incoming')).catch(() => [])).toHaveLength(1);
    begun.destroy();
    await expect.poll(() => readdir(join(world.root, '.incoming'))).toHaveLength(0);
    expect(await text(announced('larger', streamLimitBytes + 1))).toMatch(/^HTTP\/1\.1 413 [^]*Connection: close/);
    expectProblem(await download('larger'), 404);
  });

  test('takes what the server is started with as the largest file', async () => {
    const own = await openWorld({ maxStreamBytes: 1000 });
    const sent = (size: number): Promise<Received> =>
      own.send('POST', `${base}/file/stream/own`, {
        headers: { ...editor, checksum: md5(bytesOf(size)) },
        body: bytesOf(size),
      });
    expectProblem(await sent(1001), 413, /at most 1000 bytes/);
    expect((await sent(1000)).status).toBe(201);
    for (const maxStreamBytes of [0, 1.5, Number.NaN])
      expect(() => createServer({ maxStreamBytes })).toThrow(RangeError);
  });

  test('of unknown length is refused at the limit too', async () => {
    const own = await openWorld({ maxStreamBytes: 2 ** 20 });
    const socket = sending('POST', 'stream/endless', `checksum: ${md5('')}\r\nTransfer-Encoding: chunked\r\n`, own);
    socket.on('error', () => undefined);
    const piece = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(2 ** 16), Buffer.from('\r\n')]);
    for (let index = 0; index < 17; index += 1) socket.write(piece);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 413 [^]*Connection: close/);
    expectProblem(await own.send('GET', `${base}/file/endless`, { headers: editor }), 404);
  });

  test('is answered before a huge body has come, when it is refused', async () => {
    const socket = sending('POST', 'stream/refused', 'checksum: none\r\nContent-Length: 60000000\r\n');
    socket.write('abc');
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 [^]*Connection: close[^]*checksum/);
  });

  test('that breaks off leaves nothing', async () => {
    const socket = sending('POST', 'stream/broken', `checksum: ${md5('x')}\r\nContent-Length: 60000\r\n`);
    socket.write('x'.repeat(30_000));
    await expect.poll(() => readdir(join(world.root, '.incoming')).catch(() => [])).toHaveLength(1);
    expectProblem(await download('broken'), 404);
    socket.destroy();
    await expect.poll(() => readdir(join(world.root, '.incoming'))).toHaveLength(0);
    expectProblem(await download('broken'), 404);
    expect((await upload('broken', 'whole')).status).toBe(201);
  });
});

describe('a download', () => {
  const bytes = bytesOf(1000);

  beforeAll(() => upload('ranges', bytes).then(() => upload('empty', '')));

  test.each([
    ['bytes=0-9', 0, 10],
    ['bytes=990-', 990, 1000],
    ['bytes=-10', 990, 1000],
    ['bytes=-5000', 0, 1000],
    ['bytes=999-5000', 999, 1000],
  ])('gives the range %s', async (range, from, to) => {
    const part = await download('ranges', { range });
    expect([part.status, part.headers['content-range'], part.headers['content-length']]).toEqual([
      206,
      `bytes ${from}-${to - 1}/1000`,
      String(to - from),
    ]);
    expect(part.body.equals(bytes.subarray(from, to))).toBe(true);
  });

  test.each([
    ['ranges', 'bytes=1000-', 1000],
    ['ranges', 'bytes=5000-6000', 1000],
    ['ranges', 'bytes=-0', 1000],
    ['empty', 'bytes=0-0', 0],
  ])('of %s refuses the range %s', async (path, range, size) => {
    const answer = await download(path, { range });
    expectProblem(answer, 416);
    expect(answer.headers['content-range']).toBe(`bytes */${size}`);
  });

  test.each(['bytes=0-1,5-6', 'bytes=9-1', 'lines=1-2', 'bytes=', 'bytes=a-b', 'bytes=-'])(
    'gives all of it for the range %s',
    async (range) => {
      const whole = await download('ranges', { range });
      expect([whole.status, whole.body.length]).toEqual([200, 1000]);
    },
  );

  test('of HEAD is told whole, whatever the range', async () => {
    for (const range of ['bytes=0-9', 'bytes=5000-']) {
      const head = await world.send('HEAD', `${base}/file/ranges`, { headers: { ...editor, range } });
      expect([head.status, head.headers['content-length'], head.headers['content-range'], head.body.length]).toEqual([
        200,
        '1000',
        undefined,
        0,
      ]);
    }
  });

  test('follows its tag', async () => {
    const { etag = '' } = (await download('ranges')).headers;
    expect(etag).toMatch(/^"[^"]+"$/);
    const held = await download('ranges', { 'if-none-match': `"a", ${etag}`, range: 'bytes=0-1' });
    expect([held.status, held.body.length, held.headers['etag']]).toEqual([304, 0, etag]);
    expect((await download('ranges', { range: 'bytes=0-1', 'if-range': etag })).status).toBe(206);
    expect((await download('ranges', { range: 'bytes=0-1', 'if-range': '"a"' })).status).toBe(200);
    expect((await download('ranges', { range: 'bytes=0-1', 'if-range': `W/${etag}` })).status).toBe(200);
  });

  test('of many pieces is what was uploaded, from any byte on, to several at once', async () => {
    const many = bytesOf(4_000_003);
    await upload('pieces', many);
    const froms = [0, 1, 524_287, 524_288, 1_048_577, 4_000_002];
    const parts = await Promise.all(froms.map((from) => download('pieces', { range: `bytes=${from}-` })));
    for (const [index, from] of froms.entries())
      expect(parts[index]?.body.equals(many.subarray(from)), String(from)).toBe(true);
  });

  test('that the client breaks off ends', async () => {
    await upload('long', Buffer.alloc(8 * 1024 * 1024));
    const socket = sending('GET', 'long');
    await new Promise((resolve) => socket.once('data', resolve));
    socket.destroy();
    expect((await download('long')).body.length).toBe(8 * 1024 * 1024);
  });
});

describe('names', () => {
  const expected = (path: string, fits: boolean): Promise<void> =>
    upload(path, 'x').then((answer) =>
      fits ? expect(answer.status).toBe(201) : expectProblem(answer, 400, /at most/),
    );

  test('have at most 255 bytes, paths 1024 and 32 names', async () => {
    await expected(encodeURIComponent(`${'é'.repeat(127)}x`), true);
    expect(nameLimitBytes).toBe(255);
    await expected(encodeURIComponent('é'.repeat(128)), false);
    const long = (last: number): string =>
      [...Array.from({ length: 5 }, () => 'p'.repeat(200)), 'p'.repeat(last)].join('/');
    expect(Buffer.byteLength(long(19))).toBe(pathLimitBytes);
    await expected(long(19), true);
    await expected(long(20), false);
    await expected(Array.from({ length: depthLimit }, () => 'd').join('/'), true);
    await expected(Array.from({ length: depthLimit + 1 }, () => 'd').join('/'), false);
  });
});

describe('directories', () => {
  test('are listed, outlive their files, and are no files', async () => {
    await upload('dirs/b/f', 'four');
    await upload('dirs/a', 'x');
    expect(await list('dirs/')).toMatchObject({
      data: [
        { name: 'a', type: 'file', size: 1, modified: expect.stringMatching(/Z$/) },
        { name: 'b', type: 'directory', modified: expect.stringMatching(/Z$/) },
      ],
    });
    expectProblem(await download('dirs/b'), 404);
    expectProblem(await remove('dirs/b'), 409);
    expectProblem(await upload('dirs/b', 'x'), 409);
    expectProblem(await upload('dirs/a/below', 'x'), 409);
    expect((await remove('dirs/b/f')).status).toBe(204);
    expect(await list('dirs/b')).toMatchObject({ data: [] });
    expect(await list('dirs/a')).toMatchObject({ status: 404 });
    expect(await list('nowhere')).toMatchObject({ status: 404 });
  });
});

describe('links', () => {
  const secret = 'nobody may see this';

  test('are not followed, whatever they stand for', async () => {
    await putFile(join(world.outside, 'secret/file'), secret);
    await mkdir(join(world.root, 'space/main'), { recursive: true });
    const link = (target: string, name: string): Promise<void> =>
      symlink(join(world.outside, target), join(world.root, 'space/main', name));
    await link('secret', 'to-directory');
    await link('secret/file', 'to-file');
    await link('secret/new', 'to-nothing');
    for (const path of ['to-directory/file', 'to-file', 'to-nothing', 'to-directory']) {
      expectProblem(await download(path), 404);
      expectProblem(await upload(path, 'over it'), 409);
      expectProblem(await remove(path), 404);
    }
    expectProblem(await upload('to-directory/new', 'x'), 409);
    expect(await list('to-directory')).toMatchObject({ status: 404 });
    expect(JSON.stringify(await list(''))).not.toContain('to-');
    expect([...(await filesBelow(join(world.outside, 'secret')))]).toEqual([['file', secret]]);
  });

  test('that take the place of an area lead nowhere', async () => {
    await putFile(join(world.outside, 'elsewhere/file'), secret);
    await mkdir(join(world.root, 'participant/main'), { recursive: true });
    await symlink(join(world.outside, 'elsewhere'), join(world.root, 'participant/main/supplier'));
    const emil = { authorization: 'Bearer svcpat-emil-2f8a6c4d1b' };
    const area = '/api/space/main/participant/supplier/fs';
    expectProblem(await world.send('GET', `${area}/file/file`, { headers: emil }), 404);
    expectProblem(
      await world.send('POST', `${area}/file/stream/new`, { headers: { ...emil, checksum: md5('') } }),
      409,
    );
    await writeFile(join(world.outside, 'elsewhere/file'), secret);
    expect((await readdir(join(world.outside, 'elsewhere'))).sort()).toEqual(['file']);
  });
});
