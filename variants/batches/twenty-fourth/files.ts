import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { FilePlace } from '../../../reference-server/ports/file-store.ts';
import { breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { tokenOf } from '../proofs.ts';
import { administrationKey, type Service, signatureOver, spaceFiles } from '../service.ts';

const pieces = ['first', 'last'];

export const filesMistakes: Batch = {
  'files.content-of-the-same-size': {
    source: 'extensions: File routes, row 3',
    breaks: 'A file has the content of its upload, not that of a deleted one of the same name and size.',
    kind: 'copy',
    variant: breaks('files', 'storeStream', (right) => {
      const known = new Map<string, Buffer>();
      return async (areas, place, call, content, checksum) => {
        const bytes = await buffer(content);
        const key = `${keyOf(place)} ${bytes.length}`;
        const kept = known.get(key);
        await right(areas, place, call, piecesOf(kept ?? bytes), kept === undefined ? checksum : undefined);
        known.set(key, kept ?? bytes);
      };
    }),
    async shows({ edda }) {
      const path = `${spaceFiles}/size.txt`;
      await edda.upload('size.txt', 'one');
      await edda.delete(path);
      await edda.upload('size.txt', 'two');
      return (await edda.get(path)).text === 'one';
    },
  },

  'files.user-area-of-the-first-space': {
    source: 'extensions: File areas',
    breaks: 'A user has an area in each space, not one for all of them.',
    kind: 'copy',
    variant: breaks('fileAreas', 'fileAreaOf', (right) => {
      const spaces = new Map<string, string>();
      return (areas, call, user, kind) => {
        const area = right(areas, call, user, kind);
        if (area.kind !== 'user') return area;
        const spaceId = spaces.get(user.name) ?? area.spaceId;
        spaces.set(user.name, spaceId);
        return { ...area, spaceId };
      };
    }),
    async shows({ edda }) {
      await edda.upload('mine.txt', 'mine', '/api/space/main/user/fs/file');
      return (await edda.get('/api/space/depot/user/fs/file/mine.txt')).status === 200;
    },
  },

  'chunks.numbers-of-a-deleted-upload': {
    source: 'extensions: File routes, text below the chunk table',
    breaks: 'An upload that broke off and was deleted is begun anew with every chunk of it.',
    kind: 'copy',
    variant: breaks('chunks', 'storeChunk', (right) => {
      const known = new Map<string, Map<number, Buffer>>();
      return async (areas, place, chunk) => {
        const key = `${keyOf(place)} ${chunk.totalSize}`;
        const came = known.get(key) ?? new Map<number, Buffer>();
        known.set(key, came);
        const kept = came.get(chunk.number);
        came.set(chunk.number, Buffer.concat(chunk.pieces));
        const progress = await right(areas, place, kept === undefined ? chunk : { ...chunk, pieces: [kept] });
        if (came.size === chunk.totalChunks) known.delete(key);
        return progress;
      };
    }),
    async shows({ edda }) {
      await edda.sendChunk('broken.txt', pieces, 1);
      await edda.delete(`${spaceFiles}/broken.txt`);
      await edda.sendChunks('broken.txt', ['FIRST', 'last']);
      return (await edda.get(`${spaceFiles}/broken.txt`)).text === 'firstlast';
    },
  },

  'chunks.of-one-name-in-two-directories': {
    source: 'extensions: File routes, chunk table, resumableRelativePath',
    breaks: 'A chunk goes to its own path, also while a file of the same name comes into another directory.',
    kind: 'copy',
    variant: breaks('chunks', 'chunkPlaceOf', (right) => {
      const begun = new Map<string, FilePlace>();
      return (areas, chunk, area) => {
        const place = right(areas, chunk, area);
        if (chunk.number === 1) begun.set(chunk.fileName, place);
        return begun.get(chunk.fileName) ?? place;
      };
    }),
    async shows({ edda }) {
      for (const number of [1, 2])
        for (const [directory, letter] of [
          ['one', 'a'],
          ['other', 'b'],
        ])
          await edda.sendChunk(`${directory}/name.txt`, [`${letter}1`, `${letter}2`], number);
      return (await edda.get(`${spaceFiles}/one/name.txt`)).text !== 'a1a2';
    },
  },

  'files.missing-until-streamed': {
    source: 'extensions: File routes, row 3',
    breaks: 'A file that came in chunks is there, also for whom it was missing before.',
    kind: 'copy',
    variant: (classes) => {
      const missing = new Set<string>();
      return together(
        replaces('files', 'downloadFile', (right, areas, call) => {
          const place = areas.files.filePlaceOf(call, call.admitted);
          if (missing.has(keyOf(place))) throw areas.files.missingFile(place);
          return right(areas, call);
        }),
        replaces('files', 'missingFile', (right, areas, place) => {
          missing.add(keyOf(place));
          return right(areas, place);
        }),
        replaces('files', 'storeStream', async (right, areas, place, ...rest) => {
          await right(areas, place, ...rest);
          missing.delete(keyOf(place));
        }),
      )(classes);
    },
    async shows({ edda }) {
      const path = `${spaceFiles}/awaited.txt`;
      await edda.get(path);
      await edda.sendChunks('awaited.txt', pieces);
      return (await edda.get(path)).status !== 200;
    },
  },

  'files.token-of-an-earlier-download': {
    source: 'core: Authentication 6',
    breaks: 'A download needs a token, also of a file that was fetched with one in the query before.',
    kind: 'copy',
    variant: breaks('fileAreas', 'fileCredentialsOf', (right) => {
      const known = new Map<string, ReturnType<typeof right>>();
      return (areas, call) => {
        const path = `${call.method} ${call.url.split('?', 1)[0]}`;
        const given = right(areas, call);
        if (given !== undefined && call.query.has('token')) known.set(path, given);
        return given ?? known.get(path);
      };
    }),
    async shows(service) {
      const path = `${spaceFiles}/fetched.txt`;
      await service.edda.upload('fetched.txt', 'content');
      await service.nobody.get(`${path}?token=${await tokenOf(service, 'edda')}`);
      return (await service.nobody.get(path)).status === 200;
    },
  },
};

export const bulkMistakes: Batch = {
  'bulk.replaces-since-the-run-before': {
    source: 'extensions: Bulk upload request body, replaceFiles',
    breaks: 'A run that does not say so replaces nothing, whatever the run before said.',
    kind: 'copy',
    variant: (classes) => {
      let replaceFiles = false;
      return together(
        replaces('bulkUpload', 'bulkDefaults', (right, areas) => ({ ...right(areas), replaceFiles })),
        replaces('bulkUpload', 'bulkSettingsFrom', (right, areas, body) => {
          const settings = right(areas, body);
          replaceFiles = settings.replaceFiles;
          return settings;
        }),
      )(classes);
    },
    async shows(service) {
      const sourceDirectory = await sourceOf(service, 'replaced.txt');
      const run = (fields: object) =>
        service.bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false, ...fields });
      await run({ replaceFiles: true });
      await writeFile(join(sourceDirectory, 'replaced.txt'), 'later');
      await run({});
      return (await service.edda.get(`${spaceFiles}/replaced.txt`)).text === 'later';
    },
  },

  'bulk.same-source-into-another-target': {
    source: 'extensions: Bulk upload request body, targetDirectory',
    breaks: 'A run takes every file to its target, also one that an earlier run has taken elsewhere.',
    kind: 'copy',
    variant: breaks('bulkUpload', 'uploadSourceFile', (right) => {
      const taken = new Set<string>();
      return async (areas, run, entry) => {
        const path = entry.path.join('/');
        if (taken.has(`${run.source}/${path}`)) return { path, status: 'skipped' };
        const file = await right(areas, run, entry);
        if (file.status === 'uploaded') taken.add(`${run.source}/${path}`);
        return file;
      };
    }),
    async shows(service) {
      const sourceDirectory = await sourceOf(service, 'twice.txt');
      for (const targetDirectory of ['one', 'other'])
        await service.bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false, targetDirectory });
      return (await service.edda.get(`${spaceFiles}/other/twice.txt`)).status === 404;
    },
  },

  'bulk.signature-of-another-path': {
    source: 'extensions: Authentication 2',
    breaks: 'A signature opens the path that it is over, also when it was right for another path before.',
    kind: 'copy',
    variant: breaks('bulkUpload', 'requireAdministrationKey', (right) => {
      const known = new Set<string>();
      return async (areas, call) => {
        const { authorization = '' } = call.headers;
        if (known.has(authorization)) return;
        await right(areas, call);
        known.add(authorization);
      };
    }),
    async shows(service) {
      const sourceDirectory = await sourceOf(service, 'signed.txt');
      const authorization = `Bearer ${signatureOver('/admin/fileupload/main', administrationKey)}`;
      const run = async (path: string) =>
        (await service.nobody.post(path, { sourceDirectory, writeLog: false }, { authorization })).status;
      return (await run('/admin/fileupload/main')) === 200 && (await run('/admin/fileupload/depot')) === 200;
    },
  },
};

/** A directory of the host with a file of this name. */
async function sourceOf({ directory }: Service, name: string): Promise<string> {
  const path = await directory();
  await writeFile(join(path, name), 'early');
  return path;
}

function keyOf({ area, segments }: FilePlace): string {
  return JSON.stringify([area, segments]);
}

async function* piecesOf(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes;
}
