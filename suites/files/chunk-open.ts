import { race, scenario, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import type { Reply } from '../../judge/exchange.ts';
import { Violation } from '../../judge/violation.ts';
import { contentOf, holds, isSuccess, readOf } from '../../judge/files/stored-file.ts';
import { chunksOf, inChunks, send, type Upload } from './chunk-words.ts';

/** How long bytes that may never come are waited for, in ms. */
const shortWaitMs = 500;
const rounds = 5;
const atOnce = 6;

export const chunkOpenCases = {
  'files.chunk.out-of-order': scenario(async (context) => {
    for (const order of [
      [2, 1, 3],
      [3, 2, 1],
    ]) {
      const upload = inChunks(context, 3);
      const replies = await sent(context, upload, order);
      const read = await observeRead(context, upload, `after the order ${order.join(', ')}`, replies);
      if (context.profile.all.files?.chunkOrder !== 'any' || (replies.every(accepted) && holds(read, upload.bytes)))
        continue;
      const expected = `chunks in the order ${order.join(', ')} to make the file, as files.chunkOrder of the profile says`;
      throw new Violation(expected, `statuses ${statusesOf(replies)} and ${read.bytes.byteLength} bytes`, read, {
        bound: true,
      });
    }
  }),

  'files.chunk.repeated-chunk': scenario(async (context) => {
    const upload = inChunks(context, 2);
    const replies = await sent(context, upload, [1, 1, 2]);
    await observeRead(context, upload, 'after chunks 1, 1, 2', replies);
    const late = await sent(context, upload, [2]);
    await observeRead(context, upload, 'after chunk 2 came once more', late);
  }),

  'files.chunk.parallel-chunks': race(
    async (context) => {
      const seen = { accepted: 0, whole: 0, late: 0 };
      for (let round = 0; round < rounds; round += 1) {
        const upload = inChunks(context, atOnce);
        const replies = await Promise.all(numbersOf(upload).map((number) => send(context, upload, number)));
        const isAccepted = replies.every(accepted);
        const isWhole = holds(await readOf(context, upload, 0), upload.bytes);
        const isWholeLater = isWhole || holds(await readOf(context, upload, shortWaitMs), upload.bytes);
        if (isAccepted) seen.accepted += 1;
        if (isAccepted && isWholeLater) seen.whole += 1;
        if (isWholeLater && !isWhole) seen.late += 1;
        if (isAccepted && !isWholeLater)
          context.notes.remark(`${atOnce} chunks sent at the same time were all accepted, and do not make the file`);
      }
      const of = `of ${rounds} uploads with ${atOnce} chunks at the same time`;
      context.notes.observe(`all chunks accepted, ${of}`, seen.accepted);
      context.notes.observe(`accepted and whole, ${of}`, seen.whole);
      context.notes.observe(`whole only some time after the last answer, ${of}`, seen.late);
    },
    { rounds: 1 },
  ),

  'files.chunk.existing-file': scenario(async (context) => {
    const { given, notes } = context;
    const old = await given.file();
    const upload = inChunks(context, 2, old);
    const replies = await sent(context, upload, [1, 2]);
    const read = await readOf(context, upload, replies.every(accepted) ? shortWaitMs : 0);
    notes.observe('statuses of two chunks onto an existing file', statusesOf(replies));
    notes.observe('what the file holds then', nameOf(read, old.bytes, upload.bytes), read);
    replies.forEach((reply) => notes.remarkServerError(reply));
  }),
} satisfies SomeCasesOf<'files'>;

/** Sends chunks in that order, whatever the answers. */
async function sent(context: CaseContext, upload: Upload, order: readonly number[]): Promise<readonly Reply[]> {
  const replies: Reply[] = [];
  for (const number of order) replies.push(await send(context, upload, number));
  return replies;
}

async function observeRead(
  context: CaseContext,
  upload: Upload,
  when: string,
  replies: readonly Reply[],
): Promise<Reply> {
  const { notes } = context;
  const isAccepted = replies.every(accepted);
  const read = await readOf(context, upload, isAccepted ? shortWaitMs : 0);
  const isRight = holds(read, upload.bytes);
  notes.observe(`statuses ${when}`, statusesOf(replies));
  notes.observe(`the file is right ${when}`, isRight, read);
  if (isAccepted && !isRight) notes.remark(`every chunk was accepted and the file is wrong ${when}`, read);
  replies.forEach((reply) => notes.remarkServerError(reply));
  return read;
}

function accepted({ status }: Reply): boolean {
  return isSuccess(status);
}

function statusesOf(replies: readonly Reply[]): string {
  return replies.map(({ status }) => status).join(', ');
}

function numbersOf(upload: Upload): readonly number[] {
  return Array.from({ length: chunksOf(upload) }, (_chunk, index) => index + 1);
}

function nameOf(read: Reply, old: Uint8Array, sentBytes: Uint8Array): string {
  if (!isSuccess(read.status)) return `nothing (status ${read.status})`;
  if (holds(read, old)) return 'the old bytes';
  return holds(read, sentBytes) ? 'the new bytes' : `${contentOf(read.bytes).length} other bytes`;
}
