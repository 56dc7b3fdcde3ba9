import { randomUUID } from 'node:crypto';
import { assertOutside, visiting } from './nesting.ts';
import { poolOf } from './postgres/connections.ts';
import { Groups } from './postgres/groups.ts';
import { prepare } from './postgres/opening.ts';
import { readIn } from './postgres/reads.ts';
import { tellingOthers, Watch } from './postgres/watch.ts';
import { writingOf } from './postgres/writing.ts';
import type { Store } from './store.ts';

/** Reads under way at once; more wait, for 5 s at most. */
const mostReads = 10;

/** Entries that a removal moves up at once. */
const longestMoveEntries = 512;

/**
 * Opens the store in a database of PostgreSQL, which any number of hosts may use. The tables are made when they are not there. Takes up to
 * 12 connections: 10 for reads, one for change sets, one that hears of the deliveries of other hosts.
 *
 * Durability: a change set whose promise has resolved is on the disk of the database server (`synchronous_commit` is on). Where the connection
 * breaks during a commit, `change` rejects although the change set may have been applied.
 * @param url postgres://user:password@host:port/database; members left out come from PGPASSWORD and its like
 * @param longestMove see gaps.ts
 * @throws {StoreUnavailableError | DatabaseUnusableError}
 */
export async function openPostgresStore(url: string, longestMove = longestMoveEntries): Promise<Required<Store>> {
  await prepare(url);
  const self = randomUUID();
  const [reads, changes] = [poolOf(url, mostReads), poolOf(url, 1)];
  const groups = new Groups({
    pool: changes,
    writingOf: (session) => writingOf(session, longestMove),
    tellOthers: tellingOthers(self),
  });
  const watches = new Set<Watch>();
  let closed = false;
  const assertAdmits = (kind: 'read' | 'change'): void => {
    if (closed) throw new Error('The store is closed.');
    assertOutside(groups, kind);
  };
  return {
    isShared: true,
    async read(work) {
      assertAdmits('read');
      return readIn(reads, (reading) => visiting(groups, 'read', () => work(reading)));
    },
    async change(work) {
      assertAdmits('change');
      return groups.change((writing) => visiting(groups, 'change', () => work(writing)));
    },
    watch(told) {
      const watch = new Watch(url, self, told);
      watches.add(watch);
      return () => void watch.end();
    },
    async close() {
      if (closed) return;
      closed = true;
      await groups.idle();
      await Promise.all([...watches].map((watch) => watch.end()));
      await Promise.all([reads.end(), changes.end()]);
    },
  };
}
