import { createHash } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { watchOpen } from '../fixtures/left-open.fixture.ts';
import { fetchService, type FetchedService } from './fetch.ts';
import { startServer } from './server.ts';

const filter = { 'Svc-InformationFilter': btoa('{}') };
const documents = '/api/space/main/softtype/Document/documentInput';

async function headersOf(service: Pick<FetchedService, 'tokens'>): Promise<Record<string, string>> {
  return { Authorization: `Bearer ${await service.tokens('editor')}`, 'Content-Type': 'application/json', ...filter };
}

test('the service answers behind an origin of your choice, without a port', async () => {
  await using service = await fetchService('https://plm.example');
  const headers = await headersOf(service);
  const created = await service.fetch(
    new Request(`https://plm.example${documents}`, { method: 'POST', headers, body: '{"title":"Plan"}' }),
  );
  expect([created.status, created.url]).toEqual([201, `https://plm.example${documents}`]);
  const listed = await service.fetch('/api/space/main/instances/Document', { headers });
  expect(JSON.stringify(await listed.json())).toContain('Plan');
  expect(service.profile.baseUrl).toBe('https://plm.example');
  await service.reset();
  const after = await service.fetch('/api/space/main/instances/Document', { headers });
  expect(await after.text()).not.toContain('Plan');
});

test('it says the same as a server on a port, method by method', async () => {
  await using service = await fetchService('http://127.0.0.1:1', { clock: 0 });
  await using server = await startServer({ clock: 0 });
  const paths = [
    '/',
    '/nowhere',
    documents,
    '/api/openApi/space',
    '/api/space/main/instances/Document',
    '/api/%zz',
    '/_control/clock',
  ];
  const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY'];
  const told = async (response: Response): Promise<readonly unknown[]> => [
    response.status,
    [...response.headers.keys()]
      .filter((name) => !/^(?:date|connection|keep-alive|.*correlation.*)$/.test(name))
      .toSorted(),
    (await response.text()).length,
  ];
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...paths),
      fc.constantFrom(...methods),
      fc.boolean(),
      async (path, method, known) => {
        const init = { method, headers: known ? await headersOf(server) : filter };
        const own = { method, headers: known ? await headersOf(service) : filter };
        const [status, names] = await told(await fetch(server.url + path, init));
        const [ownStatus, ownNames] = await told(await service.fetch(path, own));
        expect([ownStatus, ownNames]).toEqual([status, names]);
      },
    ),
    { numRuns: 40 },
  );
});

test('files of any length stream up and down', async () => {
  await using service = await fetchService();
  const headers = { ...(await headersOf(service)), 'Content-Type': 'application/octet-stream' };
  for (const bytes of [0, 1, 70_000, 5_000_000]) {
    const content = Buffer.alloc(bytes, 'svc ');
    const pieces = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let from = 0; from < bytes; from += 65_536) controller.enqueue(content.subarray(from, from + 65_536));
        controller.close();
      },
    });
    const up = await service.fetch(`/api/space/main/fs/file/stream/${bytes}.bin`, {
      method: 'POST',
      headers: { ...headers, checksum: md5(content) },
      body: pieces,
      duplex: 'half',
    } as RequestInit);
    expect(up.status, await up.text()).toBeLessThan(300);
    const down = await service.fetch(`/api/space/main/fs/file/${bytes}.bin`, { headers });
    expect([down.status, md5(await down.bytes())]).toEqual([200, md5(content)]);
  }
});

const md5 = (content: Uint8Array): string => createHash('md5').update(content).digest('hex');

test('a request that is given up ends, and the service goes on', async () => {
  await using service = await fetchService();
  const headers = await headersOf(service);
  await expect(service.fetch('/', { signal: AbortSignal.abort(new Error('too late')) })).rejects.toThrow('too late');
  const leaving = new AbortController();
  const endless = new ReadableStream<Uint8Array>({
    async pull(controller) {
      controller.enqueue(new Uint8Array(300_000));
      await turn();
    },
  });
  const answer = service.fetch(documents, {
    method: 'POST',
    headers,
    body: endless,
    duplex: 'half',
    signal: leaving.signal,
  } as RequestInit);
  await turn();
  leaving.abort(new Error('given up'));
  await expect(answer).rejects.toThrow('given up');
  expect((await service.fetch('/api/space/main/instances/Document', { headers })).status).toBe(200);
});

test('nothing is left open', async () => {
  const leftOpen = await watchOpen();
  for (let count = 0; count < 20; count += 1) {
    await using service = await fetchService();
    const answers = await Promise.all(Array.from({ length: 5 }, () => service.fetch('/nowhere')));
    for (const [index, answer] of answers.entries()) if (index % 2 === 0) await answer.body?.cancel();
  }
  expect(await leftOpen()).toEqual([]);
});

test('a service that is closed answers nobody', async () => {
  const service = await fetchService();
  await service.close();
  await service.close();
  await expect(service.fetch('/')).rejects.toThrow(TypeError);
});

test.each(['svc.example', 'https://svc.example/below', 'https://svc.example?a', 'data:,svc'])(
  'an address that is not one of a service alone is refused: %s',
  (url) => expect(fetchService(url)).rejects.toMatchObject({ code: 'OPTION', message: expect.stringContaining(url) }),
);
