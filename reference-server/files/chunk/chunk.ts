import { Refusal } from '../../problem.ts';
import type { Answer, Call, Service } from '../../service.ts';
import type { AreaKind } from '../areas.ts';
import { PlaceTaken, type FileArea, type FileInfo, type FilePlace, type Section } from '../file-store.ts';
import { placeId } from '../kept.ts';
import { refusalOf } from '../refused-write.ts';
import { formPartsOf } from './form.ts';
import { chunkOf, type Chunk } from './parts.ts';
import { begunWith, isOf, uploadComplete, withChunk, type Progress } from './progress.ts';
import { assertChunk, chunkLimitOf } from './sizes.ts';
import { forgetUpload, keepBegun, keepChunk, uploadInto, uploadUnderWay } from './under-way.ts';

/** POST: one chunk of a file. Source: extensions, File routes, row 2. @throws {Refusal} 400, 401, 403, 404, 409, 413, 415, 507 */
async function uploadChunk(service: Service, call: Call, kind: AreaKind): Promise<Answer> {
  const { behaviours } = service;
  const area = await behaviours.openArea(service, call, kind);
  const checksum = behaviours.expectedChunkChecksum(service, call);
  const chunk = behaviours.chunkOf(service, await behaviours.formPartsOf(service, call));
  const place = behaviours.chunkPlaceOf(service, chunk, area);
  behaviours.assertChunkChecksum(service, checksum, chunk);
  const progress = await behaviours.inTurn(service, place, () => behaviours.storeChunk(service, place, chunk));
  return behaviours.uploadComplete(progress) ? behaviours.createdFile(place) : behaviours.chunkTaken();
}

/** Source: ledger chunk-checksum-enforcement. @throws {Refusal} 400 */
function expectedChunkChecksum(service: Service, call: Call): string | undefined {
  return service.behaviours.expectedChecksum(service, call);
}

/** The MD5 of the bytes of this chunk. Source: extensions, File routes, text below the chunk table. @throws {Refusal} 400 */
function assertChunkChecksum(service: Service, expected: string | undefined, { md5 }: Chunk): void {
  service.behaviours.assertChecksum(service, expected, md5);
}

/** Where the file goes: the other names are for information. Source: ledger chunk-name-precedence. @throws {Refusal} 400 */
function chunkPlaceOf(service: Service, { relativePath }: Chunk, area: FileArea): FilePlace {
  return { area, segments: service.behaviours.relativePathOf(service, relativePath) };
}

/** What tells uploads apart. Of those that begin at one place at once, on several hosts, one alone gives the place its file. */
function uploadIdOf(place: FilePlace, fileId: string): string {
  return `${placeId(place)}?${fileId}`;
}

/** Writes the chunk into its file and books it. Source: ledger chunk-order-and-repeat, chunk-on-completed-file. @throws {Refusal} 409, 507 */
async function storeChunk(service: Service, place: FilePlace, chunk: Chunk): Promise<Progress> {
  try {
    return (await continued(service, place, chunk)) ?? (await begunOrJoined(service, place, chunk));
  } catch (error) {
    throw refusalOf(service, place, error);
  }
}

/** Undefined where no upload is under way. @throws {Refusal} 409. @throws {NoRoom} */
async function continued(service: Service, place: FilePlace, chunk: Chunk): Promise<Progress | undefined> {
  const { behaviours } = service;
  using file = await service.files.openToGrow(place);
  const underWay = file && (await uploadInto(service, place, file.info()));
  if (file === undefined || underWay === undefined) return undefined;
  behaviours.assertSameUpload(underWay, chunk);
  await file.write(sectionOf(service, chunk));
  const progress = await keepChunk(service, place, file.info(), (kept) => behaviours.withChunk(kept, chunk.number));
  if (progress === undefined) throw new Refusal(409, 'The upload was deleted while this chunk came; begin anew.');
  if (behaviours.uploadComplete(progress)) await behaviours.endUpload(service, place, file.info(), progress);
  return progress;
}

/** Another host may have begun with another chunk of the file meanwhile. @throws {PlaceTaken | NoRoom} */
async function begunOrJoined(service: Service, place: FilePlace, chunk: Chunk): Promise<Progress> {
  try {
    return await service.behaviours.beginUpload(service, place, chunk);
  } catch (error) {
    const joined = error instanceof PlaceTaken ? await continued(service, place, chunk) : undefined;
    if (joined === undefined) throw error;
    return joined;
  }
}

/** @throws {PlaceTaken} a file or a directory is there. @throws {NoRoom} */
async function beginUpload(service: Service, place: FilePlace, chunk: Chunk): Promise<Progress> {
  const { behaviours, files } = service;
  const progress = behaviours.withChunk(begunWith(chunk), chunk.number);
  await files.begin(place, sectionOf(service, chunk), {
    accept: (info) => keepBeginning(service, place, info, progress),
    async withdraw(info) {
      await behaviours.forgetUpload(service, place, info);
      await behaviours.forgetFileRecord(service, place, info.stamp);
    },
  });
  return progress;
}

/** A file of one chunk is whole when it begins. */
async function keepBeginning(service: Service, place: FilePlace, info: FileInfo, progress: Progress): Promise<void> {
  const { behaviours } = service;
  if (!behaviours.uploadComplete(progress)) return keepBegun(service, place, info, progress);
  await behaviours.keepFileRecord(service, place, info.stamp, { type: progress.type });
}

/** The sizes stay what they were at the first chunk. @throws {Refusal} 409 */
function assertSameUpload(underWay: Progress, chunk: Chunk): void {
  if (isOf(underWay, chunk)) return;
  const { totalSize, chunkSize, totalChunks } = underWay;
  const detail = `An upload of ${totalSize} bytes in ${totalChunks} chunks of ${chunkSize} is under way at this path; go on with it, or delete the file first.`;
  throw new Refusal(409, detail, { pointer: 'resumableTotalSize' });
}

function sectionOf({ behaviours }: Service, chunk: Chunk): Section {
  return { position: behaviours.chunkPosition(chunk), pieces: behaviours.chunkContent(chunk) };
}

/** From which byte of the file on a chunk stands. Source: ledger chunk-order-and-repeat */
function chunkPosition({ number, chunkSize }: Chunk): number {
  return (number - 1) * chunkSize;
}

/** The bytes that are stored. */
function chunkContent({ pieces }: Chunk): readonly Uint8Array[] {
  return pieces;
}

/** From here on the file is as whole as one that came in a stream. @param info as the last write left it */
async function endUpload(service: Service, place: FilePlace, info: FileInfo, { type }: Progress): Promise<void> {
  const { behaviours } = service;
  await behaviours.keepFileRecord(service, place, info.stamp, { type });
  await behaviours.forgetUpload(service, place, info);
}

/** Source: ledger file-success-statuses */
function chunkTaken(): Answer {
  return { status: 200 };
}

export const chunkBehaviours = {
  uploadChunk,
  formPartsOf,
  chunkLimitOf,
  chunkOf,
  assertChunk,
  expectedChunkChecksum,
  assertChunkChecksum,
  chunkPlaceOf,
  uploadIdOf,
  storeChunk,
  uploadUnderWay,
  beginUpload,
  assertSameUpload,
  chunkPosition,
  chunkContent,
  withChunk,
  uploadComplete,
  endUpload,
  forgetUpload,
  chunkTaken,
};
