import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Areas } from '../../../reference-server/areas.ts';
import type { Answer } from '../../../reference-server/http/call.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces, together } from '../../breaks.ts';
import { always } from '../hosts.ts';
import type { Mistakes } from '../mistake.ts';
import { acquireKeys, acquirePath, bulkUpload, claimsOf, holderAt, tokenOf, userFiles } from '../proofs.ts';
import { administrationKey, at, hostKey, signatureOver, spaceFiles } from '../service.ts';
import { changes, inOnePiece, keyOf, perServer, wholeOf } from '../variant-parts.ts';

const keptDownloads = perServer(() => new Map<string, Answer>());
const askedAt = perServer(() => new Map<string, number>());
const assembledAt = perServer(() => new Map<string, number>());
const makingOf = perServer(() => new Map<string, number>());

export const fresh17FilesMistakes: Mistakes = {
  'fresh17b.user-area-by-credential': {
    source: 'extensions: File areas, row User',
    breaks: 'The user area is that of the identity, with whichever token it shows itself.',
    variant: changes('fileAreas', 'fileAreaOf', (area, _areas, call) =>
      area.kind === 'user' && (call.headers['authorization'] ?? '').split('.').length === 3
        ? { ...area, userName: `jwt ${area.userName}` }
        : area,
    ),
    async shows(service) {
      await service.edda.upload('mine.txt', 'mine', userFiles);
      const authorization = `Bearer ${await tokenOf(service, 'edda')}`;
      return (await service.nobody.get(`${userFiles}/mine.txt`, { authorization })).status >= 400;
    },
  },
  'fresh17b.participants-of-one-user-are-one': {
    source: 'extensions: File areas, row Participant',
    breaks: 'Each participant has an area, also two in which the same user has roles.',
    variant: changes('fileAreas', 'fileAreaOf', (area, areas, call, user) => {
      if (area.kind !== 'participant') return area;
      const own = [...areas.auth.spaceOf(call).participants].filter(([, holders]) => holders.has(user.name));
      return own.length > 1 && own.some(([id]) => id === area.participantId)
        ? { ...area, participantId: own[0]?.[0] ?? area.participantId }
        : area;
    }),
    async shows({ emil }) {
      await emil.upload('a.txt', 'a', '/api/space/main/participant/owner/fs/file');
      return (await emil.get('/api/space/main/participant/supplier/fs/file/a.txt')).status === 200;
    },
  },
  'fresh17b.empty-content-unchecked': {
    source: 'extensions: File routes, stream upload',
    breaks: 'A file is validated against its checksum, an empty one too.',
    variant: replaces('fileAreas', 'assertChecksum', (right, areas, expected, md5) => {
      if (md5 !== 'd41d8cd98f00b204e9800998ecf8427e') right(areas, expected, md5);
    }),
    async shows({ edda }) {
      const headers = { checksum: 'a'.repeat(32), 'content-type': 'text/plain' };
      return (await edda.post(`${spaceFiles}/stream/empty.txt`, new Uint8Array(), headers)).status < 300;
    },
  },
  'fresh17b.cleanup-takes-the-old-file': {
    source: 'extensions: File routes, row 1',
    breaks: 'An upload onto a file fails and leaves it; also one whose checksum is wrong as well.',
    variant: replaces('files', 'assertPlaceFree', async (right, areas, place) => {
      try {
        await right(areas, place);
      } catch (error) {
        if (place.segments.length > 1) await areas.files.deleteFile(place);
        throw error;
      }
    }),
    async shows({ edda }) {
      await edda.upload('d/a.txt', 'old');
      await edda.upload('d/a.txt', 'new');
      return (await edda.get(`${spaceFiles}/d/a.txt`)).status >= 400;
    },
  },
  'fresh17b.directory-made-by-two': {
    source: 'extensions: File routes, row 1',
    breaks: 'Directories are made as needed, also where two uploads need the same one at once.',
    variant: replaces('files', 'storeStream', async (right, areas, place, call, content, checksum) => {
      const parent = keyOf({ area: place.area, segments: place.segments.slice(0, -1) });
      const isNew =
        place.segments.length > 1 &&
        (await areas.fileStore.list({ area: place.area, segments: place.segments.slice(0, -1) })) === undefined;
      const making = makingOf(areas);
      if (isNew && making.has(parent)) throw new Refusal(409, 'EEXIST: mkdir');
      if (isNew) making.set(parent, 1);
      try {
        await right(areas, place, call, content, checksum);
      } finally {
        making.delete(parent);
      }
    }),
    async shows({ edda }) {
      const answers = await Promise.all(['a', 'b', 'c', 'd'].map((name) => edda.upload(`fresh/${name}.txt`, name)));
      return answers.some(({ status }) => status >= 400);
    },
  },
  'fresh17b.uploads-by-path-alone': {
    source: 'extensions: File areas',
    breaks: 'Chunked uploads of one path into two areas at once have nothing to do with each other.',
    variant: changes('fileAreas', 'uploadIdOf', (_id, _areas, place) => place.segments.join('/')),
    async shows({ edda }) {
      const [one, other] = [
        ['aaaa', 'bb'],
        ['cccccc', 'dddddd', 'e'],
      ];
      await edda.sendChunk('big.bin', one ?? [], 1);
      await edda.sendChunk('big.bin', other ?? [], 1, { base: userFiles });
      return (await edda.sendChunk('big.bin', one ?? [], 2)).status >= 400;
    },
  },
  'fresh17b.download-before-the-replacement': {
    source: 'extensions: Bulk upload request body, row replaceFiles',
    breaks: 'A download is of the file that is there, also of one that a bulk upload has replaced since it was read.',
    variant: together(
      breaks('files', 'downloadFile', (right) => async (areas, call) => {
        const kept = keptDownloads(areas);
        const key = `${call.method} ${call.url} ${JSON.stringify(call.admitted)}`;
        const found = kept.get(key);
        if (found !== undefined && call.headers['range'] === undefined && call.headers['if-none-match'] === undefined)
          return found;
        const answer = await right(areas, call);
        if (answer.stream === undefined || answer.status !== 200 || call.withoutContent) return answer;
        const whole: Answer = {
          status: 200,
          ...(answer.headers && { headers: answer.headers }),
          raw: await wholeOf(answer.stream.content),
        };
        kept.set(key, whole);
        return whole;
      }),
      changes('files', 'deleteFile', (isDeleted, areas) => {
        keptDownloads(areas).clear();
        return isDeleted;
      }),
    ),
    async shows(service) {
      await bulkUpload(service, { 'a.txt': 'old' });
      await service.edda.get(`${spaceFiles}/a.txt`);
      await bulkUpload(service, { 'a.txt': 'new' }, { replaceFiles: true });
      return (await service.edda.get(`${spaceFiles}/a.txt`)).text === 'old';
    },
  },
  'fresh17b.assembled-behind-the-deletion': {
    source: 'extensions: File routes, row 4',
    breaks: 'A file that was deleted is gone, also where its last chunk came right before.',
    variant: together(
      changes('chunks', 'storeChunk', (progress, areas, place) => {
        assembledAt(areas).set(keyOf(place), Date.now());
        return progress;
      }),
      breaks('files', 'deleteFile', (right) => async (areas, place) => {
        const isFresh = Date.now() - (assembledAt(areas).get(keyOf(place)) ?? 0) < 60;
        const content = isFresh ? await areas.fileStore.read(place) : undefined;
        const bytes = content === undefined ? undefined : await wholeOf(content);
        const isDeleted = await right(areas, place);
        if (isDeleted && bytes !== undefined)
          setTimeout(() => void areas.fileStore.write(place, inOnePiece(bytes)).catch(() => undefined), 25);
        return isDeleted;
      }),
    ),
    async shows({ edda }) {
      await edda.sendChunks('late.bin', ['aaaa', 'bb']);
      await edda.delete(`${spaceFiles}/late.bin`);
      await new Promise((resolve) => setTimeout(resolve, 200));
      return (await edda.get(`${spaceFiles}/late.bin`)).status === 200;
    },
  },
  'fresh17b.deletes-its-companions': {
    source: 'extensions: File routes, row 4',
    breaks: 'A deletion deletes one file, and none whose name only begins like it.',
    variant: breaks('files', 'deleteFile', (right) => async (areas, place) => {
      const isDeleted = await right(areas, place);
      const name = place.segments.at(-1) ?? '';
      const directory = { area: place.area, segments: place.segments.slice(0, -1) };
      const others = isDeleted ? ((await areas.fileStore.list(directory)) ?? []) : [];
      for (const other of others)
        if (other.kind === 'file' && other.name.startsWith(`${name}.`))
          await right(areas, { area: place.area, segments: [...directory.segments, other.name] });
      return isDeleted;
    }),
    async shows({ edda }) {
      for (const name of ['report', 'report.old']) await edda.upload(`d/${name}`, name);
      await edda.delete(`${spaceFiles}/d/report`);
      return (await edda.get(`${spaceFiles}/d/report.old`)).status >= 400;
    },
  },
  'fresh17b.query-token-without-end': {
    source: 'extensions: Authentication 1',
    breaks: 'A token in the query of a download is one that has not expired.',
    variant: replaces('fileAreas', 'authenticateFile', async (right, areas, call) => {
      try {
        return await right(areas, call);
      } catch (error) {
        const credentials = areas.fileAreas.queryCredentialsOf(call);
        const isExpired = error instanceof Refusal && error.message.includes('expired');
        if (!isExpired || call.headers['authorization'] !== undefined || credentials?.scheme !== 'bearer') throw error;
        const user = areas.configuration.users.get(String(at(claimsOf(credentials.token), '/sub')));
        if (user === undefined) throw error;
        return user;
      }
    }),
    async shows(service) {
      await service.edda.upload('a.txt', 'a');
      const token = await tokenOf(service, 'edda');
      await service.pass(100_000);
      return (await service.nobody.get(`${spaceFiles}/a.txt?token=${token}`)).status === 200;
    },
  },
  'fresh17b.deep-structure-flattened': {
    source: 'extensions: Bulk upload request body, row targetDirectory',
    breaks: 'The whole structure ends up in the target, directories in directories too.',
    variant: replaces('bulkUpload', 'bulkPlaceOf', (right, areas, area, target, path) =>
      right(
        areas,
        area,
        target,
        target.length > 0 && path.length > 2 ? [...path.slice(0, 1), ...path.slice(-1)] : path,
      ),
    ),
    async shows(service) {
      await bulkUpload(service, { 'a/b/c.txt': 'c' }, { targetDirectory: '/in' });
      return (await service.edda.get(`${spaceFiles}/in/a/b/c.txt`)).status >= 400;
    },
  },
  'fresh17b.replaced-stay-in-the-source': {
    source: 'extensions: Bulk upload request body, row deleteFilesAfterUpload',
    breaks: 'Uploaded files are deleted from the source, those that replaced another too.',
    variant: changes('bulkUpload', 'isDeletedAfter', (isDeleted, _areas, _request, { status }) =>
      status === 'replaced' ? false : isDeleted,
    ),
    async shows(service) {
      await bulkUpload(service, { 'a.txt': 'old' });
      const settings = { replaceFiles: true, deleteFilesAfterUpload: true };
      return (await readdir(await bulkUpload(service, { 'a.txt': 'new' }, settings))).includes('a.txt');
    },
  },
  'fresh17b.signature-of-the-space-for-its-participants': {
    source: 'extensions: Authentication 2',
    breaks: 'The signature is over the path of the request, that of the space opens no route of a participant.',
    variant: replaces('signing', 'isSignatureOf', (right, areas, key, path, given) => {
      const parent = /^(\/admin\/fileupload\/[^/]+)\/[^/]+$/.exec(path)?.[1];
      return right(areas, key, path, given) || (parent !== undefined && right(areas, key, parent, given));
    }),
    async shows(service) {
      const authorization = `Bearer ${signatureOver('/admin/fileupload/main', administrationKey)}`;
      const body = { sourceDirectory: await service.directory(), writeLog: false };
      return (await service.nobody.post('/admin/fileupload/main/owner', body, { authorization })).status < 300;
    },
  },
  'fresh17b.deletes-all-where-some-failed': {
    source: 'extensions: Bulk upload request body, row deleteFilesAfterUpload',
    breaks:
      'Deleted are the uploaded files; one that was not taken, as there is one already, stays in the second level too.',
    variant: changes('bulkUpload', 'isDeletedAfter', (isDeleted, _areas, request, { path, status }) =>
      status === 'skipped' && path.includes('/') ? request.deleteFilesAfterUpload : isDeleted,
    ),
    async shows(service) {
      await bulkUpload(service, { 'd/a.txt': 'old' });
      const source = await bulkUpload(service, { 'd/a.txt': 'new' }, { deleteFilesAfterUpload: true });
      return !(await readdir(join(source, 'd'))).includes('a.txt');
    },
  },
  'fresh17b.key-period-slides': {
    source: 'extensions: Limits, permission key rotation',
    breaks: 'Keys are rotated every 24 hours, however often they were asked for meanwhile.',
    variant: together(
      replaces('apiKeys', 'isKeyDue', (right, areas, key) => {
        const isDue = right(areas, { ...key, issuedAt: askedAt(areas).get(key.key) ?? key.issuedAt });
        askedAt(areas).set(key.key, areas.clock.now());
        return isDue;
      }),
      replaces('apiKeys', 'isKeyValid', (right, areas, key) =>
        right(areas, { ...key, issuedAt: askedAt(areas).get(key.key) ?? key.issuedAt }),
      ),
    ),
    async shows(service) {
      const host = await service.host((url) => [holderAt(url, 'SnapshotAPI')], always(200));
      const first = await acquireKeys(service, host, ['SnapshotAPI']);
      await service.pass(20 * 3600);
      await acquireKeys(service, host, ['SnapshotAPI']);
      await service.pass(5 * 3600);
      return JSON.stringify(await acquireKeys(service, host, ['SnapshotAPI'])) === JSON.stringify(first);
    },
  },
  'fresh17b.permissions-of-the-whole-host': {
    source: 'extensions: Acquiring API keys',
    breaks: 'Only permissions of the record that is named can be asked for, not those of another record of its host.',
    variant: changes('apiKeys', 'extensionHolders', async (holders, areas, reading) => {
      const all = await Promise.all(
        holders.map(async (holder) => {
          const registration = await areas.registry.registrationOf(reading, holder.registrationId);
          if (registration?.kind !== 'svcExtension' || holder.permissions === undefined) return holder;
          const permissions = registration.records.flatMap((record) => record.permissions?.permissions ?? []);
          return { ...holder, permissions: { ...holder.permissions, permissions } };
        }),
      );
      return all;
    }),
    async shows(service) {
      const host = await service.host(
        (url) => [holderAt(url, 'SnapshotAPI'), { ...holderAt(url, 'TaskUploadAPI'), id: 'other' }],
        always(200),
      );
      const body = { tokenCallback: `${host.url}/keys`, permissions: ['TaskUploadAPI'] };
      return (await service.cora.post(acquirePath('keys'), body)).status < 300;
    },
  },
  'fresh17b.former-callback': {
    source: 'extensions: Acquiring API keys',
    breaks: 'The callback must be the configured one, and not one that the metadata named before.',
    variant: breaks('apiKeys', 'isConfiguredCallback', (right) => {
      const known = new Set<string>();
      return (areas: Areas, given, configured) => {
        known.add(configured);
        return right(areas, given, configured) || known.has(given);
      };
    }),
    async shows(service) {
      const host = await service.host((url) => [holderAt(url, 'SnapshotAPI')], always(200));
      await acquireKeys(service, host, ['SnapshotAPI']);
      const { permissions } = holderAt(host.url, 'SnapshotAPI');
      host.setRecords([
        {
          id: 'keys',
          version: '1.0.1',
          name: 'k',
          endpoint: '/k',
          extensionType: 'ExternalEvent',
          category: 'c',
          permissions: { ...permissions, tokenCallback: `${host.url}/other` },
        },
      ]);
      const list = (await service.cora.get('/api/admin/svcExtension')).json;
      const body = { hostUri: host.url, apiKey: hostKey, tokenLifeTime: 60 };
      await service.cora.put(`/api/admin/svcExtension/${String(at(list, '/data/0/id'))}`, undefined, body);
      const asked = { tokenCallback: `${host.url}/keys`, permissions: ['SnapshotAPI'] };
      const configured = { ...asked, tokenCallback: `${host.url}/other` };
      await service.cora.post(acquirePath('keys'), configured);
      return (await service.cora.post(acquirePath('keys'), asked)).status < 300;
    },
  },
};
