import fc from 'fast-check';
import { expect, test } from 'vitest';
import { controlledClock } from '../../clock/controlled.ts';
import { openSqliteStore } from '../ports/sqlite.ts';
import type { Store } from '../ports/store.ts';
import { benchOf, deliveryTo, fakeHost, turns, type Bench, type FakeHost } from './deliveries.fixture.ts';

/** Calls that one endpoint gets at once. */
const limit = 4;

interface Scene {
  readonly bench: Bench;
  readonly host: FakeHost;
}

/** A host that answers nothing before it is told to. */
async function withHolding(
  work: (scene: Scene) => Promise<void>,
  storeOver = (store: Store): Store => store,
): Promise<void> {
  const clock = controlledClock({ startAt: 0 });
  await using host = await fakeHost(clock, () => 'hold');
  const store = openSqliteStore();
  const bench = benchOf({ url: () => host.url, store: storeOver(store), clock });
  try {
    await work({ bench, host });
  } finally {
    host.release(200);
    await bench.service.deliveryDispatcher.close();
    await store.close();
  }
}

/** What came between one release and the next never was more than the limit. */
async function expectWaves({ bench, host }: Scene, count: number): Promise<void> {
  for (let sent = 0; sent < count; sent += limit) {
    expect(host.arrivals).toHaveLength(Math.min(count, sent + limit));
    host.release(200);
    await bench.clock.advanceBy(0);
  }
}

test('an endpoint has four calls at most, also when several end in one turn', () =>
  withHolding(async (scene) => {
    const all = Array.from({ length: 22 }, (_, index) => deliveryTo('a', String(index)));
    await scene.bench.enqueue(...all);
    await expectWaves(scene, all.length);
  }));

test('an endpoint has four calls at most, whoever asks for the next ones and when', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 6 }),
      fc.nat(3),
      (batches, between) =>
        withHolding(async (scene) => {
          const { service, clock } = scene.bench;
          clock.settleWith(async () => undefined);
          let id = 0;
          for (const size of batches) {
            const batch = Array.from({ length: size }, () => deliveryTo('a', String(id++)));
            for (const delivery of batch)
              void service.store.change((writing) => service.queue.enqueue(writing, delivery));
            await turns(between);
          }
          await clock.advanceBy(0);
          await expectWaves(scene, id);
        }),
    ),
    { numRuns: 6 },
  ));

test('a place that was taken in a change set which the store did not keep is free again', () => {
  let lost = 0;
  const forgetful = (store: Store): Store => ({
    ...store,
    change: async (work) => {
      if (lost++ % 2 === 0) return store.change(work);
      return store.change(async (writing) => {
        await work(writing);
        throw new Error('the disk is full');
      });
    },
  });
  return withHolding(async ({ bench, host }) => {
    const all = Array.from({ length: 3 }, (_, index) => deliveryTo('a', String(index)));
    await bench.enqueue(...all);
    expect(host.arrivals).toHaveLength(0);
    await bench.clock.advanceBy(1000);
    expect(host.arrivals).toHaveLength(3);
  }, forgetful);
});
