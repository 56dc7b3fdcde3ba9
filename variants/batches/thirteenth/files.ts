import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import type { FilePlace } from '../../../reference-server/ports/file-store.ts';
import { breaks, together, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { administrationKey, md5, signatureOver, spaceFiles } from '../service.ts';

export const filesMistakes: Batch = {
  'files.one-blob-for-equal-contents': {
    source: 'extensions: File routes, row 4',
    breaks: 'To delete a file deletes that one, and none that has the same content.',
    kind: 'combination',
    variant: together(
      replaces('files', 'storeStream', async (right, areas, place, call, content, checksum) => {
        await right(areas, place, call, content, checksum);
        blobsOf(areas.outgoing).push({ place, md5: checksum ?? '' });
      }),
      replaces('files', 'deleteFile', async (right, areas, place) => {
        const removed = await right(areas, place);
        const blobs = blobsOf(areas.outgoing);
        const blob = blobs.findLast((each) => isSamePlace(each.place, place));
        if (!removed || blob === undefined) return removed;
        for (const each of blobs) if (each.md5 === blob.md5) await areas.fileStore.remove(each.place);
        return removed;
      }),
    ),
    async shows({ edda }) {
      await edda.upload('one.txt', 'equal');
      await edda.upload('other.txt', 'equal');
      await edda.delete(`${spaceFiles}/one.txt`);
      return (await edda.get(`${spaceFiles}/other.txt`)).status !== 200;
    },
  },

  'files.fallback-to-the-space': {
    source: 'extensions: File routes, row 3',
    breaks:
      'A download of a file that a participant area does not have fails, also where the area of the space has one.',
    kind: 'place',
    variant: replaces('files', 'downloadFile', async (right, areas, call) => {
      try {
        return await right(areas, call);
      } catch (error) {
        const area = call.admitted;
        if (area.kind !== 'participant' || !(error instanceof Refusal) || error.status !== 404) throw error;
        return right(areas, { ...call, admitted: { kind: 'space', spaceId: area.spaceId } });
      }
    }),
    async shows({ edda }) {
      await edda.upload('fallback.txt', 'of the space');
      return (await edda.get('/api/space/main/participant/owner/fs/file/fallback.txt')).status === 200;
    },
  },

  'files.name-of-a-refused-upload': {
    source: 'extensions: File routes, row 1',
    breaks: 'An upload fails when the file exists, and not because an earlier one was refused for its checksum.',
    kind: 'moment',
    variant: together(
      replaces('files', 'storeStream', async (right, areas, place, call, content, checksum) => {
        try {
          await right(areas, place, call, content, checksum);
        } catch (error) {
          if (error instanceof Refusal && error.pointer === 'checksum')
            blobsOf(areas.outgoing).push({ place, md5: checksum ?? '' });
          throw error;
        }
      }),
      replaces('files', 'assertPlaceFree', async (right, areas, place) => {
        await right(areas, place);
        if (blobsOf(areas.outgoing).some((blob) => isSamePlace(blob.place, place)))
          throw areas.fileAreas.placeTaken(place);
      }),
    ),
    async shows({ edda }) {
      const headers = { checksum: md5('something else'), 'content-type': 'text/plain' };
      await edda.post(`${spaceFiles}/stream/again.txt`, 'content', headers);
      return (await edda.upload('again.txt', 'content')).status >= 400;
    },
  },

  'files.two-uploads-of-one-name': {
    source: 'extensions: File routes, row 2',
    breaks: 'A file has the chunks that were sent for it, also while one of the same name goes to another directory.',
    kind: 'combination',
    variant: breaks('chunks', 'chunkContent', (right) => {
      const parts = new Map<string, readonly Uint8Array[]>();
      return (areas, chunk) => {
        const upload = `${chunk.fileName} ${chunk.totalSize}`;
        const key = `${upload} ${chunk.number}`;
        const content = parts.get(key) ?? right(areas, chunk);
        parts.set(key, content);
        if (chunk.number === chunk.totalChunks)
          for (const known of parts.keys()) if (known.startsWith(upload)) parts.delete(known);
        return content;
      };
    }),
    async shows({ edda }) {
      await edda.sendChunk('one/same.txt', ['aaaa', 'bbbb'], 1);
      await edda.sendChunk('other/same.txt', ['cccc', 'dddd'], 1);
      await edda.sendChunk('one/same.txt', ['aaaa', 'bbbb'], 2);
      await edda.sendChunk('other/same.txt', ['cccc', 'dddd'], 2);
      return (await edda.get(`${spaceFiles}/other/same.txt`)).text !== 'ccccdddd';
    },
  },

  'files.two-new-directories': {
    source: 'extensions: File routes, row 1',
    breaks: 'Directories are created as needed, also when more than one is missing.',
    kind: 'place',
    variant: replaces('files', 'assertPlaceFree', async (right, areas, place) => {
      const { area, segments } = place;
      const above = { area, segments: segments.slice(0, -2) };
      if (segments.length > 2 && (await areas.fileStore.describe(above)) === undefined)
        throw new Refusal(404, 'There is no such directory.');
      return right(areas, place);
    }),
    shows: async ({ edda }) => (await edda.upload('one/two/file.txt', 'content')).status >= 400,
  },
};

export const bulkMistakes: Batch = {
  'bulk.flat-below-a-target': {
    source: 'extensions: Bulk upload request body',
    breaks: 'The structure of the source ends up in the target directory, and not its files alone.',
    kind: 'combination',
    variant: replaces('bulkUpload', 'bulkPlaceOf', (right, areas, area, target, path) =>
      right(areas, area, target, target.length > 0 ? path.slice(-1) : path),
    ),
    async shows({ directory, bulk, edda }) {
      const sourceDirectory = await directory();
      await makeFileIn(sourceDirectory, 'inner', 'file.txt');
      await bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false, targetDirectory: 'target' });
      return (await edda.get(`${spaceFiles}/target/inner/file.txt`)).status !== 200;
    },
  },

  'bulk.signature-that-was-right-before': {
    source: 'extensions: Authentication 2',
    breaks: 'A signature opens the path that it was made for, also when it has been right once.',
    kind: 'copy',
    variant: breaks('bulkUpload', 'requireAdministrationKey', (right) => {
      const known = new Set<string | undefined>();
      return async (areas, call) => {
        const { authorization } = call.headers;
        if (known.has(authorization)) return;
        await right(areas, call);
        known.add(authorization);
      };
    }),
    async shows({ directory, bulk, nobody }) {
      const sourceDirectory = await directory();
      const body = { sourceDirectory, writeLog: false };
      await bulk('/admin/fileupload/main', body);
      const authorization = `Bearer ${signatureOver('/admin/fileupload/main', administrationKey)}`;
      return (await nobody.post('/admin/fileupload', body, { authorization })).status < 400;
    },
  },
};

interface Stored {
  readonly place: FilePlace;
  readonly md5: string;
}

const allBlobs = new WeakMap<object, Stored[]>();

/** What a server has stored, by what is made anew with it. */
function blobsOf(server: object): Stored[] {
  const blobs = allBlobs.get(server) ?? [];
  allBlobs.set(server, blobs);
  return blobs;
}

function isSamePlace(one: FilePlace, other: FilePlace): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

async function makeFileIn(parent: string, directory: string, name: string): Promise<void> {
  await mkdir(join(parent, directory));
  await writeFile(join(parent, directory, name), 'from the source');
}
