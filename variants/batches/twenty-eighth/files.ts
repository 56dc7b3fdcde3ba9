import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { spaceFiles } from '../service.ts';

export const filesMistakes: Batch = {
  'files.last-chunk-at-its-own-size': {
    source: 'extensions: File routes, chunk table',
    breaks: 'The nominal chunk size places a chunk, also the last one, which may be shorter.',
    kind: 'combination',
    variant: replaces('chunks', 'chunkPosition', (right, areas, chunk) => {
      const size = [...chunk.pieces].reduce((sum, piece) => sum + piece.length, 0);
      return chunk.number > 2 && size < chunk.chunkSize
        ? right(areas, { ...chunk, number: chunk.number - 1 }) + size
        : right(areas, chunk);
    }),
    async shows({ edda }) {
      await edda.sendChunks('short.txt', ['aaaa', 'bbbb', 'cc']);
      return (await edda.get(`${spaceFiles}/short.txt`)).text !== 'aaaabbbbcc';
    },
  },
};
