import type { FileArea, FilePlace } from '../../../reference-server/ports/file-store.ts';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { administrationKey, at, signatureOver, spaceFiles } from '../service.ts';

const participantFiles = '/api/space/main/participant/supplier/fs/file';

const participantBulk = '/admin/fileupload/main/supplier';

export const filesMistakes: Batch = {
  'files.deleted-but-not-modified': {
    source: 'extensions: File routes, row 3',
    breaks: 'A download of a file that was deleted fails, whatever tag of it the client still has.',
    kind: 'copy',
    variant: breaks('files', 'downloadFile', (right) => {
      const tags = new Map<string, string>();
      return async (areas, call) => {
        const tag = tags.get(call.url);
        try {
          const answer = await right(areas, call);
          tags.set(call.url, answer.headers?.['ETag'] ?? '');
          return answer;
        } catch (error) {
          if (tag === undefined || call.headers['if-none-match'] !== tag) throw error;
          return { status: 304, headers: { ETag: tag } };
        }
      };
    }),
    async shows({ edda }) {
      await edda.upload('folder/a.txt', 'one');
      const path = `${spaceFiles}/folder/a.txt`;
      const tag = (await edda.get(path)).headers.get('etag') ?? '';
      await edda.delete(path);
      return (await edda.get(path, { 'If-None-Match': tag })).status < 400;
    },
  },

  'files.token-of-a-link-once': {
    source: 'extensions: Authentication 1',
    breaks: 'A download may use the token in the query, the second time too.',
    kind: 'copy',
    variant: breaks('fileAreas', 'queryCredentialsOf', (right) => {
      const used = new Set<string>();
      return (areas, call) => {
        if (used.has(call.url)) return undefined;
        used.add(call.url);
        return right(areas, call);
      };
    }),
    async shows({ edda, nobody }) {
      await edda.upload('a.txt', 'one');
      const path = `${spaceFiles}/a.txt?token=svcpat-edda-7d1c0b9e5a`;
      const statuses = [(await nobody.get(path)).status, (await nobody.get(path)).status];
      return statuses[0] === 200 && statuses[1] !== 200;
    },
  },

  'files.basic-for-members-alone': {
    source: 'extensions: Authentication 1',
    breaks: 'File routes take a user name and a personal access token, those of a Collection Administrator too.',
    kind: 'role',
    variant: replaces('fileAreas', 'authenticateFile', async (right, areas, call) => {
      const user = await right(areas, call);
      const isBasic = areas.fileAreas.fileCredentialsOf(call)?.scheme === 'basic';
      if (isBasic && user.collectionAdministrator) throw new Refusal(401, 'Nobody of this name is a member.');
      return user;
    }),
    async shows({ cora, nobody }) {
      const base = '/api/collection/fs/file';
      await cora.upload('a.txt', 'one', base);
      const authorization = `Basic ${Buffer.from('cora:svcpat-cora-6f8b0d2e4a').toString('base64')}`;
      return (await nobody.get(`${base}/a.txt`, { authorization })).status !== 200;
    },
  },

  'files.checksum-of-the-last-upload': {
    source: 'extensions: File routes, row 1',
    breaks: 'An upload without a checksum is refused, also one of what the same user has uploaded just before.',
    kind: 'copy',
    variant: breaks('fileAreas', 'expectedChecksum', (right) => {
      const last = new Map<string | undefined, string | undefined>();
      return (areas, call) => {
        const sender = call.headers['authorization'];
        if (call.headers['checksum'] === undefined && last.has(sender)) return last.get(sender);
        const checksum = right(areas, call);
        last.set(sender, checksum);
        return checksum;
      };
    }),
    async shows({ edda }) {
      await edda.upload('a.txt', 'same');
      const again = await edda.post(`${spaceFiles}/stream/b.txt`, 'same', { 'content-type': 'text/plain' });
      return again.status < 300;
    },
  },

  'files.last-byte-of-a-full-block': {
    source: 'extensions: File routes, row 3',
    breaks: 'A download gives the content of the file, also where that fills whole blocks.',
    kind: 'value',
    variant: replaces('files', 'downloadFile', async (right, areas, call) => {
      const answer = await right(areas, call);
      const { stream, ...head } = answer;
      if (stream === undefined || stream.size === 0 || stream.size % 65_536 !== 0) return answer;
      const pieces: Uint8Array[] = [];
      for await (const piece of stream.content) pieces.push(piece);
      return { ...head, raw: Buffer.concat(pieces).subarray(0, stream.size - 1) };
    }),
    async shows({ edda }) {
      await edda.upload('a.txt', 'x'.repeat(65_536));
      return (await edda.get(`${spaceFiles}/a.txt`)).text.length !== 65_536;
    },
  },

  'chunks.known-by-their-file-name': {
    source: 'extensions: File routes, chunk table, resumableRelativePath',
    breaks:
      'A chunk goes to the path that it names, also while a file of the same name is uploaded to another directory.',
    kind: 'moment',
    variant: breaks('chunks', 'chunkPlaceOf', (right) => {
      const begun = new Map<string, FilePlace>();
      return (areas, chunk, area: FileArea) => {
        const place = right(areas, chunk, area);
        if (chunk.number === 1) begun.set(chunk.fileName, place);
        return begun.get(chunk.fileName) ?? place;
      };
    }),
    async shows({ edda }) {
      const [one, other] = [
        ['aaaa', 'bb'],
        ['cccc', 'dd'],
      ] as const;
      await edda.sendChunk('one/x.txt', one, 1);
      await edda.sendChunk('other/x.txt', other, 1);
      await edda.sendChunk('one/x.txt', one, 2);
      await edda.sendChunk('other/x.txt', other, 2);
      return (await edda.get(`${spaceFiles}/one/x.txt`)).text !== 'aaaabb';
    },
  },

  'chunks.sizes-outlive-a-deletion': {
    source: 'extensions: File routes, row 4',
    breaks: 'After an interrupted upload was deleted, another file can be uploaded to the path.',
    kind: 'copy',
    variant: breaks('chunks', 'storeChunk', (right) => {
      const sizes = new Map<string, number>();
      return async (areas, place, chunk) => {
        const key = JSON.stringify(place);
        if ((sizes.get(key) ?? chunk.totalSize) !== chunk.totalSize)
          throw new Refusal(409, 'Another size was announced.');
        const progress = await right(areas, place, chunk);
        if (chunk.number === chunk.totalChunks) sizes.delete(key);
        else sizes.set(key, chunk.totalSize);
        return progress;
      };
    }),
    async shows({ edda }) {
      await edda.sendChunk('a.txt', ['aaaa', 'bb'], 1);
      await edda.delete(`${spaceFiles}/a.txt`);
      await edda.sendChunks('a.txt', ['cccc', 'dddd']);
      return (await edda.get(`${spaceFiles}/a.txt`)).text !== 'ccccdddd';
    },
  },

  'bulk.root-of-a-participant': {
    source: 'extensions: File routes, row 7',
    breaks:
      'A bulk upload at participant level goes to the area of the participant, files in the root of the source too.',
    kind: 'place',
    variant: replaces('bulkUpload', 'bulkPlaceOf', (right, areas, area, target, path) => {
      const isAtRoot = area.kind === 'participant' && target.length + path.length === 1;
      return right(areas, isAtRoot ? { kind: 'space', spaceId: area.spaceId } : area, target, path);
    }),
    async shows({ bulk, emil, directory }) {
      const sourceDirectory = await directory();
      await writeFile(join(sourceDirectory, 'a.txt'), 'one');
      await bulk(participantBulk, { sourceDirectory, writeLog: false });
      return (await emil.get(`${participantFiles}/a.txt`)).status !== 200;
    },
  },

  'bulk.signature-of-the-level-above': {
    source: 'extensions: Authentication 2',
    breaks: 'What is signed is the path of the request, with the participant where it names one.',
    kind: 'place',
    variant: replaces('signing', 'isSignatureOf', (right, areas, apiKey, path, given) => {
      const above = /^(\/admin\/fileupload\/[^/]+)\/[^/]+$/.exec(path)?.[1];
      return right(areas, apiKey, path, given) || (above !== undefined && right(areas, apiKey, above, given));
    }),
    async shows({ nobody, directory }) {
      const body = { sourceDirectory: await directory(), writeLog: false };
      const authorization = `Bearer ${signatureOver('/admin/fileupload/main', administrationKey)}`;
      return (await nobody.post(participantBulk, body, { authorization })).status < 300;
    },
  },

  'bulk.replaces-at-the-root-alone': {
    source: 'extensions: Bulk upload request body, replaceFiles',
    breaks: 'Files that exist are replaced where that is asked for, below a target directory too.',
    kind: 'combination',
    variant: replaces(
      'bulkUpload',
      'mayReplace',
      (right, areas, request) => right(areas, request) && request.targetDirectory === '/',
    ),
    async shows({ bulk, edda, directory }) {
      const sourceDirectory = await directory();
      await edda.upload('deep/a.txt', 'before');
      await writeFile(join(sourceDirectory, 'a.txt'), 'after');
      await bulk('/admin/fileupload/main', {
        sourceDirectory,
        writeLog: false,
        targetDirectory: 'deep',
        replaceFiles: true,
      });
      return (await edda.get(`${spaceFiles}/deep/a.txt`)).text === 'before';
    },
  },

  'tasks.file-of-the-job-before': {
    source: 'extensions: External task status, row Completed',
    breaks: 'A job has the files that its own report names, and none of another job.',
    kind: 'copy',
    variant: breaks('jobs', 'reportedFilesOf', (right) => {
      const last = new Map<string, ReturnType<typeof right>>();
      return (areas, call) => {
        const files = { ...last.get(call.place.recordId), ...right(areas, call) };
        last.set(call.place.recordId, files);
        return files;
      };
    }),
    async shows(service) {
      await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      const jobs: string[] = [];
      for (const body of [{ outputFilePath: 'out/a.csv' }, {}]) {
        const job = await service.edda.post('/api/space/main/dx', { recordId: 'task', inputPath: 'in/a.csv' });
        jobs.push(job.headers.get('location') ?? '');
        await service.pass(1, 3);
        await service.edda.put(`${jobs.at(-1)}/status/Completed`, undefined, body);
      }
      const [first = '', second = ''] = jobs;
      const files = [first, second].map(async (job) => at((await service.edda.get(job)).json, '/outputFilePath'));
      return (await files[0]) === 'out/a.csv' && (await files[1]) === 'out/a.csv';
    },
  },

  'tasks.canceled-with-a-log': {
    source: 'extensions: External task status, row Canceled',
    breaks: 'A job whose task was canceled is reported as failed, also where the report gives a log.',
    kind: 'combination',
    variant: replaces('jobs', 'jobAfterReport', (right, areas, job, status, files) => {
      const next = right(areas, job, status, files);
      return status === 'Canceled' && files.logFilePath !== undefined ? { ...next, state: 'Completed' } : next;
    }),
    async shows(service) {
      await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      const made = await service.edda.post('/api/space/main/dx', { recordId: 'task', inputPath: 'in/a.csv' });
      const job = made.headers.get('location') ?? '';
      await service.pass(1, 3);
      await service.edda.put(`${job}/status/Canceled`, undefined, { logFilePath: 'out/log.txt' });
      return at((await service.edda.get(job)).json, '/state') === 'Completed';
    },
  },
};
