import { Type, type Static } from 'typebox';
import { mediaTypes } from '../../contract/names.ts';
import { Refusal } from '../problem.ts';
import { decoderOf, Misfit } from '../registration/decoder.ts';
import type { Call, Service } from '../service.ts';

const requestSchema = Type.Object({
  sourceDirectory: Type.String({ minLength: 1 }),
  writeLog: Type.Boolean(),
  targetDirectory: Type.Optional(Type.String()),
  replaceFiles: Type.Optional(Type.Boolean()),
  deleteFilesAfterUpload: Type.Optional(Type.Boolean()),
});

/** Settings of a run, defaults filled in. Source: extensions, Bulk upload request body */
export type BulkRequest = Required<Static<typeof requestSchema>>;

const decode = decoderOf<Static<typeof requestSchema>>(requestSchema);

/** Other members are passed over. Source: ledger bulk-write-log-missing. @throws {Refusal} 400, 415 */
export function bulkRequestFrom(service: Service, call: Call): BulkRequest {
  service.behaviours.requireMediaType(service, call, [mediaTypes.json]);
  return service.behaviours.bulkSettingsFrom(service, service.behaviours.jsonBodyOf(service, call));
}

/** @throws {Refusal} 400 */
export function bulkSettingsFrom(service: Service, body: unknown): BulkRequest {
  const value = decode(body);
  if (value instanceof Misfit) {
    const { pointer, complaint } = value;
    throw new Refusal(400, `${pointer === '' ? 'The body' : pointer} ${complaint}; no file was touched.`, { pointer });
  }
  const { sourceDirectory, writeLog } = value;
  const defaults = service.behaviours.bulkDefaults();
  return {
    sourceDirectory,
    writeLog,
    targetDirectory: value.targetDirectory ?? defaults.targetDirectory,
    replaceFiles: value.replaceFiles ?? defaults.replaceFiles,
    deleteFilesAfterUpload: value.deleteFilesAfterUpload ?? defaults.deleteFilesAfterUpload,
  };
}

export function bulkDefaults(): Omit<BulkRequest, 'sourceDirectory' | 'writeLog'> {
  return { targetDirectory: '/', replaceFiles: false, deleteFilesAfterUpload: false };
}
