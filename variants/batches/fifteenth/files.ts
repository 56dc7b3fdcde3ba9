import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { tokenOf } from '../proofs.ts';
import { spaceFiles } from '../service.ts';

const mebibyte = 1_048_576;

export const fileMistakes: Batch = {
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
};

async function logsIn(directory: string): Promise<number> {
  return (await readdir(directory)).filter((name) => name.startsWith('FileUpload_')).length;
}
