import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Areas } from '../../../reference-server/areas.ts';
import { mimeTypeOf } from '../../../reference-server/areas/triggers.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import type { FilePlace } from '../../../reference-server/ports/file-store.ts';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { many, md5, spaceFiles } from '../service.ts';

/** All that comes, in one piece. */
async function wholeOf(content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of content) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}

/** One piece, as a content. */
async function* only(piece: Uint8Array): AsyncGenerator<Uint8Array> {
  yield piece;
}

/** What is in a file; undefined where there is none. */
async function bytesAt(areas: Areas, place: FilePlace): Promise<Buffer | undefined> {
  const content = await areas.fileStore.read(place).catch(() => undefined);
  return content && wholeOf(content);
}

/** Uploads, downloads and bulk uploads. */
export const filesMistakes: Batch = {
  'files.names-decoded-twice': {
    source: 'extensions: File routes, row 1',
    breaks: 'A file has the name that the path holds once it is decoded, percent signs of its own included.',
    kind: 'value',
    variant: replaces('fileAreas', 'decodedSegment', (right, areas, segment) => {
      const name = right(areas, segment);
      try {
        return decodeURIComponent(name);
      } catch {
        return name;
      }
    }),
    async shows({ edda }) {
      await edda.upload('a/b%2541.txt', 'text');
      return (await edda.get(`${spaceFiles}/a/bA.txt`)).status === 200;
    },
  },

  'files.texts-read-as-utf-8': {
    source: 'extensions: File routes, row 3',
    breaks: 'A download is the content of the file byte for byte, also of a text in another encoding.',
    kind: 'value',
    variant: replaces('files', 'downloadFile', async (right, areas, call) => {
      const { stream, ...answer } = await right(areas, call);
      if (stream === undefined) return answer;
      const isText = answer.headers?.['Content-Type']?.startsWith('text/') ?? false;
      if (!isText || answer.status !== 200) return { ...answer, stream };
      return { ...answer, raw: (await wholeOf(stream.content)).toString('utf8') };
    }),
    async shows({ edda }) {
      await edda.upload('c/latin.txt', Uint8Array.of(0x63, 0x61, 0x66, 0xe9));
      return (await edda.get(`${spaceFiles}/c/latin.txt`)).headers.get('content-length') !== '4';
    },
  },

  'chunks.joined-in-the-order-of-texts': {
    source: 'extensions: File routes, chunk table, row resumableChunkNumber',
    breaks: 'Chunks are put together by their numbers, ten behind nine.',
    kind: 'value',
    variant: replaces('chunks', 'chunkPosition', (_right, _areas, { number, chunkSize, totalChunks, totalSize }) => {
      const order = many(totalChunks, String).toSorted();
      const before = order.slice(0, order.indexOf(String(number)));
      const rest = totalSize - (totalChunks - 1) * chunkSize;
      return before.reduce((size, name) => size + (name === String(totalChunks) ? rest : chunkSize), 0);
    }),
    async shows({ edda }) {
      const pieces = many(10, (number) => `<${number % 10}>`);
      await edda.sendChunks('d/ten.txt', pieces);
      return (await edda.get(`${spaceFiles}/d/ten.txt`)).text !== pieces.join('');
    },
  },

  'files.empty-ones-give-way': {
    source: 'extensions: File routes, row 1',
    breaks: 'An upload fails when the file exists, also one without content.',
    kind: 'value',
    variant: replaces('files', 'assertPlaceFree', async (right, areas, place) => {
      const info = await areas.fileStore.describe(place);
      if (info?.kind === 'file' && info.size === 0) await areas.files.deleteFile(place);
      return right(areas, place);
    }),
    async shows({ edda }) {
      const first = await edda.upload('e/empty.txt', new Uint8Array(0));
      const second = await edda.upload('e/empty.txt', 'text');
      return first.status < 300 && second.status < 300;
    },
  },

  'files.nothing-to-delete-is-fine': {
    source: 'extensions: File routes, row 4',
    breaks: 'A delete fails when the file does not exist.',
    kind: 'place',
    variant: replaces('files', 'removeFile', async (right, areas, call) => {
      try {
        return await right(areas, call);
      } catch (error) {
        if (error instanceof Refusal && error.status === 404) return { status: 204 };
        throw error;
      }
    }),
    async shows({ edda }) {
      return (await edda.delete(`${spaceFiles}/f/none.txt`)).status < 300;
    },
  },

  'bulk.names-with-a-dot-left-out': {
    source: 'extensions: Bulk upload request body, row sourceDirectory',
    breaks: 'The files of the directory are uploaded, also those whose names begin with a dot.',
    kind: 'value',
    variant: replaces('bulkUpload', 'uploadSourceFile', async (right, areas, run, entry) =>
      entry.path.some((name) => name.startsWith('.'))
        ? { path: entry.path.join('/'), status: 'skipped' }
        : right(areas, run, entry),
    ),
    async shows(service) {
      const source = await service.directory();
      await writeFile(join(source, '.settings'), 'text');
      await service.bulk('/admin/fileupload/main', { sourceDirectory: source, writeLog: false });
      return (await service.edda.get(`${spaceFiles}/.settings`)).status !== 200;
    },
  },

  'bulk.no-log-where-nothing-came': {
    source: 'extensions: Bulk upload request body, row writeLog',
    breaks: 'A log is written when the upload finishes, also one in which every file was there already.',
    kind: 'combination',
    variant: replaces('bulkUpload', 'writeBulkLog', async (right, areas, source, report) => {
      if (report.statistics.uploaded + report.statistics.replaced > 0) await right(areas, source, report);
    }),
    async shows(service) {
      const source = await service.directory();
      await service.edda.upload('same.txt', 'text');
      await writeFile(join(source, 'same.txt'), 'text');
      await service.bulk('/admin/fileupload/main', { sourceDirectory: source, writeLog: true });
      return !(await readdir(source)).some((name) => name.startsWith('FileUpload_'));
    },
  },

  'bulk.shorter-files-keep-the-tail': {
    source: 'extensions: Bulk upload request body, row replaceFiles',
    breaks: 'A file that is replaced has the content of the new one, and no end of the old one.',
    kind: 'value',
    variant: replaces('bulkUpload', 'uploadSourceFile', async (right, areas, run, entry) => {
      const place = { area: run.area, segments: [...run.target, ...entry.path] };
      const former = await bytesAt(areas, place);
      const result = await right(areas, run, entry);
      const latter = await bytesAt(areas, place);
      if (result.status !== 'replaced' || former === undefined || latter === undefined) return result;
      const whole = Buffer.concat([latter, former.subarray(latter.length)]);
      const type = mimeTypeOf(entry.path.at(-1) ?? '');
      await areas.fileStore.write(place, only(whole), {
        replace: true,
        accept: (written) => areas.fileAreas.keepFileRecord(place, written.stamp, { type, md5: written.md5 }),
      });
      return result;
    }),
    async shows(service) {
      const source = await service.directory();
      await service.edda.upload('tail.txt', 'the former text');
      await writeFile(join(source, 'tail.txt'), 'new');
      const body = { sourceDirectory: source, writeLog: false, replaceFiles: true };
      await service.bulk('/admin/fileupload/main', body);
      return (await service.edda.get(`${spaceFiles}/tail.txt`)).text !== 'new';
    },
  },

  'chunks.one-more-for-full-ones': {
    source: 'extensions: File routes, chunk table, row resumableTotalChunks',
    breaks: 'Chunks are size by chunk size, rounded up: where nothing is left over there is none for it.',
    kind: 'value',
    variant: replaces('chunks', 'assertChunk', (right, areas, chunk, currentSize) => {
      const needed = Math.floor(chunk.totalSize / chunk.chunkSize) + 1;
      if (chunk.totalChunks !== needed)
        throw new Refusal(400, `Expected ${needed} chunks, found ${chunk.totalChunks}.`);
      right(areas, chunk, currentSize);
    }),
    async shows({ edda }) {
      return (await edda.sendChunk('g/full.txt', ['aaaa', 'bbbb'], 1)).status >= 400;
    },
  },

  'files.refused-and-kept': {
    source: 'extensions: File routes, text on the stream upload, second sentence',
    breaks: 'A file that does not fit its checksum is not taken, and not there afterwards.',
    kind: 'place',
    variant: replaces('files', 'storeStream', async (right, areas, place, call, content, checksum) => {
      const whole = await wholeOf(content);
      try {
        await right(areas, place, call, only(whole), checksum);
      } catch (error) {
        const isUnfit = error instanceof Refusal && error.pointer === 'checksum';
        if (isUnfit) await right(areas, place, call, only(whole), undefined);
        throw error;
      }
    }),
    async shows({ edda }) {
      const headers = { checksum: md5('other'), 'content-type': 'text/plain' };
      await edda.post(`${spaceFiles}/stream/h/unfit.txt`, 'text', headers);
      return (await edda.get(`${spaceFiles}/h/unfit.txt`)).status === 200;
    },
  },
};
