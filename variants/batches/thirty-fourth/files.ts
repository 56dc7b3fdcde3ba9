import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Answer } from '../../../reference-server/http/call.ts';
import { type Variant, breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsTo, isThere } from '../proofs.ts';
import { at, many, md5, signatureOver, spaceFiles } from '../service.ts';

const bulkOfMain = '/admin/fileupload/main';

const userFiles = '/api/space/main/user/fs/file';

export const filesMistakes: Batch = {
  'files.delete-uncovers-the-replaced': {
    source: 'extensions: File routes, row 4',
    breaks: 'To delete a file leaves none there, also where it had replaced another one.',
    kind: 'combination',
    variant: keepsReplaced(),
    async shows({ edda, bulk, directory }) {
      const sourceDirectory = await directory();
      await writeFile(join(sourceDirectory, 'a.txt'), 'new');
      await edda.upload('a.txt', 'old');
      await bulk(bulkOfMain, { sourceDirectory, writeLog: false, replaceFiles: true });
      await edda.delete(`${spaceFiles}/a.txt`);
      return (await edda.get(`${spaceFiles}/a.txt`)).status === 200;
    },
  },

  'files.simultaneous-uploads-share-an-answer': {
    source: 'extensions: File routes, row 1',
    breaks: 'An upload onto a file that exists fails, also where that one came a moment before.',
    kind: 'moment',
    variant: breaks('files', 'uploadStream', (right) => {
      const underWay = new Map<string, Promise<Answer>>();
      return async (areas, call) => {
        const before = underWay.get(call.url);
        if (before !== undefined) {
          if (call.stream !== undefined) await buffer(call.stream);
          return before;
        }
        const own = right(areas, call);
        underWay.set(call.url, own);
        return own.finally(() => underWay.delete(call.url));
      };
    }),
    async shows({ edda }) {
      const answers = await Promise.all(many(6, (number) => edda.upload('race.txt', `content ${number}`)));
      return answers.filter(({ status }) => status < 300).length > 1;
    },
  },

  'files.checksum-of-a-known-path': {
    source: 'extensions: File routes, stream upload',
    breaks: 'A file is validated against its checksum, also the second one that is uploaded to a path.',
    kind: 'copy',
    variant: breaks('files', 'storeStream', (right) => {
      const known = new Set<string>();
      return async (areas, place, call, content, checksum) => {
        const key = JSON.stringify(place);
        await right(areas, place, call, content, known.has(key) ? undefined : checksum);
        known.add(key);
      };
    }),
    async shows({ edda }) {
      await edda.upload('again.txt', 'one');
      await edda.delete(`${spaceFiles}/again.txt`);
      const headers = { checksum: md5('one'), 'content-type': 'text/plain' };
      return (await edda.post(`${spaceFiles}/stream/again.txt`, 'two', headers)).status < 300;
    },
  },

  'files.participants-of-one-user': {
    source: 'extensions: File areas',
    breaks: 'Each participant has an area of its own, also those of whoever has a role on several.',
    kind: 'role',
    variant: replaces('fileAreas', 'fileAreaOf', (right, areas, call, user, kind) => {
      const area = right(areas, call, user, kind);
      if (area.kind !== 'participant') return area;
      const own = [...areas.auth.spaceOf(call).participants].filter(([, holders]) => holders.has(user.name));
      const isOwn = own.some(([id]) => id === area.participantId);
      return isOwn ? { ...area, participantId: own[0]?.[0] ?? area.participantId } : area;
    }),
    async shows({ emil }) {
      const base = (id: string) => `/api/space/main/participant/${id}/fs/file`;
      await emil.upload('own.txt', 'of the supplier', base('supplier'));
      return (await emil.get(`${base('owner')}/own.txt`)).status === 200;
    },
  },

  'chunks.last-byte-alone': {
    source: 'extensions: File routes, chunk table',
    breaks: 'The file has the bytes that were sent, also where the last chunk is a single one.',
    kind: 'value',
    variant: replaces('chunks', 'chunkContent', (right, areas, chunk) =>
      chunk.number > 1 && chunk.size === 1 && chunk.number === chunk.totalChunks ? [] : right(areas, chunk),
    ),
    async shows({ edda }) {
      await edda.sendChunks('odd.txt', ['abcd', 'e']);
      return (await edda.get(`${spaceFiles}/odd.txt`)).text !== 'abcde';
    },
  },

  'chunks.progress-by-path-alone': {
    source: 'extensions: File routes, row 2',
    breaks: 'An upload in chunks goes on in its own area, whatever comes to the same path of another one meanwhile.',
    kind: 'copy',
    variant: replaces('fileAreas', 'uploadIdOf', (_right, _areas, { segments }) => segments.join('/')),
    async shows({ edda }) {
      const pieces = ['abcd', 'ef'];
      for (const number of [1, 2])
        for (const base of [spaceFiles, userFiles]) await edda.sendChunk('two.txt', pieces, number, base);
      const contents = [await edda.get(`${spaceFiles}/two.txt`), await edda.get(`${userFiles}/two.txt`)];
      return contents.some(({ text }) => text !== 'abcdef');
    },
  },

  'bulk.first-hundred': {
    source: 'extensions: File routes, rows 5 to 7',
    breaks: 'The files of the source directory are uploaded, however many they are.',
    kind: 'value',
    variant: breaks('bulkUpload', 'uploadSourceFile', (right) => {
      const counts = new WeakMap<object, number>();
      return async (areas, run, entry) => {
        const count = (counts.get(run) ?? 0) + 1;
        counts.set(run, count);
        return count > 100 ? { path: entry.path.join('/'), status: 'uploaded' } : right(areas, run, entry);
      };
    }),
    async shows({ edda, bulk, directory }) {
      const sourceDirectory = await directory();
      for (const number of many(101, (each) => each)) await writeFile(join(sourceDirectory, `f${number + 100}`), 'x');
      await bulk(bulkOfMain, { sourceDirectory, writeLog: false });
      return (await edda.get(`${spaceFiles}/f201`)).status !== 200;
    },
  },

  'bulk.no-second-log': {
    source: 'extensions: Bulk upload request body, row writeLog',
    breaks: 'Each run that is to write a log does, also where that of an earlier one lies beside.',
    kind: 'copy',
    variant: replaces('bulkUpload', 'writeBulkLog', async (right, areas, source, report) => {
      const names = await readdir(source);
      if (!names.some((name) => name.startsWith('FileUpload_'))) await right(areas, source, report);
    }),
    async shows({ bulk, directory, pass }) {
      const sourceDirectory = await directory();
      await writeFile(join(sourceDirectory, 'a.txt'), 'a');
      await bulk(bulkOfMain, { sourceDirectory, writeLog: true });
      await pass(2);
      await bulk(bulkOfMain, { sourceDirectory, writeLog: true, replaceFiles: true });
      return (await readdir(sourceDirectory)).length !== 3;
    },
  },

  'bulk.replacing-ones-stay-in-the-source': {
    source: 'extensions: Bulk upload request body, row deleteFilesAfterUpload',
    breaks: 'Uploaded files go from the source, also those that replaced others.',
    kind: 'combination',
    variant: replaces(
      'bulkUpload',
      'isDeletedAfter',
      (right, areas, request, result) => right(areas, request, result) && result.status === 'uploaded',
    ),
    async shows({ edda, bulk, directory }) {
      const sourceDirectory = await directory();
      const path = join(sourceDirectory, 'a.txt');
      await writeFile(path, 'new');
      await edda.upload('a.txt', 'old');
      await bulk(bulkOfMain, { sourceDirectory, writeLog: false, replaceFiles: true, deleteFilesAfterUpload: true });
      return isThere(path);
    },
  },

  'bulk.opened-by-another-key': {
    source: 'extensions: Authentication 2',
    breaks: 'Bulk upload needs the administration key, and no other one that an extension has.',
    kind: 'role',
    variant: replaces(
      'apiKeys',
      'opensAdministration',
      (right, areas, permission) => permission === 'TaskUploadAPI' || right(areas, permission),
    ),
    async shows(service) {
      const host = await service.host(
        (url) => [{ id: 'keys', permissions: { tokenCallback: `${url}/taken`, permissions: ['TaskUploadAPI'] } }],
        always({ status: 200 }),
      );
      await service.cora.post('/api/collection/externalExtension/acquireAccessToken/keys', {
        tokenCallback: `${host.url}/taken`,
        permissions: ['TaskUploadAPI'],
      });
      const key = String(at(callsTo(host).at(-1)?.json, '/TaskUploadAPI/apiKey'));
      const authorization = `Bearer ${signatureOver(bulkOfMain, key)}`;
      const body = { sourceDirectory: await service.directory(), writeLog: false };
      return (await service.nobody.post(bulkOfMain, body, { authorization })).status < 300;
    },
  },
};

/** Keeps what a bulk upload replaces, and shows it again when the newer one goes. */
function keepsReplaced(): Variant {
  return (classes) => {
    const kept = new Map<string, Buffer>();
    return together(
      replaces('bulkUpload', 'uploadSourceFile', async (right, areas, run, entry) => {
        const place = { area: run.area, segments: [...run.target, ...entry.path] };
        const stream = await areas.fileStore.read(place).catch(() => undefined);
        const before = stream && (await buffer(stream));
        const result = await right(areas, run, entry);
        if (before !== undefined && result.status === 'replaced') kept.set(JSON.stringify(place), before);
        return result;
      }),
      replaces('files', 'deleteFile', async (right, areas, place) => {
        const key = JSON.stringify(place);
        const removed = await right(areas, place);
        const before = kept.get(key);
        if (before === undefined) return removed;
        kept.delete(key);
        await areas.fileStore.write(place, onePiece(before));
        return removed;
      }),
    )(classes);
  };
}

async function* onePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
