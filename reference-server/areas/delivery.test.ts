import { logEntryOut } from './delivery-log.ts';
import { describe, expect, test } from 'vitest';
import { replaces } from '../../variants/breaks.ts';
import type { Clock } from '../../clock/clock.ts';
import { controlledClock } from '../../clock/controlled.ts';
import { systemClock } from '../../clock/clock.ts';
import { silentLog } from '../log.ts';
import { openSqliteStore } from '../ports/sqlite.ts';
import { benchOf, deliveryTo, fakeHost, type Bench, type FakeHost, type Script } from './deliveries.fixture.ts';

interface Scene extends Bench {
  readonly host: FakeHost;
}

async function withScene(script: Script, work: (scene: Scene) => Promise<void>): Promise<void> {
  const clock = controlledClock({ startAt: 1_000_000 });
  await using host = await fakeHost(clock, script);
  const store = openSqliteStore();
  const bench = benchOf({ url: () => host.url, store, clock });
  try {
    await work({ ...bench, host });
  } finally {
    await bench.service.deliveryDispatcher.close();
    await store.close();
  }
}

const hour = 3_600_000;
const start = 1_000_000;
/** What the document says, in seconds after the end of the attempt before. */
const documented = [2, 4, 8, 16, 32];

describe('the log', () => {
  test('tells each transient error with its wait and place, and the end', () =>
    withScene(
      () => 503,
      async ({ clock, enqueue, log }) => {
        await enqueue(deliveryTo('a', 'one'));
        await clock.advanceBy(hour);
        const entries = await log();
        const errors = entries.filter(({ kind }) => kind === 'transient-error');
        expect(errors.map(({ waitMs, retry, total, status }) => [waitMs, retry, total, status])).toEqual(
          documented.map((seconds, index) => [seconds * 1000, index + 1, 5, 503]),
        );
        expect(entries.slice(-2).map(({ kind }) => kind)).toEqual(['failed', 'removed']);
        expect(new Set(entries.map(({ envelopeId }) => envelopeId))).toEqual(new Set(['envelope one']));
      },
    ));

  test('counts endless retries out of infinity', () =>
    withScene(
      () => 503,
      async ({ clock, enqueue, log, endpoints }) => {
        endpoints.set('a', { retryForever: true });
        await enqueue(deliveryTo('a', 'one'));
        await clock.advanceBy(3000);
        const [entry] = await log();
        expect(entry).not.toHaveProperty('total');
        expect(entry?.message).toContain('1 of infinity');
        const out = logEntryOut({
          at: 0,
          kind: 'transient-error',
          endpoint: 'a',
          message: '',
          retry: 1,
          sequence: 1,
        });
        expect(out).toMatchObject({ total: 'infinity' });
      },
    ));

  test('tells how long a timeout was, and what a user took back while its call was on its way', () =>
    withScene(
      ({ attempt }) => (attempt === 1 ? 'hold' : 200),
      async ({ clock, enqueue, host, endpoints, log, service }) => {
        endpoints.set('a', { timeoutMs: 3000 });
        await enqueue(deliveryTo('a', 'one'));
        await clock.advanceBy(hour);
        await enqueue(deliveryTo('b', 'two'));
        await service.store.change((writing) => service.queue.cancelDelivery(writing, 'two'));
        host.release(503);
        await clock.advanceBy(hour);
        expect((await log()).map(({ kind, waitMs }) => [kind, waitMs])).toEqual([
          ['timeout', 3000],
          ['transient-error', 2000],
          ['delivered', undefined],
          ['cancelled', undefined],
        ]);
        expect(host.arrivals).toHaveLength(3);
      },
    ));
});

test.each([202, 204, 302, 429, 'too much'] as const)('a call that is answered with %s is not made again', (reaction) =>
  withScene(
    () => reaction,
    async ({ clock, enqueue, host }) => {
      await enqueue(deliveryTo('a', 'one'));
      await clock.advanceBy(hour);
      expect(host.arrivals).toHaveLength(1);
    },
  ),
);

test('a call that is held stays the only one, however long it takes, and the wait counts from its end', () =>
  withScene(
    ({ attempt }) => (attempt === 1 ? 'hold' : 200),
    async ({ clock, enqueue, host }) => {
      await enqueue(deliveryTo('a', 'one'));
      await clock.advanceBy(90_000);
      host.release(503);
      await clock.advanceBy(hour);
      expect(host.arrivals.map(({ at }) => at - start)).toEqual([0, 92_000]);
    },
  ));

test('deliveries to an endpoint begin in the order of their acceptance; one that is retried blocks none', () =>
  withScene(
    ({ id, attempt }) => (id === '0' && attempt === 1 ? 503 : 200),
    async ({ enqueue, host, endpoints, clock }) => {
      endpoints.set('a', { limit: 1 });
      const ids = Array.from({ length: 6 }, (_, index) => String(index));
      await enqueue(...ids.map((id) => deliveryTo('a', id)));
      await clock.advanceBy(hour);
      expect(host.arrivals.map(({ id }) => id)).toEqual(['0', '0', '1', '2', '3', '4', '5']);
      expect(host.arrivals.map(({ at }) => (at - start) % 60_000)).toEqual(ids.map(() => 0).concat(0));
    },
  ));

test('traffic below the limit is never held back, and the pause starts with the first excess', () =>
  withScene(
    () => 200,
    async ({ enqueue, host, endpoints, clock, log }) => {
      endpoints.set('a', { limit: 3 });
      for (const id of ['0', '16', '32', '48', '64', '80']) {
        await enqueue(deliveryTo('a', id));
        await clock.advanceBy(id === '32' ? 15_999 : 16_000);
      }
      const times = Object.fromEntries(host.arrivals.map(({ id, at }) => [id, at - start]));
      expect(times).toEqual({ 0: 0, 16: 16_000, 32: 32_000 });
      await clock.advanceBy(hour);
      const late = host.arrivals.slice(3).map(({ id, at }) => [id, at - start]);
      expect(late).toEqual(['48', '64', '80'].map((id) => [id, 107_999]));
      expect((await log()).filter(({ kind }) => kind === 'rate-limit')).toMatchObject([
        { waitMs: 60_000, deliveryId: '48' },
      ]);
    },
  ));

describe('a registration that is switched off', () => {
  test('drops what comes, and keeps what is queued until it is on again', () =>
    withScene(
      ({ attempt }) => (attempt === 1 ? 503 : 200),
      async ({ enqueue, host, endpoints, clock, log, service }) => {
        await enqueue(deliveryTo('a', 'kept'));
        endpoints.set('a', { active: false });
        await enqueue(deliveryTo('a', 'dropped'));
        await clock.advanceBy(hour);
        expect(host.arrivals).toHaveLength(1);
        endpoints.set('a', {});
        await service.store.change((writing) => service.queue.resumeDeliveries(writing, 'a'));
        await clock.advanceBy(0);
        expect(host.arrivals.map(({ id, at }) => [id, at - start])).toEqual([
          ['kept', 0],
          ['kept', hour],
        ]);
        expect((await log()).map(({ kind, deliveryId }) => [kind, deliveryId])).toEqual([
          ['transient-error', 'kept'],
          ['dropped', 'dropped'],
          ['delivered', 'kept'],
        ]);
      },
    ));

  test('that is gone takes what is queued with it', () =>
    withScene(
      () => 503,
      async ({ enqueue, host, endpoints, clock, log, service }) => {
        await enqueue(deliveryTo('a', 'one'));
        endpoints.set('a', null);
        await clock.advanceBy(hour);
        expect(host.arrivals).toHaveLength(1);
        expect((await log()).at(-1)).toMatchObject({ kind: 'removed', deliveryId: 'one' });
        expect(await service.store.read((reading) => reading.delivery('one'))).toBeUndefined();
      },
    ));
});

test('an endpoint of which nothing can be told keeps no other one waiting, and goes on when it can', async () => {
  const clock = controlledClock({ startAt: start });
  await using host = await fakeHost(clock, ({ attempt }) => (attempt === 1 ? 503 : 200));
  const store = openSqliteStore();
  let broken = false;
  const variant = replaces('callees', 'calleeOf', async (right, areas, reading, address) => {
    if (broken && address.registrationId === 'broken') throw new Error('its address is none');
    return right(areas, reading, address);
  });
  const errors: string[] = [];
  const log = { ...silentLog, error: (_fields: object, message: string) => void errors.push(message) };
  const bench = benchOf({ url: () => host.url, store, clock, variant, log });
  await bench.enqueue(deliveryTo('broken', 'late'), deliveryTo('a', 'one'), deliveryTo('b', 'two'));
  broken = true;
  await clock.advanceBy(10_000);
  const inTime = host.arrivals.filter(({ attempt }) => attempt === 2).map(({ id, at }) => [id, at - start]);
  expect(inTime.toSorted()).toEqual([
    ['one', 2000],
    ['two', 2000],
  ]);
  expect(errors).toEqual([expect.stringContaining('where an endpoint is')]);
  broken = false;
  await clock.advanceBy(hour);
  expect(host.arrivals.at(-1)).toMatchObject({ id: 'late', attempt: 2, at: start + 62_000 });
  await bench.service.deliveryDispatcher.close();
  await store.close();
});

test('nothing is looked at and no timer is set while nothing is queued', () =>
  withScene(
    () => 200,
    async ({ enqueue, clock, service }) => {
      await enqueue(deliveryTo('a', 'one'));
      expect(clock.timers()).toEqual([]);
      let changes = 0;
      const { store } = service;
      const change = store.change.bind(store);
      store.change = (work) => (changes++, change(work));
      await clock.advanceBy(hour);
      expect(changes).toBe(0);
    },
  ));

describe('while time passes by itself', () => {
  async function inRealTime(
    script: Script,
    retryMs: number,
    work: (bench: Bench<Clock>, host: FakeHost) => Promise<void>,
  ): Promise<void> {
    await using host = await fakeHost(systemClock, script);
    const store = openSqliteStore();
    const variant = replaces('policies', 'nextRetryDelay', () => retryMs);
    const bench = benchOf({ url: () => host.url, store, clock: systemClock, variant });
    try {
      await work(bench, host);
    } finally {
      await bench.service.deliveryDispatcher.close();
      await store.close();
    }
  }

  const until = async (holds: () => Promise<boolean>): Promise<void> => {
    while (!(await holds())) await systemClock.sleep(1);
  };
  /** The retry is taken, its time has not come; throws where that was missed. */
  const isAhead =
    ({ service }: Bench<Clock>, id: string) =>
    (): Promise<boolean> =>
      service.store.read(async (reading) => {
        const delivery = await reading.delivery(id);
        if (delivery === undefined) throw new Error(`${id} was sent before anybody looked`);
        return delivery.attempts === 1 && delivery.leaseOwner !== undefined;
      });

  test('none is passed over between two looks', async () => {
    const attempts = new Map<string, number>();
    const endpoints = Array.from({ length: 60 }, (_, index) => `endpoint-${index}`);
    const script: Script = ({ id, attempt }) => {
      attempts.set(id, attempt);
      return 503;
    };
    await inRealTime(script, 2, async ({ enqueue }) => {
      await enqueue(...endpoints.map((endpoint) => deliveryTo(endpoint, endpoint)));
      await until(async () => [...attempts.values()].every((count) => count === 6));
      expect(attempts).toEqual(new Map(endpoints.map((endpoint) => [endpoint, 6])));
    });
  });

  test('a retry is not early, though it is taken ahead of its time', () =>
    inRealTime(
      ({ attempt }) => (attempt < 3 ? 503 : 200),
      400,
      async ({ enqueue }, { arrivals }) => {
        await enqueue(deliveryTo('a', 'one'));
        await until(async () => arrivals.length === 3);
        const [first, second, third] = arrivals.map(({ at }) => at);
        expect((second ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(399);
        expect((third ?? 0) - (second ?? 0)).toBeGreaterThanOrEqual(399);
      },
    ));

  test('what is taken ahead of its time and then cancelled or switched off is not sent', { retry: 9 }, () =>
    inRealTime(
      ({ id, attempt }) => (attempt === 1 && id !== 'after all' ? 503 : 200),
      280,
      async (bench, { arrivals }) => {
        const { service, endpoints } = bench;
        await bench.enqueue(deliveryTo('a', 'cancelled'), deliveryTo('b', 'switched off'), deliveryTo('c', 'sent'));
        await until(isAhead(bench, 'cancelled'));
        await until(isAhead(bench, 'switched off'));
        endpoints.set('b', { active: false });
        await service.store.change(async (writing) => {
          await service.queue.cancelDelivery(writing, 'cancelled');
          await service.queue.resumeDeliveries(writing, 'b');
        });
        await until(async () => arrivals.some(({ id, attempt }) => id === 'sent' && attempt === 2));
        await bench.enqueue(deliveryTo('a', 'after all'));
        await until(async () => arrivals.some(({ id }) => id === 'after all'));
        expect(arrivals.filter(({ attempt }) => attempt > 1).map(({ id }) => id)).toEqual(['sent']);
        endpoints.set('b', {});
        await service.store.change((writing) => service.queue.resumeDeliveries(writing, 'b'));
        await until(async () => arrivals.some(({ id, attempt }) => id === 'switched off' && attempt === 2));
      },
    ),
  );
});
