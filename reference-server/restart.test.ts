import { createServer as createListener } from 'node:net';
import { breaks } from '../variants/breaks.ts';
import { restartServer } from '../variants/restart.ts';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { nextTurn, systemClock } from '../clock/clock.ts';
import { deliveryTo, fakeHost, type FakeHost, type Script } from './areas/deliveries.fixture.ts';
import { endpointAt } from './endpoint-at.fixture.ts';
import { createServer, type Server } from './server.ts';
import type { Areas } from './areas.ts';

interface Controlled {
  readonly server: Server;
  readonly host: FakeHost;
  readonly service: Areas;
  restart(token?: string): Promise<Response>;
  move(order: object): Promise<{ readonly now: number; readonly calls: number; readonly timers: readonly object[] }>;
}

async function withServer(script: Script, work: (controlled: Controlled) => Promise<void>): Promise<void> {
  const seen: Areas[] = [];
  const noting = breaks('messages', 'logStart', (right) => (areas, call) => {
    seen[0] ??= areas;
    right(areas, call);
  });
  await using host = await fakeHost({ now: () => seen[0]?.clock.now() ?? 0 }, script);
  const server = createServer({ control: true, areas: noting(endpointAt(host.url)) });
  const url = await server.listen();
  const post = (path: string, body: string): Promise<Response> =>
    fetch(url + path, { method: 'POST', headers: { authorization: `Bearer ${server.controlToken}` }, body });
  await fetch(url);
  const [service] = seen;
  if (service === undefined) throw new Error('the service was not seen');
  try {
    await work({
      server,
      host,
      service,
      restart: (token = server.controlToken) => restartServer(url, { authorization: `Bearer ${token}` }),
      move: async (order) =>
        (await (await post('/_control/clock', JSON.stringify(order))).json()) as Awaited<
          ReturnType<Controlled['move']>
        >,
    });
  } finally {
    await server.close();
  }
}

const queued = (service: Areas, id: string): Promise<boolean> =>
  service.store.change((writing) => service.queue.enqueue(writing, deliveryTo('a', id)));

test('a server that restarts answers when it is back, at the same address, with the time that it had', () =>
  withServer(
    () => 200,
    async ({ server, restart, move, service }) => {
      const { now } = await move({ by: 5000 });
      await service.store.change((writing) => writing.putDocument('kept', 'one', 'text'));
      const answer = await restart();
      expect([answer.status, answer.headers.get('connection')]).toEqual([204, 'close']);
      // a connection that was kept from before may be tried first, and is gone
      const statusOfProfile = (): Promise<number | undefined> =>
        fetch(`${server.url}/_control/profile.yaml`).then(
          ({ status }) => status,
          () => undefined,
        );
      await expect.poll(statusOfProfile).toBe(200);
      expect(await move({ by: 0 })).toMatchObject({ now });
      expect(await service.store.read((reading) => reading.document('kept', 'one'))).toBe('text');
      expect((await restart()).status).toBe(204);
    },
  ));

test('what waits for its retry arrives after the restart, when it was due, once', () =>
  withServer(
    ({ attempt }) => (attempt < 3 ? 503 : 200),
    async ({ host, restart, move, service }) => {
      const { now } = await move({ by: 0 });
      await queued(service, 'one');
      await move({ by: 3000 });
      expect((await restart()).status).toBe(204);
      await move({ by: 100_000 });
      expect(host.arrivals.map(({ at, attempt }) => [at - now, attempt])).toEqual([
        [0, 1],
        [2000, 2],
        [6000, 3],
      ]);
    },
  ));

test('a call that is on its way is given up and made again, and a client that holds calls need not say so anew', () =>
  withServer(
    (_arrival, before) => (before.length < 2 ? 'hold' : 200),
    async ({ host, restart, move, service }) => {
      await move({ by: 0, held: 1 });
      await queued(service, 'one');
      await move({ by: 0 });
      expect(host.arrivals).toHaveLength(1);
      expect((await restart()).status).toBe(204);
      expect(await move({ by: 0 })).toMatchObject({ calls: 1 });
      expect(host.arrivals.map(({ attempt }) => attempt)).toEqual([1, 1]);
    },
  ));

test('a request that is being answered is finished first, and a second restart is refused', () =>
  withServer(
    () => 200,
    async ({ server, restart, service }) => {
      const entered = Promise.withResolvers<void>();
      const goOn = Promise.withResolvers<void>();
      const slow = service.store.change(async () => {
        entered.resolve();
        await goOn.promise;
      });
      await entered.promise;
      const waiting = fetch(`${server.url}/_control/profile.yaml`);
      await systemClock.sleep(20);
      const [first, second] = [restart(), restart()];
      const refused = await Promise.race([first, second]);
      expect(refused.status).toBe(409);
      goOn.resolve();
      await slow;
      expect((await waiting).status).toBe(200);
      expect([(await first).status, (await second).status].toSorted()).toEqual([204, 409]);
    },
  ));

test('is told of in the profile, closed to those without the token, and served where time cannot be moved', async () => {
  await withServer(
    () => 200,
    async ({ server, restart }) => {
      const profile: unknown = parse(await (await fetch(`${server.url}/_control/profile.yaml`)).text());
      expect(profile).toMatchObject({ restart: { url: `${server.url}/_control/restart`, token: server.controlToken } });
      expect((await restart('wrong')).status).toBe(401);
    },
  );
  const server = createServer({ control: true, clock: systemClock });
  const url = await server.listen();
  const headers = { authorization: `Bearer ${server.controlToken}` };
  expect((await fetch(`${url}/_control/restart`, { method: 'POST', headers })).status).toBe(204);
  await server.close();
});

test('nobody else gets the port of a server that restarts', () =>
  withServer(
    () => 200,
    async ({ server, restart }) => {
      const intruder = createListener((socket) => socket.destroy());
      let refusals = 0;
      intruder.on('error', () => (refusals += 1));
      const over = new AbortController();
      const trying = (async () => {
        for (; !over.signal.aborted && !intruder.listening; await nextTurn()) intruder.listen(server.port, '127.0.0.1');
      })();
      const statuses = [(await restart()).status, (await restart()).status, (await restart()).status];
      over.abort();
      await trying;
      const isIn = intruder.listening;
      intruder.close();
      expect([statuses, isIn]).toEqual([[204, 204, 204], false]);
      expect(refusals).toBeGreaterThan(0);
    },
  ));
