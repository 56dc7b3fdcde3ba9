import type { DatabaseSync } from 'node:sqlite';
import { changeSet, nextTurn, type ChangeSet } from '../change-set.ts';
import type { Writing } from '../store.ts';
import type { Gate } from './gate.ts';

/**
 * Group commit: change sets that arrive in one turn of the event loop share a transaction, each behind a savepoint of its own, and
 * are answered after its COMMIT. One fsync then pays for all of them.
 */
export class Groups {
  readonly #database: DatabaseSync;
  readonly #writing: Writing;
  readonly #gate: Gate;
  #queue: ChangeSet[] = [];
  #draining: Promise<void> | undefined;

  constructor(database: DatabaseSync, writing: Writing, gate: Gate) {
    this.#database = database;
    this.#writing = writing;
    this.#gate = gate;
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
    while (this.#queue.length > 0) {
      const group = this.#queue;
      this.#queue = [];
      await this.#gate.alone(() => this.#commit(group));
    }
    this.#draining = undefined;
  }

  async #commit(group: readonly ChangeSet[]): Promise<void> {
    const applied: ChangeSet[] = [];
    try {
      this.#database.exec('BEGIN IMMEDIATE');
      for (const member of group) if (await this.#apply(member)) applied.push(member);
      this.#database.exec('COMMIT');
    } catch (reason) {
      for (const member of group) member.lost(reason);
      this.#abandon();
      return;
    }
    for (const member of applied) member.committed();
  }

  /** False when the work rejected: what it did is undone, its neighbours in the group are untouched. */
  async #apply(member: ChangeSet): Promise<boolean> {
    this.#database.exec('SAVEPOINT change_set');
    try {
      await member.apply(this.#writing);
    } catch (reason) {
      this.#database.exec('ROLLBACK TO change_set; RELEASE change_set');
      member.lost(reason);
      return false;
    }
    this.#database.exec('RELEASE change_set');
    return true;
  }

  /** SQLite ends a transaction by itself on some failures (a full disk), so there may be nothing left to roll back. */
  #abandon(): void {
    if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
  }
}
