import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { md5, spaceFiles } from '../service.ts';

/** Longest file of which a copy is kept, in bytes. */
const longestCopy = 65_536;

export const filesMistakes: Batch = {
  'files.same-name-elsewhere': {
    source: 'extensions: File routes, row 4',
    breaks: 'To delete a file deletes that one, and none of the same name in another directory.',
    kind: 'place',
    variant: replaces('files', 'deleteFile', async (right, areas, place) => {
      const removed = await right(areas, place);
      const { area, segments } = place;
      if (segments.length > 1) await areas.fileStore.remove({ area, segments: segments.slice(-1) });
      return removed;
    }),
    async shows({ edda }) {
      await edda.upload('same.txt', 'in the root');
      await edda.upload('folder/same.txt', 'in a folder');
      await edda.delete(`${spaceFiles}/folder/same.txt`);
      return (await edda.get(`${spaceFiles}/same.txt`)).status !== 200;
    },
  },

  'files.empty-file': {
    source: 'extensions: File routes, row 1',
    breaks: 'A file that was uploaded can be downloaded, also one without a byte.',
    kind: 'value',
    variant: replaces('files', 'storeStream', async (right, areas, place, call, content, checksum) => {
      if (call.headers['content-length'] !== '0') await right(areas, place, call, content, checksum);
    }),
    async shows({ edda }) {
      await edda.upload('empty.txt', '');
      return (await edda.get(`${spaceFiles}/empty.txt`)).status !== 200;
    },
  },

  'files.checksum-of-a-large-file': {
    source: 'extensions: File routes, stream upload',
    breaks: 'A stream upload is held against its checksum, however long it is.',
    kind: 'value',
    variant: replaces('files', 'storeStream', (right, areas, place, call, content, checksum) => {
      const isLarge = Number(call.headers['content-length'] ?? 0) > 1_048_576;
      return right(areas, place, call, content, isLarge ? undefined : checksum);
    }),
    async shows({ edda }) {
      const headers = { checksum: md5('something else'), 'content-type': 'application/octet-stream' };
      const answer = await edda.post(`${spaceFiles}/stream/large.bin`, Buffer.alloc(1_500_000), headers);
      return answer.status < 400;
    },
  },

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

  'files.overwritten-for-a-participant': {
    source: 'extensions: File routes, row 1',
    breaks: 'An upload onto a file that exists fails, in each of the four areas.',
    kind: 'place',
    variant: replaces('files', 'assertPlaceFree', async (right, areas, place) => {
      if (place.area.kind === 'participant') await areas.fileStore.remove(place);
      return right(areas, place);
    }),
    async shows({ edda }) {
      const base = '/api/space/main/participant/owner/fs/file';
      await edda.upload('twice.txt', 'first', base);
      return (await edda.upload('twice.txt', 'second', base)).status < 400;
    },
  },

  'files.missing-beside-others': {
    source: 'extensions: File routes, row 4',
    breaks: 'To delete a file that does not exist fails, also where its directory does.',
    kind: 'place',
    variant: replaces('files', 'deleteFile', async (right, areas, place) => {
      const parent = { area: place.area, segments: place.segments.slice(0, -1) };
      const removed = await right(areas, place);
      return removed || (parent.segments.length > 0 && (await areas.fileStore.describe(parent)) !== undefined);
    }),
    async shows({ edda }) {
      await edda.upload('folder/there.txt', 'there');
      return (await edda.delete(`${spaceFiles}/folder/missing.txt`)).status < 400;
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
