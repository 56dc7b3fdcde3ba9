import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createServer, type Server } from '../server.ts';
import { rawExchange } from './http-sample.fixture.ts';

let server: Server;
let url: string;
let editor: Record<string, string>;

beforeAll(async () => {
  server = createServer({ control: true });
  url = await server.listen();
  editor = { authorization: 'Bearer svcpat-edda-7d1c0b9e5a', 'svc-informationfilter': btoa('{}') };
});

afterAll(() => server.close());

const createPath = '/api/space/main/softtype/Document/documentInput';
const send = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(url + path, { ...init, headers: { ...editor, ...init.headers } });
const create = (body: string | Buffer, headers: Record<string, string> = {}): Promise<Response> =>
  send(createPath, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });
const made = async (): Promise<string> => (await create('{"title":"made"}')).headers.get('location') ?? '';

async function expectProblem(response: Response, status: number, detail = /./): Promise<void> {
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  expect(response.status).toBe(status);
  const problem: unknown = await response.json();
  expect(problem).toMatchObject({
    type: 'about:blank',
    status,
    title: expect.any(String),
    detail: expect.stringMatching(detail),
  });
  expect(JSON.stringify(problem)).not.toMatch(/node_modules|\.ts\b/);
}

describe('bad input is a problem document', () => {
  test.each([
    ['empty', ''],
    ['no JSON', '{"title":}'],
    ['one level too deep', `{"title":${'['.repeat(64)}${']'.repeat(64)}}`],
    ['a million levels deep', '['.repeat(1_000_000)],
    ['not UTF-8', Buffer.from([0x22, 0xff, 0x22])],
  ])('body: %s', async (_name, body) => {
    await expectProblem(await create(body), 400);
  });

  test('a broken body names its line and column', async () => {
    await expectProblem(await create('{"title": "a",\n "note" 1}'), 400, /line 2, column 9/);
  });

  test.each([
    'null',
    '1',
    '"text"',
    '[]',
    '{"__proto__":{"x":1}}',
    '{"constructor":1}',
    '{"title":"a","toString":1}',
    '{"title":"a","hasOwnProperty":1}',
  ])('body that is JSON but no document: %s', async (body) => expectProblem(await create(body), 422));

  test('a body of the largest size is read, one byte more is not', async () => {
    const sized = (bytes: number): string => `"${'x'.repeat(bytes - 2)}"`;
    await expectProblem(await create(sized(16 * 1024 * 1024)), 422);
    await expectProblem(await create(sized(16 * 1024 * 1024 + 1)), 413);
  });

  test.each(['/api/space/main/softtype/%zz', '/api/space/%e9/softtype/x', '/%'])('path: %s', async (path) => {
    for (const method of ['GET', 'POST', 'OPTIONS', 'QUERY']) await expectProblem(await send(path, { method }), 400);
  });

  test('a body whose announced size is too large is refused before it came', async () => {
    const head = `POST ${createPath} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 16777217\r\n\r\n`;
    expect(await rawExchange(url, head)).toMatch(/^HTTP\/1\.1 413 [^]*Connection: close/);
  });

  test.each([
    '/',
    '/api',
    '/nope',
    '/api/space/main',
    '/api/space/main/softtype/a/b/c/d',
    '/space/main/softtype/x',
    '/_control/nope',
    '/api/space/main/Softtype/x',
    `/api/${'x'.repeat(3000)}`,
  ])('unknown route: %s', async (path) => expectProblem(await send(path), 404));

  test.each([undefined, 'text/plain', 'application/merge-patch+json', 'nonsense', '/', 'application/json-patch+json'])(
    'media type: %s',
    async (type) => {
      const body = Buffer.from('{"title":"a"}');
      const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
      await expectProblem(await send(createPath, { method: 'POST', body, headers }), 415);
    },
  );

  test.each(['APPLICATION/JSON', 'application/json; charset=utf-8', 'application/json ;x="y"'])(
    'media type with case or parameters is taken: %s',
    async (type) => {
      expect((await create('{"title":"a"}', { 'content-type': type })).status).toBe(201);
    },
  );

  test('a request that is not HTTP', async () => {
    expect(await rawExchange(url, 'NONSENSE\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 400 Bad Request\r\nContent-Type: application\/problem\+json/,
    );
    expect(await rawExchange(url, `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 431 /,
    );
  });

  test('headers that come twice, and an address in the place of a path', async () => {
    const get = (path: string, lines: string): Promise<string> =>
      rawExchange(url, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${lines}\r\n`);
    const authorization = `Authorization: ${editor['authorization']}\r\n`;
    const filter = `Svc-InformationFilter: ${editor['svc-informationfilter']}\r\n`;
    const path = await made();
    expect(await get(path, authorization + filter)).toMatch(/^HTTP\/1\.1 200 /);
    expect(await get(url + path, authorization + filter)).toMatch(/^HTTP\/1\.1 200 /);
    expect(await get(path, authorization + authorization + filter)).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(await get(path, authorization + filter + filter)).toMatch(/^HTTP\/1\.1 400 /);
  });
});

describe('access comes before syntax', () => {
  test.each(['text/plain', 'nonsense', undefined])(
    'without a token a broken body of type %s answers 401',
    async (type) => {
      const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
      await expectProblem(await fetch(url + createPath, { method: 'POST', body: Buffer.from('{'), headers }), 401);
    },
  );
});

describe('methods', () => {
  test.each([
    ['DELETE', createPath, 'POST'],
    ['POST', '/api/collection/template', 'GET, HEAD'],
    ['OPTIONS', '/api/collection/template', 'GET, HEAD'],
    ['PUT', '/auth/token', 'POST'],
    ['QUERY', '/api/collection/template', 'GET, HEAD'],
  ])('%s on %s answers 405', async (method, path, allow) => {
    const response = await send(path, { method });
    expect(response.headers.get('allow')?.split(', ')).toEqual(expect.arrayContaining(allow.split(', ')));
    await expectProblem(response, 405);
  });

  test('HEAD is GET without content', async () => {
    const path = await made();
    const [get, head] = [await send(path), await send(path, { method: 'HEAD' })];
    expect(head.status).toBe(200);
    expect(head.headers.get('content-length')).toBe(`${(await get.arrayBuffer()).byteLength}`);
    expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'));
    expect(await head.text()).toBe('');
    expect((await send('/nope', { method: 'HEAD' })).status).toBe(404);
  });
});

describe('paths', () => {
  test('softtype and SoftType are one segment, elsewhere case counts', async () => {
    const path = await made();
    expect((await send(path.replace('softtype', 'SoftType'))).status).toBe(200);
    expect((await send(path.replace('softtype', 'SOFTTYPE'))).status).toBe(404);
    expect((await send('/space/main/SoftType/dynamic/softtype.openApi')).status).toBe(200);
    expect((await send('/api/space/main/softtype/dynamic/softtype.openApi')).status).toBe(200);
  });
});

describe('the correlation id', () => {
  test.each(['abc', 'x'.repeat(200), '!"#$%&\'()*+,-./:;<=>?@[]^_`{|}~', '0'])(
    'comes back as given: %s',
    async (id) => {
      expect((await send(await made(), { headers: { 'x-correlation-id': id } })).headers.get('x-correlation-id')).toBe(
        id,
      );
      expect((await send('/nope', { headers: { 'x-correlation-id': id } })).headers.get('x-correlation-id')).toBe(id);
    },
  );

  test('is not made up for the answer', async () => {
    expect((await send('/nope')).headers.has('x-correlation-id')).toBe(false);
  });

  test('is in every log line of its request, which names no secret', async () => {
    const id = crypto.randomUUID();
    const path = await made();
    await send(`${path}?access_token=hush&softTypeFilterId=none`, { headers: { 'x-correlation-id': id } });
    const log = await fetch(`${url}/_control/log?correlationId=${id}`, {
      headers: { authorization: `Bearer ${server.controlToken}` },
    });
    const entries = (await log.text())
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(entries.map((entry) => entry.message)).toEqual(['request', 'refused', 'answered']);
    expect(entries.every((entry) => entry.correlationId === id)).toBe(true);
    const all = await (
      await fetch(`${url}/_control/log`, { headers: { authorization: `Bearer ${server.controlToken}` } })
    ).text();
    expect(all).toContain('access_token=…');
    expect(/hush|svcpat|_control\/log/.exec(all)).toBeNull();
  });
});
