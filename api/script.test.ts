import nock from 'nock';
import { afterEach, expect, test } from 'vitest';
import { fetchService } from './fetch.ts';
import { nockService } from './nock.ts';
import { startServer } from './server.ts';
import type { Service } from './service.ts';

afterEach(() => nock.restore());

const instances = '/api/space/main/instances/Document';

type Send = (path: string, init: RequestInit) => Promise<Response>;

async function outcomes(service: Service, send: Send, times: number): Promise<readonly (number | string)[]> {
  const headers = { Authorization: `Bearer ${await service.tokens('editor')}` };
  const ends: (number | string)[] = [];
  for (let time = 0; time < times; time += 1)
    ends.push(
      await send(instances, { headers })
        .then(async (answer) => (await answer.text()) && answer.status)
        .catch((error: unknown) => (error instanceof Error ? 'lost' : 'odd')),
    );
  return ends;
}

const steps = [
  { status: 503, text: 'no' },
  { cut: 'before-request-body' },
  { cut: 'before-answer' },
  { cut: 'in-body' },
] as const;
const ends = [503, 'lost', 'lost', 'lost', 200];

test('a script stands before a server, and is there again after a reset where it was from the start', async () => {
  await using server = await startServer({ script: [{ steps: [...steps] }] });
  const send: Send = (path, init) => fetch(server.url + path, init);
  expect(await outcomes(server, send, 5)).toEqual(ends);
  server.script.append({ steps: [{ status: 504 }], afterwards: 'last' });
  expect([...server.script]).toHaveLength(2);
  server.script.clear();
  expect(await outcomes(server, send, 1)).toEqual([200]);
  await server.reset();
  expect(await outcomes(server, send, 2)).toEqual(ends.slice(0, 2));
});

test('a script stands before a service without a port', async () => {
  await using service = await fetchService('https://svc.example', { script: [{ steps: [...steps] }] });
  expect(await outcomes(service, (path, init) => service.fetch(path, init), 5)).toEqual(ends);
});

test('a script stands before a service behind an origin', async () => {
  await using service = await nockService('https://svc.example');
  service.script.set([{ steps: [...steps] }]);
  const send: Send = (path, init) => fetch(`https://svc.example${path}`, init);
  expect(await outcomes(service, send, 5)).toEqual(ends);
});

test('what is wrong with a script is told', async () => {
  await using server = await startServer();
  expect(() => server.script.set([{ steps: [{ statuss: 503 } as never] }])).toThrow(/unknown key "statuss".*status/i);
  expect(() => server.script.append({ steps: [{ json: {} }] })).toThrow('Expected a status beside json');
  expect(() => server.script.set([{ steps: [] }])).toThrow();
  await expect(startServer({ script: [{ steps: [{ headers: {} }] }] })).rejects.toThrow('Expected a status beside');
});

test('a page of another origin may read a server that is told so', async () => {
  await using server = await startServer({ allowOrigins: ['http://localhost:5173'] });
  const { headers } = await fetch(server.url + instances, { headers: { Origin: 'http://localhost:5173' } });
  expect(headers.get('access-control-allow-origin')).toBe('http://localhost:5173');
});

test('the journal tells what a client has sent, and what became of it', async () => {
  await using server = await startServer({ script: [{ steps: [{ status: 503 }, { cut: 'before-answer' }] }] });
  const send: Send = (path, init) => fetch(`${server.url}${path}?token=x`, init);
  await outcomes(server, send, 3);
  expect(
    server.journal.requests({ path: '/api/*', method: 'get' }).map(({ number, status }) => [number, status]),
  ).toEqual([
    [1, 503],
    [2, undefined],
    [3, 200],
  ]);
  const [request] = server.journal;
  expect(request).toMatchObject({ path: instances, target: `${instances}?token=x` });
  expect(request?.headers['host']).toMatch(/^127/);
  expect(server.journal.requests({ correlationId: 'none' })).toEqual([]);
  expect(server.journal.requests(({ status }) => status === 200)).toHaveLength(1);
  expect(() => server.journal.requests({ methode: 'GET' } as never)).toThrow(/no option "methode"/);
  server.journal.clear();
  expect([...server.journal]).toEqual([]);
});
