import fc from 'fast-check';
import { expect, test } from 'vitest';
import { calleePath } from '../../contract/names.ts';
import { startCallee } from './callee.ts';
import { signatureOf } from './signature.ts';

const record = { id: 'r', extensionType: 'ExternalEvent', endpoint: 'events/r' };
const stage = {
  sites: [
    { base: '/x/host', records: [record], answers: [{ when: { kind: 'event' }, steps: [{ status: 503 }] }] },
    { base: '/x/hook' },
  ],
};

function put(url: string, body: unknown): Promise<Response> {
  return fetch(url + calleePath, { method: 'PUT', body: JSON.stringify(body) });
}

async function handed(url: string, path: string): Promise<readonly [number, string]> {
  const answer = await fetch(`${url}${calleePath}${path}`);
  return [answer.status, await answer.text()];
}

test('answers as it was told, and hands back what it was called with', async () => {
  await using callee = await startCallee();
  expect((await put(callee.url, stage)).status).toBe(204);
  const metadata = await fetch(`${callee.url}/x/host/svc/extension`);
  expect(await metadata.json()).toEqual([record]);
  const call = await fetch(`${callee.url}/x/host/events/r?a=1`, {
    method: 'POST',
    body: '{"id":"e"}',
    headers: { 'X-Own': 'of the call' },
  });
  expect(call.status).toBe(503);
  const answer = await fetch(`${callee.url}${calleePath}/1/x/host`);
  expect([answer.status, await answer.text()]).toEqual([200, '{"id":"e"}']);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'x-call-method': 'POST',
    'x-call-target': '/x/host/events/r?a=1',
    'x-own': 'of the call',
  });
});

test('says of a call what a shell cannot work out', async () => {
  await using callee = await startCallee();
  const apiKey = Buffer.alloc(64, 'k').toString('base64');
  await put(callee.url, { sites: [{ base: '/x/hook', apiKey }] });
  const [signed, other] = ['/x/hook', '/x/hook/else'].map((path) => `Bearer ${signatureOf(apiKey, path)}`);
  const informationFilter = Buffer.from('{}').toString('base64');
  const call = (authorization = '', query = '', body: object = {}) =>
    fetch(`${callee.url}/x/hook${query}`, {
      method: 'POST',
      headers: { authorization },
      body: JSON.stringify(body),
    });
  await call(signed, '?a=1&b=%20&a=2');
  await call(other, '', { accessToken: 'x.y.z', informationFilter });
  await call('', '', { accessToken: 'x', informationFilter: '{}' });
  const told = await Promise.all([1, 2, 3].map((number) => fetch(`${callee.url}${calleePath}/${number}/x/hook`)));
  const names = ['x-call-signed', 'x-call-query', 'x-call-token-parts', 'x-call-filter'];
  expect(told.map(({ headers }) => names.map((name) => headers.get(name)))).toEqual([
    ['for its path', 'a b a', null, null],
    ['otherwise', 'none', '3', 'an object'],
    ['otherwise', 'none', '1', 'no object'],
  ]);
});

test('hands back each call in its order, whatever bytes it has', async () => {
  await using callee = await startCallee();
  const bodies = fc.array(fc.uint8Array({ maxLength: 200 }), { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(bodies, async (sent) => {
      await put(callee.url, stage);
      for (const body of sent) await fetch(`${callee.url}/x/hook/deep?q`, { method: 'POST', body: Buffer.from(body) });
      for (const [index, body] of sent.entries()) {
        const answer = await fetch(`${callee.url}${calleePath}/${index + 1}/x/hook`);
        expect(Buffer.from(await answer.arrayBuffer())).toEqual(Buffer.from(body));
      }
    }),
    { numRuns: 20 },
  );
});

test('waits for a call that is yet to come', async () => {
  await using callee = await startCallee();
  await put(callee.url, stage);
  const waiting = handed(callee.url, '/1/x/hook?within=30');
  await fetch(`${callee.url}/x/hook`, { method: 'PUT', body: 'late' });
  expect(await waiting).toEqual([200, 'late']);
});

test('tells of a call that does not come how many did', async () => {
  await using callee = await startCallee();
  await put(callee.url, stage);
  await fetch(`${callee.url}/x/hook`, { method: 'POST' });
  const [status, text] = await handed(callee.url, '/2/x/hook?within=0.01');
  expect([status, text]).toEqual([
    404,
    expect.stringContaining('Call 2 at /x/hook did not come within 0.01 s; 1 came.'),
  ]);
});

test('counts the calls about one object, or that hold one text, by themselves', async () => {
  await using callee = await startCallee();
  await put(callee.url, { sites: [{ base: '/x/v', records: [{ ...record, extensionType: 'ExternalValidation' }] }] });
  for (const objectId of ['one', 'other', 'one'])
    await fetch(`${callee.url}/x/v/events/r`, { method: 'POST', body: JSON.stringify({ payload: { objectId } }) });
  const [, text] = await handed(callee.url, '/1/x/v?about=other');
  expect(JSON.parse(text)).toEqual({ payload: { objectId: 'other' } });
  expect((await handed(callee.url, '/2/x/v?about=other&within=0.01'))[0]).toBe(404);
  expect((await handed(callee.url, '/1/x/v?holding=other'))[1]).toBe(text);
  expect((await handed(callee.url, '/1/x/v?holding=nothing&within=0.01'))[0]).toBe(404);
});

test('forgets what came to those of before', async () => {
  await using callee = await startCallee();
  await put(callee.url, stage);
  await fetch(`${callee.url}/x/hook`, { method: 'POST' });
  await put(callee.url, stage);
  expect((await handed(callee.url, '/1/x/hook?within=0.01'))[0]).toBe(404);
  await put(callee.url, { sites: [] });
  expect((await fetch(`${callee.url}/x/hook`)).status).toBe(404);
});

test('says what is wrong with an order', async () => {
  await using callee = await startCallee();
  const wrong = await put(callee.url, { sites: [{ base: 'x' }] });
  expect([wrong.status, await wrong.text()]).toEqual([400, expect.stringContaining('base')]);
  expect((await put(callee.url, 7)).status).toBe(400);
  expect((await fetch(`${callee.url}${calleePath}`)).status).toBe(405);
  expect((await handed(callee.url, '/0/x/hook'))[0]).toBe(404);
});

test('counts those to one place by themselves, whatever they are', async () => {
  await using callee = await startCallee();
  await put(callee.url, { sites: [{ base: '/x/host', records: [] }] });
  for (const [method, path] of [
    ['POST', '/keys'],
    ['GET', '/svc/extension'],
    ['GET', '/keys'],
    ['POST', '/keys?again'],
  ] as const)
    await fetch(`${callee.url}/x/host${path}`, { method, ...(method === 'POST' && { body: path }) });
  expect(await handed(callee.url, '/2/x/host?within=0&at=POST%20/keys')).toEqual([200, '/keys?again']);
  expect((await handed(callee.url, '/1/x/host?within=0&at=GET%20/svc/extension'))[0]).toBe(200);
  expect((await handed(callee.url, '/2/x/host?within=0&at=GET%20/keys'))[0]).toBe(404);
  expect((await handed(callee.url, '/1/x/host?within=0'))[0]).toBe(404);
});

test('counts the calls of all whom it plays, and only those that have ended, where it is asked to', async () => {
  await using callee = await startCallee();
  const open = { base: '/x/open', answers: [{ when: {}, steps: [{ never: true as const }] }] };
  await put(callee.url, { sites: [...stage.sites, open] });
  await fetch(`${callee.url}/x/hook/a`, { method: 'POST', body: 'first' });
  const given = new AbortController();
  const held = fetch(`${callee.url}/x/open/b`, { method: 'POST', body: 'second', signal: given.signal });
  expect(await handed(callee.url, '/2?within=5')).toEqual([200, 'second']);
  expect((await handed(callee.url, '/1/x/open?within=0&ended'))[0]).toBe(404);
  given.abort();
  await held.catch(() => undefined);
  expect(await handed(callee.url, '/1/x/open?within=5&ended')).toEqual([200, 'second']);
});
