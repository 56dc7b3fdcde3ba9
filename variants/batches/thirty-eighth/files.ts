import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { jobWith, keepJob } from '../../../reference-server/areas/jobs.ts';
import type { FileRecord } from '../../../reference-server/areas/file-areas.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { callsOf, scheduleTask } from '../proofs.ts';
import { at, listAt, spaceFiles } from '../service.ts';

const userFiles = '/api/space/main/user/fs/file';

export const filesMistakes: Batch = {
  'files.a-part-of-a-file-stays': {
    source: 'extensions: File routes, text below the chunk table',
    breaks: 'A client can delete what an upload in chunks has left that came to no end, in any area.',
    kind: 'place',
    variant: replaces('files', 'deleteFile', async (right, areas, place) => {
      if (place.area.kind === 'user' && (await areas.fileAreas.uploadUnderWay(place)) !== undefined)
        throw new Refusal(409, 'An upload is under way.');
      return right(areas, place);
    }),
    async shows({ edda }) {
      await edda.sendChunk('part.txt', ['abcd', 'ef'], 1, userFiles);
      await edda.delete(`${userFiles}/part.txt`);
      return (await edda.upload('part.txt', 'whole', userFiles)).status >= 300;
    },
  },
  'files.plus-in-the-name-of-a-chunk': {
    source: 'extensions: File routes, resumableFilename',
    breaks: 'A plus sign in the name of a file that comes in chunks is a plus sign.',
    kind: 'combination',
    variant: replaces('chunks', 'chunkPlaceOf', (right, areas, chunk, area) =>
      right(areas, { ...chunk, relativePath: chunk.relativePath.replaceAll('+', ' ') }, area),
    ),
    async shows({ edda }) {
      await edda.sendChunks('a+b.txt', ['abcd', 'ef']);
      return (await edda.get(`${spaceFiles}/a%2Bb.txt`)).status !== 200;
    },
  },
  'bulk.target-with-a-dot': {
    source: 'extensions: Bulk upload request body, targetDirectory',
    breaks: 'The files end up below the directory that is named, also where its name begins with a dot.',
    kind: 'value',
    variant: replaces('bulkUpload', 'bulkTargetOf', (right, areas, request) =>
      right(areas, { ...request, targetDirectory: request.targetDirectory.replace(/^\.(?=\w)/, '') }),
    ),
    async shows({ edda, bulk, directory }) {
      const sourceDirectory = await directory();
      await writeFile(join(sourceDirectory, 'a.txt'), 'abc');
      await bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false, targetDirectory: '.in' });
      return (await edda.get(`${spaceFiles}/.in/a.txt`)).status !== 200;
    },
  },
  'caching.tag-of-the-file-before': {
    source: 'core: Common request headers, text below',
    breaks: 'The tag of a file is that of the file that is there now, not of one that was deleted from its place.',
    kind: 'copy',
    survives:
      'Whether files have tags, and what these tell, is not said (etag-resources, download-metadata-headers): a tag that stays is remarked.',
    variant: breaks('fileAreas', 'fileRecordOf', (right) => {
      const records = new Map<string, FileRecord>();
      return async (areas, place, stamp) => {
        const id = JSON.stringify(place);
        const record = records.get(id) ?? (await right(areas, place, stamp));
        if (record !== undefined && !record.growing) records.set(id, record);
        return record;
      };
    }),
    async shows({ edda }) {
      const path = `${spaceFiles}/a.txt`;
      await edda.upload('a.txt', 'before');
      const tag = (await edda.get(path)).headers.get('etag');
      await edda.delete(path);
      await edda.upload('a.txt', 'after it');
      return (await edda.get(path)).headers.get('etag') === tag;
    },
  },
};

const task = { id: 'task', extensionType: 'ExternalTask' };

export const tasksMistakes: Batch = {
  'tasks.status-with-an-empty-object': {
    source: 'extensions: Callbacks from an external task',
    breaks: 'No member of the body of a status report has to be there.',
    kind: 'value',
    variant: replaces('jobs', 'reportedFilesOf', (right, areas, call) => {
      if (call.json !== undefined && Object.keys(call.json).length === 0)
        throw new Refusal(422, 'Expected a path, found none.');
      return right(areas, call);
    }),
    async shows(service) {
      await service.host(() => [task]);
      const job = await scheduleTask(service);
      return (await service.edda.put(`${job}/status/Completed`, undefined, {})).status >= 300;
    },
  },
  'tasks.upload-link-of-the-retry': {
    source: 'extensions: External task links, uploadFile',
    breaks: 'The link for chunks says POST in the second attempt of a call as well.',
    kind: 'moment',
    variant: replaces('requests', 'requestFor', (right, areas, delivery, callee, attempt) => {
      if (attempt === 1) return right(areas, delivery, callee, attempt);
      const taskLinks: typeof areas.requests.taskLinks = (...args) =>
        areas.requests.taskLinks(...args).map((link) => (link.id === 'uploadFile' ? { ...link, method: 'PUT' } : link));
      return right(within(areas, { requests: { taskLinks } }), delivery, callee, attempt);
    }),
    async shows(service) {
      const host = await service.host(() => [task], [{ when: { kind: 'task' }, steps: [{ status: 503 }] }]);
      await scheduleTask(service);
      await service.pass(3, 2);
      const links = listAt(callsOf(host, 'task')[1]?.json, '/payload/links');
      return links.some((link) => at(link, '/id') === 'uploadFile' && at(link, '/method') !== 'POST');
    },
  },
  'tasks.stream-link-of-a-deep-input': {
    source: 'extensions: External task links, uploadFileStream',
    breaks: 'The stream upload leads to where the input is, however many directories down that is.',
    kind: 'value',
    variant: replaces('requests', 'taskLinks', (right, areas, spaceId, jobId, inputPath, token) => {
      const [first = '', ...others] = inputPath.split('/');
      return right(areas, spaceId, jobId, inputPath, token).map((link) =>
        link.id === 'uploadFileStream' && others.length > 1
          ? { ...link, url: link.url.replace(/\/stream\/.*$/, `/stream/${first}`) }
          : link,
      );
    }),
    async shows(service) {
      const host = await service.host(() => [task]);
      await scheduleTask(service, { inputPath: 'a/b/input.csv' });
      const links = listAt(callsOf(host, 'task')[0]?.json, '/payload/links');
      const link = links.find((candidate) => at(candidate, '/id') === 'uploadFileStream');
      return !String(at(link, '/url')).includes('/a/b');
    },
  },
  'tasks.files-of-the-job-before': {
    source: 'extensions: States and transitions, Completed',
    breaks: 'A job has the files that its own task reported.',
    kind: 'copy',
    variant: breaks('jobs', 'jobAfterReport', (right) => {
      const reported = new Map<string, object>();
      return (areas, job, status, files) => {
        const all = status === 'Completed' ? { ...reported.get(job.recordId), ...files } : files;
        reported.set(job.recordId, all);
        return right(areas, job, status, all);
      };
    }),
    async shows(service) {
      await service.host(() => [task]);
      const [one, other] = [await scheduleTask(service), await scheduleTask(service)];
      await service.edda.put(`${one}/status/Completed`, undefined, { outputFilePath: 'folder/output.csv' });
      await service.edda.put(`${other}/status/Completed`, undefined);
      return at((await service.edda.get(other)).json, '/outputFilePath') !== undefined;
    },
  },
  'tasks.done-by-its-acknowledgement': {
    source: 'extensions: Calls to extensions, ExternalTask',
    breaks: 'Work goes on in the background after the acknowledgement, also where that has a body.',
    kind: 'combination',
    variant: replaces('deliveryEnds', 'deliveryEnded', async (right, areas, writing, delivery, end, outcome) => {
      await right(areas, writing, delivery, end, outcome);
      if (delivery.kind !== 'task' || end !== 'delivered') return;
      const job = await jobWith(writing, delivery.envelopeId);
      if (job === undefined || outcome?.kind !== 'answered' || outcome.body === '') return;
      await keepJob(writing, { ...job, state: 'Completed', taskStatus: 'Completed' });
    }),
    async shows(service) {
      const accepted = { status: 200, json: { accepted: true } };
      await service.host(() => [task], [{ when: { kind: 'task' }, steps: [accepted] }]);
      const job = await scheduleTask(service);
      return (await service.edda.put(`${job}/status/Failed`, undefined)).status >= 300;
    },
  },
};
