import { basename } from 'node:path';
import type { Service } from '../../service.ts';
import { isJson } from '../answer.ts';
import { replacing, together, type Fault, type FaultsOf } from '../fault.ts';

export const bulkUploadFaults: FaultsOf<'bulk-upload'> = {
  'bulk-upload.collection.uploads-tree': replacing('bulkAreaOf', (right) => (service, call) => {
    const area = right(service, call);
    return area.kind === 'collection' ? { kind: 'space', spaceId: spaceIds(service)[0] ?? '' } : area;
  }),

  'bulk-upload.space.uploads-tree': replacing('bulkAreaOf', (right) => (service, call) => {
    const area = right(service, call);
    return area.kind === 'space' ? { ...area, spaceId: spaceIds(service).at(-1) ?? '' } : area;
  }),

  'bulk-upload.participant.uploads-tree': replacing('bulkAreaOf', (right) => (service, call) => {
    const area = right(service, call);
    return area.kind === 'participant' ? { kind: 'space', spaceId: area.spaceId } : area;
  }),

  'bulk-upload.structure.preserved': replacing(
    'bulkPlaceOf',
    (right) => (service, area, target, path) =>
      right(service, area, target, path.length > 3 ? [...path.slice(0, 1), ...path.slice(-1)] : path),
  ),

  'bulk-upload.target-directory.default-root': replacing('bulkSettingsFrom', (right) => (service, body) => {
    const request = right(service, body);
    return isJson(body) && body['targetDirectory'] === '/'
      ? { ...request, targetDirectory: basename(request.sourceDirectory) }
      : request;
  }),

  'bulk-upload.target-directory.honoured': replacing(
    'bulkTargetOf',
    (right) => (service, request) => right(service, request).slice(0, 1),
  ),

  'bulk-upload.target-directory.no-escape': leavingTheArea(),

  'bulk-upload.replace-files.default-keeps': replacing('bulkDefaults', (right) => () => ({
    ...right(),
    replaceFiles: true,
  })),

  'bulk-upload.replace-files.true-replaces': replacing('mayReplace', () => () => false),

  'bulk-upload.replace-files.others-continue': endingAtFirstConflict(),

  'bulk-upload.delete-after.default-keeps-source': replacing('bulkDefaults', (right) => () => ({
    ...right(),
    deleteFilesAfterUpload: true,
  })),

  'bulk-upload.delete-after.true-removes-source': replacing('isDeletedAfter', () => () => false),

  'bulk-upload.delete-after.keeps-not-uploaded': replacing(
    'isDeletedAfter',
    () =>
      ({ deleteFilesAfterUpload }) =>
        deleteFilesAfterUpload,
  ),

  'bulk-upload.log.written': replacing(
    'bulkLogName',
    (right) => (at, count) => right(at, count).replace(/log$/, 'json'),
  ),

  'bulk-upload.log.is-json': replacing(
    'bulkLogText',
    () =>
      ({ files }) =>
        files.map(({ path, status }) => `${status} ${path}\n`).join(''),
  ),

  'bulk-upload.log.not-written': replacing('writesLog', () => () => true),

  'bulk-upload.log.survives-source-deletion': replacing('writeBulkLog', (right) => async (service, source, report) => {
    if (!report.settings.deleteFilesAfterUpload) await right(service, source, report);
  }),

  'bulk-upload.body.source-directory-required': replacing('bulkUpload', (right) => async (service, call) => {
    await service.behaviours.requireAdministrationKey(service, call);
    const body: unknown = service.behaviours.jsonBodyOf(service, call);
    return isJson(body) && body['sourceDirectory'] === undefined
      ? { status: 200, body: { files: [] } }
      : right(service, call);
  }),

  'bulk-upload.body.write-log-required': replacing(
    'bulkSettingsFrom',
    (right) => (service, body) => right(service, isJson(body) ? { writeLog: false, ...body } : body),
  ),

  'bulk-upload.auth.missing-credential-401': replacing('requireAdministrationKey', (right) => async (service, call) => {
    if (call.headers['authorization'] !== undefined) await right(service, call);
  }),

  'bulk-upload.auth.jwt-refused': replacing('requireAdministrationKey', (right) => async (service, call) => {
    const { credentialsOf, userOfCredentials, mayAdministrate } = service.behaviours;
    const credentials = credentialsOf(call.headers);
    const user = credentials && (await userOfCredentials(service, credentials));
    if (user === undefined || !mayAdministrate(service, user)) await right(service, call);
  }),
};

function spaceIds({ configuration }: Service): readonly string[] {
  return [...configuration.spaces.keys()];
}

/** Names of two dots lead out of the area, and from there into that of the collection. */
function leavingTheArea(): Fault {
  const outside = /^(?:\.\.\/)+collection\//;
  return together(
    replacing(
      'bulkTargetOf',
      (right) => (service, request) =>
        right(service, { ...request, targetDirectory: request.targetDirectory.replace(outside, '') }),
    ),
    replacing(
      'runBulkUpload',
      (right) => (service, run) =>
        right(service, outside.test(run.request.targetDirectory) ? { ...run, area: { kind: 'collection' } } : run),
    ),
  );
}

/** When the first file of a run is skipped, so are all others. */
function endingAtFirstConflict(): Fault {
  const seen = new WeakSet<object>();
  const ended = new WeakSet<object>();
  return replacing('uploadSourceFile', (right) => async (service, run, entry) => {
    if (ended.has(run)) return { path: entry.path.join('/'), status: 'failed', error: 'the run ended before' };
    const file = await right(service, run, entry);
    if (file.status === 'skipped' && !seen.has(run)) ended.add(run);
    seen.add(run);
    return file;
  });
}
