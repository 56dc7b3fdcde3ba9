import type { EntryCondition, OrdinalRange, StoredEntry } from './store.ts';

export function admits({ member, value }: EntryCondition, { content }: StoredEntry): boolean {
  return Object.hasOwn(content, member) && String(content[member]) === value;
}

/** @throws {RangeError} a range that no array has */
export function assertRange({ from, to }: OrdinalRange): void {
  if (Number.isSafeInteger(from) && Number.isSafeInteger(to) && from >= 0 && to >= from) return;
  throw new RangeError(`Expected an ordinal range of integers 0 <= from <= to, found [${from}, ${to}).`);
}

/** Content is kept as JSON, so a text is looked up the way it is spelled there. */
export function spelledInContent(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
