import { race, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import type { FileArea } from '../../judge/files/files.ts';
import { overlapped, tooFewAtOnce } from '../../judge/case/overlap.ts';
import { isSuccess } from '../../judge/files/stored-file.ts';
import { expectBytes, inEvery, readsBack, whereServed } from './words.ts';

const uploads = 8;
const rounds = 10;
const names = 12;

export const raceCases = {
  'files.stream.concurrent-same-name': race(
    async (context) => {
      const { files, notes, given } = context;
      let overlapping = 0;
      for (let round = 0; round < rounds; round += 1) {
        const area = files.areas[round % files.areas.length] ?? files.any;
        await whereServed(context, [area], async () => {
          if (await oneWins(context, area)) overlapping += 1;
        });
      }
      notes.observe('rounds in which the uploads overlapped', overlapping);
      if (overlapping < rounds / 2) given.inconclusive(tooFewAtOnce);
    },
    { rounds: 1 },
  ),

  'files.stream.concurrent-new-directory': race(
    (context) => inEvery(context, context.files.areas, (area) => allAreStored(context, area)),
    { rounds: 1 },
  ),
} satisfies SomeCasesOf<'files'>;

/** One round: of several uploads to a new path one is accepted, and its bytes are stored. Tells whether the requests overlapped. */
async function oneWins(context: CaseContext, area: FileArea): Promise<boolean> {
  const { given, files, expect } = context;
  const path = given.filePath();
  const bodies = Array.from({ length: uploads }, (_, index) => given.bytes(1500 + index));
  const replies = await Promise.all(bodies.map((bytes) => files.upload(area, path, bytes)));
  const winners = replies.filter(({ status }) => isSuccess(status));
  expect(winners.length, `uploads of ${uploads} to one new path that succeed`, winners[1] ?? replies[0]).toEqual(1);
  const winner = replies.findIndex(({ status }) => isSuccess(status));
  const bytes = bodies[winner];
  if (bytes !== undefined) expectBytes(context, await files.download(area, path), bytes);
  return overlapped(replies);
}

async function allAreStored(context: CaseContext, area: FileArea): Promise<void> {
  const { given, files, expect } = context;
  const directory = `${given.unique('new')}/one/two`;
  const all = Array.from({ length: names }, (_, index) => ({
    path: `${directory}/${index}.bin`,
    bytes: given.bytes(300 + index),
  }));
  const replies = await Promise.all(all.map(({ path, bytes }) => files.upload(area, path, bytes)));
  for (const reply of replies) expect(reply).toSucceed();
  await Promise.all(all.map(({ path, bytes }) => readsBack(context, area, path, bytes)));
}
