import { mkdir, writeFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { isThere } from '../proofs.ts';
import { administrationKey, md5, signatureOver, spaceFiles } from '../service.ts';

const participantFiles = '/api/space/main/participant/owner/fs/file';

const emptyMd5 = md5('');

export const filesMistakes: Batch = {
  'files.empty-ones-unchecked': {
    source: 'extensions: File routes',
    breaks: 'A file is validated against its checksum, also when no byte of it arrived.',
    kind: 'value',
    variant: replaces('fileAreas', 'checksumMatches', (right, areas, expected, found) => {
      return found === emptyMd5 || right(areas, expected, found);
    }),
    async shows({ edda }) {
      const headers = { checksum: md5('content'), 'content-type': 'text/plain' };
      return (await edda.post(`${spaceFiles}/stream/empty.txt`, '', headers)).status < 300;
    },
  },

  'files.participant-area-is-that-of-the-space': {
    source: 'extensions: File areas',
    breaks: 'A participant has an area of its own, apart from that of the space.',
    kind: 'place',
    variant: replaces('fileAreas', 'participantArea', (_right, { fileAreas }, call) => fileAreas.spaceArea(call)),
    async shows({ emil }) {
      await emil.upload('a.txt', 'of the participant', participantFiles);
      return (await emil.get(`${spaceFiles}/a.txt`)).status === 200;
    },
  },

  'files.query-token-of-participants': {
    source: 'extensions: Authentication 1',
    breaks: 'A download takes its token from the query in every area.',
    kind: 'place',
    variant: replaces('fileAreas', 'queryCredentialsOf', (right, areas, call) => {
      return call.params['participantId'] === undefined ? right(areas, call) : undefined;
    }),
    async shows({ edda, nobody }) {
      await edda.upload('a.txt', 'a', participantFiles);
      return (await nobody.get(`${participantFiles}/a.txt?token=svcpat-edda-7d1c0b9e5a`)).status !== 200;
    },
  },

  'files.name-stays-taken': {
    source: 'extensions: File routes',
    breaks: 'An upload fails where the file exists, and not where one was deleted.',
    kind: 'moment',
    variant: breaks('files', 'storeStream', (right) => {
      const taken = new Set<string>();
      return async (areas, place, call, content, checksum) => {
        const path = JSON.stringify(place);
        if (taken.has(path)) throw areas.fileAreas.placeTaken(place);
        await right(areas, place, call, content, checksum);
        taken.add(path);
      };
    }),
    async shows({ edda }) {
      await edda.upload('a.txt', 'first');
      await edda.delete(`${spaceFiles}/a.txt`);
      await edda.upload('a.txt', 'second');
      return (await edda.get(`${spaceFiles}/a.txt`)).text !== 'second';
    },
  },

  'files.content-of-the-file-before': {
    source: 'extensions: File routes',
    breaks: 'A download has the content of the file that is there now, whatever was downloaded from the path before.',
    kind: 'copy',
    variant: breaks('files', 'downloadFile', (right) => {
      const kept = new Map<string, Buffer>();
      return async (areas, call) => {
        const answer = await right(areas, call);
        if (answer.stream === undefined) return answer;
        const pieces: Buffer[] = [];
        for await (const piece of answer.stream.content) pieces.push(Buffer.from(piece as Uint8Array));
        const raw = kept.get(call.url) ?? Buffer.concat(pieces);
        kept.set(call.url, raw);
        return { status: answer.status, headers: answer.headers ?? {}, raw };
      };
    }),
    async shows({ edda }) {
      const path = `${spaceFiles}/a.txt`;
      await edda.upload('a.txt', 'first');
      await edda.get(path);
      await edda.delete(path);
      await edda.upload('a.txt', 'second');
      return (await edda.get(path)).text !== 'second';
    },
  },

  'files.last-chunk-by-its-own-size': {
    source: 'extensions: File routes',
    breaks: 'A chunk stands behind those before it, which have the nominal size, also when it is shorter itself.',
    kind: 'value',
    variant: replaces('chunks', 'chunkPosition', (_right, _areas, { number, size }) => (number - 1) * size),
    async shows({ edda }) {
      await edda.sendChunks('whole.txt', ['abcd', 'ef']);
      return (await edda.get(`${spaceFiles}/whole.txt`)).text !== 'abcdef';
    },
  },

  'files.chunks-in-the-root': {
    source: 'extensions: File routes',
    breaks: 'A file that comes in chunks goes where its relative path says, subdirectories included.',
    kind: 'place',
    variant: replaces('chunks', 'chunkPlaceOf', (right, areas, chunk, area) => {
      const place = right(areas, chunk, area);
      return { ...place, segments: place.segments.slice(-1) };
    }),
    async shows({ edda }) {
      await edda.sendChunks('one/two/whole.txt', ['abcd', 'ef']);
      return (await edda.get(`${spaceFiles}/one/two/whole.txt`)).status !== 200;
    },
  },

  'files.removed-by-anybody': {
    source: 'extensions: File routes',
    breaks: 'All file routes need authentication, DELETE among them.',
    kind: 'role',
    variant: replaces('fileAreas', 'openArea', async (right, areas, call, kind) => {
      const isOpen = call.method === 'DELETE' && call.headers['authorization'] === undefined && kind === 'space';
      return isOpen ? areas.fileAreas.spaceArea(call) : right(areas, call, kind);
    }),
    async shows({ edda, nobody }) {
      await edda.upload('a.txt', 'a');
      await nobody.delete(`${spaceFiles}/a.txt`);
      return (await edda.get(`${spaceFiles}/a.txt`)).status !== 200;
    },
  },
};

export const bulkMistakes: Batch = {
  'bulk.replaces-unless-told-otherwise': {
    source: 'extensions: Bulk upload request body',
    breaks: 'Files that exist are not replaced unless that is asked for.',
    kind: 'value',
    variant: replaces('bulkUpload', 'bulkDefaults', (right, areas) => ({ ...right(areas), replaceFiles: true })),
    async shows({ edda, directory, bulk }) {
      await edda.upload('a.txt', 'first');
      const sourceDirectory = await directory();
      await writeFile(join(sourceDirectory, 'a.txt'), 'second');
      await bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false });
      return (await edda.get(`${spaceFiles}/a.txt`)).text !== 'first';
    },
  },

  'bulk.nested-sources-stay': {
    source: 'extensions: Bulk upload request body',
    breaks: 'Uploaded files are deleted from the source when that is asked for, those in its subdirectories as well.',
    kind: 'place',
    variant: replaces('bulkUpload', 'isDeletedAfter', (right, areas, request, file) => {
      return !file.path.includes('/') && right(areas, request, file);
    }),
    async shows({ directory, bulk, edda }) {
      const sourceDirectory = await directory();
      await mkdir(join(sourceDirectory, 'inner'));
      const path = join(sourceDirectory, 'inner', 'a.txt');
      await writeFile(path, 'content');
      await bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false, deleteFilesAfterUpload: true });
      const isUploaded = (await edda.get(`${spaceFiles}/inner/a.txt`)).status === 200;
      return isUploaded && (await isThere(path));
    },
  },

  'bulk.no-log-when-sources-go': {
    source: 'extensions: Bulk upload request body',
    breaks: 'The log is written when it is asked for, also in a run that deletes the files of the source.',
    kind: 'combination',
    variant: replaces('bulkUpload', 'writesLog', (right, areas, request) => {
      return right(areas, request) && !request.deleteFilesAfterUpload;
    }),
    async shows({ directory, bulk }) {
      const sourceDirectory = await directory();
      await writeFile(join(sourceDirectory, 'a.txt'), 'content');
      await bulk('/admin/fileupload/main', { sourceDirectory, writeLog: true, deleteFilesAfterUpload: true });
      return !(await readdir(sourceDirectory)).some((name) => name.startsWith('FileUpload_'));
    },
  },

  'bulk.signed-for-the-collection': {
    source: 'extensions: Authentication 2',
    breaks: 'The path that is signed is that of the request, with the space that it names.',
    kind: 'value',
    variant: replaces('signing', 'isSignatureOf', (right, areas, apiKey, path, given) => {
      const [, root = '', route = ''] = path.split('/');
      return right(areas, apiKey, path, given) || right(areas, apiKey, `/${root}/${route}`, given);
    }),
    async shows({ directory, nobody }) {
      const sourceDirectory = await directory();
      const authorization = `Bearer ${signatureOver('/admin/fileupload', administrationKey)}`;
      const body = { sourceDirectory, writeLog: false };
      return (await nobody.post('/admin/fileupload/main', body, { authorization })).status === 200;
    },
  },
};
