import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { controlledClock } from '../../clock/controlled.ts';
import { postgres, startCluster, type Cluster } from '../ports/postgres.fixture.ts';
import { openPostgresStore } from '../ports/postgres.ts';
import { benchOf, deliveryTo, fakeHost } from './deliveries.fixture.ts';

describe.skipIf(postgres.path === undefined)(`several hosts over one database${postgres.note}`, () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster();
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

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
