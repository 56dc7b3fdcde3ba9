import { setTimeout as sleep } from 'node:timers/promises';
import { openPostgresStore } from '../../reference-server/ports/postgres.ts';
import { openSqliteStore } from '../../reference-server/ports/sqlite.ts';
import type { Store } from '../../reference-server/ports/store.ts';

/** What outlives the servers: a file, or the database at an address. */
export interface Place {
  readonly file?: string;
  readonly database?: string;
  /** Rules that a server over it breaks, to see that what is counted can be found. */
  readonly faults?: readonly string[];
}

export async function openPlace({ file, database }: Place): Promise<Store> {
  return database === undefined ? openSqliteStore(file ?? '') : openPostgresStore(database);
}

/** @throws {Error} events are still queued after that many ms */
export async function whenQueueIsEmpty(place: Place, patienceMs: number): Promise<void> {
  const from = performance.now();
  while (!(await inStore(place, isEmpty))) {
    if (performance.now() - from > patienceMs)
      throw new Error(`Expected an empty queue within ${patienceMs / 1000} s.`);
    await sleep(100);
  }
}

async function isEmpty(store: Store): Promise<boolean> {
  return (await store.read((reading) => reading.nextReadyAt('', -Infinity))) === undefined;
}

/** Opens the store for that work, beside a server that may have it open too. */
export async function inStore<T>(place: Place, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openPlace(place);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
