import { basename } from 'node:path';
import type { Areas } from '../../reference-server/areas.ts';
import { type Variant, type Variants, breaks, together, replaces } from '../breaks.ts';
import { isJson } from './answers.ts';

export const bulkUploadFaults = {
  'bulk-upload.collection.uploads-tree': replaces('bulkUpload', 'bulkAreaOf', (right, areas, call) => {
    const area = right(areas, call);
    return area.kind === 'collection' ? { kind: 'space', spaceId: spaceIds(areas)[0] ?? '' } : area;
  }),

  'bulk-upload.space.uploads-tree': replaces('bulkUpload', 'bulkAreaOf', (right, areas, call) => {
    const area = right(areas, call);
    return area.kind === 'space' ? { ...area, spaceId: spaceIds(areas).at(-1) ?? '' } : area;
  }),

  'bulk-upload.participant.uploads-tree': replaces('bulkUpload', 'bulkAreaOf', (right, areas, call) => {
    const area = right(areas, call);
    return area.kind === 'participant' ? { kind: 'space', spaceId: area.spaceId } : area;
  }),

  'bulk-upload.structure.preserved': replaces('bulkUpload', 'bulkPlaceOf', (right, areas, area, target, path) =>
    right(areas, area, target, path.length > 3 ? [...path.slice(0, 1), ...path.slice(-1)] : path),
  ),

  'bulk-upload.target-directory.default-root': replaces('bulkUpload', 'bulkSettingsFrom', (right, areas, body) => {
    const request = right(areas, body);
    return isJson(body) && body['targetDirectory'] === '/'
      ? { ...request, targetDirectory: basename(request.sourceDirectory) }
      : request;
  }),

  'bulk-upload.target-directory.honoured': replaces('bulkUpload', 'bulkTargetOf', (right, areas, request) =>
    right(areas, request).slice(0, 1),
  ),

  'bulk-upload.target-directory.no-escape': leavingTheArea(),

  'bulk-upload.replace-files.default-keeps': replaces('bulkUpload', 'bulkDefaults', (right, areas) => ({
    ...right(areas),
    replaceFiles: true,
  })),

  'bulk-upload.replace-files.true-replaces': replaces('bulkUpload', 'mayReplace', () => false),

  'bulk-upload.replace-files.others-continue': endingAtFirstConflict(),

  'bulk-upload.delete-after.default-keeps-source': replaces('bulkUpload', 'bulkDefaults', (right, areas) => ({
    ...right(areas),
    deleteFilesAfterUpload: true,
  })),

  'bulk-upload.delete-after.true-removes-source': replaces('bulkUpload', 'isDeletedAfter', () => false),

  'bulk-upload.delete-after.keeps-not-uploaded': replaces(
    'bulkUpload',
    'isDeletedAfter',
    (_right, _areas, { deleteFilesAfterUpload }) => deleteFilesAfterUpload,
  ),

  'bulk-upload.log.written': replaces('bulkUpload', 'bulkLogName', (right, areas, at, count) =>
    right(areas, at, count).replace(/log$/, 'json'),
  ),

  'bulk-upload.log.is-json': replaces('bulkUpload', 'bulkLogText', (_right, _areas, { files }) =>
    files.map(({ path, status }) => `${status} ${path}\n`).join(''),
  ),

  'bulk-upload.log.not-written': replaces('bulkUpload', 'writesLog', () => true),

  'bulk-upload.log.survives-source-deletion': replaces(
    'bulkUpload',
    'writeBulkLog',
    async (right, areas, source, report) => {
      if (!report.settings.deleteFilesAfterUpload) await right(areas, source, report);
    },
  ),

  'bulk-upload.body.source-directory-required': together(
    replaces('bulkUpload', 'bulkSettingsFrom', (right, areas, body) => {
      if (!isJson(body) || body['sourceDirectory'] !== undefined) return right(areas, body);
      return { ...right(areas, { ...body, sourceDirectory: '/' }), sourceDirectory: '' };
    }),
    replaces('bulkUpload', 'bulkUpload', async (right, areas, call) =>
      call.json.sourceDirectory === '' ? { status: 200, body: { files: [] } } : right(areas, call),
    ),
  ),

  'bulk-upload.body.write-log-required': replaces('bulkUpload', 'bulkSettingsFrom', (right, areas, body) =>
    right(areas, isJson(body) ? { writeLog: false, ...body } : body),
  ),

  'bulk-upload.history.matches-model': notBroughtBack(),

  'bulk-upload.auth.missing-credential-401': replaces(
    'bulkUpload',
    'requireAdministrationKey',
    async (right, areas, call) => {
      if (call.headers['authorization'] !== undefined) await right(areas, call);
    },
  ),

  'bulk-upload.auth.jwt-refused': replaces('bulkUpload', 'requireAdministrationKey', async (right, areas, call) => {
    const credentials = areas.auth.credentialsOf(call.headers);
    const user = credentials && (await areas.auth.userOfCredentials(credentials));
    if (user === undefined || !areas.auth.mayAdministrate(user)) await right(areas, call);
  }),
} satisfies Variants;

function spaceIds({ configuration }: Areas): readonly string[] {
  return [...configuration.spaces.keys()];
}

/** Names of two dots lead out of the area, and from there into that of the collection. */
function leavingTheArea(): Variant {
  const outside = /^(?:\.\.\/)+collection\//;
  return together(
    replaces('bulkUpload', 'bulkTargetOf', (right, areas, request) =>
      right(areas, { ...request, targetDirectory: request.targetDirectory.replace(outside, '') }),
    ),
    replaces('bulkUpload', 'runBulkUpload', (right, areas, run) =>
      right(areas, outside.test(run.request.targetDirectory) ? { ...run, area: { kind: 'collection' } } : run),
    ),
  );
}

/** A place that a bulk upload has filled from a source is passed over, also where the file was deleted since. */
function notBroughtBack(): Variant {
  return breaks('bulkUpload', 'uploadSourceFile', (right) => {
    const filled = new Set<string>();
    return async (areas, run, entry) => {
      const path = entry.path.join('/');
      const key = JSON.stringify([run.source, run.area, run.target, path]);
      if (filled.has(key) && !run.request.replaceFiles) return { path, status: 'skipped' };
      const file = await right(areas, run, entry);
      if (file.status === 'uploaded') filled.add(key);
      return file;
    };
  });
}

/** When the first file of a run is skipped, so are all others. */
function endingAtFirstConflict(): Variant {
  const seen = new WeakSet<object>();
  const ended = new WeakSet<object>();
  return replaces('bulkUpload', 'uploadSourceFile', async (right, areas, run, entry) => {
    if (ended.has(run)) return { path: entry.path.join('/'), status: 'failed', error: 'the run ended before' };
    const file = await right(areas, run, entry);
    if (file.status === 'skipped' && !seen.has(run)) ended.add(run);
    seen.add(run);
    return file;
  });
}
