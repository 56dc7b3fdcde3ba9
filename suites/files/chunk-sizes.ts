import { constantFrom, nat, record } from 'fast-check';
import { property, scenario, type SomeCasesOf } from '../../judge/case.ts';
import { assumeNothingAt, expectStored } from '../../judge/files/stored-file.ts';
import {
  expectSent,
  expectUploaded,
  inChunks,
  oneChunk,
  sampleChunkSize,
  smallChunkSize,
  smallestChunkSize,
  uploadOf,
} from './chunk-words.ts';

const mebibyte = 1_048_576;
const counts = [3, 9, 10, 11, 12] as const;

export const chunkSizeCases = {
  'files.chunk.single-chunk': scenario(async (context) => {
    const upload = oneChunk(context);
    await assumeNothingAt(context, upload.area, upload.path);
    await expectUploaded(context, upload);
  }),

  'files.chunk.two-chunks': scenario(async (context) => {
    const chunkSize = smallChunkSize(context);
    await expectUploaded(context, uploadOf(context, chunkSize + Math.floor(chunkSize / 2), { chunkSize }));
  }),

  'files.chunk.many-chunks': property(
    record({ count: constantFrom(...counts), more: nat({ max: 600 }), tail: nat({ max: 600 }) }),
    async (context, { count, more, tail }) => {
      const chunkSize = smallestChunkSize(context) + more;
      const length = (count - 1) * chunkSize + 1 + Math.min(tail, chunkSize - 1);
      await expectUploaded(context, uploadOf(context, length, { chunkSize }));
    },
    { always: counts.map((count) => ({ count, more: 0, tail: 0 })), share: 0.2 },
  ),

  'files.chunk.last-chunk-smaller': scenario(async (context) => {
    const chunkSize = smallChunkSize(context);
    for (const length of [2 * chunkSize + 1, 2 * chunkSize - 1])
      await expectUploaded(context, uploadOf(context, length, { chunkSize }));
  }),

  'files.chunk.exact-multiple': scenario(async (context) => {
    const chunkSize = smallChunkSize(context);
    await expectUploaded(context, uploadOf(context, 2 * chunkSize, { chunkSize }));
  }),

  'files.chunk.sample-chunk-size': scenario(async (context) => {
    await expectUploaded(context, uploadOf(context, 9 * mebibyte, { chunkSize: sampleChunkSize }));
  }),

  'files.chunk.other-chunk-size': scenario(async (context) => {
    const smallest = smallestChunkSize(context);
    const sizes = [mebibyte, 300_000].map((size) => (size < smallest ? smallest + size : size));
    const length = Math.floor(2.5 * Math.max(mebibyte, smallest));
    for (const chunkSize of sizes) await expectUploaded(context, uploadOf(context, length, { chunkSize }));
  }),

  'files.chunk.part-order': scenario(async (context) => {
    const middle = ['resumableTotalSize', 'resumableChunkNumber', 'resumableRelativePath', 'file'];
    for (const order of [['file'], [], middle]) await expectUploaded(context, oneChunk(context), { order });
  }),

  'files.chunk.every-area': scenario(async (context) => {
    const { files, given, notes } = context;
    const path = given.filePath();
    const uploads = files.areas.map((area) => inChunks(context, 2, { area, path }));
    for (const number of [1, 2]) for (const upload of uploads) await expectSent(context, upload, number);
    for (const upload of uploads) await expectStored(context, upload);
    notes.observe('areas', files.areas.map(({ name }) => name).join(', '));
  }),
} satisfies SomeCasesOf<'files'>;
