import { nextTurn } from '../../clock/clock.ts';
import type { Writing } from './store.ts';

/** A change set on its way: `apply` runs its work, then one of the other two tells whoever asked for it. */
export interface ChangeSet {
  apply(writing: Writing): Promise<void>;
  committed(): void;
  lost(reason: unknown): void;
}

/**
 * Group commit: change sets that were asked for in one turn of the event loop, or while the group before them was under way, share a transaction.
 * One wait for the disk then pays for all of them.
 */
export class Groups {
  readonly #commit: (group: readonly ChangeSet[]) => Promise<void>;
  readonly #most: number;
  #queue: ChangeSet[] = [];
  #draining: Promise<void> | undefined;

  /** @param commit tells each of the group what became of it @param most change sets of a group */
  constructor(commit: (group: readonly ChangeSet[]) => Promise<void>, most = Number.POSITIVE_INFINITY) {
    this.#commit = commit;
    this.#most = most;
  }

  /** Resolves with what the work resolves with, once that is committed. */
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
    while (this.#queue.length > 0) await this.#commit(this.#queue.splice(0, this.#most));
    this.#draining = undefined;
  }
}

function changeSet<T>(
  work: (writing: Writing) => Promise<T>,
  resolve: (result: T) => void,
  reject: (reason: unknown) => void,
): ChangeSet {
  let answer: () => void = () => undefined;
  return {
    async apply(writing) {
      const result = await work(writing);
      answer = () => resolve(result);
    },
    committed: () => answer(),
    lost: reject,
  };
}
