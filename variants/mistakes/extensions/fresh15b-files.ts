import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { jsonOf } from '../../../contract/json.ts';
import type { FileArea } from '../../../reference-server/ports/file-store.ts';
import { breaks, replaces, together } from '../../breaks.ts';
import { awaitCalls, event } from '../hosts.ts';
import type { Mistakes } from '../mistake.ts';
import { basic, bulkPath, bulkUpload, logsIn, participantFiles, sourceOf, userFiles } from '../proofs.ts';
import { md5, type Service, spaceFiles, tokens } from '../service.ts';
import { changes, isRefusal, keyOf, perServer, wholeOf } from '../variant-parts.ts';

const cacheOf = perServer(() => new Map<string, Buffer>());

function claimsOfBearer(token: string): { readonly sub?: string; readonly scope?: string } {
  const claims = jsonOf(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  return typeof claims === 'object' && claims !== null ? claims : {};
}

async function tokenOfEvent(service: Service): Promise<string> {
  const host = await service.host([event]);
  await service.edda.sendEvent();
  const [call] = await awaitCalls(host);
  return call?.envelope?.accessToken ?? '';
}

export const fresh15bFilesMistakes: Mistakes = {
  'fresh15b.areas.basic-has-a-user-area-of-its-own': {
    source: 'extensions: File areas, row User',
    breaks: 'The user area is that of the identity, whichever credentials say who it is.',
    variant: changes('fileAreas', 'fileAreaOf', (area, _areas, call) =>
      area.kind === 'user' && /^basic/i.test(call.headers['authorization'] ?? '')
        ? { ...area, userName: `basic-${area.userName}` }
        : area,
    ),
    async shows({ edda }) {
      await edda.upload('a.txt', 'x', userFiles);
      const answer = await edda.get(`${userFiles}/a.txt`, { authorization: basic('edda', tokens.edda) });
      return answer.status !== 200;
    },
  },
  'fresh15b.areas.user-area-of-an-impersonated': {
    source: 'extensions: Authentication 4; File areas, row User',
    breaks: 'With an impersonating token an extension calls as that user, so that the user area is that of the user.',
    variant: changes('fileAreas', 'fileAreaOf', (area, _areas, call) => {
      const token = (call.headers['authorization'] ?? '').split(' ')[1] ?? '';
      return area.kind === 'user' && claimsOfBearer(token).scope === 'impersonation'
        ? { ...area, userName: 'extension' }
        : area;
    }),
    async shows(service) {
      const authorization = `Bearer ${await tokenOfEvent(service)}`;
      await service.edda.upload('a.txt', 'x', userFiles);
      return (await service.nobody.get(`${userFiles}/a.txt`, { authorization })).status !== 200;
    },
  },
  'fresh15b.downloads.fall-back-to-the-space': {
    source: 'extensions: File routes, row 3; File areas',
    breaks: 'A download of a file that the area does not have fails, though the area of the space has one of its path.',
    variant: replaces('files', 'downloadFile', async (right, areas, call) => {
      try {
        return await right(areas, call);
      } catch (error) {
        const area = call.admitted;
        if (area.kind !== 'participant' || !isRefusal(error, 404)) throw error;
        return right(areas, { ...call, admitted: { kind: 'space', spaceId: area.spaceId } });
      }
    }),
    async shows({ edda }) {
      await edda.upload('a.txt', 'x');
      return (await edda.get(`${participantFiles}/a.txt`)).status === 200;
    },
  },
  'fresh15b.downloads.cache-knows-no-bulk': {
    source: 'extensions: Bulk upload request body, row replaceFiles',
    breaks: 'A file that a bulk upload has replaced is downloaded as it is now, also where it was downloaded before.',
    variant: together(
      replaces('files', 'downloadFile', async (right, areas, call) => {
        const key = keyOf({ area: call.admitted, segments: call.rest ?? [] });
        const isPlain = call.headers['range'] === undefined && call.headers['if-none-match'] === undefined;
        const answer = await right(areas, call);
        if (!isPlain || answer.stream === undefined || call.withoutContent) return answer;
        const now = await wholeOf(answer.stream.content);
        const kept = cacheOf(areas).get(key) ?? now;
        cacheOf(areas).set(key, kept);
        return { ...answer, stream: { content: Readable.from([kept]), size: kept.length } };
      }),
      replaces('files', 'storeStream', (right, areas, place, ...rest) => {
        cacheOf(areas).delete(keyOf({ ...place, segments: place.segments.map(encodeURIComponent) }));
        return right(areas, place, ...rest);
      }),
      replaces('files', 'deleteFile', (right, areas, place) => {
        cacheOf(areas).delete(keyOf({ ...place, segments: place.segments.map(encodeURIComponent) }));
        return right(areas, place);
      }),
      replaces('chunks', 'storeChunk', (right, areas, place, chunk) => {
        cacheOf(areas).delete(keyOf({ ...place, segments: place.segments.map(encodeURIComponent) }));
        return right(areas, place, chunk);
      }),
    ),
    async shows(service) {
      await bulkUpload(service, { 'a.txt': 'old' });
      await service.edda.get(`${spaceFiles}/a.txt`);
      await bulkUpload(service, { 'a.txt': 'new' }, { replaceFiles: true });
      return (await service.edda.get(`${spaceFiles}/a.txt`)).text === 'old';
    },
  },
  'fresh15b.downloads.impersonating-query-token-lives-on': {
    source: 'extensions: Authentication 1 and 4',
    breaks: 'An impersonating token is over after its minutes, in the query of a download too.',
    variant: replaces('fileAreas', 'authenticateFile', async (right, areas, call) => {
      try {
        return await right(areas, call);
      } catch (error) {
        const token = call.query.get('token') ?? '';
        const { sub = '', scope } = claimsOfBearer(token);
        const user = areas.configuration.users.get(sub);
        if (call.headers['authorization'] !== undefined || scope !== 'impersonation' || user === undefined) throw error;
        await areas.tokens.verifySignature(token, areas.tokens.signingKeysOf().access);
        return user;
      }
    }),
    async shows(service) {
      const token = await tokenOfEvent(service);
      await service.edda.upload('a.txt', 'x');
      await service.pass(3700);
      return (await service.nobody.get(`${spaceFiles}/a.txt?token=${token}`)).status === 200;
    },
  },
  'fresh15b.deletion.takes-names-that-begin-alike': {
    source: 'extensions: File routes, row 4',
    breaks: 'A deletion deletes the file and no other one whose name begins with its name.',
    variant: changes('files', 'deleteFile', async (isDeleted, areas, { area, segments }) => {
      const directory = segments.slice(0, -1);
      for (const { kind, name } of (await areas.fileStore.list({ area, segments: directory })) ?? [])
        if (isDeleted && kind === 'file' && name.startsWith(segments.at(-1) ?? '/'))
          await areas.fileStore.remove({ area, segments: [...directory, name] });
      return isDeleted;
    }),
    async shows({ edda }) {
      await edda.upload('a.txt', 'x');
      await edda.upload('a.txt.bak', 'x');
      await edda.delete(`${spaceFiles}/a.txt`);
      return (await edda.get(`${spaceFiles}/a.txt.bak`)).status === 404;
    },
  },
  'fresh15b.streams.without-a-length-are-not-checked': {
    source: 'extensions: File routes, stream upload',
    breaks: 'A stream is validated against its checksum, also one whose length is not told ahead.',
    variant: replaces('files', 'storeStream', (right, areas, place, call, content, checksum) =>
      right(areas, place, call, content, call.headers['content-length'] === undefined ? undefined : checksum),
    ),
    async shows({ url }) {
      const body = new Blob(['other']).stream();
      const headers = { authorization: `Bearer ${tokens.edda}`, checksum: md5('x'), 'content-type': 'text/plain' };
      const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit;
      return (await fetch(new URL(`${spaceFiles}/stream/a.txt`, url), init)).status < 300;
    },
  },
  'fresh15b.chunks.of-one-path-in-two-areas': {
    source: 'extensions: File routes, chunk table; File areas',
    breaks:
      'A chunk goes to the area that it was sent to, also while one of the same path is uploaded to another area.',
    variant: breaks('chunks', 'chunkPlaceOf', (right) => {
      const open = new Map<string, FileArea>();
      return (areas, chunk, area) => {
        const kept = open.get(chunk.relativePath) ?? area;
        if (chunk.number === chunk.totalChunks) open.delete(chunk.relativePath);
        else open.set(chunk.relativePath, kept);
        return right(areas, chunk, kept);
      };
    }),
    async shows({ edda, emil }) {
      const [one, other] = [
        ['aaa', 'bb'],
        ['ccc', 'dd'],
      ];
      for (const number of [1, 2]) {
        await edda.sendChunk('x.txt', one, number, { base: userFiles });
        await emil.sendChunk('x.txt', other, number, { base: userFiles });
      }
      return (await emil.get(`${userFiles}/x.txt`)).text !== 'cccdd';
    },
  },
  'fresh15b.chunks.told-apart-by-the-name-of-the-file': {
    source: 'extensions: File routes, chunk table, row resumableRelativePath',
    breaks: 'Each chunk goes to its path, also while one file of the same name is on its way to another directory.',
    variant: breaks('chunks', 'chunkPlaceOf', (right) => {
      const open = new Map<string, string>();
      return (areas, chunk, area) => {
        const key = keyOf({ area, segments: [chunk.fileName] });
        const relativePath = open.get(key) ?? chunk.relativePath;
        if (chunk.number === chunk.totalChunks) open.delete(key);
        else open.set(key, relativePath);
        return right(areas, { ...chunk, relativePath }, area);
      };
    }),
    async shows({ edda }) {
      for (const number of [1, 2]) {
        await edda.sendChunk('one/x.txt', ['aaa', 'bb'], number);
        await edda.sendChunk('other/x.txt', ['ccc', 'dd'], number);
      }
      return (await edda.get(`${spaceFiles}/other/x.txt`)).text !== 'cccdd';
    },
  },
  'fresh15b.bulk.deletes-its-log-with-the-files': {
    source: 'extensions: Bulk upload request body, rows writeLog and deleteFilesAfterUpload',
    breaks: 'With writeLog there is a log in the end, also where the files are deleted.',
    variant: changes('bulkUpload', 'runBulkUpload', async (report, _areas, { source, request }) => {
      if (request.deleteFilesAfterUpload)
        for (const name of await readdir(source))
          if (name.startsWith('FileUpload_')) await rm(join(source, name), { force: true });
      return report;
    }),
    async shows(service) {
      const source = await bulkUpload(service, { 'a.txt': 'x' }, { writeLog: true, deleteFilesAfterUpload: true });
      return (await logsIn(source)).length === 0;
    },
  },
  'fresh15b.bulk.participants-have-no-target': {
    source: 'extensions: Bulk upload request body, row targetDirectory; File routes, row 7',
    breaks: 'The structure ends up in the target directory, in the area of a participant too.',
    variant: replaces('bulkUpload', 'bulkPlaceOf', (right, areas, area, target, path) =>
      right(areas, area, area.kind === 'participant' ? [] : target, path),
    ),
    async shows(service) {
      await bulkUpload(service, { 'a.txt': 'x' }, { targetDirectory: 'deep' }, `${bulkPath}/owner`);
      return (await service.edda.get(`${participantFiles}/deep/a.txt`)).status !== 200;
    },
  },
  'fresh15b.bulk.replaces-in-the-root-alone': {
    source: 'extensions: Bulk upload request body, row replaceFiles',
    breaks: 'With replaceFiles files that exist are replaced, in subdirectories as well.',
    variant: replaces('bulkUpload', 'uploadSourceFile', (right, areas, run, entry) =>
      right(areas, entry.path.length > 1 ? { ...run, request: { ...run.request, replaceFiles: false } } : run, entry),
    ),
    async shows(service) {
      await bulkUpload(service, { 'd/a.txt': 'old' });
      await bulkUpload(service, { 'd/a.txt': 'new' }, { replaceFiles: true });
      return (await service.edda.get(`${spaceFiles}/d/a.txt`)).text === 'old';
    },
  },
  'fresh15b.bulk.empty-files-are-passed-over': {
    source: 'extensions: Bulk upload request body, row sourceDirectory',
    breaks: 'All files of the source are uploaded, those without a byte as well.',
    variant: replaces('bulkUpload', 'uploadSourceFile', async (right, areas, run, entry) => {
      const { size } = await stat(join(run.source, ...entry.path));
      if (size > 0) return right(areas, run, entry);
      return { path: entry.path.join('/'), status: 'skipped', error: 'it is empty' };
    }),
    async shows(service) {
      const source = await sourceOf(service, { 'a.txt': '', 'b.txt': 'x' });
      await service.bulk(bulkPath, { sourceDirectory: source, writeLog: false });
      return (await service.edda.get(`${spaceFiles}/a.txt`)).status === 404;
    },
  },
  'fresh15b.file-auth.basic-remembered-by-name': {
    source: 'extensions: Authentication 1',
    breaks:
      'Basic credentials are looked at by name and token each time, also where the name came with the right one before.',
    variant: breaks('auth', 'userOfCredentials', (right) => {
      const known = new Map<string, Awaited<ReturnType<typeof right>>>();
      return async (areas, credentials) => {
        if (credentials.scheme !== 'basic') return right(areas, credentials);
        const user = known.get(credentials.name) ?? (await right(areas, credentials));
        if (user !== undefined) known.set(credentials.name, user);
        return user;
      };
    }),
    async shows({ edda }) {
      await edda.upload('a.txt', 'x');
      await edda.get(`${spaceFiles}/a.txt`, { authorization: basic('edda', tokens.edda) });
      return (await edda.get(`${spaceFiles}/a.txt`, { authorization: basic('edda', 'wrong') })).status === 200;
    },
  },
};
