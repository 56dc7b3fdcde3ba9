import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { schemaSql, openSqliteStore, storeOver } from './sqlite.ts';
import { withStore } from './stores.fixture.ts';
import { makeFolder } from '../../fixtures/folder.fixture.ts';

test('a long array moves no entry when one goes, a short run moves up', async () => {
  const database = new DatabaseSync(':memory:');
  database.exec(schemaSql);
  const changes = (): number => Number(database.prepare('SELECT total_changes() AS changes').get()?.['changes']);
  await withStore(storeOver(database, 10), async (store) => {
    const contents = Array.from({ length: 1000 }, () => ({}));
    await store.change((writing) => writing.appendEntries('a', 'files', contents));
    const counted = async (entryId: number): Promise<number> => {
      const before = changes();
      await store.change((writing) => writing.removeEntry('a', 'files', entryId));
      return changes() - before;
    };
    const places = await store.read((reading) => reading.entries('a', 'files', { from: 990, to: 991 }));
    expect(places.map((entry) => entry.entryId)).toEqual([991]);
    expect([await counted(1), await counted(2), await counted(991), await counted(500)]).toEqual([2, 2, 11, 2]);
    const left = await store.read((reading) => reading.entries('a', 'files', { from: 0, to: 1000 }));
    const ids = contents.map((_, index) => index + 1).filter((id) => ![1, 2, 500, 991].includes(id));
    expect(left.map((entry) => entry.entryId)).toEqual(ids);
    const last = await store.read((reading) => reading.entries('a', 'files', { from: 990, to: 996 }));
    expect(last.map((entry) => entry.entryId)).toEqual(ids.slice(990));
  });
});

test('a commit that fails loses the whole group, and the next group works', async () => {
  const database = new DatabaseSync(':memory:');
  database.exec(schemaSql);
  database.exec(
    'CREATE TABLE parent (id INTEGER PRIMARY KEY); CREATE TABLE child (id REFERENCES parent DEFERRABLE INITIALLY DEFERRED)',
  );
  await withStore(storeOver(database), async (store) => {
    const group = [
      store.change((writing) => writing.putDocument('profile', 'cora', 'lost')),
      store.change(async () => database.exec('INSERT INTO child VALUES (1)')),
    ];
    const results = await Promise.allSettled(group);
    expect(results.map((result) => result.status)).toEqual(['rejected', 'rejected']);
    expect(await store.read((reading) => reading.document('profile', 'cora'))).toBeUndefined();
    await store.change((writing) => writing.putDocument('profile', 'cora', 'kept'));
    expect(await store.read((reading) => reading.document('profile', 'cora'))).toBe('kept');
  });
});

test('change sets of one turn share one commit', async () => {
  const database = new DatabaseSync(':memory:');
  database.exec(schemaSql);
  const statements: string[] = [];
  const exec = database.exec.bind(database);
  database.exec = (sql) => (statements.push(sql), exec(sql));
  await withStore(storeOver(database), async (store) => {
    await Promise.all(['a', 'b', 'c'].map((id) => store.change((writing) => writing.putDocument('profile', id, id))));
    expect(statements.filter((sql) => sql === 'COMMIT')).toHaveLength(1);
  });
});

describe('a file', () => {
  test('keeps everything until it is opened again', async () => {
    const file = join(makeFolder(), 'store.sqlite');
    await withStore(openSqliteStore(file), (store) =>
      store.change((writing) => writing.appendEntries('a', 'files', [{ name: 'x' }])),
    );
    await withStore(openSqliteStore(file), async (store) => {
      expect(await store.read((reading) => reading.entry('a', 'files', 1))).toEqual({
        entryId: 1,
        content: { name: 'x' },
      });
    });
  });

  test('holds a change set on disk as soon as it is answered, before the store is closed', async () => {
    const file = join(makeFolder(), 'store.sqlite');
    await withStore(openSqliteStore(file), async (store) => {
      await store.change((writing) => writing.putDocument('profile', 'cora', 'kept'));
      const other = openSqliteStore(file);
      await withStore(other, async () =>
        expect(await other.read((reading) => reading.document('profile', 'cora'))).toBe('kept'),
      );
    });
  });

  test('closing waits for what was asked for, and nothing can be asked for afterwards', async () => {
    const file = join(makeFolder(), 'store.sqlite');
    const store = openSqliteStore(file);
    const change = store.change((writing) => writing.putDocument('profile', 'cora', 'kept'));
    await Promise.all([store.close(), change]);
    await expect(store.read(async () => undefined)).rejects.toThrow('closed');
    await expect(store.change(async () => undefined)).rejects.toThrow('closed');
  });
});
