import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isContent } from '../../../reference-server/areas/content.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { changeExtension, callsOf, isThere, tokenOf } from '../proofs.ts';
import { headerValues } from '../../../simulator/extension/entry.ts';
import { administrationKey, md5, signatureOver, spaceFiles } from '../service.ts';

const participantFiles = '/api/space/main/participant/supplier/fs/file';

export const filesMistakes: Batch = {
  'files.checksum-of-nothing': {
    source: 'extensions: File routes, stream upload',
    breaks: 'A file is held against its checksum, also one without a byte.',
    kind: 'value',
    variant: replaces('files', 'storeStream', (right, areas, place, call, content, checksum) =>
      right(areas, place, call, content, call.headers['content-length'] === '0' ? undefined : checksum),
    ),
    async shows({ edda }) {
      const headers = { checksum: md5('something'), 'content-type': 'text/plain' };
      return (await edda.post(`${spaceFiles}/stream/empty.txt`, '', headers)).status < 400;
    },
  },

  'files.first-participant-of-the-user': {
    source: 'extensions: File areas',
    breaks: 'The area is that of the participant in the path, also for a user who has a role on another before it.',
    kind: 'role',
    variant: replaces('fileAreas', 'openArea', async (right, areas, call, kind) => {
      const area = await right(areas, call, kind);
      if (area.kind !== 'participant') return area;
      const { name } = await areas.fileAreas.authenticateFile(call);
      const own = areas.auth
        .spaceOf(call)
        .participants.entries()
        .find(([, holders]) => holders.has(name));
      return { ...area, participantId: own?.[0] ?? area.participantId };
    }),
    async shows({ emil }) {
      await emil.upload('of-the-supplier.txt', 'supplier', participantFiles);
      const elsewhere = participantFiles.replace('supplier', 'owner');
      return (await emil.get(`${elsewhere}/of-the-supplier.txt`)).status === 200;
    },
  },

  'files.token-in-the-user-area': {
    source: 'extensions: Authentication 1',
    breaks: 'A download may have its token in the query, in the area of a user as well.',
    kind: 'place',
    variant: replaces('fileAreas', 'queryCredentialsOf', (right, areas, call) =>
      call.url.includes('/user/fs/') ? undefined : right(areas, call),
    ),
    async shows(service) {
      const base = '/api/space/main/user/fs/file';
      await service.edda.upload('own.txt', 'own', base);
      const token = await tokenOf(service, 'edda');
      return (await service.nobody.get(`${base}/own.txt?token=${token}`)).status !== 200;
    },
  },

  'chunks.types-with-a-dot': {
    source: 'extensions: File routes, chunk table',
    breaks: 'The type of a chunk is a MIME type, also one with dots or a plus in it.',
    kind: 'value',
    variant: replaces('chunks', 'assertChunk', (right, areas, chunk, size) => {
      if (!/^\w+\/[\w-]+$/.test(chunk.type)) throw new Refusal(400, 'Expected a MIME type.');
      right(areas, chunk, size);
    }),
    async shows({ edda }) {
      const sent = await edda.sendChunk('a.xls', ['one', 'two'], 1, spaceFiles, 'application/vnd.ms-excel');
      return sent.status >= 400;
    },
  },

  'chunks.placed-by-their-own-size': {
    source: 'extensions: File routes, chunk table',
    breaks: 'The nominal size says where a chunk stands, also for the last one, which is shorter.',
    kind: 'value',
    variant: replaces('chunks', 'chunkPosition', (_right, _areas, { number, size }) => (number - 1) * size),
    async shows({ edda }) {
      await edda.sendChunks('chunks.txt', ['four', 'four', 'to']);
      return (await edda.get(`${spaceFiles}/chunks.txt`)).text !== 'fourfourto';
    },
  },
};

export const bulkMistakes: Batch = {
  'bulk.settings-of-the-run-before': {
    source: 'extensions: Bulk upload request body',
    breaks: 'Uploaded files stay in the source unless it is said, also when the run before had them deleted.',
    kind: 'copy',
    variant: breaks('bulkUpload', 'bulkSettingsFrom', (right) => {
      let deleteFilesAfterUpload = false;
      return (areas, body) => {
        const settings = right(areas, isContent(body) ? { deleteFilesAfterUpload, ...body } : body);
        ({ deleteFilesAfterUpload } = settings);
        return settings;
      };
    }),
    async shows({ directory, bulk }) {
      const run = async (name: string, more: object) => {
        const sourceDirectory = await directory();
        await writeFile(join(sourceDirectory, name), name);
        await bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false, ...more });
        return sourceDirectory;
      };
      await run('one.txt', { deleteFilesAfterUpload: true });
      return (await readdir(await run('other.txt', {}))).length === 0;
    },
  },

  'bulk.target-in-the-collection': {
    source: 'extensions: File routes, row 5',
    breaks: 'A target directory counts for an upload of the collection as well.',
    kind: 'place',
    variant: replaces('bulkUpload', 'bulkPlaceOf', (right, areas, area, target, path) =>
      right(areas, area, area.kind === 'collection' ? [] : target, path),
    ),
    async shows({ directory, bulk, cora }) {
      const sourceDirectory = await directory();
      await writeFile(join(sourceDirectory, 'file.txt'), 'file');
      await bulk('/admin/fileupload', { sourceDirectory, writeLog: false, targetDirectory: 'below' });
      return (await cora.get('/api/collection/fs/file/below/file.txt')).status !== 200;
    },
  },

  'bulk.letter-case-of-a-signature': {
    source: 'extensions: Authentication 2',
    breaks: 'A signature opens a route as it was computed, and not in other letter case.',
    kind: 'value',
    variant: replaces('signing', 'sameSignature', (right, areas, given, expected) =>
      right(areas, given.toLowerCase(), expected.toLowerCase()),
    ),
    async shows({ directory, nobody }) {
      const sourceDirectory = await directory();
      await writeFile(join(sourceDirectory, 'file.txt'), 'file');
      const path = '/admin/fileupload/main';
      const authorization = `Bearer ${signatureOver(path, administrationKey).toUpperCase()}`;
      const body = { sourceDirectory, writeLog: false, deleteFilesAfterUpload: true };
      await nobody.post(path, body, { authorization });
      return !(await isThere(join(sourceDirectory, 'file.txt')));
    },
  },

  'signing.key-as-text': {
    source: 'extensions: Authentication 2',
    breaks: 'A key is decoded to bytes, and those are the key, also where they are no text.',
    kind: 'value',
    variant: replaces('signing', 'signPath', (right, areas, apiKey, path) => {
      const text = Buffer.from(apiKey, 'base64').toString('utf8');
      return right(areas, Buffer.from(text).toString('base64'), path);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      const apiKey = Buffer.alloc(64, 200).toString('base64');
      await changeExtension(service, { hostUri: host.url, apiKey });
      const entry = callsOf(host, 'metadata').at(-1);
      return (
        entry === undefined || headerValues(entry, 'authorization')[0] !== `Bearer ${signatureOver(entry.path, apiKey)}`
      );
    },
  },
};
