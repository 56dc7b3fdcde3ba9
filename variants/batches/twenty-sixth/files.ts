import { mkdir, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { FileArea } from '../../../reference-server/ports/file-store.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { md5, spaceFiles, type Service } from '../service.ts';

const userFiles = '/api/space/main/user/fs/file';
const bulkRoute = '/admin/fileupload/main';

export const filesMistakes: Batch = {
  'files.empty-content-unchecked': {
    source: 'extensions: File routes, stream upload',
    breaks: 'A file is held against its checksum, also one without a byte.',
    kind: 'value',
    variant: replaces('fileAreas', 'assertChecksum', (right, areas, expected, found) => {
      if (found !== md5('')) right(areas, expected, found);
    }),
    async shows({ edda }) {
      const headers = { checksum: md5('something'), 'content-type': 'text/plain' };
      return (await edda.post(`${spaceFiles}/stream/empty.txt`, '', headers)).status < 400;
    },
  },

  'files.removed-below-a-directory-only': {
    source: 'extensions: File routes',
    breaks: 'In the root of an area a path is the name of the file alone; such a file can be deleted as well.',
    kind: 'place',
    variant: replaces('files', 'removeFile', async (right, areas, call) => {
      if (call.rest?.length !== 1) return right(areas, call);
      throw areas.files.missingFile(areas.files.filePlaceOf(call, call.admitted));
    }),
    async shows({ edda }) {
      await edda.upload('root.txt', 'in the root');
      return (await edda.delete(`${spaceFiles}/root.txt`)).status >= 400;
    },
  },

  'chunks.file-before-the-texts': {
    source: 'extensions: File routes, chunk table',
    breaks: 'The parts of a chunk are known by their names, also those that come behind the file.',
    kind: 'place',
    variant: replaces('chunks', 'formPartsOf', async (right, areas, call) => {
      const parts = await right(areas, call);
      return parts.slice(0, parts.findIndex(({ name }) => name === 'file') + 1);
    }),
    async shows({ edda }) {
      const form = new FormData();
      form.set('file', new Blob(['whole']), 'first.txt');
      for (const [name, text] of Object.entries(partsOfOneChunk)) form.set(name, text);
      const request = new Response(form);
      const headers = { checksum: md5('whole'), 'content-type': request.headers.get('content-type') ?? '' };
      return (await edda.post(spaceFiles, await request.bytes(), headers)).status >= 400;
    },
  },

  'chunks.uploads-by-path': {
    source: 'extensions: File areas',
    breaks: 'A chunk goes to the area that it was sent to, also while a file of its path is sent to another one.',
    kind: 'combination',
    variant: breaks('chunks', 'chunkPlaceOf', (right) => {
      const begun = new Map<string, FileArea>();
      return (areas, chunk, area) => {
        const known = begun.get(chunk.relativePath) ?? area;
        begun.set(chunk.relativePath, known);
        if (chunk.number === chunk.totalChunks) begun.delete(chunk.relativePath);
        return right(areas, chunk, known);
      };
    }),
    async shows({ edda }) {
      const pieces = ['one', 'two'];
      await edda.sendChunk('beside.txt', pieces, 1);
      await edda.sendChunk('beside.txt', pieces, 1, userFiles);
      await edda.sendChunk('beside.txt', pieces, 2, userFiles);
      await edda.sendChunk('beside.txt', pieces, 2);
      return (await edda.get(`${userFiles}/beside.txt`)).text !== 'onetwo';
    },
  },

  'bulk.below-a-target-that-is-there': {
    source: 'extensions: Bulk upload request body',
    breaks: 'The structure ends up in the target directory, also in one that an upload before has made.',
    kind: 'moment',
    variant: breaks('bulkUpload', 'bulkTargetOf', (right) => {
      const made = new Set<string>();
      return (areas, request) => {
        const names = right(areas, request);
        const isThere = made.has(names.join('/'));
        made.add(names.join('/'));
        return isThere && names.length > 0 ? [...names, basename(request.sourceDirectory)] : names;
      };
    }),
    async shows(service) {
      for (const name of ['first.txt', 'second.txt']) await bulkOf(service, name, name, 'target');
      return (await service.edda.get(`${spaceFiles}/target/second.txt`)).status !== 200;
    },
  },

  'bulk.nothing-in-the-file': {
    source: 'extensions: Bulk upload request body',
    breaks: 'The files of the source directory are uploaded, also those without a byte.',
    kind: 'value',
    variant: replaces('bulkUpload', 'uploadSourceFile', async (right, areas, run, entry) => {
      const { size } = await stat(join(run.source, ...entry.path));
      return size === 0 ? { path: entry.path.join('/'), status: 'skipped' } : right(areas, run, entry);
    }),
    async shows(service) {
      await bulkOf(service, 'empty.txt', '');
      return (await service.edda.get(`${spaceFiles}/empty.txt`)).status !== 200;
    },
  },
};

const partsOfOneChunk = {
  resumableTotalSize: '5',
  resumableChunkNumber: '1',
  resumableChunkSize: '5',
  resumableCurrentChunkSize: '5',
  resumableTotalChunks: '1',
  resumableType: 'text/plain',
  resumableFilename: 'first.txt',
  resumableRelativePath: 'first.txt',
};

/** A bulk upload of one file, from a directory of its own. */
async function bulkOf(service: Service, name: string, content: string, targetDirectory = '/'): Promise<void> {
  const sourceDirectory = join(await service.directory(), 'source');
  await mkdir(sourceDirectory);
  await writeFile(join(sourceDirectory, name), content);
  await service.bulk(bulkRoute, { sourceDirectory, writeLog: false, targetDirectory });
}
