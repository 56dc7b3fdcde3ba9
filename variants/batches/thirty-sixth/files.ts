import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isContent } from '../../../reference-server/areas/content.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import type { Areas } from '../../../reference-server/areas.ts';
import type { FilePlace } from '../../../reference-server/ports/file-store.ts';
import { breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { isThere } from '../proofs.ts';
import { type Client, md5, spaceFiles } from '../service.ts';

const bulkPath = '/admin/fileupload/main';

export const filesMistakes: Batch = {
  'files.directory-called-like-a-participant': {
    source: 'extensions: File areas',
    breaks: 'A file of the space is in the area of the space, also where its directory is called like a participant.',
    kind: 'value',
    variant: together(
      replaces('files', 'streamPlaceOf', (right, areas, call, area) => mislaid(areas, right(areas, call, area))),
      replaces('files', 'filePlaceOf', (right, areas, call, area) => mislaid(areas, right(areas, call, area))),
    ),
    async shows({ edda }) {
      await edda.upload('owner/note.txt', 'x');
      return (await edda.get('/api/space/main/participant/owner/fs/file/note.txt')).status === 200;
    },
  },

  'bulk.former-logs-go-too': {
    source: 'extensions: Bulk upload request body, row deleteFilesAfterUpload',
    breaks: 'What goes from the source are files that were uploaded, not the log of an earlier run.',
    kind: 'combination',
    variant: replaces('bulkUpload', 'runBulkUpload', async (right, areas, run) => {
      const names = await readdir(run.source);
      const report = await right(areas, run);
      if (run.request.deleteFilesAfterUpload)
        for (const name of names.filter((each) => /^FileUpload_.*\.log$/.test(each))) await rm(join(run.source, name));
      return report;
    }),
    async shows(service) {
      const sourceDirectory = await service.directory();
      await writeFile(join(sourceDirectory, 'one.txt'), '1');
      await service.bulk(bulkPath, { sourceDirectory, writeLog: true, targetDirectory: 'first' });
      const log = (await readdir(sourceDirectory)).find((name) => name.startsWith('FileUpload_')) ?? '';
      await service.bulk(bulkPath, {
        sourceDirectory,
        writeLog: false,
        targetDirectory: 'second',
        deleteFilesAfterUpload: true,
      });
      const { status } = await service.edda.get(`${spaceFiles}/second/${log}`);
      return status !== 200 && !(await isThere(join(sourceDirectory, log)));
    },
  },

  'bulk.replaces-as-last-time': {
    source: 'extensions: Bulk upload request body, row replaceFiles',
    breaks: 'A run that does not say so replaces no file, also where the last one from that directory did.',
    kind: 'copy',
    variant: breaks('bulkUpload', 'bulkSettingsFrom', (right) => {
      const replacing = new Set<string>();
      return (areas, body) => {
        const settings = right(areas, body);
        if (settings.replaceFiles) replacing.add(settings.sourceDirectory);
        const isSilent = isContent(body) && body['replaceFiles'] === undefined;
        return isSilent ? { ...settings, replaceFiles: replacing.has(settings.sourceDirectory) } : settings;
      };
    }),
    async shows(service) {
      const sourceDirectory = await service.directory();
      const file = join(sourceDirectory, 'a.txt');
      await writeFile(file, 'former');
      await service.bulk(bulkPath, { sourceDirectory, writeLog: false, replaceFiles: true });
      await writeFile(file, 'later one');
      await service.bulk(bulkPath, { sourceDirectory, writeLog: false });
      return (await service.edda.get(`${spaceFiles}/a.txt`)).text === 'later one';
    },
  },

  'bulk.same-size-is-the-same': {
    source: 'extensions: Bulk upload request body, row replaceFiles',
    breaks: 'A file that is there is replaced, also by one of its size.',
    kind: 'value',
    variant: replaces('bulkUpload', 'uploadSourceFile', async (right, areas, run, entry) => {
      if (!run.request.replaceFiles || entry.problem !== undefined) return right(areas, run, entry);
      const { size } = await stat(join(run.source, ...entry.path));
      const there = await areas.fileStore.describe({ area: run.area, segments: [...run.target, ...entry.path] });
      if (there?.kind === 'file' && there.size === size)
        return { path: entry.path.join('/'), status: 'replaced', size };
      return right(areas, run, entry);
    }),
    async shows(service) {
      const sourceDirectory = await service.directory();
      await service.edda.upload('a.txt', 'old');
      await writeFile(join(sourceDirectory, 'a.txt'), 'new');
      await service.bulk(bulkPath, { sourceDirectory, writeLog: false, replaceFiles: true });
      return (await service.edda.get(`${spaceFiles}/a.txt`)).text === 'old';
    },
  },

  'chunks.known-by-name-alone': {
    source: 'extensions: File routes, chunk table, resumableRelativePath',
    breaks: 'Two files of one name in two directories are two files, also while chunks of both are on their way.',
    kind: 'place',
    variant: replaces('fileAreas', 'uploadIdOf', (right, areas, { area, segments }, _fileId) =>
      right(areas, { area, segments: segments.slice(-1) }, 'upload'),
    ),
    async shows({ edda }) {
      const pieces = ['one', 'two'];
      for (const number of [1, 2])
        for (const path of ['left/same.txt', 'right/same.txt']) await edda.sendChunk(path, pieces, number);
      return (await edda.get(`${spaceFiles}/right/same.txt`)).text !== 'onetwo';
    },
  },

  'files.checksum-that-was-right-once': {
    source: 'extensions: File routes, stream upload',
    breaks: 'A file is validated against its checksum, also where that was right for another one before.',
    kind: 'copy',
    variant: breaks('fileAreas', 'assertChecksum', (right) => {
      const known = new Set<string>();
      return (areas, expected, found) => {
        if (expected !== undefined && known.has(expected)) return;
        right(areas, expected, found);
        if (expected !== undefined) known.add(expected);
      };
    }),
    async shows({ edda }) {
      await edda.upload('sum/one.txt', 'one');
      const headers = { checksum: md5('one'), 'content-type': 'text/plain' };
      return (await edda.post(`${spaceFiles}/stream/sum/two.txt`, 'two', headers)).status < 300;
    },
  },

  'chunks.file-comes-last': {
    source: 'extensions: File routes, chunk upload',
    breaks: 'The form has a file part and text parts, and the file may be the first of them.',
    kind: 'place',
    variant: replaces('chunks', 'formPartsOf', async (right, areas, call) => {
      const parts = await right(areas, call);
      return parts[0]?.name === 'file' ? parts.slice(0, 1) : parts;
    }),
    shows: async ({ edda }) => (await sendFileFirst(edda)).status >= 400,
  },

  'chunks.last-one-is-full': {
    source: 'extensions: File routes, chunk table, resumableCurrentChunkSize',
    breaks: 'The last of several chunks may be as large as the others.',
    kind: 'value',
    variant: replaces('chunks', 'assertChunk', (right, areas, chunk, currentSize) => {
      const { number, totalChunks, totalSize, chunkSize } = chunk;
      if (totalChunks > 2 && number === totalChunks && totalSize % chunkSize === 0)
        throw new Refusal(400, 'The last chunk is too large.');
      right(areas, chunk, currentSize);
    }),
    async shows({ edda }) {
      await edda.sendChunks('full.txt', ['aaaa', 'bbbb', 'cccc']);
      return (await edda.get(`${spaceFiles}/full.txt`)).text !== 'aaaabbbbcccc';
    },
  },

  'chunks.twins-are-one': {
    source: 'extensions: File routes, text below the chunk table',
    breaks: 'Two chunks with the same bytes are two chunks.',
    kind: 'value',
    variant: breaks('chunks', 'storeChunk', (right) => {
      const seen = new Map<string, number>();
      return (areas, place, chunk) => {
        const key = `${JSON.stringify(place)} ${chunk.md5}`;
        const number = seen.get(key) ?? chunk.number;
        seen.set(key, number);
        return right(areas, place, { ...chunk, number });
      };
    }),
    async shows({ edda }) {
      await edda.sendChunks('twins.txt', ['same', 'same', 'end']);
      return (await edda.get(`${spaceFiles}/twins.txt`)).text !== 'samesameend';
    },
  },
};

function mislaid(areas: Areas, place: FilePlace): FilePlace {
  const { area, segments } = place;
  const [participantId = '', ...rest] = segments;
  if (area.kind !== 'space' || rest.length === 0) return place;
  const isParticipant = areas.configuration.spaces.get(area.spaceId)?.participants.has(participantId) === true;
  return isParticipant
    ? { area: { kind: 'participant', spaceId: area.spaceId, participantId }, segments: rest }
    : place;
}

async function sendFileFirst(edda: Client) {
  const form = new FormData();
  form.set('file', new Blob(['x']), 'first.txt');
  const texts = {
    resumableTotalSize: 1,
    resumableChunkNumber: 1,
    resumableChunkSize: 4,
    resumableCurrentChunkSize: 1,
    resumableTotalChunks: 1,
    resumableType: 'text/plain',
    resumableFilename: 'first.txt',
    resumableRelativePath: 'first.txt',
  };
  for (const [name, text] of Object.entries(texts)) form.set(name, String(text));
  const request = new Response(form);
  const headers = { checksum: md5('x'), 'content-type': request.headers.get('content-type') ?? '' };
  return edda.post(spaceFiles, await request.bytes(), headers);
}
