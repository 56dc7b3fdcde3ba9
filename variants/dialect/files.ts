import { systemClock } from '../../clock/clock.ts';
import type { Call } from '../../reference-server/http/call.ts';
import { Refusal } from '../../reference-server/http/refusal.ts';
import { detach } from '../../reference-server/ports/store.ts';
import { type Variant, together, replaces } from '../breaks.ts';
import { isObject, jsonIn, restateRefusalOf, withJson, withoutHeaders, type Choice } from './choice.ts';
import { answering } from './jobs.ts';

/** A bulk upload is accepted, and runs after the answer. */
export const bulkLater: Variant = replaces('bulkUpload', 'runBulkUpload', async (right, areas, run) => {
  detach(() => {
    void areas.outgoing.activity.work(async () => {
      await systemClock.sleep(50);
      await right(areas, run).catch((error: unknown) => areas.log.error({ err: error }, 'a bulk upload failed'));
    });
  });
  const none = { total: 0, uploaded: 0, replaced: 0, skipped: 0, failed: 0 };
  const settings = { ...run.request, area: run.area };
  return { settings, startedAt: '', finishedAt: '', files: [], errors: [], statistics: none };
});

/** Its answer says that it was accepted, and no more. */
export const bulkAccepted: Variant = replaces('bulkUpload', 'bulkUpload', async (right, areas, call) => {
  await right(areas, call);
  return { status: 202, body: { state: 'running' } };
});

export const filingChoices: readonly Choice[] = [
  /** What is done to files is told by other statuses, without Location and with bodies of its own. */
  {
    meets: 'other statuses for what is done to files',
    silences: ['file-success-statuses'],
    by: together(
      answering('POST', /\/fs\/file\/stream\//, (answer) => ({ ...withoutHeaders(answer, 'location'), status: 204 })),
      answering('POST', /\/fs\/file$/, (answer) => ({
        ...withJson(withoutHeaders(answer, 'location'), { complete: answer.status === 201 }),
        status: answer.status === 201 ? 200 : 202,
      })),
      answering('DELETE', /\/fs\/file\//, (answer) => ({ ...withJson(answer, { deleted: 1 }), status: 200 })),
    ),
  },
  /** Refusals about files have other statuses: 412, and two about checksums. */
  {
    meets: 'other statuses of refusals about files',
    silences: ['file-error-statuses', 'file-exists-status', 'checksum-mismatch-status'],
    by: together(
      replaces('fileAreas', 'placeTaken', () => new Refusal(412, 'Something is there.')),
      replaces('fileAreas', 'expectedChecksum', (right, areas, call) =>
        restateRefusalOf({ 400: call.headers['checksum'] === undefined ? 428 : 409 }, () => right(areas, call)),
      ),
      replaces('fileAreas', 'assertChecksum', (right, ...args) => restateRefusalOf({ 400: 409 }, () => right(...args))),
    ),
  },
  /** Checksums are read in capitals, with separators, and in Base64. */
  {
    meets: 'checksums of any form',
    silences: ['checksum-notation'],
    by: replaces('fileAreas', 'expectedChecksum', (right, areas, call) =>
      right(areas, withChecksum(call, hexOf(call.headers['checksum']))),
    ),
  },
  {
    meets: 'chunks without checksum',
    silences: ['chunk-checksum-enforcement'],
    by: replaces('fileAreas', 'expectedChecksum', (right, areas, call) => {
      const isChunk = call.method === 'POST' && call.url.endsWith('/fs/file');
      return isChunk && call.headers['checksum'] === undefined ? undefined : right(areas, call);
    }),
  },
  /** Chunks come in order and each once; the first one of all begins anew where a whole file is. */
  {
    meets: 'chunks in order, over what is there',
    silences: ['chunk-order-and-repeat', 'chunk-on-completed-file'],
    by: replaces('chunks', 'storeChunk', async (right, areas, place, chunk) => {
      const underWay = await areas.fileAreas.uploadUnderWay(place);
      const next = (underWay?.received.at(-1)?.[1] ?? 0) + 1;
      if (chunk.number !== next) throw new Refusal(409, `Chunk ${next} comes next.`);
      const former = underWay === undefined ? await areas.fileStore.describe(place) : undefined;
      if (former?.kind === 'file') {
        await areas.fileStore.remove(place);
        await areas.fileAreas.forgetFileRecord(place, former.stamp);
      }
      return right(areas, place, chunk);
    }),
  },
  /** A file that lacks chunks is not there for readers. */
  {
    meets: 'no partial files',
    silences: ['chunk-partial-visibility'],
    by: replaces('files', 'downloadFile', async (right, areas, call) => {
      const place = areas.files.filePlaceOf(call, call.admitted);
      if ((await areas.fileAreas.uploadUnderWay(place)) !== undefined) throw areas.files.missingFile(place);
      return right(areas, call);
    }),
  },
  /** The directory of a chunk is that of its relative path, which begins without a slash; its name is that of the file. */
  {
    meets: 'chunks named by their file',
    silences: ['chunk-name-precedence'],
    by: replaces('chunks', 'chunkPlaceOf', (right, areas, chunk, area) => {
      if (chunk.relativePath.startsWith('/')) throw new Refusal(400, 'The path begins with a slash.');
      const directory = chunk.relativePath.split('/').slice(0, -1);
      return right(areas, { ...chunk, relativePath: [...directory, chunk.fileName].join('/') }, area);
    }),
  },
  /** Chunks are of one to 4194304 bytes, and none is empty. */
  {
    meets: 'chunks of some bytes',
    silences: ['chunk-size-bounds', 'chunk-empty-file'],
    by: replaces('chunks', 'assertChunk', (right, areas, chunk, currentSize) => {
      if (chunk.chunkSize > 4_194_304) throw new Refusal(413, 'The chunks are too large.');
      if (chunk.totalSize === 0) throw new Refusal(422, 'There is nothing to upload.');
      return right(areas, chunk, currentSize);
    }),
  },
  /** Names are those that any disk takes, whatever the case of their letters. */
  {
    meets: 'names for any disk',
    silences: ['file-name-rules'],
    by: together(
      replaces('fileAreas', 'assertPath', (right, areas, names) => {
        if (names.some((name) => /[<>:"|?*\u0001-\u001f]|[. ]$/.test(name)))
          throw new Refusal(400, 'Not every disk takes that name.');
        return right(areas, names);
      }),
      replaces('fileAreas', 'filePathOf', (right, areas, rest) => right(areas, rest).map(folded)),
      replaces('fileAreas', 'relativePathOf', (right, areas, path) => right(areas, path).map(folded)),
      replaces('bulkUpload', 'bulkPlaceOf', (right, areas, area, target, path) =>
        right(areas, area, target.map(folded), path.map(folded)),
      ),
    ),
  },
  /** What is a directory is neither read nor deleted, and says so by 400 and 403. */
  {
    meets: '400 and 403 for directories',
    silences: ['directory-semantics'],
    by: together(
      replaces('files', 'downloadFile', async (right, areas, call) => {
        const info = await areas.fileStore.describe(areas.files.filePlaceOf(call, call.admitted));
        if (info?.kind === 'directory') throw new Refusal(400, 'That is a directory.');
        return right(areas, call);
      }),
      replaces('files', 'deleteFile', async (right, areas, place) => {
        if ((await areas.fileStore.describe(place))?.kind === 'directory') throw new Refusal(403, 'Directories stay.');
        return right(areas, place);
      }),
    ),
  },
  {
    meets: 'directories listed with other members',
    silences: ['dir-listing'],
    by: answering('GET', /\/fs\/dir(?:\/|$)/, (answer) => {
      const body = jsonIn(answer);
      const entries: unknown = isObject(body) ? body['data'] : undefined;
      if (!Array.isArray(entries)) return answer;
      return withJson(
        answer,
        entries
          .filter(isObject)
          .map(({ name, type, size = null }) => ({ fileName: name, isDirectory: type === 'directory', length: size })),
      );
    }),
  },
  /** A download is bytes to be saved: whole, of no type, and with nothing to ask for it again by. */
  {
    meets: 'downloads to be saved',
    silences: ['download-metadata-headers'],
    by: replaces('files', 'downloadFile', async (right, areas, call) => {
      const { range: _range, 'if-none-match': _tag, ...headers } = call.headers;
      const answer = withoutHeaders(await right(areas, { ...call, headers }), 'etag', 'accept-ranges', 'content-type');
      return {
        ...answer,
        headers: { ...answer.headers, 'Content-Type': 'application/octet-stream', 'Content-Disposition': 'attachment' },
      };
    }),
  },
  {
    meets: 'the token of the query first',
    silences: ['file-token-query-scope'],
    by: replaces(
      'fileAreas',
      'fileCredentialsOf',
      (right, areas, call) => areas.fileAreas.queryCredentialsOf(call) ?? right(areas, call),
    ),
  },
  /** Who may not write in the space does not write files either. */
  {
    meets: 'no uploads by readers',
    silences: ['file-area-roles'],
    by: replaces('fileAreas', 'mayUseArea', (right, areas, user, area, call) => {
      if (!right(areas, user, area, call)) return false;
      if (area.kind === 'collection') return true;
      try {
        areas.auth.authorize(user, 'space', call);
        return true;
      } catch (error) {
        if (error instanceof Refusal && error.status === 403) return false;
        throw error;
      }
    }),
  },
  { meets: 'bulk uploads under way', silences: ['bulk-response'], by: together(bulkLater, bulkAccepted) },
  /** The log of a bulk upload has other members, and a stamp that counts. */
  {
    meets: 'other logs of bulk uploads',
    silences: ['bulk-log-schema'],
    by: together(
      replaces('bulkUpload', 'bulkLogText', (_right, _areas, { settings, files, errors, statistics }) =>
        JSON.stringify({
          Settings: settings,
          Details: files.map(({ path, status, error = null }) => ({ File: path, Result: status, Message: error })),
          Errors: errors.map(({ error }) => error),
          Statistics: statistics,
        }),
      ),
      replaces('bulkUpload', 'bulkLogName', (_right, _areas, at, count) => `FileUpload_${at + count}.log`),
    ),
  },
  /** Bodies that do not fit, and sources that are not there, are refused with 422 and 404. */
  {
    meets: '422 and 404 for bulk uploads',
    silences: ['bulk-source-errors', 'bulk-write-log-missing'],
    by: together(
      replaces('bulkUpload', 'bulkSettingsFrom', (right, ...args) =>
        restateRefusalOf({ 400: 422 }, () => right(...args)),
      ),
      replaces('bulkUpload', 'bulkUpload', (right, areas, call) =>
        right(areas, call).catch((error: unknown) => {
          if (error instanceof Refusal && error.pointer === '/sourceDirectory') throw new Refusal(404, error.message);
          throw error;
        }),
      ),
    ),
  },
];

function folded(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

function withChecksum(call: Call, checksum: string | undefined): Call {
  return checksum === undefined ? call : { ...call, headers: { ...call.headers, checksum } };
}

function hexOf(given: string | undefined): string | undefined {
  if (given === undefined || /^[A-Za-z0-9+/]{22}==$/.test(given))
    return given && Buffer.from(given, 'base64').toString('hex');
  return given.replaceAll(/[-: ]/g, '').toLowerCase();
}
