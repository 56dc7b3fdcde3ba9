import { Refusal } from '../../../reference-server/http/refusal.ts';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';

export const filesMistakes: Batch = {
  'chunks.into-the-root': {
    source: 'extensions: File routes, text below the table',
    breaks: 'A file may go into the root of its area, where there is no subdirectory to name.',
    kind: 'place',
    variant: replaces('chunks', 'chunkPlaceOf', (right, areas, chunk, area) => {
      if (!chunk.relativePath.includes('/')) throw new Refusal(400, 'The path has no directory.');
      return right(areas, chunk, area);
    }),
    async shows({ edda }) {
      return (await edda.sendChunk('root.txt', ['root'], 1)).status >= 400;
    },
  },
};
