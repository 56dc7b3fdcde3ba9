import { stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import type { Claims } from '../../../reference-server/areas/tokens.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { isThere, reached, registerEndpoint } from '../proofs.ts';
import { md5, signatureOver, spaceFiles, administrationKey } from '../service.ts';

/** Files, and who may use them. */
export const filesMistakes: Batch = {
  'files.held-though-gone': {
    source: 'extensions: File routes, row GET',
    breaks: 'A download fails where the file does not exist, also for those who hold an earlier copy.',
    kind: 'combination',
    variant: breaks('files', 'downloadFile', (right) => {
      const tags = new Map<string, string>();
      return async (areas, call) => {
        const [path = ''] = call.url.split('?', 1);
        try {
          const answer = await right(areas, call);
          tags.set(path, answer.headers?.['ETag'] ?? '');
          return answer;
        } catch (error) {
          const condition = call.headers['if-none-match'];
          const isHeld = condition !== undefined && condition === tags.get(path);
          if (!(error instanceof Refusal) || error.status !== 404 || !isHeld) throw error;
          return { status: 304, headers: { ETag: condition } };
        }
      };
    }),
    async shows({ edda }) {
      await edda.upload('a/gone.txt', 'text');
      const path = `${spaceFiles}/a/gone.txt`;
      const tag = (await edda.get(path)).headers.get('etag') ?? '';
      await edda.delete(path);
      return (await edda.get(path, { 'If-None-Match': tag })).status === 304;
    },
  },

  'bulk.deletes-what-was-there-already': {
    source: 'extensions: Bulk upload request body, row deleteFilesAfterUpload',
    breaks:
      'Uploaded files are deleted from the source, and not one that was left out since a file of its size was there.',
    kind: 'value',
    variant: replaces('bulkUpload', 'uploadSourceFile', async (right, areas, run, entry) => {
      const result = await right(areas, run, entry);
      if (result.status !== 'skipped' || !run.request.deleteFilesAfterUpload) return result;
      const path = join(run.source, ...entry.path);
      const there = await areas.fileStore.describe({ area: run.area, segments: [...run.target, ...entry.path] });
      if (there?.kind === 'file' && there.size === (await stat(path)).size) await unlink(path);
      return result;
    }),
    async shows(service) {
      const source = await service.directory();
      await service.edda.upload('same.txt', 'former');
      await writeFile(join(source, 'same.txt'), 'latter');
      const body = { sourceDirectory: source, writeLog: false, deleteFilesAfterUpload: true };
      await service.bulk('/admin/fileupload/main', body);
      return !(await isThere(join(source, 'same.txt')));
    },
  },

  'chunks.counted-as-they-come': {
    source: 'extensions: File routes, chunk table, row resumableTotalSize',
    breaks: 'A file is whole when all its bytes are there, and not when so many chunks came, one of them twice.',
    kind: 'moment',
    survives: 'What a chunk does that comes twice is not said (chunk-order-and-repeat); it is remarked on.',
    variant: breaks('fileAreas', 'keepChunk', (right) => {
      const counts = new Map<string, number>();
      return async (areas, place, info, add) => {
        const progress = await right(areas, place, info, add);
        if (progress === undefined) return progress;
        const id = areas.fileAreas.uploadIdOf(place, info.fileId);
        const count = (counts.get(id) ?? 1) + 1;
        counts.set(id, count);
        return count >= progress.totalChunks
          ? { ...progress, received: [[1, progress.totalChunks]] as const }
          : progress;
      };
    }),
    async shows({ edda }) {
      const pieces = ['aaaa', 'bbbb', 'cc'];
      for (const number of [1, 2, 2, 3]) await edda.sendChunk('d/again.txt', pieces, number);
      return (await edda.get(`${spaceFiles}/d/again.txt`)).text !== 'aaaabbbbcc';
    },
  },

  'chunks.checked-once': {
    source: 'extensions: File routes, text below the chunk table, first sentence',
    breaks: 'The checksum is that of the chunk that came, also where one of the same upload had it before.',
    kind: 'copy',
    variant: breaks('chunks', 'assertChunkChecksum', (right) => {
      const checked = new Set<string>();
      return (areas, expected, chunk) => {
        const key = `${chunk.relativePath} ${chunk.number} ${expected}`;
        if (!checked.has(key)) right(areas, expected, chunk);
        checked.add(key);
      };
    }),
    async shows({ edda }) {
      const pieces = ['aaaa', 'bb'];
      await edda.sendChunk('e/twice.txt', pieces, 1);
      await edda.delete(`${spaceFiles}/e/twice.txt`);
      const form = new FormData();
      const texts = {
        resumableTotalSize: '6',
        resumableChunkNumber: '1',
        resumableChunkSize: '4',
        resumableCurrentChunkSize: '4',
        resumableTotalChunks: '2',
        resumableType: 'text/plain',
        resumableFilename: 'twice.txt',
        resumableRelativePath: 'e/twice.txt',
      };
      for (const [name, text] of Object.entries(texts)) form.set(name, text);
      form.set('file', new Blob(['xxxx']), 'twice.txt');
      const request = new Response(form);
      const headers = { checksum: md5('aaaa'), 'content-type': request.headers.get('content-type') ?? '' };
      return (await edda.post(spaceFiles, await request.bytes(), headers)).status < 300;
    },
  },

  'signing.first-plus-alone': {
    source: 'extensions: Authentication 2, second sentence',
    breaks: 'Every plus of a signature is replaced before it is compared, and not the first one alone.',
    kind: 'value',
    variant: replaces('signing', 'expectedSignature', (right, areas, apiKey, path) => {
      const [first = '', second, ...others] = right(areas, apiKey, path).split('-');
      return second === undefined ? first : [`${first}-${second}`, ...others].join('+');
    }),
    async shows(service) {
      const source = await service.directory();
      const paths = ['', '/main', '/depot', '/main/owner', '/main/supplier', '/depot/keeper'];
      const found = paths
        .map((rest) => `/admin/fileupload${rest}`)
        .find((path) => signatureOver(path, administrationKey).split('-').length > 2);
      if (found === undefined) return false;
      return (await service.bulk(found, { sourceDirectory: source, writeLog: false })).status === 401;
    },
  },

  'tokens.checked-at-the-first-download': {
    source: 'extensions: Authentication 4',
    breaks: 'A token is valid for its time, and opens nothing afterwards, also not by a link that has worked before.',
    kind: 'moment',
    variant: breaks('fileAreas', 'authenticateFile', (right) => {
      const known = new Map<string, Claims['sub']>();
      return async (areas, call) => {
        const credentials = areas.fileAreas.fileCredentialsOf(call);
        const isQuery = call.headers['authorization'] === undefined && credentials?.scheme === 'bearer';
        const name = isQuery ? known.get(credentials.token) : undefined;
        const user = name === undefined ? undefined : areas.configuration.users.get(name);
        if (user !== undefined) return user;
        const found = await right(areas, call);
        if (isQuery) known.set(credentials.token, found.name);
        return found;
      };
    }),
    async shows(service) {
      await service.edda.upload('f/link.txt', 'text');
      const host = await service.host(() => []);
      await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/hook`, tokenLifeTime: 1 });
      await service.edda.sendToEndpoint();
      const [call] = await reached(host, 1);
      const token = new URLSearchParams(call?.target.split('?')[1]).get('access_token') ?? '';
      const path = `${spaceFiles}/f/link.txt?token=${encodeURIComponent(token)}`;
      await service.nobody.get(path);
      await service.pass(90);
      return (await service.nobody.get(path)).status === 200;
    },
  },
};
