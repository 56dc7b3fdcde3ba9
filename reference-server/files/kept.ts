import type { Service } from '../service.ts';
import type { Reading } from '../store/store.ts';
import type { FilePlace } from './file-store.ts';

/** What is known of a file beyond its bytes. */
export interface FileRecord {
  /** Media type as given at the upload. */
  readonly type: string;
  /** Lower-case hex; unknown of a file that came in chunks. */
  readonly md5?: string;
  /** Chunks of it are still to come. */
  readonly growing?: true;
}

const kind = 'file';
export const unknownType = 'application/octet-stream';

/** One text per place, whatever is in its names. */
export function placeId({ area, segments }: FilePlace): string {
  const owner = Object.values(area).map(encodeURIComponent).join(',');
  return `${owner}/${segments.map(encodeURIComponent).join('/')}`;
}

/** Told by the stamp too, so that what was known of an earlier file at the place counts for it alone. */
function recordId(place: FilePlace, stamp: string): string {
  return `${placeId(place)}?${stamp}`;
}

export async function keepFileRecord(
  service: Service,
  place: FilePlace,
  stamp: string,
  record: FileRecord,
): Promise<void> {
  const text = JSON.stringify(record);
  await service.store.change((writing) => writing.putDocument(kind, recordId(place, stamp), text));
}

export async function forgetFileRecord(service: Service, place: FilePlace, stamp: string): Promise<void> {
  await service.store.change((writing) => writing.deleteDocument(kind, recordId(place, stamp)));
}

/** Whether something is kept of the file that has this stamp, so that it is a whole one. */
export async function hasRecord(reading: Reading, place: FilePlace, stamp: string): Promise<boolean> {
  return (await reading.document(kind, recordId(place, stamp))) !== undefined;
}

/** Of a file that came by another way nothing is known. */
export async function fileRecordOf(service: Service, place: FilePlace, stamp: string): Promise<FileRecord | undefined> {
  const text = await service.store.read((reading) => reading.document(kind, recordId(place, stamp)));
  if (text !== undefined) return JSON.parse(text) as FileRecord;
  const underWay = await service.behaviours.uploadUnderWay(service, place);
  return underWay && { type: underWay.type, growing: true };
}
