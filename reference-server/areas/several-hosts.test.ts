import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { controlledClock } from '../../clock/controlled.ts';
import { postgres, startCluster, type Cluster } from '../ports/postgres.fixture.ts';
import { openPostgresStore } from '../ports/postgres.ts';
import { benchOf, deliveryTo, fakeHost } from './deliveries.fixture.ts';

const hour = 3_600_000;

describe.skipIf(postgres.path === undefined)(`several hosts over one database${postgres.note}`, () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster();
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  test('deliver each event once, within the limit of its endpoint, whoever accepted it', async () => {
    const eventArbitrary = fc.record({ on: fc.nat(2), to: fc.constantFrom('a', 'b', 'c'), waitMs: fc.nat(3000) });
    await fc.assert(
      fc.asyncProperty(fc.array(eventArbitrary, { maxLength: 25 }), async (events) => {
        const clock = controlledClock({ startAt: 0 });
        await using host = await fakeHost(clock, ({ id }, before) =>
          Number(id) % 3 === 0 && !before.some((one) => one.id === id) ? 503 : 200,
        );
        const place = await cluster.emptyPlace();
        const stores = await Promise.all([0, 1, 2].map(() => openPostgresStore(place)));
        const hosts = stores.map((store) => benchOf({ url: () => host.url, store, clock }));
        for (const { endpoints, service } of hosts) {
          endpoints.set('a', { limit: 4 });
          await service.deliveryDispatcher.start();
        }
        for (const [index, { on, to, waitMs }] of events.entries()) {
          await hosts[on]?.enqueue(deliveryTo(to, String(index)));
          await clock.advanceBy(waitMs);
        }
        await clock.advanceBy(hour);
        const expected = events.flatMap((_, index) =>
          index % 3 === 0 ? [String(index), String(index)] : [String(index)],
        );
        expect(host.arrivals.map(({ id }) => id).toSorted()).toEqual(expected.toSorted());
        const toA = host.arrivals.filter(({ endpoint }) => endpoint === 'a');
        for (const { at } of toA)
          expect(toA.filter((other) => other.at >= at && other.at < at + 60_000).length).toBeLessThanOrEqual(8);
        for (const { service } of hosts) await service.deliveryDispatcher.close();
        for (const store of stores) await store.close();
      }),
      { numRuns: 3 },
    );
  });

  test('find what another queued, which then died, long before they would look by themselves', async () => {
    const clock = controlledClock({ startAt: 0 });
    await using host = await fakeHost(clock, () => 200);
    const place = await cluster.emptyPlace();
    const [dead, store] = await Promise.all([openPostgresStore(place), openPostgresStore(place)]);
    const idle = benchOf({ url: () => host.url, store, clock });
    await idle.service.deliveryDispatcher.start();
    await expect.poll(() => cluster.ask(`SELECT 1 FROM pg_stat_activity WHERE query LIKE 'LISTEN%'`)).toHaveLength(1);
    await expect.poll(() => clock.timers().map(({ at }) => at)).toEqual([30_000]);
    await dead.change((writing) => writing.insertDelivery(deliveryTo('a', 'one'), 'a', 0));
    await dead.close();
    await expect.poll(() => clock.timers().map(({ at }) => at)).toEqual([1000]);
    await clock.advanceBy(1000);
    expect(host.arrivals.map(({ id }) => id)).toEqual(['one']);
    await idle.service.deliveryDispatcher.close();
    await store.close();
  });
});
