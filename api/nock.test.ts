import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { request as plainRequest } from 'node:https';
import axios from 'axios';
import { got } from 'got';
import nock from 'nock';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { request as undiciRequest } from 'undici';
import { headerNames } from '../contract/names.ts';
import { nockService } from './nock.ts';

const origin = 'https://svc.example';
const documents = '/api/space/main/softtype/Document/documentInput';
const instances = '/api/space/main/instances/Document';

interface Sent {
  readonly method: 'GET' | 'POST' | 'HEAD' | 'DELETE';
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
}

interface Answered {
  readonly status: number;
  readonly type: string | null | undefined;
  readonly text: string;
}

type Client = (sent: Sent) => Promise<Answered>;

const clients: Readonly<Record<string, Client>> = {
  'node:https': ({ method, path, headers, body }) =>
    new Promise((resolve, reject) => {
      const sent = plainRequest(origin + path, { method, headers }, (answer) => {
        const pieces: Buffer[] = [];
        answer.on('data', (piece: Buffer) => pieces.push(piece));
        answer.on('error', reject);
        answer.on('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            type: answer.headers['content-type'],
            text: String(Buffer.concat(pieces)),
          }),
        );
      });
      sent.on('error', reject);
      sent.end(body);
    }),
  fetch: async ({ path, ...init }) => {
    const answer = await fetch(origin + path, init);
    return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() };
  },
  undici: async ({ path, ...options }) => {
    const { statusCode, headers, body } = await undiciRequest(origin + path, options);
    return { status: statusCode, type: String(headers['content-type']), text: await body.text() };
  },
  axios: async ({ method, path, headers, body }) => {
    const {
      status,
      headers: answered,
      data,
    } = await axios.request<string>({
      url: origin + path,
      method,
      headers,
      data: body,
      responseType: 'text',
      transformResponse: (text: string) => text,
      validateStatus: () => true,
    });
    return { status, type: String(answered['content-type']), text: data };
  },
  got: async ({ path, ...options }) => {
    const { statusCode, headers, body } = await got(origin + path, {
      ...options,
      throwHttpErrors: false,
      retry: { limit: 0 },
    });
    return { status: statusCode, type: headers['content-type'], text: body };
  },
};

const headersWith = (token: string): Record<string, string> => ({
  Authorization: `Bearer ${token}`,
  'Content-Type': 'application/json',
  'Svc-InformationFilter': btoa('{}'),
});

// as long as nock is there, plain sockets of this process wait for it
afterAll(() => nock.restore());
afterEach(() => {
  nock.cleanAll();
  nock.enableNetConnect();
});

describe.each(Object.entries(clients))('for %s', (_name, send) => {
  test('the service is there with its state, until it is closed', async () => {
    await using service = await nockService(origin);
    const headers = headersWith(await service.tokens('editor'));
    const created = await send({ method: 'POST', path: documents, headers, body: '{"title":"Plan é"}' });
    expect(created.status, created.text).toBe(201);
    const { status, type, text } = await send({ method: 'GET', path: instances, headers });
    expect([status, type, text]).toEqual([200, 'application/json', expect.stringContaining('Plan é')]);
    expect(await send({ method: 'HEAD', path: instances, headers })).toMatchObject({ status: 200, text: '' });
    expect(await send({ method: 'GET', path: instances, headers: {} })).toMatchObject({ status: 401 });
    await service.reset();
    expect((await send({ method: 'GET', path: instances, headers })).text).not.toContain('Plan');
  });

  test('what nock is told later goes first: an error, an answer of once, a delay', async () => {
    await using service = await nockService(origin);
    const sent = { method: 'GET', path: instances, headers: headersWith(await service.tokens('editor')) } as const;
    expect((await send(sent)).status).toBe(200);
    nock(origin)
      .get(instances)
      .replyWithError(Object.assign(new Error('cut'), { code: 'ECONNRESET' }));
    nock(origin).get(instances).reply(503, 'busy', { 'Retry-After': '1' });
    nock(origin).get(instances).delay(20).reply(200, 'late');
    await expect(send(sent)).rejects.toThrow();
    expect(await send(sent)).toMatchObject({ status: 503, text: 'busy' });
    expect(await send(sent)).toMatchObject({ status: 200, text: 'late' });
    expect(await send(sent)).toMatchObject({ status: 200, text: expect.stringContaining('[') });
    expect(nock.isDone()).toBe(true);
  });
});

test('faults and dialect come along, and no request leaves the process', async () => {
  nock.disableNetConnect();
  await using service = await nockService(origin, { faults: ['headers.uoi-version.on-create'], dialect: 'strange' });
  const headers = headersWith(await service.tokens('editor'));
  const answer = await fetch(origin + documents, { method: 'POST', headers, body: '{"title":"Plan"}' });
  expect([answer.status, answer.headers.has(headerNames.version)]).toEqual([201, false]);
  nock.cleanAll();
  await expect(fetch(origin + instances, { headers })).rejects.toThrow();
  await service.reset();
  expect((await fetch(origin + instances, { headers })).status).toBe(200);
});

test('bytes that are no text go up and come back', async () => {
  await using service = await nockService(origin);
  const content = Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * 31) % 256));
  const headers = { ...headersWith(await service.tokens('editor')), 'Content-Type': 'application/octet-stream' };
  const checksum = createHash('md5').update(content).digest('hex');
  const up = await fetch(`${origin}/api/space/main/fs/file/stream/bytes.bin`, {
    method: 'POST',
    headers: { ...headers, checksum },
    body: content,
  });
  expect(up.status, await up.text()).toBeLessThan(300);
  const { rawBody } = await got(`${origin}/api/space/main/fs/file/bytes.bin`, { headers });
  expect(content.equals(rawBody)).toBe(true);
});

test('two services stand behind two origins, and one that is closed behind none', async () => {
  await using one = await nockService(origin);
  const other = await nockService('http://other.example:8080');
  const status = async (url: string): Promise<number> => (await fetch(`${url}/nowhere`)).status;
  expect([await status(one.url), await status(other.url)]).toEqual([404, 404]);
  const [answer] = (await once(get(`${other.url}/nowhere`), 'response')) as [IncomingMessage];
  answer.resume();
  expect(answer.statusCode).toBe(404);
  await other.close();
  // nock's own answer for an origin that it knows
  expect(await status(other.url)).toBe(501);
  expect(await status(one.url)).toBe(404);
});
