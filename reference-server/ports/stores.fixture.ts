import { afterAll, beforeAll, describe } from 'vitest';
import { DatabaseSync } from 'node:sqlite';
import { postgres, startCluster, type Cluster } from './postgres.fixture.ts';
import { openPostgresStore } from './postgres.ts';
import { schemaSql } from './sqlite.ts';
import { openSqliteStore, storeOver } from './sqlite.ts';
import type { Store } from './store.ts';

/** An adapter of the port, for tests of what all of them promise. */
export interface Adapter {
  /** An empty store. With a small `longestMove`, arrays of a few entries keep gaps as long ones do. */
  open(longestMove?: number): Promise<Store>;
  /** How many runs of a property, of so many that a fast store gets. */
  runs(usual: number): number;
}

/** Tells the tests to each adapter. Where there is no PostgreSQL, its tests are skipped. */
export function describeStores(tests: (adapter: Adapter) => void): void {
  describe('SQLite', () => tests({ open: async (longestMove) => openInMemory(longestMove), runs: (usual) => usual }));
  describe.skipIf(postgres.path === undefined)(`PostgreSQL${postgres.note}`, () => {
    let cluster: Cluster;
    const opened: { readonly store: Store; readonly longestMove: number | undefined; isFree: boolean }[] = [];
    beforeAll(async () => {
      cluster = await startCluster();
    });
    afterAll(async () => {
      for (const { store } of opened) await store.close();
      await cluster[Symbol.asyncDispose]();
    });
    /** To make the tables takes longer than most tests: what was closed serves again, emptied. */
    const open = async (longestMove?: number): Promise<Store> => {
      const free = opened.find((one) => one.isFree && one.longestMove === longestMove);
      const place = free ?? { store: await openPostgresStore(await cluster.emptyPlace(), longestMove), longestMove };
      const taken = Object.assign(place, { isFree: false });
      if (free === undefined) opened.push(taken);
      else await free.store.change((writing) => writing.empty());
      return {
        ...taken.store,
        close: async () => {
          taken.isFree = true;
        },
      };
    };
    tests({ open, runs: (usual) => Math.ceil(usual / 8) });
  });
}

function openInMemory(longestMove?: number): Store {
  if (longestMove === undefined) return openSqliteStore();
  const database = new DatabaseSync(':memory:');
  database.exec(schemaSql);
  return storeOver(database, longestMove);
}

export async function withStore<T>(opened: Store | Promise<Store>, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await opened;
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
