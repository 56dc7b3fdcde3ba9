import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { spaceFiles } from '../service.ts';

/** Longest file of which a copy is kept, in bytes. */
const longestCopy = 65_536;

export const filesMistakes: Batch = {
  'files.full-last-chunk': {
    source: 'extensions: File routes, chunk table',
    breaks: 'A file that came in chunks has the bytes that were sent, also when the last chunk is a full one.',
    kind: 'value',
    variant: replaces('chunks', 'chunkContent', (right, areas, chunk) => {
      const { number, totalChunks, totalSize, chunkSize } = chunk;
      const bytes = Buffer.concat(right(areas, chunk));
      const isFullLast = number === totalChunks && totalChunks >= 3 && totalSize % chunkSize === 0;
      return isFullLast ? [bytes.subarray(0, -1), Buffer.of(0)] : [bytes];
    }),
    async shows({ edda }) {
      await edda.sendChunks('chunked.txt', ['aaaa', 'bbbb', 'cccc']);
      return (await edda.get(`${spaceFiles}/chunked.txt`)).text !== 'aaaabbbbcccc';
    },
  },

  'files.copy-of-the-same-length': {
    source: 'extensions: File routes, row 3',
    breaks: 'A download is the file that is there now, also when an earlier one of its length was there.',
    kind: 'copy',
    variant: breaks('files', 'downloadFile', (right) => {
      const copies = new Map<string, Buffer>();
      return async (areas, call) => {
        const { stream, ...answer } = await right(areas, call);
        if (stream === undefined) return answer;
        if (answer.status !== 200 || call.withoutContent || stream.size > longestCopy) return { ...answer, stream };
        const key = [call.url, call.headers['authorization'], stream.size].join(' ');
        const content = await buffer(stream.content);
        const raw = copies.get(key) ?? content;
        copies.set(key, raw);
        return { ...answer, raw };
      };
    }),
    async shows({ edda }) {
      await edda.upload('copy.txt', 'one');
      await edda.get(`${spaceFiles}/copy.txt`);
      await edda.delete(`${spaceFiles}/copy.txt`);
      await edda.upload('copy.txt', 'two');
      return (await edda.get(`${spaceFiles}/copy.txt`)).text !== 'two';
    },
  },
};

export const bulkMistakes: Batch = {
  'bulk.skipped-files-deleted': {
    source: 'extensions: Bulk upload request body',
    breaks: 'Only files that were uploaded are deleted from the source, none that stayed out because one was there.',
    kind: 'combination',
    variant: replaces(
      'bulkUpload',
      'isDeletedAfter',
      (right, areas, request, file) =>
        right(areas, request, file) || (request.deleteFilesAfterUpload && file.status === 'skipped'),
    ),
    async shows({ directory, edda, bulk }) {
      const sourceDirectory = await directory();
      await writeFile(join(sourceDirectory, 'there.txt'), 'from the source');
      await edda.upload('there.txt', 'there before');
      await bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false, deleteFilesAfterUpload: true });
      return (await readdir(sourceDirectory)).length === 0;
    },
  },

  'bulk.log-of-no-upload': {
    source: 'extensions: Bulk upload request body',
    breaks: 'A log that is asked for is written when the upload ends, also when every file was there already.',
    kind: 'value',
    variant: replaces('bulkUpload', 'writeBulkLog', async (right, areas, source, report) => {
      const { uploaded, replaced } = report.statistics;
      if (uploaded + replaced > 0) await right(areas, source, report);
    }),
    async shows({ directory, edda, bulk }) {
      const sourceDirectory = await directory();
      await writeFile(join(sourceDirectory, 'there.txt'), 'from the source');
      await edda.upload('there.txt', 'there before');
      await bulk('/admin/fileupload/main', { sourceDirectory, writeLog: true });
      return !(await readdir(sourceDirectory)).some((name) => name.startsWith('FileUpload_'));
    },
  },
};
