import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { uploadComplete } from '../../../reference-server/areas/file-areas.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import type { FileArea } from '../../../reference-server/ports/file-store.ts';
import { breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { isThere } from '../proofs.ts';
import { many, md5, type Service, spaceFiles } from '../service.ts';

const collectionFiles = '/api/collection/fs/file';

/** Above it the end of a file is looked at before it is written. */
const sparseBytes = 100_000;

const md5OfNothing = md5('');

/** Files, and how they get there. */
export const filesMistakes: Batch = {
  'chunks.sizes-outlive-a-deleted-part': {
    source: 'core: introduction; extensions: File routes, chunk upload',
    breaks: 'A partial file that was deleted leaves nothing behind, so that another one can be uploaded in its place.',
    kind: 'copy',
    variant: breaks('chunks', 'storeChunk', (right) => {
      const begun = new Map<string, string>();
      return async (areas, place, chunk) => {
        const key = JSON.stringify(place);
        const sizes = `${chunk.totalSize} ${chunk.chunkSize}`;
        if ((begun.get(key) ?? sizes) !== sizes) throw new Refusal(409, 'Another upload is under way.');
        begun.set(key, sizes);
        const progress = await right(areas, place, chunk);
        if (uploadComplete(progress)) begun.delete(key);
        return progress;
      };
    }),
    async shows({ edda }) {
      await edda.sendChunk('part.txt', ['one ', 'two '], 1);
      await edda.delete(`${spaceFiles}/part.txt`);
      await edda.sendChunks('part.txt', ['another ', 'file']);
      return (await edda.get(`${spaceFiles}/part.txt`)).text !== 'another file';
    },
  },

  'stream.gives-way-in-the-collection': {
    source: 'core: What the service does, collection level; extensions: File routes, row 1',
    breaks: 'A stream upload fails when the file exists, in a directory of the collection area too.',
    kind: 'place',
    variant: replaces('files', 'uploadStream', async (right, areas, call) => {
      const place = areas.files.streamPlaceOf(call, call.admitted);
      const isInside = place.area.kind === 'collection' && place.segments.length > 1;
      const there = isInside ? await areas.fileStore.describe(place) : undefined;
      if (there?.kind === 'file') await areas.files.deleteFile(place);
      return right(areas, call);
    }),
    async shows({ cora }) {
      await cora.upload('inside/note.txt', 'one', collectionFiles);
      return (await cora.upload('inside/note.txt', 'two', collectionFiles)).status === 201;
    },
  },

  'bulk.replacements-stay-in-the-source': {
    source: 'extensions: Bulk upload request body, deleteFilesAfterUpload',
    breaks: 'The uploaded files are deleted from the source, those that replaced another one too.',
    kind: 'combination',
    variant: replaces(
      'bulkUpload',
      'isDeletedAfter',
      (right, areas, request, file) => right(areas, request, file) && file.status !== 'replaced',
    ),
    async shows(service) {
      await service.edda.upload('note.txt', 'old');
      const sourceDirectory = await service.directory();
      await writeFile(join(sourceDirectory, 'note.txt'), 'new');
      const settings = { writeLog: false, replaceFiles: true, deleteFilesAfterUpload: true };
      await service.bulk('/admin/fileupload/main', { sourceDirectory, ...settings });
      return isThere(join(sourceDirectory, 'note.txt'));
    },
  },

  'files.sums-go-with-their-files': {
    source: 'extensions: File routes, row 4',
    breaks: 'A DELETE deletes the file, and no other one that is named like its checksum.',
    kind: 'value',
    variant: replaces('files', 'deleteFile', async (right, areas, place) => {
      const isDeleted = await right(areas, place);
      const segments = [...place.segments.slice(0, -1), `${place.segments.at(-1)}.md5`];
      if (isDeleted) await right(areas, { ...place, segments });
      return isDeleted;
    }),
    async shows({ edda }) {
      for (const name of ['note.txt', 'note.txt.md5']) await edda.upload(name, name);
      await edda.delete(`${spaceFiles}/note.txt`);
      return (await edda.get(`${spaceFiles}/note.txt.md5`)).status === 404;
    },
  },

  'bulk.area-of-the-run-beside': {
    source: 'extensions: File routes, row 6',
    breaks: 'The files of a run go to the space of its path, also while a run for another space goes on.',
    kind: 'moment',
    variant: (classes) => {
      let latest: FileArea | undefined;
      return together(
        replaces('bulkUpload', 'runBulkUpload', (right, areas, run) => {
          latest = run.area;
          return right(areas, run);
        }),
        replaces('bulkUpload', 'bulkPlaceOf', (right, areas, area, target, path) =>
          right(areas, latest ?? area, target, path),
        ),
      )(classes);
    },
    async shows(service) {
      const names = many(20, (number) => `n${number}.txt`);
      await Promise.all([bulkOf(service, 'main', names), bulkOf(service, 'depot', names)]);
      const found = await Promise.all(
        ['main', 'depot'].flatMap((space) =>
          names.map((name) => service.edda.get(`/api/space/${space}/fs/file/${space}-${name}`)),
        ),
      );
      return found.some(({ status }) => status !== 200);
    },
  },

  'chunks.name-without-a-dot-is-a-directory': {
    source: 'extensions: File routes, text on the area root',
    breaks: 'A file in the root of its area has no subdirectory, one whose name has no ending too.',
    kind: 'value',
    variant: replaces('chunks', 'chunkPlaceOf', (right, areas, chunk, area) => {
      const place = right(areas, chunk, area);
      const [name = '', ...rest] = place.segments;
      return rest.length > 0 || name.includes('.') ? place : { ...place, segments: [name, chunk.fileName] };
    }),
    async shows({ edda }) {
      await edda.sendChunks('README', ['one']);
      return (await edda.get(`${spaceFiles}/README`)).text !== 'one';
    },
  },

  'stream.zeros-at-the-end': {
    source: 'extensions: File routes, stream upload',
    breaks: 'The file is what the stream held, one above the size that streams are for and full of zeros too.',
    kind: 'value',
    variant: replaces('files', 'storeStream', async (right, areas, place, call, content, checksum) => {
      const bytes = await buffer(content);
      const isRight = checksum === md5(bytes) && bytes.length > sparseBytes;
      if (!isRight) return right(areas, place, call, inOnePiece(bytes), checksum);
      const end = bytes.findLastIndex((byte) => byte !== 0) + 1;
      return right(areas, place, call, inOnePiece(bytes.subarray(0, end)), undefined);
    }),
    async shows({ edda }) {
      const content = Buffer.concat([Buffer.alloc(sparseBytes, 'a'), Buffer.alloc(5000)]);
      await edda.upload('image.bin', content);
      return (await edda.get(`${spaceFiles}/image.bin`)).text.length !== content.length;
    },
  },

  'checksum.that-of-nothing': {
    source: 'extensions: File routes, checksum',
    breaks: 'The file is validated against its checksum, also where that is the one of an empty file.',
    kind: 'value',
    variant: replaces(
      'fileAreas',
      'checksumMatches',
      (right, areas, expected, found) => expected === md5OfNothing || right(areas, expected, found),
    ),
    async shows({ edda }) {
      const headers = { checksum: md5OfNothing, 'content-type': 'text/plain' };
      return (await edda.post(`${spaceFiles}/stream/note.txt`, 'text', headers)).status === 201;
    },
  },

  'chunks.plus-becomes-a-blank': {
    source: 'extensions: File routes, chunk table, resumableFilename',
    breaks: 'The name of the file is the text that was sent, a plus in it too.',
    kind: 'value',
    variant: replaces('chunks', 'chunkPlaceOf', (right, areas, chunk, area) =>
      right(areas, { ...chunk, relativePath: chunk.relativePath.replaceAll('+', ' ') }, area),
    ),
    async shows({ edda }) {
      await edda.sendChunks('a+b.txt', ['one']);
      return (await edda.get(`${spaceFiles}/a%2Bb.txt`)).text !== 'one';
    },
  },
};

async function* inOnePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** A run that brings the space files which are called after it. */
async function bulkOf(service: Service, space: string, names: readonly string[]): Promise<void> {
  const sourceDirectory = await service.directory();
  await Promise.all(names.map((name) => writeFile(join(sourceDirectory, `${space}-${name}`), name)));
  await service.bulk(`/admin/fileupload/${space}`, { sourceDirectory, writeLog: false });
}
