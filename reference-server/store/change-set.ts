import type { Writing } from './store.ts';

/** A change set on its way: `apply` runs its work, then one of the other two tells whoever asked for it. */
export interface ChangeSet {
  apply(writing: Writing): Promise<void>;
  committed(): void;
  lost(reason: unknown): void;
}

export function changeSet<T>(
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

export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
