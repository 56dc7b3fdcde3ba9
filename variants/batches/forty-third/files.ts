import { within, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { tokenOf } from '../proofs.ts';
import { spaceFiles } from '../service.ts';

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

export const fileMistakes: Batch = {
  'chunks.mark-at-the-front-goes': {
    source: 'extensions: What the service does, file API',
    breaks: 'A file is kept byte by byte, also one that came in one chunk and begins with a byte order mark.',
    kind: 'value',
    variant: replaces('chunks', 'chunkContent', (right, areas, chunk) => {
      const pieces = right(areas, chunk);
      if (chunk.totalChunks > 1) return pieces;
      const content = Buffer.concat(pieces);
      return content.subarray(0, 3).equals(byteOrderMark) ? [content.subarray(3)] : pieces;
    }),
    async shows({ edda }) {
      await edda.sendChunks('marked.txt', ['\uFEFFtext']);
      const read = await edda.get(`${spaceFiles}/marked.txt`);
      return read.status === 200 && read.headers.get('content-length') === '4';
    },
  },

  'files.deletion-decodes-twice': {
    source: 'extensions: File routes, row 4',
    breaks:
      'DELETE takes away the file that its path names, and fails where there is none: a percent sign in a name is one.',
    kind: 'value',
    variant: replaces('files', 'removeFile', (right, areas, call) =>
      right(areas, { ...call, rest: (call.rest ?? []).map(decodedOnce) }),
    ),
    async shows({ edda }) {
      await edda.upload('a%2541b.txt', 'one');
      await edda.delete(`${spaceFiles}/a%2541b.txt`);
      return (await edda.get(`${spaceFiles}/a%2541b.txt`)).status === 200;
    },
  },

  'files.query-token-never-expires': {
    source: 'extensions: Authentication 1',
    breaks: 'A token in the query opens a download as long as it is valid, and not a second longer.',
    kind: 'combination',
    variant: replaces('fileAreas', 'authenticateFile', (right, areas, call) => {
      const lenient = within(areas, { tokens: { checkExpiry: () => undefined } });
      return right(call.headers['authorization'] === undefined ? lenient : areas, call);
    }),
    async shows(service) {
      await service.edda.upload('a.txt', 'text');
      const token = await tokenOf(service, 'edda');
      await service.pass(3601);
      return (await service.nobody.get(`${spaceFiles}/a.txt?token=${token}`)).status === 200;
    },
  },
};

function decodedOnce(segment: string): string {
  try {
    return encodeURIComponent(decodeURIComponent(decodeURIComponent(segment)));
  } catch {
    return segment;
  }
}
