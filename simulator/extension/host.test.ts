import { readFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startExtensionHost, type ExtensionHost, type ExtensionHostOptions } from './host.ts';
import { Listener } from './listener.ts';
import { controlling } from './service.fixture.ts';
import { Site } from './site.ts';
import type { Step } from './step.ts';
import { makeFolder } from '../../fixtures/folder.fixture.ts';

async function host(options: ExtensionHostOptions = {}): Promise<ExtensionHost> {
  const started = await startExtensionHost(options);
  onTestFinished(() => started.close());
  return started;
}

const envelope = (payload: object, id = 'one') => ({
  id,
  accessToken: 'a.b.c',
  baseAddress: 'http://x',
  informationFilter: 'e30=',
  payload,
});
const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
const soon = () => AbortSignal.timeout(600_000);

describe('a host that was told nothing', () => {
  test('keeps what was sent as it was sent', async () => {
    const { url, entries } = await host();
    await post(`${url}/event?access_token=x%20y`, envelope({ spaceId: 'main' }, 'id-1'), { 'X-Odd': ' spaced' });
    const [entry] = entries();
    expect(entry).toMatchObject({
      kind: 'event',
      target: '/event?access_token=x%20y',
      path: '/event',
      correlationId: 'id-1',
      status: 200,
      ending: 'answered',
    });
    expect(Buffer.from(entry?.body ?? []).toString()).toBe(JSON.stringify(envelope({ spaceId: 'main' }, 'id-1')));
    expect(entry?.endedAt).toBeGreaterThanOrEqual(entry?.arrivedAt ?? Infinity);
  });
});

test('a request that names the whole address is one for its path', async () => {
  const { url, entries } = await host();
  const { promise, resolve } = Promise.withResolvers<IncomingMessage>();
  get(url, { path: `${url}/svc/extension?x=1`, agent: false }, resolve);
  (await promise).resume();
  expect(entries()).toMatchObject([{ kind: 'metadata', target: '/svc/extension?x=1', path: '/svc/extension' }]);
});

describe('scripts', () => {
  test('steps follow each other, then the right answer, the last step, or all again', async () => {
    const steps = [{ status: 503 }, { status: 408 }];
    const started = await host();
    const statuses = async (): Promise<number[]> => {
      const seen: number[] = [];
      for (let time = 0; time < 4; time += 1) seen.push((await post(`${started.url}/event`, envelope({}))).status);
      return seen;
    };
    started.setScript([{ steps }]);
    expect(await statuses()).toEqual([503, 408, 200, 200]);
    started.setScript([{ steps, afterwards: 'last' }]);
    expect(await statuses()).toEqual([503, 408, 408, 408]);
    started.setScript([{ steps, afterwards: 'again' }]);
    expect(await statuses()).toEqual([503, 408, 503, 408]);
  });

  test('an answer is for the requests that fit it, counted by correlation id where it says so', async () => {
    const { url } = await host({
      script: [{ when: { kind: 'event', contains: 'marked' }, per: 'correlation-id', steps: [{ status: 500 }] }],
    });
    const marked = async (id: string) => (await post(`${url}/event`, envelope({ marked: 1 }, id))).status;
    expect([await marked('a'), await marked('b'), await marked('a'), await marked('b')]).toEqual([500, 500, 200, 200]);
    expect((await post(`${url}/event`, envelope({}))).status).toBe(200);
    expect((await post(`${url}/task`, envelope({ marked: 1 }))).status).toBe(200);
  });

  test.for(['before-request-body', 'before-answer', 'in-status-line', 'before-body', 'in-body'] as const)(
    'a connection breaks %s',
    async (cut) => {
      const { url, entries } = await host({ script: [{ steps: [{ status: 200, text: 'x'.repeat(1000), cut }] }] });
      await expect(post(`${url}/event`, envelope({})).then((answer) => answer.text())).rejects.toThrow();
      await expect.poll(() => entries()[0]?.ending).toBe('cut');
    },
  );

  test('half a body of JSON, malformed JSON, a slow body', async () => {
    const { url } = await host({
      script: [
        {
          steps: [
            { status: 200, text: '{"isValid":' },
            { status: 200, text: 'abc'.repeat(50), dribbleMs: 50 },
          ],
        },
      ],
    });
    expect(await (await post(`${url}/validation`, envelope({}))).text()).toBe('{"isValid":');
    expect(await (await post(`${url}/validation`, envelope({}))).text()).toBe('abc'.repeat(50));
  });

  test('a call that is never answered ends when the caller goes away', async () => {
    const { url, entries, await: wait } = await host({ script: [{ steps: [{ never: true }] }] });
    const leave = new AbortController();
    const call = fetch(`${url}/event`, { method: 'POST', body: '{}', signal: leave.signal }).catch(() => 'left');
    await wait(() => true, 1, soon());
    expect(entries()[0]?.endedAt).toBeUndefined();
    leave.abort();
    expect(await call).toBe('left');
    await expect.poll(() => entries()[0]?.ending).toBe('abandoned');
  });
});

test.each([
  ['never', { never: true }],
  ['in an hour', { delayMs: 3_600_000 }],
] as const)(
  'who is to be answered %s is answered when the script is over, and whoever comes later',
  async (_when, step) => {
    const listener = await new Listener().listen();
    onTestFinished(() => listener.close());
    const site = new Site('', { script: [{ when: {}, steps: [step], afterwards: 'last' }] });
    listener.mount(site);
    const call = fetch(`http://127.0.0.1:${listener.port}/`);
    await listener.journal.await(() => true, 1, soon());
    expect(listener.held).toBe(1);
    site.release();
    expect((await call).status).toBe(200);
    expect((await fetch(`http://127.0.0.1:${listener.port}/`)).status).toBe(200);
    expect(listener.held).toBe(0);
  },
);

test('a caller who leaves before it is known what to answer leaves nothing open', async () => {
  const [decided, gone] = [Promise.withResolvers<Step>(), Promise.withResolvers<void>()];
  const listener = await new Listener({
    before: (_request, response) => {
      response.once('close', () => gone.resolve());
      return false;
    },
  }).listen();
  onTestFinished(() => listener.close());
  listener.mount(new Site('', { answer: () => decided.promise }));
  const leave = new AbortController();
  const call = fetch(`http://127.0.0.1:${listener.port}/`, { signal: leave.signal }).catch(() => 'left');
  await listener.journal.await(() => true, 1, soon());
  leave.abort();
  expect(await call).toBe('left');
  await gone.promise;
  decided.resolve({ status: 200 });
  await expect.poll(() => listener.busy).toBe(0);
  expect(listener.journal.entries()[0]).toMatchObject({ ending: 'abandoned' });
  expect(listener.journal.entries()[0]?.status).toBeUndefined();
});

describe('the journal', () => {
  test('is told over HTTP with filters, waiting where asked to, and kept in a file', async () => {
    const file = join(makeFolder(), 'journal.ndjson');
    const started = await host({ journal: file, control: true });
    const { url } = started;
    const read = async (query: string) => (await controlling(started)('GET', `journal?${query}`)).body;
    const waiting = read('kind=task&awaitMs=60000&count=2');
    for (const kind of ['event', 'task', 'task']) await post(`${url}/${kind}`, envelope({}, kind));
    expect(await waiting).toMatchObject({
      complete: true,
      entries: [{ correlationId: 'task' }, { correlationId: 'task' }],
    });
    expect(await read('correlationId=none&awaitMs=20')).toEqual({ entries: [], complete: false });
    expect((await readFile(file, 'utf8')).trim().split('\n')).toHaveLength(3);
    expect(await (await fetch(`${url}/`)).text()).toContain('<table>');
  });
});

test('hostile requests neither end the host nor fill it', async () => {
  const { url, port, entries } = await host();
  const raw = (text: string) =>
    new Promise<void>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(text));
      // each is answered, at least by an interim answer
      socket.on('data', () => socket.destroy());
      socket.on('error', () => resolve());
      socket.on('close', () => resolve());
    });
  await raw('GARBAGE\r\n\r\n');
  await raw('POST /event HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 100\r\n\r\nhalf');
  await expect.poll(() => entries()[0]?.ending).toBe('abandoned');
  await raw(`GET /%zz/../../etc HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(70_000)}\r\n\r\n`);
  const large = await fetch(`${url}/event`, { method: 'POST', body: Buffer.alloc(9 * 1024 * 1024, 0xff) });
  expect(large.status).toBe(413);
  expect((await post(`${url}/event`, '__proto__')).status).toBe(400);
  expect(entries().map(({ ending }) => ending)).toEqual(['abandoned', 'answered', 'answered']);
  expect(entries()[1]?.body.length).toBe(8 * 1024 * 1024);
});
