import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { spaceFiles } from '../service.ts';

export const filesMistakes: Batch = {
  'files.fallback-to-the-space': {
    source: 'extensions: File routes, row 3',
    breaks:
      'A download of a file that a participant area does not have fails, also where the area of the space has one.',
    kind: 'place',
    variant: replaces('files', 'downloadFile', async (right, areas, call) => {
      try {
        return await right(areas, call);
      } catch (error) {
        const area = call.admitted;
        if (area.kind !== 'participant' || !(error instanceof Refusal) || error.status !== 404) throw error;
        return right(areas, { ...call, admitted: { kind: 'space', spaceId: area.spaceId } });
      }
    }),
    async shows({ edda }) {
      await edda.upload('fallback.txt', 'of the space');
      return (await edda.get('/api/space/main/participant/owner/fs/file/fallback.txt')).status === 200;
    },
  },

  'files.two-uploads-of-one-name': {
    source: 'extensions: File routes, row 2',
    breaks: 'A file has the chunks that were sent for it, also while one of the same name goes to another directory.',
    kind: 'combination',
    variant: breaks('chunks', 'chunkContent', (right) => {
      const parts = new Map<string, readonly Uint8Array[]>();
      return (areas, chunk) => {
        const upload = `${chunk.fileName} ${chunk.totalSize}`;
        const key = `${upload} ${chunk.number}`;
        const content = parts.get(key) ?? right(areas, chunk);
        parts.set(key, content);
        if (chunk.number === chunk.totalChunks)
          for (const known of parts.keys()) if (known.startsWith(upload)) parts.delete(known);
        return content;
      };
    }),
    async shows({ edda }) {
      await edda.sendChunk('one/same.txt', ['aaaa', 'bbbb'], 1);
      await edda.sendChunk('other/same.txt', ['cccc', 'dddd'], 1);
      await edda.sendChunk('one/same.txt', ['aaaa', 'bbbb'], 2);
      await edda.sendChunk('other/same.txt', ['cccc', 'dddd'], 2);
      return (await edda.get(`${spaceFiles}/other/same.txt`)).text !== 'ccccdddd';
    },
  },
};
