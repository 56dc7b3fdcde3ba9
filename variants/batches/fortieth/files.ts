import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { md5, spaceFiles } from '../service.ts';

/** Files that a run looks at. */
const mostOfARun = 100;

/** Files of the areas, in streams, in chunks and in bulk. */
export const filesMistakes: Batch = {
  'files.star-in-a-name': {
    source: 'extensions: File routes, row 4',
    breaks: 'To delete a file deletes that one, also where its name has a star in it.',
    kind: 'value',
    variant: replaces('files', 'deleteFile', async (right, areas, place) => {
      const removed = await right(areas, place);
      const name = place.segments.at(-1) ?? '';
      if (!name.includes('*')) return removed;
      const [start = '', end = ''] = name.split('*');
      const parent = place.segments.slice(0, -1);
      for (const entry of (await areas.fileStore.list({ area: place.area, segments: parent })) ?? [])
        if (entry.kind === 'file' && entry.name.startsWith(start) && entry.name.endsWith(end))
          await areas.fileStore.remove({ area: place.area, segments: [...parent, entry.name] });
      return removed;
    }),
    async shows({ edda }) {
      await edda.upload('stars/report*.txt', 'a star');
      await edda.upload('stars/report-1.txt', 'a neighbour');
      await edda.delete(`${spaceFiles}/stars/report*.txt`);
      return (await edda.get(`${spaceFiles}/stars/report-1.txt`)).status !== 200;
    },
  },

  'files.chunks-of-a-user-in-the-first-space': {
    source: 'extensions: File areas, row User',
    breaks: 'A user has an area in each space, also for what comes in chunks.',
    kind: 'combination',
    variant: replaces('chunks', 'chunkPlaceOf', (right, areas, chunk, area) => {
      const [first = ''] = areas.configuration.spaces.keys();
      return right(areas, chunk, area.kind === 'user' ? { ...area, spaceId: first } : area);
    }),
    async shows({ edda }) {
      const base = '/api/space/depot/user/fs/file';
      await edda.sendChunks('chunked.txt', ['ab', 'c'], base);
      return (await edda.get(`${base}/chunked.txt`)).text !== 'abc';
    },
  },

  'bulk.first-hundred': {
    source: 'extensions: Bulk upload request body, row sourceDirectory',
    breaks: 'All files of the source directory are uploaded, also behind the hundredth.',
    kind: 'value',
    variant: breaks('bulkUpload', 'uploadSourceFile', (right) => {
      const counts = new WeakMap<object, number>();
      return async (areas, run, entry) => {
        const count = (counts.get(run) ?? 0) + 1;
        counts.set(run, count);
        if (count > mostOfARun) return { path: entry.path.join('/'), status: 'uploaded', size: 0 };
        return right(areas, run, entry);
      };
    }),
    async shows(service) {
      const sourceDirectory = await service.directory();
      for (let number = 1; number <= 101; number += 1)
        await writeFile(join(sourceDirectory, `f${String(number).padStart(3, '0')}.txt`), 'content');
      await service.bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false });
      return (await service.edda.get(`${spaceFiles}/f101.txt`)).status !== 200;
    },
  },

  'bulk.uploaded-once-for-the-collection': {
    source: 'extensions: File routes, row 5',
    breaks: 'A run uploads to the collection area what is not there, also where an earlier run had uploaded it.',
    kind: 'moment',
    variant: breaks('bulkUpload', 'uploadSourceFile', (right) => {
      const done = new Set<string>();
      return async (areas, run, entry) => {
        const path = entry.path.join('/');
        const key = [...run.target, path].join('/');
        if (run.area.kind !== 'collection' || run.request.replaceFiles) return right(areas, run, entry);
        if (done.has(key)) return { path, status: 'skipped', error: 'a file is there already' };
        done.add(key);
        return right(areas, run, entry);
      };
    }),
    async shows(service) {
      const sourceDirectory = await service.directory();
      await writeFile(join(sourceDirectory, 'again.txt'), 'content');
      const path = '/api/collection/fs/file/again.txt';
      await service.bulk('/admin/fileupload', { sourceDirectory, writeLog: false });
      await service.cora.delete(path);
      await service.bulk('/admin/fileupload', { sourceDirectory, writeLog: false });
      return (await service.cora.get(path)).status !== 200;
    },
  },

  'bulk.area-of-the-source': {
    source: 'extensions: File routes, row 7',
    breaks: 'A run for a participant uploads to its area, also from where a run for the space has taken files.',
    kind: 'moment',
    variant: breaks('bulkUpload', 'runBulkUpload', (right) => {
      const areasOfSources = new Map<string, Parameters<typeof right>[1]['area']>();
      return (areas, run) => {
        const former = areasOfSources.get(run.source);
        if (run.area.kind === 'participant' && former?.kind === 'space') return right(areas, { ...run, area: former });
        areasOfSources.set(run.source, run.area);
        return right(areas, run);
      };
    }),
    async shows(service) {
      const sourceDirectory = await service.directory();
      await mkdir(join(sourceDirectory, 'sub'));
      await writeFile(join(sourceDirectory, 'sub', 'both.txt'), 'content');
      await service.bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false });
      await service.bulk('/admin/fileupload/main/owner', { sourceDirectory, writeLog: false });
      return (await service.edda.get('/api/space/main/participant/owner/fs/file/sub/both.txt')).status !== 200;
    },
  },

  'files.text-is-decoded': {
    source: 'extensions: File routes, stream upload',
    breaks: 'A download has the bytes of the upload, also those of a text that is no UTF-8.',
    kind: 'value',
    variant: replaces('files', 'storeStream', async (right, areas, place, call, content, checksum) => {
      if (!(call.headers['content-type'] ?? '').startsWith('text/'))
        return right(areas, place, call, content, checksum);
      const bytes = await buffer(content);
      areas.fileAreas.assertChecksum(checksum, md5(bytes));
      return right(areas, place, call, piecesOf(Buffer.from(bytes.toString())), undefined);
    }),
    async shows({ edda }) {
      const latin = Buffer.from('Größe', 'latin1');
      await edda.upload('latin.txt', latin);
      return (await edda.get(`${spaceFiles}/latin.txt`)).headers.get('content-length') !== String(latin.length);
    },
  },

  'files.basic-name-is-remembered': {
    source: 'extensions: Authentication 1',
    breaks: 'Basic authentication takes the personal access token of the user, each time anew.',
    kind: 'copy',
    variant: breaks('fileAreas', 'authenticateFile', (right) => {
      const names = new Set<string>();
      return async (areas, call) => {
        const credentials = areas.fileAreas.fileCredentialsOf(call);
        if (credentials?.scheme !== 'basic') return right(areas, call);
        const known = names.has(credentials.name) ? areas.configuration.users.get(credentials.name) : undefined;
        const user = known ?? (await right(areas, call));
        names.add(user.name);
        return user;
      };
    }),
    async shows({ nobody, edda }) {
      await edda.upload('basic.txt', 'content');
      const basic = (secret: string) => ({
        authorization: `Basic ${Buffer.from(`edda:${secret}`).toString('base64')}`,
      });
      await nobody.get(`${spaceFiles}/basic.txt`, basic('svcpat-edda-7d1c0b9e5a'));
      return (await nobody.get(`${spaceFiles}/basic.txt`, basic('wrong'))).status === 200;
    },
  },

  'files.any-token-in-the-query': {
    source: 'core: Authentication 6',
    breaks: 'An identity without access is refused, also where a download names its token in the query.',
    kind: 'role',
    variant: replaces('fileAreas', 'mayUseArea', (right, areas, user, area, call) => {
      const isByQuery = call.headers['authorization'] === undefined && call.query.has('token');
      return (isByQuery && area.kind === 'space') || right(areas, user, area, call);
    }),
    async shows({ edda, nobody }) {
      await edda.upload('inside.txt', 'content');
      const answer = await nobody.get(`${spaceFiles}/inside.txt?token=svcpat-otto-4c6d8e0f1a`);
      return answer.status === 200;
    },
  },
};

async function* piecesOf(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes;
}
