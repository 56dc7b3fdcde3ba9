import type { Chunk } from '../../files/chunk/parts.ts';
import type { FilePlace } from '../../files/file-store.ts';
import { keyOf } from '../files/words.ts';
import { replacing, together, type Fault } from '../fault.ts';

export const subtleFileFaults = {
  /** Of an upload that is begun anew after a deletion the second chunk is the one that came first. */
  'subtle.chunk.second-one-survives-deletion': (behaviours) => {
    const kept = new Map<string, Chunk>();
    return replacing('storeChunk', (right) => async (service, place, chunk) => {
      const key = `${keyOf(place)} ${chunk.totalSize}`;
      if (chunk.number !== 2) return right(service, place, chunk);
      const first = kept.get(key) ?? chunk;
      kept.set(key, first);
      return right(service, place, first.size === chunk.size ? { ...chunk, pieces: first.pieces } : chunk);
    })(behaviours);
  },

  /** A file that is deleted in the area of a user goes in the area of the space as well. */
  'subtle.delete.user-file-takes-that-of-space': replacing('deleteFile', (right) => async (service, place) => {
    const removed = await right(service, place);
    if (!removed || place.area.kind !== 'user') return removed;
    const twin: FilePlace = { ...place, area: { kind: 'space', spaceId: place.area.spaceId } };
    if ((await service.files.describe(twin))?.kind === 'file') await right(service, twin);
    return removed;
  }),

  /** The second deletion at a path takes the file of that name in another directory, too. */
  'subtle.delete.second-one-takes-namesake': (behaviours) => {
    const deleted = new Set<string>();
    const stored = new Map<string, FilePlace[]>();
    return together(
      replacing('storeStream', (right) => async (service, place, ...upload) => {
        await right(service, place, ...upload);
        stored.set(nameOf(place), [...(stored.get(nameOf(place)) ?? []), place]);
      }),
      replacing('deleteFile', (right) => async (service, place) => {
        const isAgain = deleted.has(keyOf(place));
        const removed = await right(service, place);
        if (removed) deleted.add(keyOf(place));
        const namesake = stored.get(nameOf(place))?.find((other) => keyOf(other) !== keyOf(place));
        if (removed && isAgain && namesake !== undefined) await right(service, namesake);
        return removed;
      }),
    )(behaviours);
  },
} satisfies Readonly<Record<string, Fault>>;

/** The same for the files of one name, wherever they are in an area and below one root. */
function nameOf({ area, segments }: FilePlace): string {
  return JSON.stringify([area, segments[0], segments.at(-1)]);
}
