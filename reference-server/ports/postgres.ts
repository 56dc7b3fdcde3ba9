import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { systemClock } from '../../clock/clock.ts';
import { type Connection, Session, begun, configurationOf, failureOf, poolOf } from './postgres-session.ts';
import { readingOf, writingOf } from './postgres-statements.ts';
import { type ChangeSet, Groups } from './groups.ts';
import { type Reading, type Store, type Writing, assertOutside, visiting } from './store.ts';

/** Reads under way at once; more wait, for 5 s at most. */
const mostReads = 10;

/** Entries that a removal moves up at once. */
const longestMoveEntries = 512;

/** Raised by one with each change of the tables. */
const schemaVersion = 1;

/**
 * Tables of a store that several hosts use. Texts are compared by their bytes. Entries are rows keyed by their place in the array, so that a page
 * is one range of the primary key, see ../gaps.ts; that key is checked when a statement has ended, as places move over each other. Documents and
 * endpoints, whose names may be of any length, are found by a key of theirs. Of times and the queue see ../sqlite/queue-schema.ts.
 */
const schemaSql = `
  CREATE TABLE schema_version (version integer NOT NULL);
  CREATE TABLE objects (
    oid text COLLATE "C" PRIMARY KEY, space_id text COLLATE "C" NOT NULL, soft_type text COLLATE "C" NOT NULL, version bigint NOT NULL,
    content text NOT NULL
  );
  CREATE INDEX objects_by_soft_type ON objects (space_id, soft_type);
  CREATE TABLE entries (
    oid text COLLATE "C" NOT NULL, port text COLLATE "C" NOT NULL, place bigint NOT NULL, entry_id bigint NOT NULL, content text NOT NULL,
    PRIMARY KEY (oid, port, place) DEFERRABLE INITIALLY IMMEDIATE
  );
  CREATE UNIQUE INDEX entries_by_id ON entries (oid, port, entry_id);
  CREATE TABLE arrays (
    oid text COLLATE "C" NOT NULL, port text COLLATE "C" NOT NULL, count bigint NOT NULL, next_id bigint NOT NULL, gaps text NOT NULL,
    PRIMARY KEY (oid, port)
  );
  CREATE TABLE documents (
    kind text COLLATE "C" NOT NULL, key text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL, text text NOT NULL, PRIMARY KEY (kind, key)
  );
  CREATE TABLE deliveries (
    sequence bigint PRIMARY KEY, id text COLLATE "C" NOT NULL UNIQUE, endpoint text COLLATE "C" NOT NULL, endpoint_key text COLLATE "C" NOT NULL,
    registration_id text COLLATE "C" NOT NULL, due_at double precision NOT NULL, ready_at double precision, attempts integer NOT NULL,
    lease_owner text COLLATE "C", delivery text NOT NULL
  );
  CREATE INDEX deliveries_by_ready ON deliveries (ready_at);
  CREATE INDEX deliveries_by_endpoint ON deliveries (endpoint_key, sequence);
  CREATE INDEX deliveries_by_registration ON deliveries (registration_id);
  CREATE INDEX deliveries_free ON deliveries (ready_at) WHERE lease_owner IS NULL;
  CREATE INDEX deliveries_by_lease ON deliveries (lease_owner, ready_at) WHERE lease_owner IS NOT NULL;
  CREATE TABLE rate_windows (
    key text COLLATE "C" PRIMARY KEY, started_at double precision NOT NULL, executions integer NOT NULL, paused_until double precision NOT NULL
  );
  CREATE TABLE delivery_log (sequence bigint PRIMARY KEY, envelope_id text COLLATE "C", entry text NOT NULL);
`;

/** Older ones are not looked after any more. */
const oldestServer = 130_000;

/** A database that cannot be used as it is. The message says what to do. */
export class DatabaseUnusableError extends Error {
  readonly code = 'DATABASE_UNUSABLE';
  override readonly name = 'DatabaseUnusableError';
}

/** Change sets that share a commit at most; other hosts have to wait for them. */
const mostTogether = 64;

interface TransactionOptions {
  readonly writingOf: (session: Session) => Writing;
  /** Statement that tells other hosts, at the commit, that deliveries are ready. */
  readonly tellOthers: string;
}

/**
 * One transaction after another, whoever asks for it: a group begins with a lock that all hosts of the database take, so that what it reads stays
 * true until it has written, and no work is ever run twice.
 */
const beginWriteSql = `BEGIN ISOLATION LEVEL READ COMMITTED; SELECT pg_advisory_xact_lock(827364, hashtext(current_schema()))`;

/** Commits change sets together, over the one connection of a pool, each behind a savepoint of its own. */
async function commitGroup(group: readonly ChangeSet[], pool: pg.Pool, options: TransactionOptions): Promise<void> {
  let transaction: Transaction | undefined;
  try {
    transaction = new Transaction(await begun(pool, beginWriteSql), options);
    const applied = await transaction.apply(group);
    await transaction.commit(applied.length > 0);
    for (const member of applied) member.committed();
  } catch (reason) {
    for (const member of group) member.lost(reason);
  } finally {
    transaction?.end();
  }
}

class Transaction {
  readonly #connection: Connection;
  readonly #options: TransactionOptions;
  #isSound = true;
  #hasQueued = false;

  constructor(connection: Connection, options: TransactionOptions) {
    this.#connection = connection;
    this.#options = options;
  }

  /** @returns those whose work resolved; what others did is undone, and their neighbours are untouched */
  async apply(group: readonly ChangeSet[]): Promise<readonly ChangeSet[]> {
    const applied: ChangeSet[] = [];
    for (const member of group) if (await this.#apply(member, group.length > 1)) applied.push(member);
    return applied;
  }

  async commit(hasApplied: boolean): Promise<void> {
    if (!hasApplied) return void (await this.#sent('ROLLBACK'));
    const [results] = [await this.#sent(this.#hasQueued ? `${this.#options.tellOthers}; COMMIT` : 'COMMIT')];
    const last = Array.isArray(results) ? results.at(-1) : results;
    // a transaction in which a statement failed answers COMMIT with ROLLBACK, and no error
    if (last?.command !== 'COMMIT')
      throw new Error('Expected the transaction to be committed; PostgreSQL rolled it back.');
  }

  /** A connection on which something failed is used no more. */
  end(): void {
    this.#connection.release(!this.#isSound);
  }

  async #apply(member: ChangeSet, hasNeighbours: boolean): Promise<boolean> {
    const session = new Session(this.#connection);
    // sent ahead: where it fails, so does what follows it
    if (hasNeighbours) this.#sent('SAVEPOINT change_set').catch(() => undefined);
    try {
      await member.apply(this.#options.writingOf(session));
      session.end();
      if (session.hasFailed) throw new Error('A statement of the change set failed, and its work went on.');
      // nobody waits for it: where it fails, so does the COMMIT
      if (hasNeighbours) this.#sent('RELEASE SAVEPOINT change_set').catch(() => undefined);
    } catch (reason) {
      session.end();
      this.#isSound &&= !session.hasFailed;
      if (hasNeighbours) await this.#sent('ROLLBACK TO SAVEPOINT change_set; RELEASE SAVEPOINT change_set');
      member.lost(reason);
      return false;
    }
    this.#hasQueued ||= session.hasQueued;
    return true;
  }

  async #sent(text: string): Promise<pg.QueryResult | readonly pg.QueryResult[]> {
    try {
      return await this.#connection.query(text);
    } catch (error) {
      this.#isSound = false;
      throw failureOf(error);
    }
  }
}

const beginReadSql = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';

const channel = 'svc_conformance_ready';

const againMs = 1000;

/** Hears what other hosts tell, over a connection of its own, which is made anew when it breaks. */
class Watch {
  readonly #url: string;
  readonly #self: string;
  readonly #told: () => void;
  readonly #ending = new AbortController();
  readonly #ended: Promise<void>;

  constructor(url: string, self: string, told: () => void) {
    this.#url = url;
    this.#self = self;
    this.#told = told;
    this.#ended = this.#hear();
  }

  async end(): Promise<void> {
    this.#ending.abort();
    await this.#ended;
  }

  async #hear(): Promise<void> {
    const { signal } = this.#ending;
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      // what was told while nobody heard is not told again
      await this.#hearOnce(() => isFirst || this.#told()).catch(() => undefined);
      if (!signal.aborted) await systemClock.sleep(againMs, { signal }).catch(() => undefined);
    }
  }

  /** Resolves when the connection has ended. */
  async #hearOnce(connected: () => void): Promise<void> {
    const client = new pg.Client(configurationOf(this.#url));
    const over = Promise.withResolvers<void>();
    const end = (): void => over.resolve();
    client.on('error', end);
    client.on('end', end);
    client.on('notification', ({ payload }) => {
      if (payload !== this.#self) this.#told();
    });
    this.#ending.signal.addEventListener('abort', end, { once: true });
    try {
      await client.connect();
      await client.query(`LISTEN ${channel}`);
      connected();
      await over.promise;
    } finally {
      this.#ending.signal.removeEventListener('abort', end);
      await client.end();
    }
  }
}

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
  const options = {
    writingOf: (session: Session) => writingOf(session, longestMove),
    tellOthers: `NOTIFY ${channel}, '${self}'`,
  };
  const groups = new Groups((group) => commitGroup(group, changes, options), mostTogether);
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

/** Makes the tables where there are none. @throws {StoreUnavailableError | DatabaseUnusableError} */
async function prepare(url: string): Promise<void> {
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

/** Runs the work in a transaction that sees one state, that of its first statement. */
async function readIn<T>(pool: pg.Pool, work: (reading: Reading) => Promise<T>): Promise<T> {
  const connection = await begun(pool, beginReadSql);
  const session = new Session(connection);
  try {
    return await work(readingOf(session));
  } finally {
    session.end();
    void ended(connection, session);
  }
}

/** What was read is told before that. */
async function ended(connection: Connection, session: Session): Promise<void> {
  try {
    await connection.query('COMMIT');
    connection.release(session.hasFailed);
  } catch {
    connection.release(true);
  }
}
