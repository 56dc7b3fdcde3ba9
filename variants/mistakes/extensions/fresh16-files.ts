import { join } from 'node:path';
import type { User } from '../../../reference-server/configuration.ts';
import { uploadComplete } from '../../../reference-server/areas/file-areas.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces, together } from '../../breaks.ts';
import { always } from '../hosts.ts';
import type { Mistakes } from '../mistake.ts';
import {
  acquireKeys,
  askForKeys,
  bulkPath,
  bulkUpload,
  isThere,
  keyHost,
  keysBroughtTo,
  logsIn,
  participantFiles,
  sourceOf,
  tokenOf,
  userFiles,
} from '../proofs.ts';
import { administrationKey, at, md5, signatureOver, spaceFiles } from '../service.ts';
import { changes, forgive, inOnePiece, isRefusal, keyOf, perRun, wholeOf } from '../variant-parts.ts';

export const fresh16FilesMistakes: Mistakes = {
  'fresh16b.mismatch-stays-below-a-directory': {
    source: 'extensions: File routes, stream upload paragraph',
    breaks: 'Content that does not have its checksum is not stored, also below a directory.',
    variant: replaces('files', 'storeStream', async (right, areas, place, call, content, checksum) => {
      const bytes = await wholeOf(content);
      try {
        await right(areas, place, call, inOnePiece(bytes), checksum);
      } catch (error) {
        if (isRefusal(error, 400) && place.segments.length > 1)
          await right(areas, place, call, inOnePiece(bytes), undefined).catch(forgive);
        throw error;
      }
    }),
    async shows({ edda }) {
      await edda.post(`${spaceFiles}/stream/a/b.txt`, 'text', { checksum: md5('other') });
      return (await edda.get(`${spaceFiles}/a/b.txt`)).status === 200;
    },
  },
  'fresh16b.delete-takes-names-that-begin-alike': {
    source: 'extensions: File routes, row DELETE',
    breaks: 'A deletion deletes the file of its path and no other whose name begins like it.',
    variant: changes('files', 'deleteFile', async (isDeleted, areas, { area, segments }) => {
      const directory = segments.slice(0, -1);
      const name = segments.at(-1) ?? '';
      for (const entry of (isDeleted && (await areas.fileStore.list({ area, segments: directory }))) || [])
        if (entry.kind === 'file' && entry.name.startsWith(name))
          await areas.fileStore.remove({ area, segments: [...directory, entry.name] });
      return isDeleted;
    }),
    async shows({ edda }) {
      await edda.upload('report', 'a');
      await edda.upload('report.old', 'b');
      await edda.delete(`${spaceFiles}/report`);
      return (await edda.get(`${spaceFiles}/report.old`)).status === 404;
    },
  },
  'fresh16b.query-token-remembered-past-its-end': {
    source: 'extensions: Authentication 1',
    breaks: 'A token in the query of a download opens as long as it is valid, also when it opened before.',
    variant: breaks('fileAreas', 'authenticateFile', (right) => {
      const known = new Map<string, User>();
      return async (areas, call) => {
        const token = call.method === 'GET' ? (call.query.get('token') ?? '') : '';
        const user = known.get(token) ?? (await right(areas, call));
        if (token !== '') known.set(token, user);
        return user;
      };
    }),
    async shows(service) {
      await service.edda.upload('a.txt', 'a');
      const path = `${spaceFiles}/a.txt?token=${await tokenOf(service, 'edda')}`;
      const before = (await service.nobody.get(path)).status;
      await service.pass(7200);
      return before === 200 && (await service.nobody.get(path)).status === 200;
    },
  },
  'fresh16b.sizes-of-a-deleted-upload': {
    source: 'extensions: File routes, paragraph after the chunk table',
    breaks: 'Once the part of an interrupted upload is deleted, an upload of another size begins at its path.',
    variant: breaks('chunks', 'storeChunk', (right) => {
      const sizes = new Map<string, number>();
      return async (areas, place, chunk) => {
        const key = keyOf(place);
        const known = sizes.get(key) ?? chunk.totalSize;
        if (known !== chunk.totalSize) throw new Refusal(409, 'An upload of another size is under way.');
        const progress = await right(areas, place, chunk);
        if (uploadComplete(progress)) sizes.delete(key);
        else sizes.set(key, known);
        return progress;
      };
    }),
    async shows({ edda }) {
      await edda.sendChunk('a.bin', ['aaaa', 'bb']);
      await edda.delete(`${spaceFiles}/a.bin`);
      return (await edda.sendChunk('a.bin', ['cccc', 'dddd', 'e'])).status >= 400;
    },
  },
  'fresh16b.chunks-in-the-order-of-texts': {
    source: 'extensions: File routes, chunk table',
    breaks: 'The chunks of a file stand in the order of their numbers, also where there are more than nine.',
    variant: changes('chunks', 'chunkPosition', (_position, _areas, { number, chunkSize, totalChunks, totalSize }) => {
      const numbers = Array.from({ length: totalChunks }, (_each, index) => String(index + 1)).toSorted();
      const before = numbers.slice(0, numbers.indexOf(String(number)));
      const sizeOf = (each: string): number =>
        Number(each) < totalChunks ? chunkSize : totalSize - (totalChunks - 1) * chunkSize;
      return before.reduce((sum, each) => sum + sizeOf(each), 0);
    }),
    async shows({ edda }) {
      const pieces = Array.from({ length: 11 }, (_each, index) => `piece ${String(index + 1).padStart(2, '0')};`);
      await edda.sendChunks('a.bin', pieces);
      return (await edda.get(`${spaceFiles}/a.bin`)).text !== pieces.join('');
    },
  },
  'fresh16b.one-user-area-for-all-spaces': {
    source: 'extensions: File areas, row User',
    breaks: 'The user area is one of its space.',
    variant: changes('fileAreas', 'fileAreaOf', (area) => (area.kind === 'user' ? { ...area, spaceId: 'main' } : area)),
    async shows({ edda }) {
      await edda.upload('a.txt', 'a', userFiles);
      return (await edda.get('/api/space/depot/user/fs/file/a.txt')).status === 200;
    },
  },
  'fresh16b.bulk-replaces-below-a-target': {
    source: 'extensions: Bulk upload request body, row replaceFiles',
    breaks: 'A file that exists is not replaced unless that is asked for, also below a target directory.',
    variant: changes('bulkUpload', 'mayReplace', (may, _areas, { targetDirectory }) => may || targetDirectory !== '/'),
    async shows(service) {
      await service.edda.upload('t/a.txt', 'former');
      await bulkUpload(service, { 'a.txt': 'later' }, { targetDirectory: '/t' });
      return (await service.edda.get(`${spaceFiles}/t/a.txt`)).text === 'later';
    },
  },
  'fresh16b.bulk-equal-names-once': {
    source: 'extensions: Bulk upload request body, row sourceDirectory',
    breaks: 'Files of one name in two directories of the source are both uploaded.',
    variant: breaks('bulkUpload', 'uploadSourceFile', (right) => {
      const runs = new WeakMap<object, Set<string>>();
      return async (areas, run, entry) => {
        const names = runs.get(run) ?? new Set();
        runs.set(run, names);
        const name = entry.path.at(-1) ?? '';
        if (names.has(name)) return { path: entry.path.join('/'), status: 'skipped', error: 'it came already' };
        names.add(name);
        return right(areas, run, entry);
      };
    }),
    async shows(service) {
      await bulkUpload(service, { 'a/x.txt': 'a', 'b/x.txt': 'b' });
      return (await service.edda.get(`${spaceFiles}/b/x.txt`)).status === 404;
    },
  },
  'fresh16b.bulk-no-log-of-a-run-that-skipped': {
    source: 'extensions: Bulk upload request body, row writeLog',
    breaks: 'A log is written at the end of an upload, also of one that left a file out.',
    variant: replaces('bulkUpload', 'writeBulkLog', async (right, areas, source, report) => {
      if (report.statistics.skipped === 0) await right(areas, source, report);
    }),
    async shows(service) {
      await service.edda.upload('a.txt', 'former');
      const source = await bulkUpload(service, { 'a.txt': 'later', 'b.txt': 'b' }, { writeLog: true });
      return (await logsIn(source)).length === 0;
    },
  },
  'fresh16b.bulk-settings-of-the-run-before': {
    source: 'extensions: Bulk upload request body, column Default',
    breaks: 'What a body leaves out has its default, whatever the body before said.',
    variant: breaks('bulkUpload', 'bulkSettingsFrom', (right) => {
      let before: object = {};
      return (areas, body) => {
        const settings = right(areas, typeof body === 'object' && body !== null ? { ...before, ...body } : body);
        const { deleteFilesAfterUpload, replaceFiles } = settings;
        before = { deleteFilesAfterUpload, replaceFiles };
        return settings;
      };
    }),
    async shows(service) {
      await bulkUpload(service, { 'a.txt': 'a' }, { deleteFilesAfterUpload: true });
      const source = await bulkUpload(service, { 'b.txt': 'b' });
      return !(await isThere(join(source, 'b.txt')));
    },
  },
  'fresh16b.bulk-signature-of-the-space-opens-participants': {
    source: 'extensions: Authentication 2',
    breaks: 'The signature is one over the path of the request, and not over that of the space alone.',
    variant: replaces('bulkUpload', 'requireAdministrationKey', async (right, areas, call) => {
      const isBelow = call.params['participantId'] !== undefined;
      await right(areas, call).catch(async (error: unknown) => {
        if (!isBelow) throw error;
        await right(areas, { ...call, url: call.url.slice(0, call.url.lastIndexOf('/')) });
      });
    }),
    async shows(service) {
      const sourceDirectory = await sourceOf(service, { 'a.txt': 'a' });
      const authorization = `Bearer ${signatureOver(bulkPath, administrationKey)}`;
      const body = { sourceDirectory, writeLog: false };
      return (await service.nobody.post(`${bulkPath}/owner`, body, { authorization })).status < 300;
    },
  },
  'fresh16b.chunks-forgotten-at-a-restart': {
    source: 'extensions: File routes, chunk upload paragraph',
    breaks: 'An upload in chunks is one call a chunk, and goes on when the service was started anew meanwhile.',
    variant: (() => {
      const begunIn = perRun(() => new Set<string>());
      return replaces('chunks', 'storeChunk', async (right, areas, place, chunk) => {
        const begun = begunIn(areas);
        if (chunk.number > 1 && !begun.has(keyOf(place))) throw new Refusal(409, 'No upload is under way here.');
        begun.add(keyOf(place));
        return right(areas, place, chunk);
      });
    })(),
    async shows(service) {
      const pieces = ['aaaa', 'bb'];
      await service.edda.sendChunk('a.bin', pieces);
      await service.restart();
      return (await service.edda.sendChunk('a.bin', pieces, 2)).status >= 400;
    },
  },
  'fresh16b.chunks-of-two-areas-mixed': {
    source: 'extensions: File routes, row 2; File areas',
    breaks: 'A file goes to the participant that its path names, also while another area takes the same path.',
    variant: breaks('chunks', 'chunkPlaceOf', (right) => {
      const areasOf = new Map<string, Parameters<typeof right>[2]>();
      return (areas, chunk, area) => {
        const key = `${chunk.relativePath} ${chunk.totalSize}`;
        const first = chunk.number === 1 ? area : (areasOf.get(key) ?? area);
        areasOf.set(key, first);
        return right(areas, chunk, first);
      };
    }),
    async shows({ edda }) {
      const pieces = ['aaaa', 'bb'];
      await edda.sendChunk('a.bin', pieces);
      await edda.sendChunk('a.bin', pieces, 1, { base: participantFiles });
      await edda.sendChunk('a.bin', pieces, 2);
      await edda.sendChunk('a.bin', pieces, 2, { base: participantFiles });
      return (await edda.get(`${spaceFiles}/a.bin`)).text !== pieces.join('');
    },
  },
  'fresh16b.key-renewed-by-asking': {
    source: 'extensions: Limits, permission key rotation',
    breaks: 'A key rotates 24 hours after its issue, also where it was asked for meanwhile.',
    variant: (() => {
      const asked = new Map<string, number>();
      const lastOf = ({ key, issuedAt }: { readonly key: string; readonly issuedAt: number }): number =>
        asked.get(key) ?? issuedAt;
      return together(
        replaces('apiKeys', 'isKeyValid', (right, areas, key) => right(areas, { ...key, issuedAt: lastOf(key) })),
        replaces('apiKeys', 'isKeyDue', (right, areas, key) => {
          const isDue = right(areas, { ...key, issuedAt: lastOf(key) });
          asked.set(key.key, areas.clock.now());
          return isDue;
        }),
      );
    })(),
    async shows(service) {
      const host = await keyHost(service, 'SnapshotAPI');
      const first = await acquireKeys(service, host, ['SnapshotAPI']);
      await service.pass(13 * 3600);
      await acquireKeys(service, host, ['SnapshotAPI']);
      await service.pass(13 * 3600);
      const third = await acquireKeys(service, host, ['SnapshotAPI']);
      return at(first, '/SnapshotAPI/apiKey') === at(third, '/SnapshotAPI/apiKey');
    },
  },
  'fresh16b.keys-under-names-in-another-order': {
    source: 'extensions: Acquiring API keys',
    breaks: 'Each key is brought under the name of its permission, in whatever order they were asked for.',
    variant: replaces('apiKeys', 'keysBody', (right, areas, keys) => {
      const names = keys.map(({ permission }) => permission).toSorted();
      return right(
        areas,
        keys.map((key, index) => ({ ...key, permission: names[index] ?? '' })),
      );
    }),
    async shows(service) {
      const names = ['SnapshotAPI', 'AdministrationAPI'];
      const host = await keyHost(service, ...names);
      const key = String(at(await acquireKeys(service, host, names), '/AdministrationAPI/apiKey'));
      const body = { sourceDirectory: await sourceOf(service, { 'a.txt': 'a' }), writeLog: false };
      const authorization = `Bearer ${signatureOver(bulkPath, key)}`;
      return (await service.nobody.post(bulkPath, body, { authorization })).status === 401;
    },
  },
  'fresh16b.keys-asked-at-once-come-once': {
    source: 'extensions: Acquiring API keys',
    breaks: 'Every acquisition is answered by a POST to the callback, also of two at the same time.',
    variant: breaks('apiKeys', 'bringKeys', (right) => {
      const pending = new Map<string, ReturnType<typeof right>>();
      return async (areas, call, holder, request, keys) => {
        const key = JSON.stringify([holder.registrationId, holder.recordId, request]);
        const shared = pending.get(key) ?? right(areas, call, holder, request, keys);
        pending.set(key, shared);
        return shared.finally(() => pending.delete(key));
      };
    }),
    async shows(service) {
      const host = await service.host(
        (url) => [{ id: 'keys', permissions: { tokenCallback: `${url}/keys`, permissions: ['SnapshotAPI'] } }],
        always({ status: 200, delayMs: 200 }),
      );
      await Promise.all([1, 2].map(() => askForKeys(service, host, ['SnapshotAPI'])));
      return keysBroughtTo(host).length === 1;
    },
  },
};
