import { createHash } from 'node:crypto';
import pg, { type PoolClient, type PoolConfig, type QueryArrayResult } from 'pg';
import { StoreFullError, StoreUnavailableError } from './store.ts';
import { messageOf } from '../../contract/thrown.ts';

/** What a statement takes. Numbers may be infinite where a column holds times. */
type Value = string | number | null | readonly number[] | readonly string[];

/** A statement that each connection prepares once, under its name. */
interface Statement {
  readonly name: string;
  readonly text: string;
}

let count = 0;

/** Classes and codes of failures that pass by themselves, or when somebody looks after the server. */
const passing = /^(?:08|57P|53|25P0[34]|55P03|57014|58)/;

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

/** Statements in one transaction, for as long as the work goes on that they are part of. */
export class Session {
  readonly #connection: Connection;
  #isOpen = true;
  #hasFailed = false;
  /** Whether deliveries have become ready that other hosts do not know of. */
  hasQueued = false;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** Rows come as arrays of their columns. */
  async all<Row>(statement: Statement, ...values: readonly Value[]): Promise<readonly Row[]> {
    // the statement says what columns there are
    return (await this.#sent(statement, values)).rows as unknown as readonly Row[];
  }

  async one<Row>(statement: Statement, ...values: readonly Value[]): Promise<Row | undefined> {
    return (await this.all<Row>(statement, ...values))[0];
  }

  /** @returns number of rows that it touched */
  async run(statement: Statement, ...values: readonly Value[]): Promise<number> {
    return (await this.#sent(statement, values)).rowCount ?? 0;
  }

  /** Runs a statement that has to touch exactly one row. @throws {Error} it touched none: the caller names what is not there */
  async touchOne(statement: Statement, subject: string, ...values: readonly Value[]): Promise<void> {
    if ((await this.run(statement, ...values)) === 1) return;
    throw new Error(`The store was told to change ${subject}, which it does not hold.`);
  }

  /** Statements that come later are refused: they would become part of what is none of theirs. */
  end(): void {
    this.#isOpen = false;
  }

  async #sent({ name, text }: Statement, values: readonly Value[]): Promise<QueryArrayResult> {
    if (!this.#isOpen) throw new Error('The store was asked by a work that is over.');
    try {
      return await this.#connection.query({
        name,
        text,
        rowMode: 'array',
        values: values.map((value) => (typeof value === 'string' ? spelled(value) : value)),
      });
    } catch (error) {
      this.#hasFailed = true;
      throw failureOf(error);
    }
  }
}

/**
 * PostgreSQL keeps every character but U+0000, which may stand in a path that somebody makes up. U+0000 and U+0001 are spelled with U+0001, in
 * a way that keeps the order of texts.
 */
export function spelled(text: string): string {
  return /[\0\u0001]/.test(text) ? text.replaceAll('\u0001', '\u0001\u0002').replaceAll('\0', '\u0001\u0001') : text;
}

/** The text that was spelled so. */
export function unspelled(text: string): string {
  if (!text.includes('\u0001')) return text;
  return text.replaceAll(/\u0001[\u0001\u0002]/g, (pair) => (pair === '\u0001\u0001' ? '\0' : '\u0001'));
}

/** Stands for a text of any length in an index, whose entries are 2704 bytes at most. */
export function indexKey(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

export function statement(text: string): Statement {
  count += 1;
  return { name: `svc_${count}`, text };
}

/** The address without what may be secret in it; undefined where it is none, or where it cannot be told what is. */
export function shownAddress(url: string): string | undefined {
  const [, scheme, authority = '', path = ''] = /^(postgres(?:ql)?):\/\/([^/?#]*)([^?#]*)/.exec(url) ?? [];
  if (scheme === undefined || url.slice(scheme.length + 3 + authority.length).includes('@')) return undefined;
  const at = authority.lastIndexOf('@');
  const [user = ''] = authority.slice(0, Math.max(at, 0)).split(':', 1);
  return `${scheme}://${user === '' ? '' : `${user}@`}${authority.slice(at + 1)}${path}`;
}

/** Of PostgreSQL. */
const diskFull = '53100';

/** A failure of the server or of the way there. Says nothing of rows or values: what they hold may be secret. */
export function failureOf(error: unknown): Error {
  if (error instanceof StoreUnavailableError || error instanceof StoreFullError) return error;
  if (!(error instanceof pg.DatabaseError)) return unavailable(textOf(error));
  const found = `${error.code ?? 'no code'}: ${error.message}`;
  if (error.code === diskFull) return new StoreFullError(`The disk of PostgreSQL takes nothing more (${found}).`);
  if (passing.test(error.code ?? '')) return unavailable(found);
  return new Error(`PostgreSQL refused a statement (${found}).`);
}

function unavailable(found: string): StoreUnavailableError {
  return new StoreUnavailableError(
    `Expected an answer of PostgreSQL, found ${found}. It is asked anew with the next request.`,
  );
}

/** Several addresses of one name fail together, in an error without a message of its own. */
function textOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(textOf).join('; ');
  return messageOf(error);
}

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
