import type { Service } from '../service.ts';
import type { FilePlace, FileStore } from './file-store.ts';
import { placeId } from './kept.ts';

const turnsOf = new WeakMap<FileStore, Map<string, Promise<unknown>>>();

/** Work on one place, one after another. Work on other places goes on beside it. */
export async function inTurn<T>({ files }: Service, place: FilePlace, work: () => Promise<T>): Promise<T> {
  const turns = turnsOf.get(files) ?? new Map<string, Promise<unknown>>();
  turnsOf.set(files, turns);
  const id = placeId(place);
  const before = turns.get(id) ?? Promise.resolve();
  const own = before.then(work, work);
  turns.set(id, own);
  try {
    return await own;
  } finally {
    if (turns.get(id) === own) turns.delete(id);
  }
}
