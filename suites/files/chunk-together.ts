import { array, constantFrom, nat, record } from 'fast-check';
import { property, race, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import { expectStored } from '../../judge/files/stored-file.ts';
import { chunksOf, expectSent, expectUploaded, inChunks, type Upload } from './chunk-words.ts';

/** A file as far as it was sent. */
interface Sending {
  readonly upload: Upload;
  /** Chunks so far, from the first one on. */
  readonly sent: number;
}

const longestHistory = 14;

/** Two files take turns as it comes; one that is given up is deleted and begins anew with other bytes. In the end both are whole. */
const histories = property(
  array(record({ step: constantFrom('send', 'send', 'send', 'give up'), file: nat({ max: 1 }) }), {
    maxLength: longestHistory,
  }),
  async (context, steps) => {
    const sendings = namesakes(context, 2).map((upload): Sending => ({ upload, sent: 0 }));
    for (const { step, file } of steps) {
      const sending = sendings[file];
      if (sending === undefined) continue;
      sendings[file] = step === 'send' ? await sentOn(context, sending) : await begunAnew(context, sending);
    }
    for (const sending of sendings) await finished(context, sending);
    for (const { upload } of sendings) await expectStored(context, upload);
  },
  { share: 0.3 },
);

export const chunkTogetherCases = {
  'files.chunk.interleaved-files': race(
    async (context, generation) => {
      await alternate(context, namesakes(context, 2));
      await Promise.all(namesakes(context, 4).map((upload) => expectUploaded(context, upload)));
      await histories.run(context, generation);
    },
    { rounds: 1 },
  ),
} satisfies SomeCasesOf<'files'>;

/** Files of one name and one length in directories of their own. */
function namesakes(context: CaseContext, count: number): readonly Upload[] {
  const name = `${context.given.unique('namesake')}.bin`;
  return Array.from({ length: count }, () => inChunks(context, 3, { path: context.given.filePath({ name }) }));
}

async function alternate(context: CaseContext, uploads: readonly Upload[]): Promise<void> {
  for (const number of [1, 2, 3]) for (const upload of uploads) await expectSent(context, upload, number);
  for (const upload of uploads) await expectStored(context, upload);
}

/** The next chunk is sent, unless all were. */
async function sentOn(context: CaseContext, { upload, sent }: Sending): Promise<Sending> {
  if (sent === chunksOf(upload)) return { upload, sent };
  await expectSent(context, upload, sent + 1);
  return { upload, sent: sent + 1 };
}

async function begunAnew(context: CaseContext, { upload: { area, path }, sent }: Sending): Promise<Sending> {
  await context.files.remove(area, path);
  return { upload: inChunks(context, sent === 1 ? 2 : 3, { area, path }), sent: 0 };
}

async function finished(context: CaseContext, sending: Sending): Promise<void> {
  for (let state = sending; state.sent < chunksOf(state.upload);) state = await sentOn(context, state);
}
