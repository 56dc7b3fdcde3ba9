import { createServer } from '../../reference-server/server.ts';
import { openPostgresStore } from '../../reference-server/ports/postgres.ts';
import { openSqliteStore } from '../../reference-server/ports/sqlite.ts';
import { settingsOf, answerParent } from '../harness/parent.ts';

/** The reference server as it comes, without a log. */
export interface ReferenceSettings {
  /** File of a durable store; in memory when absent. */
  readonly file?: string;
  /** Address of a database, which takes the place of the file. */
  readonly database?: string;
  /** Folder of the file areas; a temporary one when absent. */
  readonly files?: string;
  /** Longest stream upload, in bytes. */
  readonly maxStreamBytes?: number;
}

const { file, database, ...options } = settingsOf<ReferenceSettings>();
const store = database === undefined ? openSqliteStore(file) : await openPostgresStore(database);
const server = createServer({ store, ...options });
answerParent(await server.listen(), async () => {
  await server.close();
  await store.close();
});
