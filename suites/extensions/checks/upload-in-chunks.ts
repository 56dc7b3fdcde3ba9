import type { CaseContext } from '../../../judge/case.ts';
import { isSuccess, type Reply } from '../../../judge/exchange.ts';
import type { FileArea, GivenFile } from '../../../judge/files/files.ts';
import { expectStored } from '../../../judge/files/stored-files.ts';
import { PreconditionFailed } from '../../../judge/violation.ts';

/** Nominal size in bytes that every service takes. Source: extensions, Limits, chunk size in the sample */
export const sampleChunkSize = 4_194_304;

/** Nominal size in bytes where the profile allows one that small. */
const usualChunkSize = 1024;

/** Length of a file that fits into one chunk. */
const usualLength = 700;

/** A file that goes in chunks. */
export interface Upload extends GivenFile {
  /** Nominal size in bytes. */
  readonly chunkSize: number;
}

type Options = Partial<Pick<Upload, 'area' | 'path' | 'chunkSize'>>;

/** The smallest nominal size that the profile lets the suite try. */
export function smallestChunkSize({ profile }: CaseContext): number {
  return profile.all.files?.minChunkSize ?? 1;
}

/** @param wanted in bytes */
export function smallChunkSize(context: CaseContext, wanted = usualChunkSize): number {
  return Math.max(wanted, smallestChunkSize(context));
}

/** A file of its own with so many bytes, in small chunks. */
export function fileOf(context: CaseContext, length: number, options: Options = {}): Upload {
  const { files, given } = context;
  return {
    area: files.any,
    path: given.filePath(),
    chunkSize: smallChunkSize(context),
    ...options,
    bytes: given.bytes(length),
  };
}

/** A file of its own that goes as chunk 1 of 1, whatever the smallest size of a chunk is. */
export function fileOfOneChunk(context: CaseContext, options: Options = {}): Upload {
  return fileOf(context, usualLength, { chunkSize: sampleChunkSize, ...options });
}

/** A file of its own in so many small chunks, the last one shorter. */
export function fileInChunks(context: CaseContext, count: number, options: Options = {}): Upload {
  const chunkSize = options.chunkSize ?? smallChunkSize(context);
  return fileOf(context, (count - 1) * chunkSize + Math.ceil(chunkSize / 2), { ...options, chunkSize });
}

/** How many chunks the file takes. */
export function chunksOf({ bytes, chunkSize }: Upload): number {
  return Math.max(1, Math.ceil(bytes.byteLength / chunkSize));
}

/** What an orderly upload would send otherwise. */
interface Other extends Partial<Parameters<CaseContext['files']['chunk']>[1]> {
  /** Of the request. */
  readonly changes?: Parameters<CaseContext['files']['chunk']>[2];
}

/** Sends one chunk. */
export function sendChunk(
  { files }: CaseContext,
  { area, path, bytes, chunkSize }: Upload,
  number: number,
  { changes, ...other }: Other = {},
): Promise<Reply> {
  return files.chunk(area, { path, file: bytes, chunkSize, number, ...other }, changes);
}

/** Sends one chunk, which has to be accepted. */
export async function expectSent(
  context: CaseContext,
  upload: Upload,
  number: number,
  other: Other = {},
): Promise<Reply> {
  const reply = await sendChunk(context, upload, number, other);
  await assertTakesSize(context, upload, reply);
  context.expect(reply).toSucceed();
  return reply;
}

/** Sends every chunk in order, each of which has to be accepted; then the file has to read. */
export async function expectUploaded(context: CaseContext, upload: Upload, other: Other = {}): Promise<void> {
  for (let number = 1; number <= chunksOf(upload); number += 1) await expectSent(context, upload, number, other);
  await expectStored(context, upload);
}

/** A chunk upload to that path reads back there; that chunks are taken at all is the business of other rules. */
export async function expectInOneChunk(context: CaseContext, area: FileArea, path: string): Promise<void> {
  const upload = fileOfOneChunk(context, { area, path });
  const reply = await sendChunk(context, upload, 1);
  if (!isSuccess(reply.status)) await beginUpload(context, fileOfOneChunk(context, { area }), 1);
  context.expect(reply).toSucceed();
  await expectStored(context, upload);
}

/** Sends chunks up to that number, a step that the case needs but does not judge. @param from the first of them */
export async function beginUpload(context: CaseContext, upload: Upload, to: number, from = 1): Promise<void> {
  for (let number = from; number <= to; number += 1) {
    const reply = await sendChunk(context, upload, number);
    await assertTakesSize(context, upload, reply);
    if (!isSuccess(reply.status))
      throw new PreconditionFailed(`chunk ${number} to be accepted`, reply, [
        'files.chunk.two-chunks',
        'files.chunk.checksum-per-chunk',
      ]);
  }
}

/** A refused chunk proves nothing where the service takes larger ones only and the profile does not say so. */
async function assertTakesSize(context: CaseContext, { area, chunkSize }: Upload, { status }: Reply): Promise<void> {
  const { given, profile } = context;
  if (
    isSuccess(status) ||
    status === 401 ||
    status === 403 ||
    chunkSize >= sampleChunkSize ||
    profile.all.files?.minChunkSize !== undefined
  )
    return;
  // the last one is full in both files or in neither: one of a single byte always is
  const isFull = chunkSize === 1;
  if (await takesChunksOf(context, area, chunkSize, isFull)) return;
  if (!(await takesChunksOf(context, area, sampleChunkSize, isFull))) return;
  given.inconclusive(
    `Chunks of ${chunkSize} bytes are refused (status ${status}), those of ${sampleChunkSize} bytes are not: set files.minChunkSize in the profile.`,
  );
}

async function takesChunksOf(
  context: CaseContext,
  area: FileArea,
  chunkSize: number,
  isFull: boolean,
): Promise<boolean> {
  const { path, bytes } = fileOf(context, chunkSize + (isFull ? chunkSize : 1), { area, chunkSize });
  const replies = await context.files.chunks(area, { path, file: bytes, chunkSize });
  return replies.every(({ status }) => isSuccess(status));
}
