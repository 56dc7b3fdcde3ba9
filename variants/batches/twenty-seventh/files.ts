import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import type { FileArea } from '../../../reference-server/ports/file-store.ts';
import { breaks, replaces, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { tokenOf } from '../proofs.ts';
import { administrationKey, signatureOver, spaceFiles } from '../service.ts';

const participantFiles = '/api/space/main/participant/owner/fs/file';

/** Files: sent, read, deleted. */
export const filesMistakes: Batch = {
  'chunks.exact-multiple-has-one-more': {
    source: 'extensions: File routes, chunk table, row resumableTotalChunks',
    breaks: 'A file whose size is an exact multiple of that of a chunk has no chunk more than the quotient.',
    kind: 'value',
    variant: replaces('chunks', 'assertChunk', (right, areas, chunk, currentSize) => {
      if (chunk.totalChunks > 2 && chunk.totalSize % chunk.chunkSize === 0)
        throw new Refusal(400, 'Expected one chunk more.');
      right(areas, chunk, currentSize);
    }),
    async shows({ edda }) {
      const pieces = ['ab', 'cd', 'ef'];
      await edda.sendChunks('multiple/f.txt', pieces);
      return (await edda.get(`${spaceFiles}/multiple/f.txt`)).text !== 'abcdef';
    },
  },

  'chunks.go-on-in-the-space-that-began-last': {
    source: 'extensions: File areas, row Space',
    breaks: 'A chunk goes into the area that its path names, also when the same file is being sent to another space.',
    kind: 'combination',
    variant: breaks('chunks', 'chunkPlaceOf', (right) => {
      const begun = new Map<string, FileArea>();
      return (areas, chunk, area) => {
        const place = right(areas, chunk, area);
        if (area.kind !== 'space') return place;
        const key = `${chunk.relativePath} ${chunk.totalSize} ${chunk.totalChunks}`;
        if (chunk.number === 1) begun.set(key, area);
        return { ...place, area: begun.get(key) ?? area };
      };
    }),
    async shows({ edda }) {
      const pieces = ['abc', 'de'];
      const depot = '/api/space/depot/fs/file';
      for (const number of [1, 2])
        for (const base of [spaceFiles, depot]) await edda.sendChunk('both/f.txt', pieces, number, base);
      return (await edda.get(`${spaceFiles}/both/f.txt`)).text !== 'abcde';
    },
  },

  'chunks.line-end-of-the-file-is-that-of-the-form': {
    source: 'extensions: File routes, text above the chunk table',
    breaks: 'The part named file holds the bytes of the chunk, a line end at its end too.',
    kind: 'combination',
    variant: replaces('chunks', 'chunkContent', (right, areas, chunk) => {
      const bytes = Buffer.concat([...right(areas, chunk)]);
      const isCut = chunk.number === chunk.totalChunks && bytes.subarray(-2).equals(Buffer.from('\r\n'));
      return [isCut ? bytes.subarray(0, -2) : bytes];
    }),
    async shows({ edda }) {
      await edda.sendChunks('lines/f.txt', ['one\r\n', 'two\r\n']);
      return (await edda.get(`${spaceFiles}/lines/f.txt`)).text !== 'one\r\ntwo\r\n';
    },
  },

  'chunks.deep-paths-in-participant-areas': {
    source: 'extensions: File routes, chunk table, row resumableRelativePath',
    breaks: 'All subdirectories of the target path are kept, in the area of a participant too.',
    kind: 'place',
    variant: replaces('chunks', 'chunkPlaceOf', (right, areas, chunk, area) => {
      const place = right(areas, chunk, area);
      return area.kind === 'participant' ? { ...place, segments: place.segments.slice(-3) } : place;
    }),
    async shows({ edda }) {
      await edda.sendChunks('a/b/c/f.txt', ['abc', 'de'], participantFiles);
      return (await edda.get(`${participantFiles}/a/b/c/f.txt`)).text !== 'abcde';
    },
  },

  'files.root-of-a-participant-is-not-deleted-from': {
    source: 'extensions: File routes, text below the table',
    breaks: 'A file in the root of an area is deleted under its name alone, in the area of a participant too.',
    kind: 'combination',
    variant: replaces('files', 'filePlaceOf', (right, areas, call, area) => {
      const place = right(areas, call, area);
      const isRoot = call.method === 'DELETE' && area.kind === 'participant' && place.segments.length === 1;
      return isRoot ? { ...place, segments: ['.root', ...place.segments] } : place;
    }),
    async shows({ edda }) {
      await edda.upload('f.txt', 'text', participantFiles);
      return (await edda.delete(`${participantFiles}/f.txt`)).status >= 400;
    },
  },

  'files.deleted-and-not-modified': {
    source: 'extensions: File routes, row 4',
    breaks: 'A deleted file is gone, also for a client that holds its tag.',
    kind: 'moment',
    variant: (classes) => {
      const tags = new Map<string, string>();
      return replaces('files', 'downloadFile', async (right, areas, call) => {
        const held = call.headers['if-none-match'];
        if (held !== undefined && tags.get(call.url) === held) return { status: 304, headers: { ETag: held } };
        const answer = await right(areas, call);
        tags.set(call.url, answer.headers?.['ETag'] ?? '');
        return answer;
      })(classes);
    },
    async shows({ edda }) {
      await edda.upload('gone.txt', 'text');
      const { headers } = await edda.get(`${spaceFiles}/gone.txt`);
      await edda.delete(`${spaceFiles}/gone.txt`);
      const again = await edda.get(`${spaceFiles}/gone.txt`, { 'If-None-Match': headers.get('etag') ?? '"none"' });
      return again.status < 400;
    },
  },

  'files.token-of-the-query-never-ends': {
    source: 'extensions: Authentication 1',
    breaks: 'A download takes an access token in the query as long as it takes it in the header, and no longer.',
    kind: 'moment',
    variant: replaces('fileAreas', 'authenticateFile', (right, areas, call) => {
      const isQuery = call.headers['authorization'] === undefined && call.query.has('token');
      return right(isQuery ? within(areas, { tokens: { checkExpiry: () => undefined } }) : areas, call);
    }),
    async shows(service) {
      const token = await tokenOf(service, 'edda');
      await service.edda.upload('late.txt', 'text');
      await service.pass(3601);
      return (await service.nobody.get(`${spaceFiles}/late.txt?token=${token}`)).status === 200;
    },
  },
};

/** Many files by one request. */
export const bulkMistakes: Batch = {
  'bulk.files-without-bytes': {
    source: 'extensions: Bulk upload request body, row sourceDirectory',
    breaks: 'Every file of the source directory is taken, an empty one too.',
    kind: 'value',
    variant: replaces('bulkUpload', 'uploadSourceFile', async (right, areas, run, entry) => {
      const found = await stat(join(run.source, ...entry.path)).catch(() => undefined);
      if (found?.size !== 0) return right(areas, run, entry);
      return { path: entry.path.join('/'), status: 'skipped', error: 'it is empty' };
    }),
    async shows(service) {
      const sourceDirectory = await service.directory();
      await writeFile(join(sourceDirectory, 'empty.txt'), '');
      await service.bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false });
      return (await service.edda.get(`${spaceFiles}/empty.txt`)).status !== 200;
    },
  },

  'bulk.signature-of-the-space': {
    source: 'extensions: Authentication 2',
    breaks: 'The signature is that of the path of the request: one of the space opens no participant.',
    kind: 'place',
    variant: replaces('signing', 'isSignatureOf', (right, areas, apiKey, path, given) => {
      const [space] = /^\/admin\/fileupload\/[^/]+(?=\/)/.exec(path) ?? [];
      return right(areas, apiKey, path, given) || (space !== undefined && right(areas, apiKey, space, given));
    }),
    async shows(service) {
      const sourceDirectory = await service.directory();
      const signature = signatureOver('/admin/fileupload/main', administrationKey);
      const answer = await service.nobody.post(
        '/admin/fileupload/main/owner',
        { sourceDirectory, writeLog: false },
        { authorization: `Bearer ${signature}` },
      );
      return answer.status < 300;
    },
  },
};
