import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { jsonOf } from '../../../contract/json.ts';
import { jobWith } from '../../../reference-server/areas/jobs.ts';
import { missingToken } from '../../../reference-server/areas/tokens.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { callsOf, callsTo, isThere, scheduleTask, tokenOf } from '../proofs.ts';
import { at, listAt, md5, spaceFiles, type Received, type Service } from '../service.ts';

export const cachingMistakes: Batch = {
  'caching.tag-of-another-resource': {
    source: 'core: Errors 304',
    breaks: 'A 304 answers who holds the tag of that resource, and not that of another one.',
    kind: 'place',
    variant: breaks('caching', 'conditional', (right) => {
      const tags = new Map<string, string>();
      return (areas, call, answer) => {
        const ETag = areas.caching.etagOf(answer.raw ?? JSON.stringify(answer.body));
        tags.set(call.url, ETag);
        const given = call.headers['if-none-match'] ?? '';
        const isKnown = tags.values().some((tag) => areas.caching.ifNoneMatch(given, tag));
        return isKnown ? areas.caching.notModified({ ETag }) : right(areas, call, answer);
      };
    }),
    async shows({ cora }) {
      const tag = (await cora.get('/api/collection/template')).headers.get('etag') ?? '';
      return (await cora.get('/api/collection/space', { 'if-none-match': tag })).status === 304;
    },
  },

  'tokens.none-beside-a-session': {
    source: 'core: Authentication 1',
    breaks: 'A route takes a personal access token, also of a user who has an access token as well.',
    kind: 'moment',
    variant: breaks('auth', 'userOfCredentials', (right) => {
      const users = new Set<string>();
      return async (areas, credentials) => {
        const user = await right(areas, credentials);
        if (user === undefined || credentials.scheme !== 'bearer') return user;
        if (credentials.token.split('.').length === 3) users.add(user.name);
        else if (users.has(user.name)) return undefined;
        return user;
      };
    }),
    async shows(service) {
      const made = await service.edda.make('Document', { title: 't' });
      await service.nobody.get(made.path, { authorization: `Bearer ${await tokenOf(service, 'edda')}` });
      return (await service.edda.get(made.path)).status === 401;
    },
  },
};

const userFiles = (space: string): string => `/api/space/${space}/user/fs/file`;

export const filesMistakes: Batch = {
  'files.user-area-of-all-spaces': {
    source: 'extensions: File areas',
    breaks: 'A user has an area in each space.',
    kind: 'place',
    variant: replaces('fileAreas', 'fileAreaOf', (right, areas, call, user, kind) => {
      const area = right(areas, call, user, kind);
      return area.kind === 'user' ? { ...area, spaceId: 'all' } : area;
    }),
    async shows({ edda }) {
      await edda.upload('own.txt', 'own', userFiles('main'));
      return (await edda.get(`${userFiles('depot')}/own.txt`)).status === 200;
    },
  },

  'files.same-content-again': {
    source: 'extensions: File routes, row 1',
    breaks: 'An upload onto a file that exists fails, also when it brings the same content.',
    kind: 'value',
    variant: replaces('files', 'uploadStream', async (right, areas, call) => {
      const place = areas.files.streamPlaceOf(call, call.admitted);
      const info = await areas.fileStore.describe(place);
      const record = info?.kind === 'file' ? await areas.fileAreas.fileRecordOf(place, info.stamp) : undefined;
      const isSame = record?.md5 !== undefined && record.md5 === call.headers['checksum'];
      return isSame ? areas.fileAreas.createdFile(place) : right(areas, call);
    }),
    async shows({ edda }) {
      await edda.upload('same.txt', 'same');
      return (await edda.upload('same.txt', 'same')).status < 400;
    },
  },

  'files.deleted-twice': {
    source: 'extensions: File routes, row 4',
    breaks: 'To delete a file that is not there fails, also when it was deleted just before.',
    kind: 'moment',
    variant: breaks('files', 'deleteFile', (right) => {
      const deleted = new Set<string>();
      return async (areas, place) => {
        const key = JSON.stringify(place);
        const isDeleted = (await right(areas, place)) || deleted.has(key);
        if (isDeleted) deleted.add(key);
        return isDeleted;
      };
    }),
    async shows({ edda }) {
      await edda.upload('gone.txt', 'gone');
      await edda.delete(`${spaceFiles}/gone.txt`);
      return (await edda.delete(`${spaceFiles}/gone.txt`)).status < 400;
    },
  },

  'files.held-after-their-end': {
    source: 'extensions: File routes, row 3',
    breaks: 'To download a file that is not there any more fails, also for who holds a copy with its tag.',
    kind: 'combination',
    variant: breaks('files', 'downloadFile', (right) => {
      const tags = new Map<string, string>();
      return async (areas, call) => {
        const held = tags.get(call.url);
        if (held !== undefined && call.headers['if-none-match'] === held)
          return areas.caching.notModified({ ETag: held });
        const answer = await right(areas, call);
        tags.set(call.url, answer.headers?.['ETag'] ?? '');
        return answer;
      };
    }),
    async shows({ edda }) {
      await edda.upload('held.txt', 'held');
      const path = `${spaceFiles}/held.txt`;
      const tag = (await edda.get(path)).headers.get('etag') ?? '';
      await edda.delete(path);
      return (await edda.get(path, { 'if-none-match': tag })).status < 400;
    },
  },

  'files.token-as-second-parameter': {
    source: 'extensions: Authentication 1',
    breaks: 'A download may bring its token in the query, wherever in the query that stands.',
    kind: 'place',
    variant: replaces('fileAreas', 'queryCredentialsOf', (right, areas, call) =>
      call.url.includes('?token=') ? right(areas, call) : undefined,
    ),
    async shows(service) {
      await service.edda.upload('query.txt', 'query');
      const query = `?download=1&token=${await tokenOf(service, 'edda')}`;
      return (await service.nobody.get(`${spaceFiles}/query.txt${query}`)).status !== 200;
    },
  },

  'files.directory-called-stream': {
    source: 'extensions: File routes, row 3',
    breaks: 'A file is downloaded by its subdirectories and name, also when the first of them is called stream.',
    kind: 'value',
    variant: replaces('files', 'filePlaceOf', (right, areas, call, area) => {
      const { segments } = right(areas, call, area);
      return { area, segments: segments.length > 1 && segments[0] === 'stream' ? segments.slice(1) : segments };
    }),
    async shows({ edda }) {
      await edda.upload('stream/name.txt', 'below');
      return (await edda.get(`${spaceFiles}/stream/name.txt`)).status !== 200;
    },
  },

  'files.basic-in-the-collection': {
    source: 'extensions: Authentication 1',
    breaks: 'Every file route takes Basic authentication with a personal access token, those of the collection too.',
    kind: 'place',
    variant: replaces('fileAreas', 'authenticateFile', async (right, areas, call) => {
      const isBasic = areas.auth.credentialsOf(call.headers)?.scheme === 'basic';
      if (isBasic && call.url.startsWith('/api/collection/')) throw missingToken();
      return right(areas, call);
    }),
    async shows({ nobody }) {
      const authorization = `Basic ${Buffer.from('cora:svcpat-cora-6f8b0d2e4a').toString('base64')}`;
      const headers = { authorization, checksum: md5('basic'), 'content-type': 'text/plain' };
      return (await nobody.post('/api/collection/fs/file/stream/basic.txt', 'basic', headers)).status >= 400;
    },
  },

  'files.chunks-rounded': {
    source: 'extensions: File routes, chunk table',
    breaks: 'The chunks of a file are its size divided by that of a chunk and rounded up, however little is left.',
    kind: 'value',
    variant: replaces('chunks', 'assertChunk', (right, areas, chunk, currentSize) => {
      const { totalSize, chunkSize, totalChunks } = chunk;
      if (totalChunks !== Math.max(1, Math.round(totalSize / chunkSize))) throw new Refusal(400, 'Other chunks.');
      right(areas, chunk, currentSize);
    }),
    async shows({ edda }) {
      return (await edda.sendChunk('rounded.txt', ['aaaa', 'b'], 1)).status >= 400;
    },
  },

  'bulk.last-name-of-the-target': {
    source: 'extensions: Bulk upload request body, targetDirectory',
    breaks: 'The target directory is a path, of which every name counts.',
    kind: 'value',
    variant: replaces('bulkUpload', 'bulkTargetOf', (right, areas, request) => right(areas, request).slice(-1)),
    async shows(service) {
      await bulkOne(service, '/main', { targetDirectory: 'one/two' });
      return (await service.edda.get(`${spaceFiles}/one/two/bulk.txt`)).status !== 200;
    },
  },

  'bulk.replaced-and-kept': {
    source: 'extensions: Bulk upload request body, deleteFilesAfterUpload',
    breaks:
      'A file that was uploaded is deleted from the source where that is asked for, also when it replaced another.',
    kind: 'combination',
    variant: replaces(
      'bulkUpload',
      'isDeletedAfter',
      (right, areas, request, result) => result.status === 'uploaded' && right(areas, request, result),
    ),
    async shows(service) {
      await bulkOne(service, '/main');
      const source = await bulkOne(service, '/main', { replaceFiles: true, deleteFilesAfterUpload: true });
      return isThere(source);
    },
  },

  'bulk.first-participant': {
    source: 'extensions: File routes, row 7',
    breaks: 'A bulk upload for a participant goes into the area of the one that the path names.',
    kind: 'place',
    variant: replaces('bulkUpload', 'bulkAreaOf', (right, areas, call) => {
      const area = right(areas, call);
      if (area.kind !== 'participant') return area;
      const [first = ''] = areas.configuration.spaces.get(area.spaceId)?.participants.keys() ?? [];
      return { ...area, participantId: first };
    }),
    async shows(service) {
      await bulkOne(service, '/main/supplier');
      return (await service.emil.get('/api/space/main/participant/supplier/fs/file/bulk.txt')).status !== 200;
    },
  },
};

export const tasksMistakes: Batch = {
  'tasks.log-of-a-cancelled-one': {
    source: 'extensions: External task status',
    breaks: 'A task that is canceled may tell where its log is.',
    kind: 'combination',
    variant: replaces('jobs', 'jobAfterReport', (right, areas, job, status, files) =>
      right(areas, job, status, status === 'Canceled' ? {} : files),
    ),
    async shows(service) {
      await service.host(() => [task]);
      const job = await scheduleTask(service);
      await service.edda.put(`${job}/status/Canceled`, undefined, { logFilePath: 'folder/log.txt' });
      return at((await service.edda.get(job)).json, '/logFilePath') !== 'folder/log.txt';
    },
  },

  'tasks.results-not-taken': {
    source: 'extensions: Callbacks from an external task',
    breaks: 'A task uploads its results itself, with the token of its call.',
    kind: 'role',
    variant: replaces('fileAreas', 'authenticateFile', async (right, areas, call) => {
      const user = await right(areas, call);
      const [, claims = ''] = call.headers['authorization']?.split('.') ?? [];
      const isLent = at(jsonOf(Buffer.from(claims, 'base64url').toString()), '/scope') === 'impersonation';
      if (isLent && call.method !== 'GET') throw new Refusal(403, 'The token is for reading.');
      return user;
    }),
    async shows(service) {
      const host = await service.host(() => [task]);
      await scheduleTask(service);
      const authorization = `Bearer ${callsTo(host)[0]?.envelope?.accessToken}`;
      const headers = { authorization, checksum: md5('result'), 'content-type': 'text/plain' };
      return (await service.nobody.post(`${spaceFiles}/stream/result.txt`, 'result', headers)).status >= 400;
    },
  },

  'tasks.number-sign-in-the-input': {
    source: 'extensions: External task links, inputFile',
    breaks: 'The link of the input leads to the file, whatever characters its name has.',
    kind: 'value',
    variant: replaces('requests', 'taskLinks', (right, areas, ...args) =>
      right(areas, ...args).map((link) =>
        link.id === 'inputFile' ? { ...link, url: link.url.replaceAll('%23', '#') } : link,
      ),
    ),
    async shows(service) {
      const host = await service.host(() => [task]);
      await service.edda.upload('folder/input%231.csv', 'a,b');
      await scheduleTask(service, { inputPath: 'folder/input#1.csv' });
      return (await service.nobody.get(linkIn(callsTo(host)[0]?.json, 'inputFile'))).status !== 200;
    },
  },

  'tasks.links-of-the-first-space': {
    source: 'extensions: External task links, taskStatus',
    breaks: 'A task reports on its job in the space of that job, also when one of another space was called before.',
    kind: 'copy',
    variant: breaks('requests', 'taskLinks', (right) => {
      let first: string | undefined;
      return (areas, spaceId, ...args) => right(areas, (first ??= spaceId), ...args);
    }),
    async shows(service) {
      const host = await service.host(() => [task]);
      await scheduleTask(service);
      await service.edda.post('/api/space/depot/dx', { recordId: 'task', inputPath: 'input.csv' });
      await service.pass(1);
      return linkIn(callsOf(host, 'task')[1]?.json, 'taskStatus').includes('/space/main/');
    },
  },

  'tasks.job-of-another-space': {
    source: 'core: What the service does, space level',
    breaks: 'The path of a space route names the space that the job is in; there is no such job in another one.',
    kind: 'role',
    variant: replaces(
      'jobs',
      'locateJob',
      async (right, areas, call, reading) =>
        (await jobWith(reading, call.params['jobId'] ?? '')) ?? right(areas, call, reading),
    ),
    async shows(service) {
      await service.host(() => [task]);
      const job = await scheduleTask(service);
      const elsewhere = job.replace('/space/main/', '/space/depot/');
      return (await service.otto.put(`${elsewhere}/status/Failed`, undefined, {})).status < 400;
    },
  },
};

const task = { id: 'task', extensionType: 'ExternalTask' };

function linkIn(call: unknown, id: string): string {
  const link = listAt(call, '/payload/links').find((each) => at(each, '/id') === id);
  return String(at(link, '/url'));
}

/** Uploads a directory with one file. @returns where the file was */
async function bulkOne(service: Service, path: string, fields: object = {}): Promise<string> {
  const sourceDirectory = await service.directory();
  const file = join(sourceDirectory, 'bulk.txt');
  await writeFile(file, 'bulk');
  const body = { sourceDirectory, writeLog: false, ...fields };
  const answer: Received = await service.bulk(`/admin/fileupload${path}`, body);
  if (answer.status !== 200) throw new Error(`Expected a bulk upload, found ${answer.status}: ${answer.text}`);
  return file;
}
