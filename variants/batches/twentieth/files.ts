import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { callsOf, scheduleTask } from '../proofs.ts';
import { at, listAt, spaceFiles, type Service } from '../service.ts';

export const filesMistakes: Batch = {
  'files.place-of-a-shorter-chunk': {
    source: 'extensions: File routes, chunk table',
    breaks: 'A chunk stands where those before it end, the last and shorter one too.',
    kind: 'value',
    variant: replaces('chunks', 'chunkPosition', (_right, _areas, { number, size }) => (number - 1) * size),
    async shows({ edda }) {
      await edda.sendChunks('short.txt', ['aaaa', 'bbbb', 'cc']);
      return (await edda.get(`${spaceFiles}/short.txt`)).text !== 'aaaabbbbcc';
    },
  },

  'files.user-area-of-all-spaces': {
    source: 'extensions: File areas',
    breaks: 'The area of a user is one in each space.',
    kind: 'place',
    variant: replaces('fileAreas', 'fileAreaOf', (right, areas, call, user, kind) => {
      const area = right(areas, call, user, kind);
      const [first] = areas.configuration.spaces.keys();
      return area.kind === 'user' && first !== undefined ? { ...area, spaceId: first } : area;
    }),
    async shows({ edda }) {
      await edda.upload('mine.txt', 'of main', '/api/space/main/user/fs/file');
      return (await edda.get('/api/space/depot/user/fs/file/mine.txt')).status < 400;
    },
  },

  'files.place-that-was-taken-once': {
    source: 'extensions: File routes, row 1',
    breaks: 'An upload fails where a file is, and not where one was before it was deleted.',
    kind: 'copy',
    variant: breaks('files', 'storeStream', (right) => {
      const taken = new Set<string>();
      return async (areas, place, call, content, checksum) => {
        const key = JSON.stringify(place);
        if (taken.has(key)) throw areas.fileAreas.placeTaken(place);
        await right(areas, place, call, content, checksum);
        taken.add(key);
      };
    }),
    async shows({ edda }) {
      await edda.upload('again.txt', 'first');
      await edda.delete(`${spaceFiles}/again.txt`);
      return (await edda.upload('again.txt', 'second')).status >= 400;
    },
  },

  'bulk.log-where-files-are-deleted': {
    source: 'extensions: Bulk upload request body',
    breaks: 'The log that is asked for is written, also when the uploaded files are deleted.',
    kind: 'combination',
    variant: replaces(
      'bulkUpload',
      'writesLog',
      (right, areas, request) => right(areas, request) && !request.deleteFilesAfterUpload,
    ),
    async shows(service) {
      const sourceDirectory = await sourceWith(service, 'one.txt');
      await service.bulk(bulkRoute, { sourceDirectory, writeLog: true, deleteFilesAfterUpload: true });
      return !(await readdir(sourceDirectory)).some((name) => name.startsWith('FileUpload_'));
    },
  },

  'bulk.replaces-like-the-run-before': {
    source: 'extensions: Bulk upload request body',
    breaks: 'Files are not replaced unless it is asked for, whatever the run before asked for.',
    kind: 'copy',
    variant: breaks('bulkUpload', 'bulkSettingsFrom', (right) => {
      let replaceFiles = false;
      return (areas, body) => {
        const settings = right(areas, body);
        if (at(body, '/replaceFiles') !== undefined) ({ replaceFiles } = settings);
        return { ...settings, replaceFiles };
      };
    }),
    async shows(service) {
      const sourceDirectory = await sourceWith(service, 'one.txt');
      await service.bulk(bulkRoute, { sourceDirectory, writeLog: false, replaceFiles: true });
      await writeFile(join(sourceDirectory, 'one.txt'), 'another content');
      await service.bulk(bulkRoute, { sourceDirectory, writeLog: false });
      return (await service.edda.get(`${spaceFiles}/one.txt`)).text === 'another content';
    },
  },

  'bulk.slash-of-a-signature': {
    source: 'extensions: Authentication 2',
    breaks: 'The signature that opens bulk upload has an underscore for every slash.',
    kind: 'value',
    variant: replaces('signing', 'expectedSignature', (right, areas, apiKey, path) =>
      right(areas, apiKey, path).replaceAll('_', '/'),
    ),
    async shows(service) {
      const body = { sourceDirectory: await sourceWith(service, 'one.txt'), writeLog: false };
      const paths = ['', '/main', '/main/owner'].map((rest) => `/admin/fileupload${rest}`);
      const answers = await Promise.all(paths.map((path) => service.bulk(path, body)));
      return answers.some(({ status }) => status === 401);
    },
  },
};

export const tasksMistakes: Batch = {
  'tasks.timeout-of-the-one-before': {
    source: 'extensions: Limits',
    breaks: 'A task has 600 seconds unless it says otherwise, whatever the one before it said.',
    kind: 'copy',
    variant: breaks('triggers', 'taskPayload', (right) => {
      let timeout: number | undefined;
      return (areas, body) => {
        const payload = right(areas, body);
        if (body['timeout'] !== undefined) ({ timeout } = payload);
        return { ...payload, timeout: timeout ?? payload.timeout };
      };
    }),
    async shows(service) {
      const host = await service.host(() => [task]);
      for (const fields of [{ timeout: 30 }, {}]) await scheduleTask(service, fields);
      return at(callsOf(host, 'task')[1]?.json, '/payload/timeout') !== 600;
    },
  },

  'tasks.log-of-a-canceled-one': {
    source: 'extensions: States and transitions',
    breaks: 'The path of a log may be given with every final status, Canceled too.',
    kind: 'place',
    variant: replaces('jobs', 'jobAfterReport', (right, areas, job, status, files) => {
      if (status === 'Canceled' && files.logFilePath !== undefined) throw new Refusal(422, 'Expected no log.');
      return right(areas, job, status, files);
    }),
    async shows(service) {
      await service.host(() => [task]);
      const job = await scheduleTask(service);
      const body = { logFilePath: 'folder/task.log' };
      return (await service.edda.send('PUT', `${job}/status/Canceled`, { body })).status >= 400;
    },
  },

  'tasks.first-directory-of-an-input': {
    source: 'extensions: External task links',
    breaks: 'The link inputDir leads to the directory that holds the input, however deep that lies.',
    kind: 'value',
    variant: replaces('requests', 'taskLinks', (right, areas, ...args) =>
      right(areas, ...args).map((link) =>
        link.id === 'inputDir' ? { ...link, url: link.url.replace(/(\/fs\/dir\/[^/]+)\/.*/, '$1') } : link,
      ),
    ),
    async shows(service) {
      const host = await service.host(() => [task]);
      await scheduleTask(service, { inputPath: 'one/two/input.csv' });
      const links = listAt(callsOf(host, 'task')[0]?.json, '/payload/links');
      return !String(at(links[0], '/url')).endsWith('/one/two');
    },
  },

  'tasks.links-by-their-input': {
    source: 'extensions: External task links',
    breaks: 'The link taskStatus leads to the job of the call, also when an earlier one had the same input.',
    kind: 'copy',
    variant: breaks('requests', 'taskLinks', (right) => {
      const kept = new Map<string, string>();
      return (areas, spaceId, jobId, inputPath, token) => {
        const links = right(areas, spaceId, jobId, inputPath, token);
        const status = links.find(({ id }) => id === 'taskStatus');
        const url = kept.get(inputPath) ?? status?.url ?? '';
        kept.set(inputPath, url);
        return links.map((link) => (link.id === 'taskStatus' ? { ...link, url } : link));
      };
    }),
    async shows(service) {
      const host = await service.host(() => [task]);
      await scheduleTask(service);
      await scheduleTask(service);
      const [first, second] = callsOf(host, 'task').map(({ json }) => at(json, '/payload/links/2/url'));
      return first !== undefined && first === second;
    },
  },
};

const task = { id: 'task', extensionType: 'ExternalTask' } as const;

const bulkRoute = '/admin/fileupload/main';

async function sourceWith({ directory }: Service, name: string): Promise<string> {
  const path = await directory();
  await writeFile(join(path, name), 'from the source');
  return path;
}
