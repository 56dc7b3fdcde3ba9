import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, md5, signatureOver, spaceFiles } from '../service.ts';
import { sendChunks } from './scenes.ts';

export const filesMistakes: Batch = {
  'files.second-try-unchecked': {
    source: 'extensions: File routes, stream upload',
    breaks: 'A stream upload is held against its checksum, also after one to the same place was refused.',
    kind: 'moment',
    variant: breaks('files', 'storeStream', (right) => {
      const begun = new Set<string>();
      return async (areas, place, call, content, checksum) => {
        const key = JSON.stringify(place);
        const isAgain = begun.has(key);
        begun.add(key);
        await right(areas, place, call, content, isAgain ? undefined : checksum);
        begun.delete(key);
      };
    }),
    async shows(service) {
      const headers = { checksum: md5('something else'), 'content-type': 'text/plain' };
      const send = () => service.edda.post(`${spaceFiles}/stream/twice.txt`, 'content', headers);
      await send();
      return (await send()).status < 400;
    },
  },

  'files.found-without-its-ending': {
    source: 'extensions: File routes, row 3',
    breaks: 'To download a file that does not exist fails, also where one has the name with an ending.',
    kind: 'value',
    variant: replaces('files', 'downloadFile', async (right, areas, call) => {
      const place = areas.files.filePlaceOf(call, call.admitted);
      const { area, segments } = place;
      if ((await areas.fileStore.describe(place)) !== undefined) return right(areas, call);
      const beside = (await areas.fileStore.list({ area, segments: segments.slice(0, -1) })) ?? [];
      const found = beside.find(({ kind, name }) => kind === 'file' && name.startsWith(`${segments.at(-1)}.`));
      const rest = found && [...(call.rest ?? []).slice(0, -1), encodeURIComponent(found.name)];
      return right(areas, rest === undefined ? call : { ...call, rest });
    }),
    async shows(service) {
      const edda = service.edda;
      await edda.upload('folder/report.txt', 'content');
      return (await edda.get(`${spaceFiles}/folder/report`)).status === 200;
    },
  },

  'files.named-as-the-route': {
    source: 'extensions: File routes, text below the table',
    breaks: 'A file in the root of an area is reached by its name alone, whatever name that is.',
    kind: 'value',
    variant: replaces('files', 'filePlaceOf', (right, areas, call, area) => {
      const [first, ...rest] = call.rest ?? [];
      return right(areas, first === 'stream' ? { ...call, rest } : call, area);
    }),
    async shows(service) {
      const edda = service.edda;
      await edda.upload('stream', 'content');
      return (await edda.get(`${spaceFiles}/stream`)).status !== 200;
    },
  },

  'chunks.placed-by-their-own-size': {
    source: 'extensions: File routes, chunk table',
    breaks: 'A chunk stands where the nominal size of chunks puts it, also one that is shorter.',
    kind: 'place',
    variant: replaces('chunks', 'chunkPosition', (_right, _areas, { number, size }) => (number - 1) * size),
    shows: (service) => isGarbled(service.edda, 'aaaabbbbcc'),
  },

  'chunks.padded-to-full-ones': {
    source: 'extensions: File routes, chunk table',
    breaks: 'A file that came in chunks is as long as its total size says.',
    kind: 'value',
    variant: replaces('chunks', 'chunkContent', (right, areas, chunk) => {
      const pieces = right(areas, chunk);
      return chunk.totalChunks === 1 ? pieces : [Buffer.concat([...pieces], chunk.chunkSize)];
    }),
    shows: (service) => isGarbled(service.edda, 'aaaabb'),
  },

  'chunks.checksum-of-all-so-far': {
    source: 'extensions: File routes, text below the chunk table',
    breaks: 'The checksum of a chunk is that of this chunk, and not of all that came.',
    kind: 'place',
    variant: breaks('chunks', 'assertChunkChecksum', (right) => {
      const sent = new Map<string, Buffer>();
      return (areas, expected, chunk) => {
        const { relativePath: path, number, pieces } = chunk;
        const all = Buffer.concat([...(number === 1 ? [] : [sent.get(path) ?? Buffer.of()]), ...pieces]);
        sent.set(path, all);
        right(areas, expected, { ...chunk, md5: md5(all) });
      };
    }),
    shows: async (service) => (await sendChunks(service.edda, 'sums.txt', 'aaaabb')).status >= 400,
  },

  'chunks.counted-from-zero': {
    source: 'extensions: File routes, chunk table',
    breaks: 'The first chunk has the number 1.',
    kind: 'value',
    variant: replaces('chunks', 'chunkPosition', (right, areas, chunk) => {
      return chunk.totalChunks === 1 ? right(areas, chunk) : chunk.number * chunk.chunkSize;
    }),
    shows: (service) => isGarbled(service.edda, 'aaaabb'),
  },
};

export const bulkMistakes: Batch = {
  'bulk.target-with-a-dot': {
    source: 'extensions: Bulk upload request body',
    breaks: 'The structure ends up in the target directory, whatever its name looks like.',
    kind: 'value',
    variant: replaces('bulkUpload', 'bulkTargetOf', (right, areas, request) => {
      const names = right(areas, request);
      return names.at(-1)?.includes('.') === true ? names.slice(0, -1) : names;
    }),
    async shows(service) {
      const sourceDirectory = await service.directory();
      await writeFile(join(sourceDirectory, 'file.txt'), 'content');
      const body = { sourceDirectory, writeLog: false, targetDirectory: 'drawings/v1.2' };
      await service.bulk('/admin/fileupload/main', body);
      return (await service.edda.get(`${spaceFiles}/drawings/v1.2/file.txt`)).status !== 200;
    },
  },

  'keys.upload-key-opens-bulk': {
    source: 'extensions: Permission names',
    breaks: 'A key is for what its permission says: that for tasks is no administration key.',
    kind: 'value',
    variant: replaces('apiKeys', 'opensAdministration', (right, areas, permission) => {
      return right(areas, permission) || permission === 'TaskUploadAPI';
    }),
    async shows(service) {
      const asked = ['TaskUploadAPI' as const];
      const host = await service.host(
        (url) => [{ id: 'event', permissions: { tokenCallback: `${url}/keys`, permissions: asked } }],
        [{ when: { path: '/keys' }, steps: [{ status: 200 }], afterwards: 'last' }],
      );
      const acquire = '/api/collection/externalExtension/acquireAccessToken/event';
      await service.cora.post(acquire, { tokenCallback: `${host.url}/keys`, permissions: asked });
      const [entry] = host.entries(({ path }) => path === '/keys');
      const key = String(at(entry?.json, '/TaskUploadAPI/apiKey'));
      const path = '/admin/fileupload/main';
      const body = { sourceDirectory: await service.directory(), writeLog: false };
      const authorization = `Bearer ${signatureOver(path, key)}`;
      return (await service.nobody.post(path, body, { authorization })).status < 400;
    },
  },
};

/** Whether a file that is sent in chunks is not read back as it was. */
async function isGarbled(client: Parameters<typeof sendChunks>[0], content: string): Promise<boolean> {
  await sendChunks(client, 'chunked.txt', content);
  return (await client.get(`${spaceFiles}/chunked.txt`)).text !== content;
}
