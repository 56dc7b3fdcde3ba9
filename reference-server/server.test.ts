import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { controlledClock } from '../clock/controlled.ts';
import { breaks } from '../variants/breaks.ts';
import { createVariant } from '../variants/create-variant.ts';
import { rawExchange } from './http/http-sample.fixture.ts';
import { createServer, type Server, type ServerOptions } from './server.ts';
import { openSqliteStore } from './ports/sqlite.ts';

async function withServer(options: ServerOptions, work: (server: Server) => Promise<void>): Promise<void> {
  const server = createServer(options);
  await server.listen();
  try {
    await work(server);
  } finally {
    await server.close();
  }
}

test('has no URL before it listens', async () => {
  const server = createServer();
  expect(() => server.url).toThrow('listen()');
  expect(await server.listen()).toBe(server.url);
  expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
  await server.close();
});

test('two servers in one process share nothing', () =>
  withServer({}, (one) =>
    withServer({}, async (other) => {
      const headers = {
        authorization: 'Bearer svcpat-edda-7d1c0b9e5a',
        'svc-informationfilter': btoa('{}'),
        'content-type': 'application/json',
      };
      const made = await fetch(`${one.url}/api/space/main/softtype/Document/documentInput`, {
        method: 'POST',
        headers,
        body: '{"title":"here"}',
      });
      const path = made.headers.get('location') ?? '';
      expect((await fetch(one.url + path, { headers })).status).toBe(200);
      expect((await fetch(other.url + path, { headers })).status).toBe(404);
    }),
  ));

test('leaves a store that it was given open', async () => {
  const store = openSqliteStore();
  await withServer({ store }, async () => undefined);
  expect(await store.read((reading) => reading.document('userProfile', 'cora'))).toBeUndefined();
  await store.close();
});

describe('control', () => {
  test('is off unless asked for', () =>
    withServer({}, async ({ url }) => {
      expect((await fetch(`${url}/_control/profile.yaml`)).status).toBe(404);
      expect((await fetch(`${url}/_control/log`)).status).toBe(404);
    }));

  test('serves the profile bound to the server, with the log probe', () =>
    withServer({ control: true }, async ({ url, controlToken }) => {
      const profile = parse(await (await fetch(`${url}/_control/profile.yaml`)).text());
      expect(profile).toMatchObject({
        baseUrl: url,
        probes: { log: { url: `${url}/_control/log?correlationId={correlationId}`, token: controlToken } },
      });
    }));
});

test('an unknown fault is refused before anything starts', () => {
  // @ts-expect-error the type knows the ids
  expect(() => createVariant({ faults: ['paging.no-such-rule'] })).toThrow('There is no fault');
  expect(() => createVariant({ faults: ['control'] })).not.toThrow();
});

describe('closing', () => {
  test('finishes what is being answered, refuses what comes later, and does not wait for idle connections', async () => {
    const clock = controlledClock({ startAt: 0 });
    const slow = breaks('messages', 'finish', (right) => async (...given) => ({
      ...(await right(...given)),
      transport: { delayMs: 1000 },
    }));
    const server = createVariant({ clock, faults: [slow] });
    const url = await server.listen();
    const idle = connect(server.port, '127.0.0.1');
    await once(idle, 'connect');
    const answer = rawExchange(url, 'GET /nope HTTP/1.1\r\nHost: x\r\n\r\n');
    while (clock.timers().length === 0) await new Promise((resolve) => setImmediate(resolve));
    const closed = server.close();
    await expect(fetch(url)).rejects.toThrow();
    await clock.advanceNext();
    expect(await answer).toMatch(/^HTTP\/1\.1 404 [\s\S]*\r\nConnection: close\r\n[\s\S]*There is no route/);
    await closed;
    idle.destroy();
  });
});
