import { Refusal } from '../../problem.ts';
import type { Answer, Call, Service } from '../../service.ts';
import type { AreaKind } from '../areas.ts';
import type { FileArea, FilePlace } from '../file-store.ts';
import { placeId } from '../kept.ts';
import { refusalOf } from '../refused-write.ts';
import { formPartsOf } from './form.ts';
import { chunkOf, type Chunk } from './parts.ts';
import { begunWith, isOf, uploadComplete, withChunk, type Progress } from './progress.ts';
import { assertChunk, chunkLimitOf } from './sizes.ts';
import { forgetUpload, keepBegun, keepChunk, uploadUnderWay } from './under-way.ts';

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

/** What tells uploads under way apart. */
function uploadIdOf(place: FilePlace): string {
  return placeId(place);
}

/** Writes the chunk into its file and books it. Source: ledger chunk-order-and-repeat, chunk-on-completed-file. @throws {Refusal} 409 */
async function storeChunk(service: Service, place: FilePlace, chunk: Chunk): Promise<Progress> {
  const { behaviours } = service;
  const underWay = await behaviours.uploadUnderWay(service, place);
  if (underWay === undefined) await behaviours.beginUpload(service, place, chunk);
  else behaviours.assertSameUpload(underWay, chunk);
  const stamp = await written(service, place, chunk, underWay === undefined);
  const progress = await keepChunk(service, place, (kept) => behaviours.withChunk(kept, chunk.number));
  if (progress === undefined) throw new Refusal(409, 'The upload was deleted while this chunk came; begin anew.');
  if (behaviours.uploadComplete(progress)) await behaviours.endUpload(service, place, progress, stamp);
  return progress;
}

/** @throws {Refusal} 409 a whole file, or a directory, is there */
async function beginUpload(service: Service, place: FilePlace, chunk: Chunk): Promise<void> {
  await service.behaviours.assertPlaceFree(service, place);
  await keepBegun(service, place, begunWith(chunk));
}

/** The sizes stay what they were at the first chunk. @throws {Refusal} 409 */
function assertSameUpload(underWay: Progress, chunk: Chunk): void {
  if (isOf(underWay, chunk)) return;
  const { totalSize, chunkSize, totalChunks } = underWay;
  const detail = `An upload of ${totalSize} bytes in ${totalChunks} chunks of ${chunkSize} is under way at this path; go on with it, or delete the file first.`;
  throw new Refusal(409, detail, { pointer: 'resumableTotalSize' });
}

/** From which byte of the file on a chunk stands. Source: ledger chunk-order-and-repeat */
function chunkPosition({ number, chunkSize }: Chunk): number {
  return (number - 1) * chunkSize;
}

/** The bytes that are stored. */
function chunkContent({ pieces }: Chunk): readonly Uint8Array[] {
  return pieces;
}

/** The stamp of the file after the write. @throws {Refusal} 409, 507 */
async function written(service: Service, place: FilePlace, chunk: Chunk, isFirst: boolean): Promise<string> {
  const { behaviours, files } = service;
  try {
    const position = behaviours.chunkPosition(chunk);
    const { stamp } = await files.writeAt(place, position, behaviours.chunkContent(chunk), isFirst ? 'fresh' : undefined);
    return stamp;
  } catch (error) {
    if (isFirst) await forgetUpload(service, place);
    throw refusalOf(service, place, error);
  }
}

/** From here on the file is as whole as one that came in a stream. */
async function endUpload(service: Service, place: FilePlace, { type }: Progress, stamp: string): Promise<void> {
  const { behaviours } = service;
  await behaviours.keepFileRecord(service, place, stamp, { type });
  await behaviours.forgetUpload(service, place);
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
