import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { md5, spaceFiles } from '../service.ts';

export const filesMistakes: Batch = {
  'chunks.texts-behind-the-file': {
    source: 'extensions: File routes, chunk upload',
    breaks: 'The form has the part of the file and text parts, which may stand behind it.',
    kind: 'place',
    variant: replaces('chunks', 'formPartsOf', async (right, areas, call) => {
      const parts = await right(areas, call);
      const at = parts.findIndex(({ name }) => name === 'file');
      return at < 0 ? parts : parts.slice(0, at + 1);
    }),
    async shows({ edda }) {
      const texts = {
        resumableTotalSize: '4',
        resumableChunkNumber: '1',
        resumableChunkSize: '4',
        resumableCurrentChunkSize: '4',
        resumableTotalChunks: '1',
        resumableType: 'text/plain',
        resumableFilename: 'c.txt',
        resumableRelativePath: 'chunked/c.txt',
      };
      const form = new FormData();
      form.set('file', new Blob(['text']), 'c.txt');
      for (const [name, text] of Object.entries(texts)) form.set(name, text);
      const request = new Response(form);
      const type = request.headers.get('content-type') ?? '';
      const headers = { checksum: md5('text'), 'content-type': type };
      return (await edda.post(spaceFiles, await request.bytes(), headers)).status >= 300;
    },
  },
};
