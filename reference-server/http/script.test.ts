import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { ServiceAnswer, ServiceStep } from '../../contract/control/script.ts';
import { createServer } from '../server.ts';

const server = createServer({ control: true });
await server.listen();
afterAll(() => server.close());
beforeEach(() => server.reset());

const documents = '/api/space/main/softtype/Document/documentInput';
const token = (await server.issueToken({ identity: 'editor' })).accessToken;

function ask(path = '/api/space/main/instances/Document', init: RequestInit = {}): Promise<Response> {
  const headers = { Authorization: `Bearer ${token}`, 'Svc-InformationFilter': btoa('{}'), ...init.headers };
  return fetch(server.url + path, { ...init, headers });
}

const create = (): Promise<Response> =>
  ask(documents, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"title":"Plan"}' });

async function count(): Promise<number> {
  const { data } = (await (await ask()).json()) as { readonly data: readonly object[] };
  return data.length;
}

const play = (answer: ServiceAnswer): void => server.changeScript('set', [answer]);
const playOnce = (step: ServiceStep): void => play({ steps: [step] });

async function statuses(times: number, path?: string, init?: RequestInit): Promise<readonly number[]> {
  const all: number[] = [];
  for (let time = 0; time < times; time += 1) all.push((await ask(path, init)).status);
  return all;
}

describe('a step with a status', () => {
  test('is answered in the place of the service, once', async () => {
    playOnce({ status: 429, headers: { 'Retry-After': '7' }, json: { title: 'slower' } });
    const answer = await ask();
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '7']);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(await answer.json()).toEqual({ title: 'slower' });
    expect((await ask()).status).toBe(200);
  });

  test('keeps the service from doing anything', async () => {
    playOnce({ status: 503, text: '<h1>Maintenance</h1>', headers: { 'Content-Type': 'text/html' } });
    const answer = await create();
    expect([answer.status, await answer.text()]).toEqual([503, '<h1>Maintenance</h1>']);
    expect(await count()).toBe(0);
  });

  test('may break in its body', async () => {
    playOnce({ status: 200, text: 'as long as this', cut: 'in-body' });
    const answer = await ask();
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toThrow();
  });
});

describe('a step without a status', () => {
  test('lets the work be done and the answer be late', async () => {
    play({ when: { method: 'POST' }, steps: [{ delayMs: 600_000 }] });
    const patience = new AbortController();
    const late = ask(documents, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"title":"Plan"}',
      signal: patience.signal,
    });
    const given = expect(late).rejects.toThrow(/abort/);
    await expect.poll(count).toBe(1);
    patience.abort();
    await given;
  });

  test('may lose the answer when the work is done', async () => {
    playOnce({ cut: 'before-answer' });
    await expect(create()).rejects.toThrow();
    expect(await count()).toBe(1);
  });

  test('may lose the request before', async () => {
    playOnce({ cut: 'before-request-body' });
    await expect(create()).rejects.toThrow();
    expect(await count()).toBe(0);
  });

  test('may break in the body of the service, be it a file', async () => {
    const path = '/api/space/main/fs/file/big.bin';
    const bytes = Buffer.alloc(300_000, 7);
    const checksum = createHash('md5').update(bytes).digest('hex');
    const sent = await ask('/api/space/main/fs/file/stream/big.bin', {
      method: 'POST',
      headers: { checksum, 'Content-Type': 'application/octet-stream' },
      body: bytes,
    });
    expect(sent.ok).toBe(true);
    playOnce({ cut: 'in-body' });
    const [got, length] = await new Promise<readonly [number, string | undefined]>((resolve, reject) => {
      request(server.url + path, { headers: { authorization: `Bearer ${token}` } }, (answer) => {
        let bytes = 0;
        answer.on('data', (piece: Buffer) => (bytes += piece.length));
        answer.on('error', () => resolve([bytes, answer.headers['content-length']]));
        answer.on('end', () => reject(new Error('it came whole')));
      }).end();
    });
    expect([got, length]).toEqual([150_000, '300000']);
    expect((await (await ask(path)).arrayBuffer()).byteLength).toBe(300_000);
    playOnce({ cut: 'in-body' });
    await expect((await ask()).json()).rejects.toThrow();
  });
});

test('what is held back ends with a reset', async () => {
  for (const step of [{ never: true }, { delayMs: 600_000 }] as const) {
    playOnce(step);
    const held = expect(ask()).rejects.toThrow();
    await expect.poll(() => server.journal.requests()).toHaveLength(1);
    await server.reset();
    await held;
    expect(server.script()).toEqual([]);
  }
});

test('an answer is for what fits it, and counts as it says', async () => {
  play({ when: { path: '/api/*/instances/*', method: 'get' }, steps: [{ status: 503 }], afterwards: 'again' });
  expect(await statuses(2)).toEqual([503, 503]);
  expect((await create()).status).toBe(201);
  play({ when: { path: '*/instances/Doc*' }, steps: [{ status: 502 }, { status: 504 }], afterwards: 'last' });
  expect(await statuses(3)).toEqual([502, 504, 504]);
  play({ steps: [{ status: 502 }], per: 'path' });
  expect(await statuses(2)).toEqual([502, 200]);
  expect(await statuses(2, '/api/space/main/instances/Nowhere?x=1')).toEqual([502, 404]);
  play({ when: { correlationId: 'mine' }, steps: [{ status: 500 }], afterwards: 'last' });
  expect(await statuses(1)).toEqual([200]);
  expect(await statuses(1, undefined, { headers: { 'X-Correlation-Id': 'mine' } })).toEqual([500]);
});

test('the control routes show it, change it, and are left alone by it', async () => {
  const control = async (method: string, body?: object): Promise<unknown> => {
    const answer = await fetch(`${server.url}/_control/script`, {
      method,
      headers: { authorization: `Bearer ${server.controlToken}` },
      ...(body && { body: JSON.stringify(body) }),
    });
    return answer.json();
  };
  const [first, second] = [{ steps: [{ status: 503 }] }, { steps: [{ status: 504 }], afterwards: 'last' }];
  expect(await control('PUT', { answers: [first] })).toEqual({ answers: [first] });
  expect(await control('POST', { answers: [second] })).toEqual({ answers: [first, second] });
  expect(await statuses(3)).toEqual([503, 200, 200]);
  expect(await control('GET')).toEqual({ answers: [first, second] });
  expect(await control('DELETE')).toEqual({ answers: [] });
  expect(await statuses(1)).toEqual([200]);
  expect(await control('PUT', { answers: [{ steps: [{ json: {} }] }] })).toMatchObject({
    status: 400,
    detail: 'Expected a status beside json, as without one the service itself answers.',
    pointer: '/answers/0/steps/0',
  });
  expect(await control('PUT', { answers: [{ steps: [{ statu: 503 }] }] })).toMatchObject({ status: 400 });
});

test('the control routes tell what was sent', async () => {
  const control = (method: string, query = ''): Promise<Response> =>
    fetch(`${server.url}/_control/journal${query}`, {
      method,
      headers: { authorization: `Bearer ${server.controlToken}` },
    });
  await create();
  await ask(undefined, { headers: { 'X-Correlation-Id': 'mine' } });
  const told = async (query = ''): Promise<readonly (string | number)[]> => {
    const { requests } = (await (await control('GET', query)).json()) as {
      readonly requests: readonly { readonly method: string; readonly status: number }[];
    };
    return requests.map(({ method, status }) => `${method} ${status}`);
  };
  expect(await told()).toEqual(['POST 201', 'GET 200']);
  expect(await told('?correlationId=mine')).toEqual(['GET 200']);
  expect(await told('?path=*/softtype/*')).toEqual(['POST 201']);
  expect((await control('DELETE')).status).toBe(204);
  expect(await told()).toEqual([]);
});
