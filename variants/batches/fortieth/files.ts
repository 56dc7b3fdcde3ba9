import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { FilePlace } from '../../../reference-server/ports/file-store.ts';
import { breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, md5, spaceFiles } from '../service.ts';

/** Files that a run looks at. */
const mostOfARun = 100;

const userFiles = '/api/space/main/user/fs/file';

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

  'bulk.no-log-of-nothing-new': {
    source: 'extensions: Bulk upload request body, row writeLog',
    breaks: 'A run leaves its log, also where every file was there already.',
    kind: 'value',
    variant: replaces('bulkUpload', 'writeBulkLog', async (right, areas, source, report) => {
      if (report.statistics.uploaded + report.statistics.replaced > 0) await right(areas, source, report);
    }),
    async shows(service) {
      const sourceDirectory = await service.directory();
      await writeFile(join(sourceDirectory, 'there.txt'), 'content');
      await service.bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false });
      await service.bulk('/admin/fileupload/main', { sourceDirectory, writeLog: true });
      return !(await readdir(sourceDirectory)).some((name) => name.startsWith('FileUpload_'));
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

  'files.root-of-all-users': {
    source: 'extensions: File areas, row User',
    breaks: 'A file in the root of the area of a user is of that user alone.',
    kind: 'role',
    variant: together(
      replaces('files', 'filePlaceOf', (right, areas, call, area) => withoutOwnerInRoot(right(areas, call, area))),
      replaces('files', 'streamPlaceOf', (right, areas, call, area) => withoutOwnerInRoot(right(areas, call, area))),
    ),
    async shows({ edda, emil }) {
      await edda.upload('root.txt', 'of edda', userFiles);
      return (await emil.get(`${userFiles}/root.txt`)).status === 200;
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

  'files.chunks-of-two-users': {
    source: 'extensions: File routes, row 2',
    breaks: 'A chunk goes into the file of who sends it, also while another user sends one of that path.',
    kind: 'role',
    variant: breaks('chunks', 'chunkPlaceOf', (right) => {
      const begun = new Map<string, Parameters<typeof right>[2]>();
      return (areas, chunk, area) => {
        if (area.kind !== 'user') return right(areas, chunk, area);
        if (chunk.number === 1) begun.set(chunk.relativePath, area);
        return right(areas, chunk, begun.get(chunk.relativePath) ?? area);
      };
    }),
    async shows({ edda, emil }) {
      const pieces = ['aa', 'b'];
      await edda.sendChunk('both.txt', pieces, 1, userFiles);
      await emil.sendChunk('both.txt', ['cc', 'd'], 1, userFiles);
      await edda.sendChunk('both.txt', pieces, 2, userFiles);
      await emil.sendChunk('both.txt', ['cc', 'd'], 2, userFiles);
      return (await edda.get(`${userFiles}/both.txt`)).text !== 'aab';
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

  'files.tokens-of-tasks-send-no-chunks': {
    source: 'extensions: Authentication 4',
    breaks: 'The impersonating token lets a task do what its user may, a chunked upload too.',
    kind: 'role',
    variant: replaces('fileAreas', 'mayUseArea', (right, areas, user, area, call) => {
      const [, payload = ''] = (call.headers['authorization'] ?? '').split('.');
      const isChunk = call.method === 'POST' && !call.url.includes('/stream/');
      return !(isChunk && scopeIn(payload) === 'impersonation') && right(areas, user, area, call);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      await service.edda.post('/api/space/main/dx', { recordId: 'task', inputPath: 'folder/input.csv' });
      await service.pass(1);
      const [call] = host.entries(({ kind }) => kind === 'task');
      const form = new Response(chunkForm('chunked.txt', 'content'));
      const answer = await service.nobody.post(spaceFiles, await form.bytes(), {
        authorization: `Bearer ${call?.envelope?.accessToken ?? ''}`,
        'content-type': form.headers.get('content-type') ?? '',
        checksum: md5('content'),
      });
      return answer.status >= 400;
    },
  },
};

function withoutOwnerInRoot(place: FilePlace): FilePlace {
  const { area, segments } = place;
  return area.kind === 'user' && segments.length === 1 ? { segments, area: { ...area, userName: 'all' } } : place;
}

async function* piecesOf(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function scopeIn(payload: string): unknown {
  try {
    return at(JSON.parse(Buffer.from(payload, 'base64url').toString()), '/scope');
  } catch {
    return undefined;
  }
}

/** A file in one chunk. */
function chunkForm(path: string, content: string): FormData {
  const form = new FormData();
  const texts = {
    resumableTotalSize: content.length,
    resumableChunkNumber: 1,
    resumableChunkSize: content.length,
    resumableCurrentChunkSize: content.length,
    resumableTotalChunks: 1,
    resumableType: 'text/plain',
    resumableFilename: path,
    resumableRelativePath: path,
  };
  for (const [name, text] of Object.entries(texts)) form.set(name, String(text));
  form.set('file', new Blob([content]), path);
  return form;
}
