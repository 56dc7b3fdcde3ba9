import { breaks } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { spaceFiles } from '../service.ts';

export const filesMistakes: Batch = {
  'files.chunk-like-the-first': {
    source: 'extensions: File routes',
    breaks: 'Each chunk is a part of the file, also one with the bytes of another.',
    kind: 'place',
    variant: breaks('chunks', 'chunkContent', (right) => {
      const first = new Map<string, string>();
      return (areas, chunk) => {
        if (chunk.number === 1) first.set(chunk.relativePath, chunk.md5);
        const isRepeated = chunk.number > 1 && first.get(chunk.relativePath) === chunk.md5;
        return isRepeated ? [Buffer.alloc(chunk.size)] : right(areas, chunk);
      };
    }),
    async shows({ edda }) {
      await edda.sendChunks('twice.txt', ['aaaa', 'aaaa', 'bb']);
      return (await edda.get(`${spaceFiles}/twice.txt`)).text !== 'aaaaaaaabb';
    },
  },
};
