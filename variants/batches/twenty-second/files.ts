import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { administrationKey, at, type Service, signatureOver, spaceFiles } from '../service.ts';

export const filesMistakes: Batch = {
  'files.place-by-the-size-of-the-chunk': {
    source: 'extensions: File routes, row resumableCurrentChunkSize',
    breaks: 'A file in chunks has the bytes that were sent, also when the last chunk is shorter than the others.',
    kind: 'value',
    variant: replaces('chunks', 'chunkPosition', (_right, _areas, { number, size }) => (number - 1) * size),
    async shows({ edda }) {
      await edda.sendChunks('short.txt', ['aaaa', 'bb']);
      return (await edda.get(`${spaceFiles}/short.txt`)).text !== 'aaaabb';
    },
  },

  'files.uploads-told-apart-by-name': {
    source: 'extensions: File routes, row 2',
    breaks: 'Each call brings a chunk of the file at its path, also while another of the same name comes elsewhere.',
    kind: 'combination',
    variant: breaks('chunks', 'chunkPlaceOf', (right) => {
      const paths = new Map<string, string>();
      return (areas, chunk, area) => {
        const key = `${chunk.fileName} ${JSON.stringify(area)}`;
        if (chunk.number === 1) paths.set(key, chunk.relativePath);
        return right(areas, { ...chunk, relativePath: paths.get(key) ?? chunk.relativePath }, area);
      };
    }),
    async shows({ edda }) {
      const [one, other] = [
        ['aaaa', 'aa'],
        ['bbbb', 'bb'],
      ];
      await edda.sendChunk('one/same.txt', one, 1);
      await edda.sendChunk('other/same.txt', other, 1);
      await edda.sendChunk('one/same.txt', one, 2);
      await edda.sendChunk('other/same.txt', other, 2);
      return (await edda.get(`${spaceFiles}/one/same.txt`)).text !== 'aaaaaa';
    },
  },

  'files.one-user-area-for-all-spaces': {
    source: 'core: What the service does, space level',
    breaks: 'What is kept under one space is not in another, the files of a user neither.',
    kind: 'place',
    variant: replaces('fileAreas', 'fileAreaOf', (right, areas, call, user, kind) => {
      const [spaceId = ''] = areas.configuration.spaces.keys();
      return kind === 'user' ? { kind, spaceId, userName: user.name } : right(areas, call, user, kind);
    }),
    async shows({ edda }) {
      await edda.upload('mine.txt', 'mine', '/api/space/main/user/fs/file');
      return (await edda.get('/api/space/depot/user/fs/file/mine.txt')).status === 200;
    },
  },
};

export const bulkMistakes: Batch = {
  'bulk.second-log': {
    source: 'extensions: Bulk upload request body, row writeLog',
    breaks: 'A log is left when an upload ends, also where that of an earlier one lies.',
    kind: 'moment',
    variant: replaces('bulkUpload', 'writeBulkLog', async (right, areas, source, report) => {
      if (!(await readdir(source)).some(isLog)) await right(areas, source, report);
    }),
    async shows(service) {
      const body = { sourceDirectory: await sourceOf(service), writeLog: true };
      await service.bulk('/admin/fileupload/main', body);
      await service.pass(2);
      await service.bulk('/admin/fileupload/main', body);
      return (await readdir(body.sourceDirectory)).filter(isLog).length < 2;
    },
  },

  'bulk.signature-seen-before': {
    source: 'extensions: Authentication 2',
    breaks: 'A signature opens the path that was signed, and no other one once it was seen.',
    kind: 'copy',
    variant: breaks('bulkUpload', 'requireAdministrationKey', (right) => {
      const seen = new Set<string | undefined>();
      return async (areas, call) => {
        const given = call.headers['authorization'];
        if (given === undefined || !seen.has(given)) await right(areas, call);
        seen.add(given);
      };
    }),
    async shows(service) {
      const body = { sourceDirectory: await sourceOf(service), writeLog: false };
      await service.bulk('/admin/fileupload/main', body);
      const authorization = `Bearer ${signatureOver('/admin/fileupload/main', administrationKey)}`;
      return (await service.nobody.post('/admin/fileupload', body, { authorization })).status < 300;
    },
  },

  'bulk.administrator-at-a-participant': {
    source: 'extensions: Authentication 2',
    breaks: 'Bulk upload needs the administration key on each of its routes, whoever asks.',
    kind: 'role',
    variant: replaces('bulkUpload', 'requireAdministrationKey', async (right, areas, call) => {
      const user = await areas.auth.authenticate(call).catch(() => undefined);
      const isOpen = call.params['participantId'] !== undefined && user !== undefined;
      if (!isOpen || !areas.auth.mayAdministrate(user)) await right(areas, call);
    }),
    async shows(service) {
      const body = { sourceDirectory: await sourceOf(service), writeLog: false };
      return (await service.cora.post('/admin/fileupload/main/owner', body)).status < 300;
    },
  },

  'bulk.area-of-the-run-before': {
    source: 'extensions: File routes, row 5',
    breaks: 'The route without a space uploads to the collection, also after an upload to a space.',
    kind: 'copy',
    variant: breaks('bulkUpload', 'bulkAreaOf', (right) => {
      let latest: ReturnType<typeof right> | undefined;
      return (areas, call) => {
        if (call.params['spaceId'] === undefined && latest !== undefined) return latest;
        return (latest = right(areas, call));
      };
    }),
    async shows(service) {
      const body = { sourceDirectory: await sourceOf(service), writeLog: false };
      await service.bulk('/admin/fileupload/main', body);
      await service.bulk('/admin/fileupload', body);
      return (await service.cora.get('/api/collection/fs/file/there.txt')).status !== 200;
    },
  },

  'keys.of-another-permission': {
    source: 'extensions: Permission names, row TaskUploadAPI',
    breaks: 'A key to install tasks is for that, and opens no bulk upload.',
    kind: 'value',
    variant: replaces(
      'apiKeys',
      'opensAdministration',
      (right, areas, permission) => right(areas, permission) || permission === 'TaskUploadAPI',
    ),
    async shows(service) {
      const permissions = ['TaskUploadAPI'] as const;
      const host = await service.host(
        (url) => [{ id: 'keys', permissions: { tokenCallback: `${url}/keys`, permissions } }],
        [{ steps: [{ status: 200 }], afterwards: 'last' }],
      );
      const acquired = { tokenCallback: `${host.url}/keys`, permissions };
      await service.cora.post('/api/collection/externalExtension/acquireAccessToken/keys', acquired);
      const [entry] = host.entries(({ path }) => path === '/keys');
      const key = String(at(entry?.json, '/TaskUploadAPI/apiKey'));
      const body = { sourceDirectory: await sourceOf(service), writeLog: false };
      const authorization = `Bearer ${signatureOver('/admin/fileupload', key)}`;
      return (await service.nobody.post('/admin/fileupload', body, { authorization })).status < 300;
    },
  },
};

function isLog(name: string): boolean {
  return name.startsWith('FileUpload_');
}

/** A directory with one file. */
async function sourceOf({ directory }: Service): Promise<string> {
  const source = await directory();
  await writeFile(join(source, 'there.txt'), 'there');
  return source;
}
