import pg from 'pg';
import { configurationOf } from './connections.ts';
import { failureOf } from './failure.ts';
import { schemaSql, schemaVersion } from './schema.ts';

/** Older ones are not looked after any more. */
const oldestServer = 130_000;

/** A database that cannot be used as it is. The message says what to do. */
export class DatabaseUnusableError extends Error {
  readonly code = 'DATABASE_UNUSABLE';
  override readonly name = 'DatabaseUnusableError';
}

/** Makes the tables where there are none. @throws {StoreUnavailableError | DatabaseUnusableError} */
export async function prepare(url: string): Promise<void> {
  const client = new pg.Client(configurationOf(url));
  client.on('error', () => undefined);
  try {
    await client.connect();
    await assertServer(client);
    await client.query('BEGIN; SELECT pg_advisory_xact_lock(827365, hashtext(current_schema()))');
    await bringUp(client, await versionIn(client));
    await client.query('COMMIT');
  } catch (error) {
    throw error instanceof DatabaseUnusableError ? error : failureOf(error);
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function assertServer(client: pg.Client): Promise<void> {
  const found = {
    version: await shown(client, 'server_version_num'),
    encoding: await shown(client, 'server_encoding'),
  };
  if (Number(found.version) < oldestServer)
    throw new DatabaseUnusableError(
      `Expected PostgreSQL 13 or later, found ${await shown(client, 'server_version')}; use a newer server.`,
    );
  if (found.encoding !== 'UTF8')
    throw new DatabaseUnusableError(
      `Expected a database in UTF8, found ${found.encoding}; make one with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0.`,
    );
}

async function shown(client: pg.Client, setting: string): Promise<string> {
  const { rows } = await client.query<{ readonly value: string }>('SELECT current_setting($1) AS value', [setting]);
  return rows[0]?.value ?? '';
}

/** Undefined where there are no tables. */
async function versionIn(client: pg.Client): Promise<number | undefined> {
  const { rows: found } = await client.query(
    `SELECT 1 FROM information_schema.tables WHERE table_schema = current_schema() AND table_name = 'schema_version'`,
  );
  if (found.length === 0) return undefined;
  const { rows } = await client.query<{ readonly version: number }>('SELECT version FROM schema_version');
  return rows[0]?.version;
}

async function bringUp(client: pg.Client, version: number | undefined): Promise<void> {
  if (version === schemaVersion) return;
  if (version !== undefined)
    throw new DatabaseUnusableError(
      `Expected tables of version ${schemaVersion}, found version ${version}; use the release of svc-conformance that made them, or an empty database.`,
    );
  try {
    await client.query(schemaSql);
    await client.query('INSERT INTO schema_version (version) VALUES ($1)', [schemaVersion]);
  } catch (error) {
    const isTaken = error instanceof pg.DatabaseError && error.code === '42P07';
    if (!isTaken) throw error;
    throw new DatabaseUnusableError(
      `Expected an empty database, or one of ours, found other tables (${error.message}); name a database of its own.`,
    );
  }
}
