import pg from 'pg';
import type { PoolClient, PoolConfig } from 'pg';
import { failureOf } from './failure.ts';
import { unspelled } from './text.ts';

export type Connection = PoolClient;

/** For a connection, be it a new one or one that others use. */
const connectTimeoutMs = 5000;
/** For the change sets of other hosts. */
const lockTimeoutMs = 15_000;
const statementTimeoutMs = 60_000;
/** A host that stands still in a change set keeps all others out; it loses its connection then, and what it had not committed. */
const idleTimeoutMs = 10_000;

/** Every statement is made for an index. A plan made while a table is small would walk it, and be kept when it has grown. */
const settings = [
  'synchronous_commit=on',
  'enable_seqscan=off',
  `lock_timeout=${lockTimeoutMs}`,
  `statement_timeout=${statementTimeoutMs}`,
  `idle_in_transaction_session_timeout=${idleTimeoutMs}`,
];

/** Types whose values come as something else than by default. */
const decoders: ReadonlyMap<number, (text: string) => unknown> = new Map<number, (text: string) => unknown>([
  [pg.types.builtins.INT8, Number],
  [pg.types.builtins.TEXT, unspelled],
]);

const types: NonNullable<PoolConfig['types']> = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    decoders.get(oid) ?? pg.types.getTypeParser(oid, format ?? 'text'),
};

/** What a connection to the address is made with. Options of the address have the last word. */
export function configurationOf(url: string): PoolConfig {
  // an address of a socket, as libpq spells it, is no URL to others
  const [address = '', query] = url.split('?', 2);
  const parameters = new URLSearchParams(query);
  const options = [...settings.map((setting) => `-c ${setting}`), ...parameters.getAll('options')];
  parameters.delete('options');
  return {
    connectionString: `${address}?${parameters.toString()}`,
    options: options.join(' '),
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    types,
  };
}

/** Connections that are made when they are needed. Statements on one of them are sent without waiting for the one before. */
export function poolOf(url: string, max: number): pg.Pool {
  const pool = new pg.Pool({ ...configurationOf(url), max, pipeline: true });
  // whoever uses a connection hears of its end by what it asks for
  pool.on('error', () => undefined);
  pool.on('connect', (connection) => connection.on('error', () => undefined));
  return pool;
}

/** A connection on which the text was run. One that broke while nobody used it is replaced once. @throws {StoreUnavailableError} */
export async function begun(pool: pg.Pool, text: string): Promise<Connection> {
  try {
    return await begunOnce(pool, text);
  } catch {
    return begunOnce(pool, text);
  }
}

async function begunOnce(pool: pg.Pool, text: string): Promise<Connection> {
  let connection: Connection | undefined;
  try {
    connection = await pool.connect();
    await connection.query(text);
    return connection;
  } catch (error) {
    connection?.release(true);
    throw failureOf(error);
  }
}
