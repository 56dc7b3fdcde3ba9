import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { postgres, startCluster, type Cluster } from './postgres.fixture.ts';
import { openPostgresStore } from './postgres.ts';
import type { Store } from './store.ts';
import { withStore } from './stores.fixture.ts';
import { StoreUnavailableError } from './store.ts';
import { DatabaseUnusableError } from './postgres.ts';

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

  const withOne = async (work: (store: Store) => Promise<void>): Promise<void> =>
    withStore(openPostgresStore(await cluster.emptyPlace()), work);

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
