import { createHash } from 'node:crypto';
import type { CaseContext } from '../case.ts';
import { isSuccess, type Reply } from '../exchange.ts';
import type { FileArea, GivenFile } from './files.ts';
import { PreconditionFailed } from '../violation.ts';

/** Longest wait until a file reads whose upload was answered 2xx, in ms. */
const readableMs = 3000;

/** Bytes as a report can tell them apart. */
interface Content {
  readonly length: number;
  readonly sha256: string;
  /** Offset of the first byte that is another one, or that only one of them has. */
  readonly differsAt?: number;
}

/** @param wanted what they should be, so that a report tells where they part */
export function contentOf(bytes: Uint8Array, wanted = bytes): Content {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const isSame = Buffer.compare(bytes, wanted) === 0;
  return { length: bytes.byteLength, sha256, ...(!isSame && { differsAt: partingOf(bytes, wanted) }) };
}

function partingOf(bytes: Uint8Array, wanted: Uint8Array): number {
  const at = bytes.findIndex((byte, index) => byte !== wanted[index]);
  return at === -1 ? bytes.byteLength : at;
}

export function holdsBytes({ status, bytes: read }: Reply, bytes: Uint8Array): boolean {
  return isSuccess(status) && Buffer.compare(read, bytes) === 0;
}

/** The first read with the bytes of the file, or the last one within that time. */
export function readFileBack(
  { clock, files }: CaseContext,
  { area, path, bytes }: GivenFile,
  withinMs = readableMs,
): Promise<Reply> {
  return clock.look(
    withinMs,
    () => files.download(area, path),
    (reply) => holdsBytes(reply, bytes),
  );
}

/** Asserts that a file reads, within that time, with exactly these bytes. */
export async function expectStored(context: CaseContext, file: GivenFile, withinMs = readableMs): Promise<void> {
  expectHolds(context, file, await readFileBack(context, file, withinMs));
}

/** Asserts that a read of the file shows exactly these bytes. */
export function expectHolds({ expect }: CaseContext, { area, path, bytes }: GivenFile, reply: Reply): void {
  expect(reply).toSucceed();
  expect(contentOf(reply.bytes, bytes), `content of ${path} in the ${area.name} area`, reply).toEqual(contentOf(bytes));
}

export async function expectNothingAt({ files, expect }: CaseContext, area: FileArea, path: string): Promise<void> {
  expect(await files.download(area, path)).notToSucceed();
}

/** Nothing is at the path yet: that this can be seen at all is the business of another rule. */
export async function assumeNothingAt({ files }: CaseContext, area: FileArea, path: string): Promise<void> {
  const reply = await files.download(area, path);
  if (isSuccess(reply.status))
    throw new PreconditionFailed(`nothing at ${path}`, reply, ['files.download.missing-file-fails']);
}
