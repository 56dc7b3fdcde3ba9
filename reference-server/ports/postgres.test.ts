import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { postgres, startCluster, type Cluster } from './postgres.fixture.ts';
import { controlledClock } from '../../clock/controlled.ts';
import { benchOf, deliveryTo, fakeHost } from '../areas/deliveries.fixture.ts';
import { DatabaseUnusableError, openPostgresStore } from './postgres.ts';
import type { Store } from './store.ts';
import { withStore } from './stores.fixture.ts';
import { StoreUnavailableError } from './store.ts';

const indexes = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);
const put = (store: Store, id: string, text: string): Promise<void> =>
  store.change((writing) => writing.putDocument('profile', id, text));
const got = (store: Store, id: string): Promise<string | undefined> =>
  store.read((reading) => reading.document('profile', id));
const schemaOf = (place: string): string => /place_\w+/.exec(place)?.[0] ?? '';

describe.skipIf(postgres.path === undefined)(`PostgreSQL${postgres.note}`, () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster();
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  /** Hosts over one place. */
  async function withHosts(
    count: number,
    work: (hosts: readonly [Store, Store, ...Store[]], place: string) => Promise<void>,
  ): Promise<void> {
    const place = await cluster.emptyPlace();
    const [first, second, ...others] = await Promise.all(indexes(count).map(() => openPostgresStore(place)));
    if (!first || !second) throw new Error('Expected two hosts or more.');
    try {
      await work([first, second, ...others], place);
    } finally {
      await Promise.all([first, second, ...others].map((host) => host.close()));
    }
  }

  const withOne = async (work: (store: Store, place: string) => Promise<void>): Promise<void> => {
    const place = await cluster.emptyPlace();
    await withStore(openPostgresStore(place), (store) => work(store, place));
  };

  describe('several hosts', () => {
    test('that open an empty place at once make its tables once', () =>
      withHosts(4, async (hosts) => {
        await Promise.all(hosts.map((host, index) => put(host, `${index}`, 'text')));
        expect(await hosts[0].read((reading) => reading.documents('profile'))).toHaveLength(4);
      }));

    test('lose no update of one object, however they meet', () =>
      withHosts(3, async (hosts) => {
        await hosts[0].change((writing) =>
          writing.insertObject({ spaceId: 'main', oid: 'a', softType: 'Document', version: 1, content: { sum: 0 } }),
        );
        const added = indexes(60).map((index) =>
          hosts[index % 3]?.change(async (writing) => {
            const before = await writing.object('main', 'a');
            if (before === undefined) throw new Error('Expected the object.');
            if (index % 10 === 9) throw new Error('told to reject');
            await new Promise((resolve) => setImmediate(resolve));
            await writing.updateObject('main', 'a', before.version + 1, { sum: Number(before.content['sum']) + index });
            return before.version + 1;
          }),
        );
        const results = await Promise.allSettled(added);
        const versions = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
        expect(versions.toSorted((one = 0, other = 0) => one - other)).toEqual(indexes(54).map((index) => index + 2));
        const sum = indexes(60)
          .filter((index) => index % 10 !== 9)
          .reduce((total, index) => total + index, 0);
        for (const host of hosts)
          expect(await host.read((reading) => reading.object('main', 'a'))).toMatchObject({
            version: 55,
            content: { sum },
          });
      }));

    test('give each entry an id of its own', () =>
      withHosts(3, async (hosts) => {
        const given = await Promise.all(
          indexes(30).map((index) =>
            hosts[index % 3]?.change((writing) => writing.appendEntries('a', 'files', [{}, {}])),
          ),
        );
        expect(new Set(given.flat()).size).toBe(60);
        expect(await hosts[0].read((reading) => reading.countEntries('a', 'files'))).toBe(60);
      }));

    test('read one state each, while others change it', () =>
      withHosts(2, async ([reader, writer]) => {
        await Promise.all(['one', 'two'].map((id) => put(writer, id, '0')));
        await reader.read(async (reading) => {
          expect(await reading.document('profile', 'one')).toBe('0');
          await Promise.all(['one', 'two'].map((id) => put(writer, id, '1')));
          expect(await reading.document('profile', 'two')).toBe('0');
        });
        expect(await got(reader, 'two')).toBe('1');
      }));

    test('see at once what another was told that it is kept', () =>
      withHosts(2, async ([one, other]) => {
        for (const index of indexes(20)) {
          await put(one, 'cora', `${index}`);
          expect(await got(other, 'cora')).toBe(`${index}`);
        }
      }));

    test('go on when one loses its connection in the middle of a change set', () =>
      withHosts(2, async ([dying, living]) => {
        const began = Promise.withResolvers<void>();
        const held = Promise.withResolvers<void>();
        const lost = dying.change(async (writing) => {
          await writing.putDocument('profile', 'cora', 'lost');
          began.resolve();
          await held.promise;
          await writing.putDocument('profile', 'edda', 'lost');
        });
        await began.promise;
        const next = put(living, 'emil', 'kept');
        await cluster.ask(`SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted`);
        await next;
        held.resolve();
        await expect(lost).rejects.toThrow(StoreUnavailableError);
        expect([await got(living, 'cora'), await got(living, 'emil')]).toEqual([undefined, 'kept']);
        await put(dying, 'cora', 'kept');
        expect(await got(living, 'cora')).toBe('kept');
      }));

    test('are told of deliveries that another queued or gave back, and of none of their own', () =>
      withHosts(2, async ([one, other]) => {
        let [told, toldItself] = [0, 0];
        const ends = [other.watch?.(() => (told += 1)), one.watch?.(() => (toldItself += 1))];
        await expect
          .poll(() => cluster.ask(`SELECT 1 FROM pg_stat_activity WHERE query LIKE 'LISTEN%'`))
          .toHaveLength(2);
        const delivery = {
          id: 'id',
          kind: 'event',
          registrationId: 'r',
          spaceId: 'main',
          envelopeId: 'e',
          userName: 'u',
          informationFilter: '',
          payload: {},
        } as const;
        await one.change((writing) => writing.insertDelivery(delivery, 'a', 0));
        await expect.poll(() => told).toBe(1);
        await one.change((writing) => writing.leaseDelivery('id', 'host', 9));
        await one.change((writing) => writing.releaseLeases('host'));
        await expect.poll(() => told).toBe(2);
        await cluster.ask(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'`);
        await expect.poll(() => told).toBe(3);
        await expect.poll(() => toldItself).toBe(1);
        for (const end of ends) end?.();
      }));
  });

  describe('commits', () => {
    test('are shared by change sets of one turn', () =>
      withOne(async (store, place) => {
        await Promise.all(['a', 'b', 'c'].map((id) => put(store, id, id)));
        const rows = await cluster.ask(
          `SELECT DISTINCT pg_xact_commit_timestamp(xmin) FROM ${schemaOf(place)}.documents`,
        );
        expect(rows).toHaveLength(1);
      }));

    test('that fail lose the whole group, and the next group works', () =>
      withOne(async (store, place) => {
        const schema = schemaOf(place);
        await cluster.ask(`CREATE TABLE ${schema}.known (id text PRIMARY KEY); INSERT INTO ${schema}.known VALUES ('cora');
          ALTER TABLE ${schema}.documents ADD CONSTRAINT refused FOREIGN KEY (id) REFERENCES ${schema}.known DEFERRABLE INITIALLY DEFERRED`);
        const results = await Promise.allSettled([put(store, 'cora', 'lost'), put(store, 'stranger', 'lost')]);
        expect(results.map((result) => result.status)).toEqual(['rejected', 'rejected']);
        expect(await got(store, 'cora')).toBeUndefined();
        await put(store, 'cora', 'kept');
        expect(await got(store, 'cora')).toBe('kept');
      }));

    test('do not follow a statement that failed, though the work went on, and spare its neighbours', () =>
      withOne(async (store) => {
        const object = { spaceId: 'main', oid: 'a', softType: 'Document', version: 1, content: {} };
        const twice = store.change(async (writing) => {
          await writing.insertObject(object);
          await writing.insertObject(object).catch(() => undefined);
        });
        const [first, second] = await Promise.allSettled([twice, put(store, 'cora', 'kept')]);
        expect([first.status, second.status]).toEqual(['rejected', 'fulfilled']);
        expect(await store.read((reading) => reading.object('main', 'a'))).toBeUndefined();
        expect(await got(store, 'cora')).toBe('kept');
      }));

    test('hold nothing that a work asks for when it is over', () =>
      withOne(async (store) => {
        let late: () => Promise<void> = async () => undefined;
        await store.change(async (writing) => {
          late = () => writing.putDocument('profile', 'cora', 'late');
        });
        await expect(late()).rejects.toThrow('over');
        expect(await got(store, 'cora')).toBeUndefined();
      }));
  });

  test('a late page reads no more of the disk than the first', () =>
    withOne(async (store, place) => {
      const contents = indexes(20_000).map((number) => ({ number }));
      await store.change((writing) => writing.appendEntries('a', 'files', contents));
      const table = `${schemaOf(place)}.entries`;
      const blocksOf = async (from: number): Promise<number> => {
        const plan = await cluster.ask(
          `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT entry_id, content FROM ${table} WHERE oid = 'a' AND port = 'files' AND place >= ${from} ORDER BY place LIMIT 10`,
        );
        const [, hit = 'none'] = /"Shared Hit Blocks":(\d+)/.exec(JSON.stringify(plan)) ?? [];
        return Number(hit);
      };
      await blocksOf(0);
      const [first, last] = [await blocksOf(0), await blocksOf(19_990)];
      expect(last).toBeLessThanOrEqual(first + 3);
      const page = await store.read((reading) => reading.entries('a', 'files', { from: 19_990, to: 20_000 }));
      expect(page.map(({ content }) => content['number'])).toEqual(indexes(10).map((index) => index + 19_990));
    }));

  test('names of any length and with any character are kept and found', () =>
    withOne(async (store) => {
      const ids = [
        'a\0b',
        'a\u0001b',
        `${'x'.repeat(50_000)}`,
        Array.from({ length: 3000 }, (_, index) => String.fromCodePoint(0x4e00 + index * 7)).join(''),
      ];
      await store.change(async (writing) => {
        for (const id of ids) await writing.putDocument('profile', id, `\0${id}`);
      });
      expect(await store.read((reading) => reading.documents('profile'))).toEqual(
        ids.map((id) => ({ id, text: `\0${id}` })),
      );
      expect(await got(store, 'a\0c')).toBeUndefined();
      expect(await store.read((reading) => reading.object('main\0', 'a\0'))).toBeUndefined();
      expect(await store.read((reading) => reading.entry('a', 'files', 1e300))).toBeUndefined();
    }));

  test.each(['loopback', 'socket'] as const)('is reached over a %s', async (way) => {
    await withStore(openPostgresStore(await cluster.emptyPlace(way)), async (store) => {
      await put(store, 'cora', 'kept');
      expect(await got(store, 'cora')).toBe('kept');
    });
  });

  test('several hosts find what another queued, which then died, long before they would look by themselves', async () => {
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

  describe('a database', () => {
    const refusal = async (place: string): Promise<unknown> =>
      openPostgresStore(place).then(
        (store) => store.close(),
        (error: unknown) => error,
      );

    test('with tables of a later version is refused and left as it is', async () => {
      const place = await cluster.emptyPlace();
      await withStore(openPostgresStore(place), (store) => put(store, 'cora', 'kept'));
      await cluster.ask(`UPDATE ${schemaOf(place)}.schema_version SET version = 2`);
      const error = await refusal(place);
      expect(error).toBeInstanceOf(DatabaseUnusableError);
      expect(String(error)).toContain('found version 2');
      await cluster.ask(`UPDATE ${schemaOf(place)}.schema_version SET version = 1`);
      await withStore(openPostgresStore(place), async (store) => expect(await got(store, 'cora')).toBe('kept'));
    });

    test('with tables of somebody else is refused and left as it is', async () => {
      const place = await cluster.emptyPlace();
      await cluster.ask(`CREATE TABLE ${schemaOf(place)}.entries (id integer)`);
      expect(await refusal(place)).toBeInstanceOf(DatabaseUnusableError);
      const tables = await cluster.ask(
        `SELECT table_name FROM information_schema.tables WHERE table_schema = '${schemaOf(place)}'`,
      );
      expect(tables).toEqual([{ table_name: 'entries' }]);
    });

    test('in another encoding is refused', async () => {
      await cluster.ask(`CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0`);
      expect(String(await refusal(cluster.url.replace(/postgres$/, 'latin')))).toContain('found LATIN1');
    });

    test('that is not there is named', async () => {
      const error = await refusal(cluster.url.replace(/postgres$/, 'absent'));
      expect(String(error)).toContain('"absent" does not exist');
    });
  });

  describe('a server that goes away', () => {
    test('has kept what was acknowledged, and is found again when it is back', () =>
      withOne(async (store) => {
        await put(store, 'cora', 'kept');
        await cluster.stop();
        await expect(put(store, 'cora', 'not kept')).rejects.toThrow(StoreUnavailableError);
        await expect(got(store, 'cora')).rejects.toThrow(StoreUnavailableError);
        await cluster.start();
        expect(await got(store, 'cora')).toBe('kept');
        await put(store, 'cora', 'new');
        expect(await got(store, 'cora')).toBe('new');
      }));
  });
});
