import { scenario, type SomeCasesOf } from '../../judge/case.ts';
import { PreconditionFailed, Violation } from '../../judge/violation.ts';
import { expectStored, isSuccess, readOf } from '../../judge/files/stored-file.ts';
import { begun, expectSent, expectUploaded, inChunks, oneChunk, send, type Upload } from './chunk-words.ts';

export const chunkChecksumCases = {
  'files.chunk.checksum-per-chunk': scenario(async (context) => {
    const { given, files } = context;
    const upload = inChunks(context, 3);
    const digests = [upload.bytes, ...[1, 2, 3].map((number) => chunkOf(upload, number))].map((bytes) =>
      files.checksumOf(bytes),
    );
    given.assume(new Set(digests).size === 4, 'digests of file and chunks that differ');
    await expectUploaded(context, upload);
  }),

  'files.chunk.checksum-wrong-refused': scenario(async (context) => {
    const { files, expect } = context;
    const single = oneChunk(context);
    expect(await send(context, single, 1, {}, { checksum: flipped(files.checksumOf(single.bytes)) })).notToSucceed();
    await expectUploaded(context, oneChunk(context));
    const three = inChunks(context, 3);
    await begun(context, three, 1);
    expect(
      await send(context, three, 2, {}, { checksum: flipped(files.checksumOf(chunkOf(three, 2))) }),
    ).notToSucceed();
    const two = inChunks(context, 2);
    expect(await send(context, two, 1, {}, { checksum: files.checksumOf(two.bytes) })).notToSucceed();
    await expectUploaded(context, inChunks(context, 2));
  }),

  'files.chunk.checksum-wrong-recoverable': scenario(async (context) => {
    const { given, files } = context;
    const upload = inChunks(context, 3);
    await begun(context, upload, 1);
    const right = chunkOf(upload, 2);
    const refused = await send(
      context,
      upload,
      2,
      { bytes: given.bytes(right.byteLength) },
      { checksum: files.checksumOf(right) },
    );
    if (isSuccess(refused.status))
      throw new PreconditionFailed('a chunk with a wrong checksum to be refused', refused, [
        'files.chunk.checksum-wrong-refused',
      ]);
    for (const number of [2, 3]) await expectSent(context, upload, number);
    await expectStored(context, upload);
  }),

  'files.chunk.checksum-missing': scenario(async (context) => {
    const { notes, profile } = context;
    const upload = oneChunk(context);
    const reply = await send(context, upload, 1, {}, { checksum: null });
    notes.observe('status of a chunk without checksum', reply.status, reply);
    notes.observe('a file appeared', isSuccess((await readOf(context, upload, 500)).status));
    notes.remarkServerError(reply);
    const demanded = profile.all.files?.chunkChecksumRequired;
    if (demanded === undefined || demanded !== isSuccess(reply.status)) return;
    const expected = `a chunk without checksum to be ${demanded ? 'refused' : 'accepted'}, as files.chunkChecksumRequired of the profile says`;
    throw new Violation(expected, `status ${reply.status}`, reply, { bound: true });
  }),
} satisfies SomeCasesOf<'files'>;

function chunkOf({ bytes, chunkSize }: Upload, number: number): Uint8Array {
  return bytes.subarray((number - 1) * chunkSize, number * chunkSize);
}

/** The digest with another last digit. */
function flipped(checksum: string): string {
  return checksum.slice(0, -1) + (checksum.endsWith('0') ? '1' : '0');
}
