import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { FilePlace } from '../../../reference-server/ports/file-store.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { together, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { tokenOf } from '../proofs.ts';
import { administrationKey, many, signatureOver, spaceFiles } from '../service.ts';

/** Kind of document that says what was deleted. */
const deletedKind = 'deletedFile';

const mebibyte = 1_048_576;

export const fileMistakes: Batch = {
  'files.name-of-a-deleted-file': {
    source: 'extensions: File routes, row 1',
    breaks: 'An upload fails where the file exists, and not where one was deleted.',
    kind: 'moment',
    variant: together(
      replaces('files', 'deleteFile', async (right, areas, place) => {
        const isDeleted = await right(areas, place);
        if (isDeleted) await areas.store.change((writing) => writing.putDocument(deletedKind, textOf(place), ''));
        return isDeleted;
      }),
      replaces('files', 'assertPlaceFree', async (right, areas, place) => {
        const mark = await areas.store.read((reading) => reading.document(deletedKind, textOf(place)));
        if (mark !== undefined) throw new Refusal(409, 'There is a file of this name in the bin.');
        await right(areas, place);
      }),
    ),
    async shows({ edda }) {
      await edda.upload('again.txt', 'one');
      await edda.delete(`${spaceFiles}/again.txt`);
      await edda.upload('again.txt', 'two');
      return (await edda.get(`${spaceFiles}/again.txt`)).text !== 'two';
    },
  },

  'files.one-user-area-for-all-spaces': {
    source: 'extensions: File areas',
    breaks: 'A user has an area in each space, as its path says.',
    kind: 'place',
    variant: replaces('fileAreas', 'fileAreaOf', (right, areas, call, user, kind) => {
      const area = right(areas, call, user, kind);
      const [spaceId = ''] = areas.configuration.spaces.keys();
      return area.kind === 'user' ? { ...area, spaceId } : area;
    }),
    async shows({ edda }) {
      await edda.upload('mine.txt', 'in the main space', '/api/space/main/user/fs/file');
      return (await edda.get('/api/space/depot/user/fs/file/mine.txt')).status === 200;
    },
  },

  'files.first-mebibyte': {
    source: 'extensions: File routes, row 3',
    breaks: 'A download is the whole file, also of one that is longer than a mebibyte.',
    kind: 'value',
    variant: replaces('files', 'downloadFile', async (right, areas, call) => {
      const { stream, ...answer } = await right(areas, call);
      if (stream === undefined) return answer;
      if (answer.status !== 200 || call.withoutContent || stream.size <= mebibyte) return { ...answer, stream };
      return { ...answer, raw: (await buffer(stream.content)).subarray(0, mebibyte) };
    }),
    async shows({ edda }) {
      const content = 'a'.repeat(1_200_000);
      await edda.upload('large.txt', content);
      return (await edda.get(`${spaceFiles}/large.txt`)).text.length !== content.length;
    },
  },

  'files.chunks-in-the-order-of-texts': {
    source: 'extensions: File routes, chunk table',
    breaks: 'A chunk stands where its number says: the tenth behind the ninth, and not behind the first.',
    kind: 'value',
    variant: replaces('chunks', 'chunkPosition', (right, areas, chunk) => {
      const texts = many(chunk.totalChunks, String).toSorted();
      return right(areas, { ...chunk, number: texts.indexOf(String(chunk.number)) + 1 });
    }),
    async shows({ edda }) {
      const content = 'abcdefghijk';
      await edda.sendChunks('chunked.txt', [...content]);
      return (await edda.get(`${spaceFiles}/chunked.txt`)).text !== content;
    },
  },

  'files.query-token-of-the-space-area': {
    source: 'extensions: Authentication 1',
    breaks: 'A download may have its token in the query, in each of the four areas.',
    kind: 'place',
    variant: replaces('fileAreas', 'queryCredentialsOf', (right, areas, call) => {
      return /^\/api\/space\/[^/]+\/fs\//.test(call.url) ? right(areas, call) : undefined;
    }),
    async shows(service) {
      const base = '/api/space/main/user/fs/file';
      await service.edda.upload('token.txt', 'by token', base);
      const token = await tokenOf(service, 'edda');
      return (await service.nobody.get(`${base}/token.txt?token=${token}`)).status !== 200;
    },
  },
};

export const sourceMistakes: Batch = {
  'bulk.same-length-is-same': {
    source: 'extensions: Bulk upload request body',
    breaks: 'With replaceFiles every file that exists is replaced, also by one of its length.',
    kind: 'value',
    variant: replaces('bulkUpload', 'uploadSourceFile', async (right, areas, run, entry) => {
      const { size } = await stat(join(run.source, ...entry.path));
      const former = await areas.fileStore.describe(areas.bulkUpload.bulkPlaceOf(run.area, run.target, entry.path));
      if (run.request.replaceFiles && former?.kind === 'file' && former.size === size)
        return { path: entry.path.join('/'), status: 'skipped' };
      return right(areas, run, entry);
    }),
    async shows({ edda, directory, bulk }) {
      const sourceDirectory = await directory();
      await writeFile(join(sourceDirectory, 'same.txt'), 'new');
      await edda.upload('same.txt', 'old');
      await bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false, replaceFiles: true });
      return (await edda.get(`${spaceFiles}/same.txt`)).text !== 'new';
    },
  },

  'bulk.names-that-begin-with-a-dot': {
    source: 'extensions: Bulk upload request body',
    breaks: 'The files of the source directory are uploaded, also those whose names begin with a dot.',
    kind: 'value',
    variant: replaces('bulkUpload', 'uploadSourceFile', async (right, areas, run, entry) => {
      if (!entry.path.at(-1)?.startsWith('.')) return right(areas, run, entry);
      return { path: entry.path.join('/'), status: 'skipped' };
    }),
    async shows({ directory, bulk, edda }) {
      const sourceDirectory = await directory();
      await writeFile(join(sourceDirectory, '.settings'), 'hidden');
      await bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false });
      return (await edda.get(`${spaceFiles}/.settings`)).status !== 200;
    },
  },

  'bulk.one-log-in-a-directory': {
    source: 'extensions: Bulk upload request body',
    breaks: 'A log that is asked for is written when the upload ends, also where that of an earlier upload is.',
    kind: 'moment',
    variant: replaces('bulkUpload', 'writeBulkLog', async (right, areas, source, report) => {
      if ((await logsIn(source)) === 0) await right(areas, source, report);
    }),
    async shows({ directory, bulk }) {
      const sourceDirectory = await directory();
      for (let run = 0; run < 2; run += 1) await bulk('/admin/fileupload/main', { sourceDirectory, writeLog: true });
      return (await logsIn(sourceDirectory)) !== 2;
    },
  },

  'bulk.signature-of-the-space': {
    source: 'extensions: Authentication 2',
    breaks: 'What is signed is the path of the request: that of the space is not that of a participant in it.',
    kind: 'place',
    variant: replaces('signing', 'isSignatureOf', (right, areas, apiKey, path, given) => {
      const above = path.slice(0, path.lastIndexOf('/'));
      return right(areas, apiKey, path, given) || right(areas, apiKey, above, given);
    }),
    async shows({ directory, nobody }) {
      const sourceDirectory = await directory();
      const authorization = `Bearer ${signatureOver('/admin/fileupload/main', administrationKey)}`;
      const body = { sourceDirectory, writeLog: false };
      return (await nobody.post('/admin/fileupload/main/owner', body, { authorization })).status < 400;
    },
  },
};

function textOf(place: FilePlace): string {
  return JSON.stringify(place);
}

async function logsIn(directory: string): Promise<number> {
  return (await readdir(directory)).filter((name) => name.startsWith('FileUpload_')).length;
}
