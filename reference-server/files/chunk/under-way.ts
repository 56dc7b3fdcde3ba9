import type { Service } from '../../service.ts';
import type { FileInfo, FilePlace } from '../file-store.ts';
import { hasRecord } from '../kept.ts';
import type { Progress } from './progress.ts';

const kind = 'upload';

/** The upload under way at a place. What is left of one whose file is gone, or made way for a whole one, counts no more. */
export async function uploadUnderWay(service: Service, place: FilePlace): Promise<Progress | undefined> {
  const info = await service.files.describe(place);
  return info?.kind === 'file' ? uploadInto(service, place, info) : undefined;
}

/** The upload that goes into the file; undefined for a whole one. */
export async function uploadInto(
  { behaviours, store }: Service,
  place: FilePlace,
  { fileId, stamp }: FileInfo,
): Promise<Progress | undefined> {
  const text = await store.read(async (reading) => {
    const isWhole = await hasRecord(reading, place, stamp);
    return isWhole ? undefined : reading.document(kind, behaviours.uploadIdOf(place, fileId));
  });
  return text === undefined ? undefined : progressFrom(text);
}

/** Kept before anybody sees the file: one of which this is not known would pass for a whole one. */
export async function keepBegun(
  service: Service,
  place: FilePlace,
  { fileId }: FileInfo,
  progress: Progress,
): Promise<void> {
  const id = service.behaviours.uploadIdOf(place, fileId);
  await service.store.change((writing) => writing.putDocument(kind, id, JSON.stringify(progress)));
}

/** Adds to what is kept now, which other hosts may have added to. Undefined when the upload was forgotten meanwhile. */
export async function keepChunk(
  service: Service,
  place: FilePlace,
  { fileId }: FileInfo,
  add: (progress: Progress) => Progress,
): Promise<Progress | undefined> {
  const id = service.behaviours.uploadIdOf(place, fileId);
  return service.store.change(async (writing) => {
    const text = await writing.document(kind, id);
    if (text === undefined) return undefined;
    const progress = add(progressFrom(text));
    await writing.putDocument(kind, id, JSON.stringify(progress));
    return progress;
  });
}

export async function forgetUpload(service: Service, place: FilePlace, { fileId }: FileInfo): Promise<void> {
  const id = service.behaviours.uploadIdOf(place, fileId);
  await service.store.change((writing) => writing.deleteDocument(kind, id));
}

function progressFrom(text: string): Progress {
  return JSON.parse(text) as Progress;
}
