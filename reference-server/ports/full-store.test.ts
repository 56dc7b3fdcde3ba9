import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { mountSmallDisk } from './small-disk.fixture.ts';
import { openSqliteStore, schemaSql, storeOver } from './sqlite.ts';
import { type Store, StoreFullError, type Writing } from './store.ts';

const text = (size: number): string => 'x'.repeat(size);
const put = (writing: Writing, id: string, size: number): Promise<void> => writing.putDocument('kind', id, text(size));
const idsOf = async (store: Store): Promise<readonly string[]> =>
  (await store.read((reading) => reading.documents('kind'))).map(({ id }) => id);

describe('a store that may not grow', () => {
  test('keeps nothing of a change set, and takes it again', async () => {
    const database = new DatabaseSync(':memory:');
    database.exec(schemaSql);
    const store = storeOver(database);
    const limit = (pages: number): void => database.exec(`PRAGMA max_page_count = ${pages}`);
    await store.change((writing) => put(writing, 'before', 100));
    limit(1);
    const large = store.change(async (writing) => {
      await put(writing, 'first', 10);
      await put(writing, 'large', 50_000);
    });
    await expect(large).rejects.toThrow(StoreFullError);
    expect(await idsOf(store)).toEqual(['before']);
    await store.change((writing) => put(writing, 'small', 10));
    limit(1_000_000);
    await store.change((writing) => put(writing, 'large', 50_000));
    expect(await idsOf(store)).toEqual(['before', 'large', 'small']);
    await store.close();
  });
});

/** Root alone may mount. */
const small = mountSmallDisk(1_000_000);

describe.runIf(small !== undefined)('a store on a disk that is full', () => {
  test('keeps nothing of a change set that goes on after the failure, nor of its neighbours, and tells all', async () => {
    const folder = small ?? '';
    const store = openSqliteStore(join(folder, 'store.db'));
    await store.change((writing) => put(writing, 'before', 100));
    const goesOn = async (writing: Writing): Promise<void> => {
      // as a batch does with each of its operations
      for (let number = 0; number < 40; number += 1)
        await put(writing, `number ${number}`, 100_000).catch(() => undefined);
      await put(writing, 'last', 10).catch(() => undefined);
    };
    const ends = await Promise.allSettled([
      store.change((writing) => put(writing, 'neighbour', 10)),
      store.change(goesOn),
      store.change(async (writing) => {
        await goesOn(writing);
        throw new Error('another one');
      }),
    ]);
    expect(ends.map((end) => end.status === 'rejected' && end.reason instanceof StoreFullError)).toEqual([
      true,
      true,
      true,
    ]);
    expect(await idsOf(store)).toEqual(['before']);
    await store.change((writing) => put(writing, 'small', 10));
    expect(await idsOf(store)).toEqual(['before', 'small']);
    await store.close();
  });
});
