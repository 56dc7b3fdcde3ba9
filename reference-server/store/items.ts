import type { ArrayState } from './rows.ts';
import type { Content } from './store.ts';

/** What is to become an entry; it gets a new id where it names none. */
export interface Item {
  readonly entryId?: number;
  readonly content: Content;
}

/** What an array without a row is. */
export const unusedArray: ArrayState = { count: 0, nextId: 1, gaps: [] };

/** An id that is not known, or that an earlier item took, is dropped, so that the item gets a new one. */
export function keepingKnownId(item: Item, known: Set<number>): Item {
  const keeps = item.entryId !== undefined && known.delete(item.entryId);
  return keeps ? item : { content: item.content };
}

/** The ids of the items; new ones begin with `nextId`. */
export function numbered(items: readonly Item[], nextId: number): readonly number[] {
  let next = nextId;
  return items.map((item) => item.entryId ?? next++);
}
