import type pg from 'pg';
import { changeSet, nextTurn, type ChangeSet } from '../change-set.ts';
import type { Writing } from '../store.ts';
import { begun, type Connection } from './connections.ts';
import { failureOf } from './failure.ts';
import { Session } from './session.ts';

/** Change sets that share a commit at most; other hosts have to wait for them. */
const mostTogether = 64;

export interface GroupOptions {
  /** Its one connection takes the change sets. */
  readonly pool: pg.Pool;
  readonly writingOf: (session: Session) => Writing;
  /** Statement that tells other hosts, at the commit, that deliveries are ready. */
  readonly tellOthers: string;
}

/**
 * One transaction after another, whoever asks for it: a group begins with a lock that all hosts of the database take, so that what it reads stays
 * true until it has written, and no work is ever run twice. Change sets that were asked for in one turn of the event loop, or while the group before
 * them was under way, share a transaction, each behind a savepoint of its own, and are answered after its COMMIT.
 */
const beginSql = `BEGIN ISOLATION LEVEL READ COMMITTED; SELECT pg_advisory_xact_lock(827364, hashtext(current_schema()))`;

export class Groups {
  readonly #options: GroupOptions;
  #queue: ChangeSet[] = [];
  #draining: Promise<void> | undefined;

  constructor(options: GroupOptions) {
    this.#options = options;
  }

  change<T>(work: (writing: Writing) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queue.push(changeSet(work, resolve, reject));
      this.#draining ??= this.#drain();
    });
  }

  /** Resolves when everything asked for so far is committed or lost. */
  async idle(): Promise<void> {
    await this.#draining;
  }

  async #drain(): Promise<void> {
    await nextTurn();
    while (this.#queue.length > 0) await this.#commit(this.#queue.splice(0, mostTogether));
    this.#draining = undefined;
  }

  async #commit(group: readonly ChangeSet[]): Promise<void> {
    let transaction: Transaction | undefined;
    try {
      transaction = new Transaction(await begun(this.#options.pool, beginSql), this.#options);
      const applied = await transaction.apply(group);
      await transaction.commit(applied.length > 0);
      for (const member of applied) member.committed();
    } catch (reason) {
      for (const member of group) member.lost(reason);
    } finally {
      transaction?.end();
    }
  }
}

class Transaction {
  readonly #connection: Connection;
  readonly #options: GroupOptions;
  #isSound = true;
  #hasQueued = false;

  constructor(connection: Connection, options: GroupOptions) {
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
