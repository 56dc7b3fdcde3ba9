import { openPostgresStore } from '../../reference-server/ports/postgres.ts';
import { openSqliteStore } from '../../reference-server/ports/sqlite.ts';
import type { Store } from '../../reference-server/ports/store.ts';

/** What outlives the servers: a file, or the database at an address. */
export interface Place {
  readonly file?: string;
  readonly database?: string;
}

export async function openPlace({ file, database }: Place): Promise<Store> {
  return database === undefined ? openSqliteStore(file ?? '') : openPostgresStore(database);
}
