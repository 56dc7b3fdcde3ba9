import fc from 'fast-check';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { controlledClock, type ControlledClock } from '../../clock/controlled.ts';
import { openSqliteStore } from '../ports/sqlite.ts';
import { together, replaces } from '../../variants/breaks.ts';
import type { Store } from '../ports/store.ts';
import { benchOf, deliveryTo, fakeHost, turns, type Bench, type FakeHost } from './deliveries.fixture.ts';
import { makeFolder } from '../../fixtures/folder.fixture.ts';
import { killOverAndOver } from '../../bench/kill/servers.ts';

const hour = 3_600_000;
const never = new Promise<never>(() => undefined);

interface DyingStore {
  readonly store: Store;
  readonly died: Promise<void>;
  isDead(): boolean;
}

/** A store whose host dies around its change set number `last`, counted from 0: before the commit, or after it and before anybody hears. */
function storeThatDies(inner: Store, last: number, moment: 'before' | 'after'): DyingStore {
  const died = Promise.withResolvers<void>();
  let changes = 0;
  let dead = false;
  const die = (): Promise<never> => {
    dead = true;
    died.resolve();
    return never;
  };
  return {
    died: died.promise,
    isDead: () => dead,
    store: {
      read: (work) => (dead ? never : inner.read(work)),
      async change(work) {
        const number = changes++;
        if (dead || number > last) return never;
        if (number < last) return inner.change(work);
        if (moment === 'before') return die();
        await inner.change(work);
        return die();
      },
      close: async () => undefined,
    },
  };
}

/** A host of the service; once its process is dead it sends nothing any more. */
function hostOver(
  clock: ControlledClock,
  url: () => string,
  { store, isDead }: Pick<DyingStore, 'store' | 'isDead'>,
): Bench {
  return benchOf({
    url,
    store,
    clock,
    variant: together(
      replaces('outgoingCalls', 'call', (right, areas, request) => (isDead() ? never : right(areas, request))),
      replaces('policies', 'freePlaces', (right, areas, onTheWay) => (isDead() ? 0 : right(areas, onTheWay))),
    ),
  });
}

const living = (store: Store): Pick<DyingStore, 'store' | 'isDead'> => ({ store, isDead: () => false });

async function keptIds(store: Store, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const found = await store.read((reading) => Promise.all(ids.map((id) => reading.delivery(id))));
  return new Set(found.flatMap((delivery) => (delivery === undefined ? [] : [delivery.id])));
}

const ids = ['one', 'two', 'three', 'four', 'five'];

async function acceptAll(bench: Bench): Promise<readonly string[]> {
  const accepted: string[] = [];
  for (const id of ids) {
    const work = bench.service.store.change((writing) =>
      bench.service.queue.enqueue(writing, deliveryTo(id === 'five' ? 'b' : 'a', id)),
    );
    void work.then(() => accepted.push(id));
    await turns(3);
  }
  return accepted;
}

function idsOf({ arrivals }: FakeHost, from = 0): readonly string[] {
  return arrivals.slice(from).map(({ id }) => id);
}

test('a host that dies between any two steps loses nothing accepted, and nothing acknowledged on record is sent again', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat(24),
      fc.constantFrom('before' as const, 'after' as const),
      fc.array(fc.constantFrom(200, 503), { minLength: 5, maxLength: 5 }),
      fc.integer({ min: 1, max: 5 }),
      async (last, moment, firstAnswers, limit) => {
        const clock = controlledClock({ startAt: 0 });
        await using host = await fakeHost(clock, ({ id }, before) =>
          before.some((arrival) => arrival.id === id) ? 200 : (firstAnswers[ids.indexOf(id)] ?? 200),
        );
        const store = openSqliteStore();
        const dying = storeThatDies(store, last, moment);
        const first = hostOver(clock, () => host.url, dying);
        first.endpoints.set('a', { limit });
        const accepted = await acceptAll(first);
        await Promise.race([dying.died, clock.advanceBy(hour)]);
        first.abandon();
        await turns(20);
        const kept = await keptIds(store, ids);
        const done = accepted.filter((id) => !kept.has(id));
        const sent = idsOf(host);
        for (const id of done) expect(sent).toContain(id);

        const second = hostOver(clock, () => host.url, living(store));
        second.endpoints.set('a', { limit });
        await second.service.deliveryDispatcher.start();
        await clock.advanceBy(hour);
        const sentAgain = idsOf(host, sent.length);
        for (const id of kept) expect(sentAgain).toContain(id);
        for (const id of done) expect(sentAgain).not.toContain(id);
        for (const id of accepted) expect(kept.has(id) || done.includes(id)).toBe(true);
        expect(await keptIds(store, ids)).toEqual(new Set());
        await second.service.deliveryDispatcher.close();
        await first.service.outgoing.close();
        await store.close();
      },
    ),
    { numRuns: 120 },
  );
});

test('the window that cannot be closed: acknowledged and not yet on record, it is sent once more, under the same envelope', async () => {
  const clock = controlledClock({ startAt: 0 });
  await using host = await fakeHost(clock, () => 200);
  const store = openSqliteStore();
  const dying = storeThatDies(store, 2, 'before'); // accepted, taken, recorded
  const first = hostOver(clock, () => host.url, dying);
  void first.service.store.change((writing) => first.service.queue.enqueue(writing, deliveryTo('a', 'one')));
  await dying.died;
  expect(idsOf(host)).toEqual(['one']);
  first.abandon();
  const second = hostOver(clock, () => host.url, living(store));
  await second.service.deliveryDispatcher.start();
  await clock.advanceBy(5999);
  expect(idsOf(host)).toEqual(['one']);
  await clock.advanceBy(1);
  expect(host.arrivals.map(({ id, attempt }) => [id, attempt])).toEqual([
    ['one', 1],
    ['one', 1],
  ]);
  await clock.advanceBy(hour);
  expect(host.arrivals).toHaveLength(2);
  await second.service.deliveryDispatcher.close();
  await first.service.outgoing.close();
  await store.close();
});

describe('several hosts over one file', () => {
  test('deliver each event once, within the limit of its endpoint, whoever accepted it', async () => {
    const file = join(makeFolder(), 'store.sqlite');
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ on: fc.nat(2), to: fc.constantFrom('a', 'b', 'c'), waitMs: fc.nat(3000) }), {
          maxLength: 25,
        }),
        async (events) => {
          const clock = controlledClock({ startAt: 0 });
          await using host = await fakeHost(clock, ({ id }, before) =>
            Number(id) % 3 === 0 && !before.some((one) => one.id === id) ? 503 : 200,
          );
          const stores = [0, 1, 2].map(() => openSqliteStore(file));
          const hosts = stores.map((store) => hostOver(clock, () => host.url, living(store)));
          for (const { endpoints } of hosts) endpoints.set('a', { limit: 4 });
          for (const [index, { on, to, waitMs }] of events.entries()) {
            await hosts[on]?.enqueue(deliveryTo(to, String(index)));
            await clock.advanceBy(waitMs);
          }
          await clock.advanceBy(hour);
          const expected = events.flatMap((_, index) =>
            index % 3 === 0 ? [String(index), String(index)] : [String(index)],
          );
          expect(idsOf(host).toSorted()).toEqual(expected.toSorted());
          const toA = host.arrivals.filter(({ endpoint }) => endpoint === 'a');
          for (const { at } of toA)
            expect(toA.filter((other) => other.at >= at && other.at < at + 60_000).length).toBeLessThanOrEqual(8);
          for (const { service } of hosts) await service.deliveryDispatcher.close();
          for (const store of stores) {
            await store.change(async (writing) =>
              writing.putRateWindow('a', { startedAt: 0, executions: 0, pausedUntil: 0 }),
            );
            await store.close();
          }
        },
      ),
      { numRuns: 10 },
    );
  });

  test('that have a lease keep others away for as long as a call takes, and one that closes gives back what it has not done', async () => {
    const file = join(makeFolder(), 'store.sqlite');
    const clock = controlledClock({ startAt: 0 });
    await using host = await fakeHost(clock, (_arrival, before) => (before.length === 0 ? 'hold' : 200));
    const stores = [openSqliteStore(file), openSqliteStore(file)];
    const [first, second] = stores.map((store) => hostOver(clock, () => host.url, living(store)));
    await first?.enqueue(deliveryTo('a', 'one'));
    if (!first || !second) throw new Error('two hosts were made');
    await second.service.deliveryDispatcher.start();
    await clock.advanceBy(90_000);
    expect(idsOf(host)).toEqual(['one']);
    await first.service.deliveryDispatcher.close();
    await clock.advanceBy(6000);
    expect(host.arrivals.map(({ id, attempt }) => [id, attempt])).toEqual([
      ['one', 1],
      ['one', 1],
    ]);
    await second.service.deliveryDispatcher.close();
    for (const store of stores) await store.close();
  });
});

describe('the deliveries of a host that dies', () => {
  test.each([
    ['queued before the other looked', true],
    ['queued after it, which it was not told', false],
  ])('are taken over by one that has nothing to do, %s', async (_when, before) => {
    const file = join(makeFolder(), 'store.sqlite');
    const clock = controlledClock({ startAt: 0 });
    await using host = await fakeHost(clock, (_arrival, earlier) => (earlier.length === 0 ? 'hold' : 200));
    const stores = [openSqliteStore(file), openSqliteStore(file)] as const;
    const dying = storeThatDies(stores[0], 1, 'after'); // accepted, taken
    const first = hostOver(clock, () => host.url, dying);
    const idle = hostOver(clock, () => host.url, living(stores[1]));
    if (!before) await idle.service.deliveryDispatcher.start();
    void first.service.store.change((writing) => first.service.queue.enqueue(writing, deliveryTo('a', 'one')));
    await dying.died;
    first.abandon();
    if (before) await idle.service.deliveryDispatcher.start();
    await clock.advanceBy(before ? 5999 : 29_999);
    expect(host.arrivals).toEqual([]);
    await clock.advanceBy(1);
    expect(idsOf(host)).toEqual(['one']);
    host.release(200);
    await clock.advanceBy(hour);
    expect(idsOf(host)).toEqual(['one']);
    await idle.service.deliveryDispatcher.close();
    await first.service.outgoing.close();
    for (const store of stores) await store.close();
  });

  test('do not keep a host awake that has its store to itself', async () => {
    const clock = controlledClock({ startAt: 0 });
    const store = openSqliteStore();
    const host = hostOver(clock, () => '', living(store));
    await host.service.deliveryDispatcher.start();
    expect(clock.timers()).toEqual([]);
    await host.service.deliveryDispatcher.close();
    await store.close();
  });

  test('leave no timer behind when the one that would look closes', async () => {
    const file = join(makeFolder(), 'store.sqlite');
    const clock = controlledClock({ startAt: 0 });
    const store = openSqliteStore(file);
    const host = hostOver(clock, () => '', living(store));
    await host.service.deliveryDispatcher.start();
    await host.service.deliveryDispatcher.close();
    expect(clock.timers()).toEqual([]);
    await store.close();
  });
});

describe('a host beside others', () => {
  /** Two hosts over one store, the first of which has begun these calls, all of them held. */
  async function withHeld(
    held: readonly string[],
    work: (scene: {
      first: Bench;
      second: Bench;
      host: FakeHost;
      clock: ControlledClock;
      store: Store;
    }) => Promise<void>,
  ): Promise<void> {
    const clock = controlledClock({ startAt: 0 });
    await using host = await fakeHost(clock, ({ id }, before) =>
      held.includes(id) && !before.some((arrival) => arrival.id === id) ? 'hold' : 200,
    );
    const store = openSqliteStore();
    const [first, second] = [
      hostOver(clock, () => host.url, living(store)),
      hostOver(clock, () => host.url, living(store)),
    ];
    await first.enqueue(...held.map((id) => deliveryTo('a', id)));
    try {
      await work({ first, second, host, clock, store });
    } finally {
      await first.service.deliveryDispatcher.close();
      await second.service.deliveryDispatcher.close();
      await store.close();
    }
  }

  test('counts their calls to an endpoint with its own', () =>
    withHeld(['1', '2', '3', '4'], async ({ second, host, clock }) => {
      await second.enqueue(deliveryTo('a', 'fifth'));
      await clock.advanceBy(10_000);
      expect(idsOf(host)).not.toContain('fifth');
      host.release(200);
      await clock.advanceBy(0);
      expect(idsOf(host)).toContain('fifth');
    }));

  test('leaves a delivery alone that another has taken over while its own call was on its way', () =>
    withHeld(['one'], async ({ host, clock, store }) => {
      await store.change((writing) => writing.leaseDelivery('one', 'another', 3_600_000));
      host.release(200);
      await clock.advanceBy(0);
      expect(await keptIds(store, ['one'])).toEqual(new Set(['one']));
    }));

  test('does not begin a call that it is making, though its lease ran out', () =>
    withHeld(['one'], async ({ first, host, clock, store }) => {
      await store.change((writing) => writing.holdDelivery('one', 0));
      await first.enqueue(deliveryTo('a', 'two'));
      await clock.advanceBy(1000);
      expect(idsOf(host)).toEqual(['one', 'two']);
    }));
});

test('a server that is killed at random moments loses nothing that it accepted, and sends nothing again that was on record', async () => {
  const { lost, resent, accepted, cycles } = await killOverAndOver({ file: join(makeFolder(), 'store.sqlite') }, 2);
  expect(cycles).toBe(2);
  expect(accepted).toBeGreaterThan(0);
  expect({ lost, resent }).toEqual({ lost: 0, resent: 0 });
});
