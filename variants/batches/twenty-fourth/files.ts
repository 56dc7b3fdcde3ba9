import type { FilePlace } from '../../../reference-server/ports/file-store.ts';
import { breaks } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { spaceFiles } from '../service.ts';

const pieces = ['first', 'last'];

export const filesMistakes: Batch = {
  'chunks.numbers-of-a-deleted-upload': {
    source: 'extensions: File routes, text below the chunk table',
    breaks: 'An upload that broke off and was deleted is begun anew with every chunk of it.',
    kind: 'copy',
    variant: breaks('chunks', 'storeChunk', (right) => {
      const known = new Map<string, Map<number, Buffer>>();
      return async (areas, place, chunk) => {
        const key = `${keyOf(place)} ${chunk.totalSize}`;
        const came = known.get(key) ?? new Map<number, Buffer>();
        known.set(key, came);
        const kept = came.get(chunk.number);
        came.set(chunk.number, Buffer.concat(chunk.pieces));
        const progress = await right(areas, place, kept === undefined ? chunk : { ...chunk, pieces: [kept] });
        if (came.size === chunk.totalChunks) known.delete(key);
        return progress;
      };
    }),
    async shows({ edda }) {
      await edda.sendChunk('broken.txt', pieces, 1);
      await edda.delete(`${spaceFiles}/broken.txt`);
      await edda.sendChunks('broken.txt', ['FIRST', 'last']);
      return (await edda.get(`${spaceFiles}/broken.txt`)).text === 'firstlast';
    },
  },
};

function keyOf({ area, segments }: FilePlace): string {
  return JSON.stringify([area, segments]);
}
