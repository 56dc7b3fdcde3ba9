import type { Route } from '../route.ts';
import { requireAdministrationKey } from './access.ts';
import { bulkLogName, bulkLogText, writeBulkLog, writesLog } from './log.ts';
import { bulkDefaults, bulkRequestFrom, bulkSettingsFrom } from './request.ts';
import { bulkPath, bulkUpload, runBulkUpload } from './run.ts';
import { bulkSourceOf } from './source.ts';
import { bulkAreaOf, bulkPlaceOf, bulkTargetOf } from './target.ts';
import { isDeletedAfter, mayReplace, uploadSourceFile } from './upload-file.ts';

export const bulkUploadBehaviours = {
  bulkUpload,
  requireAdministrationKey,
  bulkRequestFrom,
  bulkSettingsFrom,
  bulkDefaults,
  bulkAreaOf,
  bulkTargetOf,
  bulkPlaceOf,
  bulkSourceOf,
  runBulkUpload,
  uploadSourceFile,
  mayReplace,
  isDeletedAfter,
  writesLog,
  bulkLogName,
  bulkLogText,
  writeBulkLog,
};

/** Who may is told by the signature, which the kernel knows nothing of. */
export const bulkUploadRoutes: readonly Route[] = ['', '/{spaceId}', '/{spaceId}/{participantId}'].map((rest) => ({
  method: 'POST',
  path: bulkPath + rest,
  access: 'public',
  effect: 'outside',
  handle: (service, call) => service.behaviours.bulkUpload(service, call),
}));
