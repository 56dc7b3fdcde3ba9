import { breaks } from '../variants/breaks.ts';
import { expect, test } from 'vitest';
import { systemClock } from '../clock/clock.ts';
import { deliveryTo, fakeHost, type FakeHost, type Script } from './areas/deliveries.fixture.ts';
import { createServer, type Server } from './server.ts';
import { openSqliteStore } from './ports/sqlite.ts';
import type { Areas } from './areas.ts';
import { endpointAt } from './endpoint-at.fixture.ts';

interface Controlled {
  readonly server: Server;
  readonly host: FakeHost;
  readonly service: Areas;
  get(): Promise<ClockAnswer>;
  post(order: unknown, token?: string): Promise<ClockAnswer>;
}

interface ClockAnswer {
  readonly status: number;
  readonly now: number;
  readonly running: boolean;
  readonly calls: number;
  readonly timers: readonly { readonly at: number; readonly tag: string }[];
  readonly fired: readonly { readonly at: number; readonly tag: string }[];
}

async function withServer(script: Script, work: (controlled: Controlled) => Promise<void>): Promise<void> {
  const seen: Areas[] = [];
  const noting = breaks('messages', 'logStart', (right) => (areas, call) => {
    seen[0] ??= areas;
    right(areas, call);
  });
  await using host = await fakeHost({ now: () => seen[0]?.clock.now() ?? 0 }, script);
  const store = openSqliteStore();
  const server = createServer({ control: true, store, areas: noting(endpointAt(host.url)) });
  const url = `${await server.listen()}/_control/clock`;
  const asked = async (method: string, body: string | undefined, token: string): Promise<ClockAnswer> => {
    const answer = await fetch(url, {
      method,
      headers: { authorization: `Bearer ${token}` },
      ...(body !== undefined && { body }),
    });
    return { ...((await answer.json()) as Omit<ClockAnswer, 'status'>), status: answer.status };
  };
  // the service shows itself to the first behaviour that is called
  await fetch(server.url);
  const [service] = seen;
  if (service === undefined) throw new Error('the service was not seen');
  try {
    await work({
      server,
      host,
      service,
      get: () => asked('GET', undefined, server.controlToken),
      post: (order, token = server.controlToken) => asked('POST', JSON.stringify(order), token),
    });
  } finally {
    await server.close();
    await store.close();
  }
}

const queued = (service: Areas, id: string): Promise<boolean> =>
  service.store.change((writing) => service.queue.enqueue(writing, deliveryTo('a', id)));

test('the clock runs along with real time until it is moved, then from timer to timer', () =>
  withServer(
    ({ attempt }) => (attempt < 3 ? 503 : 200),
    async ({ get, post, host, service }) => {
      const before = Date.now();
      expect(await get()).toMatchObject({ status: 200, running: true, timers: [], calls: 0 });
      expect((await get()).now).toBeGreaterThanOrEqual(before);
      const { now: frozenAt } = await post({ by: 0 });
      await queued(service, 'one');
      const state = await post({ by: 0 });
      expect(state).toMatchObject({
        now: frozenAt,
        running: false,
        fired: [],
        timers: [{ at: frozenAt + 2000, tag: 'delivery' }],
      });
      expect(await post({ next: true })).toMatchObject({
        now: frozenAt + 2000,
        fired: [{ at: frozenAt + 2000, tag: 'delivery' }],
      });
      expect(host.arrivals.map(({ at }) => at - frozenAt)).toEqual([0, 2000]);
      expect(await post({ to: frozenAt + 5999 })).toMatchObject({ fired: [], timers: [{ at: frozenAt + 6000 }] });
      expect(await post({ by: 100_000 })).toMatchObject({
        now: frozenAt + 105_999,
        fired: [{ at: frozenAt + 6000 }],
        timers: [],
      });
      expect(host.arrivals).toHaveLength(3);
    },
  ));

test('a move ends before the calls that the client holds, and after those that it does not', () =>
  withServer(
    ({ id }) => (id === 'held' ? 'hold' : 503),
    async ({ get, post, host, service }) => {
      await post({ by: 0, held: 1 });
      await queued(service, 'held');
      await queued(service, 'free');
      const { now, timers, calls } = await post({ by: 0 });
      expect(calls).toBe(1);
      expect(timers.map(({ at, tag }) => [at - now, tag])).toEqual(
        expect.arrayContaining([
          [2000, 'delivery'],
          [100_000, 'timeout'],
        ]),
      );
      expect(await post({ held: 0 })).toMatchObject({ now, fired: [] });
      host.release(200);
      expect(await post({ by: 1 })).toMatchObject({ calls: 0, now: now + 1 });
      expect((await get()).timers).toEqual([{ at: now + 2000, tag: 'delivery' }]);
    },
  ));

test('is closed to those without the token, and not served over a clock that cannot be moved', async () => {
  await withServer(
    () => 200,
    async ({ post }) => expect(await post({ by: 1 }, 'wrong')).toMatchObject({ status: 401 }),
  );
  const server = createServer({ control: true, clock: systemClock });
  await server.listen();
  expect((await fetch(`${server.url}/_control/clock`)).status).toBe(404);
  await server.close();
});
