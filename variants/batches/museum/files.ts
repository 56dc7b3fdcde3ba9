import { access, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Areas } from '../../../reference-server/areas.ts';
import type { FilePlace } from '../../../reference-server/ports/file-store.ts';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { many, md5, spaceFiles } from '../service.ts';

const bulkPath = '/admin/fileupload/main';

const carriageReturn = 0x0d;

/** Files that come in chunks. */
const chunks: Batch = {
  'chunks.sorted-as-text': {
    source: 'extensions: File routes, chunk table, resumableChunkNumber',
    breaks: 'Chunks stand in the file in the order of their numbers, the tenth behind the ninth.',
    kind: 'value',
    variant: replaces('chunks', 'chunkPosition', (_right, _areas, { number, chunkSize, totalChunks }) => {
      const names = many(totalChunks, String).toSorted();
      return names.indexOf(String(number)) * chunkSize;
    }),
    async shows({ edda }) {
      const pieces = many(11, (number) => String(number).padEnd(4));
      await edda.sendChunks('a.txt', pieces);
      return (await edda.get(`${spaceFiles}/a.txt`)).text !== pieces.join('');
    },
  },

  'chunks.of-one-name-are-of-one-file': {
    source: 'extensions: File routes, chunk table, resumableRelativePath',
    breaks:
      'A chunk goes to the path that it names, also where a file of the same name and size is under way elsewhere.',
    kind: 'combination',
    variant: (classes) => {
      const begun = new Map<string, FilePlace>();
      return replaces('chunks', 'chunkPlaceOf', (right, areas, chunk, area) => {
        const name = `${chunk.relativePath.split('/').at(-1) ?? ''} ${chunk.totalSize}`;
        const place = begun.get(name) ?? right(areas, chunk, area);
        if (chunk.number === chunk.totalChunks) begun.delete(name);
        else begun.set(name, place);
        return place;
      })(classes);
    },
    async shows({ edda }) {
      for (const number of [1, 2]) {
        await edda.sendChunk('one/a.txt', ['aaaa', 'bb'], number);
        await edda.sendChunk('other/a.txt', ['cccc', 'dd'], number);
      }
      return (await edda.get(`${spaceFiles}/one/a.txt`)).text !== 'aaaabb';
    },
  },

  'chunks.carriage-return-at-the-end': {
    source: 'extensions: File routes, chunk table, file',
    breaks: 'A chunk is stored byte by byte, a carriage return at its end too.',
    kind: 'value',
    variant: replaces('chunks', 'chunkContent', (right, areas, chunk) => {
      const pieces = right(areas, chunk);
      const last = pieces.at(-1);
      return last?.at(-1) === carriageReturn ? [...pieces.slice(0, -1), last.subarray(0, -1)] : pieces;
    }),
    async shows({ edda }) {
      await edda.sendChunks('a.bin', ['a\r']);
      return (await edda.get(`${spaceFiles}/a.bin`)).text !== 'a\r';
    },
  },
};

/** Files that come in one piece, and files that go. */
const whole: Batch = {
  'stream.kept-despite-its-checksum': {
    source: 'extensions: File routes, stream upload',
    breaks: 'A file that does not have the checksum it came with is not taken.',
    kind: 'combination',
    variant: replaces('files', 'storeStream', async (right, areas, place, call, content, checksum) => {
      const bytes = await bytesOf(content);
      await right(areas, place, call, streamOf(bytes), undefined);
      areas.fileAreas.assertChecksum(checksum, md5(bytes));
    }),
    async shows({ edda }) {
      await edda.post(`${spaceFiles}/stream/a.txt`, 'a', { checksum: md5('b'), 'content-type': 'text/plain' });
      return (await edda.get(`${spaceFiles}/a.txt`)).status === 200;
    },
  },

  'stream.empty-file-is-no-file': {
    source: 'extensions: File routes, row 1',
    breaks: 'A file that was accepted is there, without a byte in it too.',
    kind: 'value',
    variant: replaces('files', 'storeStream', async (right, areas, place, call, content, checksum) => {
      const bytes = await bytesOf(content);
      if (bytes.length > 0) await right(areas, place, call, streamOf(bytes), checksum);
    }),
    async shows({ edda }) {
      await edda.upload('a.txt', '');
      return (await edda.get(`${spaceFiles}/a.txt`)).status !== 200;
    },
  },

  'names.plus-is-a-space': {
    source: 'extensions: File routes, row 1',
    breaks: 'A file has the name that it was uploaded under, with a plus where it has one.',
    kind: 'value',
    variant: replaces('files', 'streamPlaceOf', (right, areas, call, area) => {
      const { segments } = right(areas, call, area);
      return { area, segments: segments.map((segment) => segment.replaceAll('+', ' ')) };
    }),
    async shows({ edda }) {
      await edda.upload('a+b.txt', 'a');
      return (await edda.get(`${spaceFiles}/a+b.txt`)).status !== 200;
    },
  },

  'delete.takes-what-is-below': {
    source: 'extensions: File routes, row 4',
    breaks: 'A DELETE takes the file that it names, and fails where there is no such file.',
    kind: 'place',
    survives:
      'The ledger, directory-semantics: whether a file route deletes a directory, and what is in it then, is open. That a refused one takes nothing is judged.',
    variant: replaces('files', 'deleteFile', async (right, areas, place) => {
      const info = await areas.fileStore.describe(place);
      if (info?.kind !== 'directory') return right(areas, place);
      await emptyDirectory(areas, place, (file) => right(areas, file));
      return true;
    }),
    async shows({ edda }) {
      await edda.upload('a/b/c/d.txt', 'a');
      await edda.delete(`${spaceFiles}/a`);
      return (await edda.get(`${spaceFiles}/a/b/c/d.txt`)).status !== 200;
    },
  },

  'bulk.deletes-what-it-did-not-take': {
    source: 'extensions: Bulk upload request body, deleteFilesAfterUpload',
    breaks: 'Of the source those files are deleted that were uploaded, and none that was left out.',
    kind: 'combination',
    variant: replaces(
      'bulkUpload',
      'isDeletedAfter',
      (_right, _areas, { deleteFilesAfterUpload }) => deleteFilesAfterUpload,
    ),
    async shows({ edda, directory, bulk }) {
      await edda.upload('a.txt', 'former');
      const sourceDirectory = await directory();
      const file = join(sourceDirectory, 'a.txt');
      await writeFile(file, 'new');
      await bulk(bulkPath, { sourceDirectory, writeLog: false, deleteFilesAfterUpload: true });
      return access(file).then(
        () => false,
        () => true,
      );
    },
  },
};

/** Mistakes that others made about files. */
export const fileExhibits: Batch = { ...chunks, ...whole };

async function bytesOf(content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of content) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function* streamOf(bytes: Buffer): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes;
}

async function emptyDirectory(
  { fileStore }: Pick<Areas, 'fileStore'>,
  place: FilePlace,
  remove: (file: FilePlace) => Promise<boolean>,
): Promise<void> {
  for (const { name, kind } of (await fileStore.list(place)) ?? []) {
    const below = { ...place, segments: [...place.segments, name] };
    if (kind === 'directory') await emptyDirectory({ fileStore }, below, remove);
    else await remove(below);
  }
}
