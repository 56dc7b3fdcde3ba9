import { race, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import type { Thing } from '../../judge/given.ts';
import { dataOf } from '../../judge/answer.ts';
import { alongside } from '../../judge/case/overlap.ts';
import { editable } from '../../judge/writes.ts';
import { failedWhole, sendBatch, staleEdit } from './words.ts';

const rounds = 12;

export const commitCases = {
  'batch.commit.visible-together': race(
    async (context) => {
      const { given, expect, profile } = context;
      const [member] = profile.scalars;
      const [first, second] = [await given.object({ [member]: '0' }), await given.object({ [member]: '0' })];
      const observed = await alongside(
        (isOver) => Promise.all([watch(context, first, second, isOver), watch(context, first, second, isOver)]),
        () => writeBoth(context, first, second),
      );
      for (const { later, earlier } of observed.flat()) {
        expect(
          later >= earlier,
          `a reader that saw ${earlier} in the second object sees at least that in the first, which says ${later}`,
        ).toEqual(true);
        expect(later >= 0 && earlier >= 0, 'a reader sees no value of a batch that failed').toEqual(true);
      }
      expect(observed.flat().length, 'pairs of reads while batches were under way').toSatisfy(
        'some',
        (count) => count > 0,
      );
    },
    { rounds: 1 },
  ),
} satisfies SomeCasesOf<'batch'>;

/** Batches that edit both, the second object first, each after one with other values that fails. */
async function writeBoth(context: CaseContext, first: Thing, second: Thing): Promise<void> {
  const { given, service, profile } = context;
  const failing = await editable(context);
  for (let round = 1; round <= rounds; round += 1) {
    const edits = (text: string) =>
      [second, first].map((thing) =>
        service.requests.merge(thing, { [profile.scalars[0]]: text }, thing.version + round - 1),
      );
    const failed = await sendBatch(context, [...edits(`-${round}`), staleEdit(context, failing)]);
    failedWhole(failed);
    given.assume((await sendBatch(context, edits(String(round)))).status === 200, 'a batch of two edits that passes');
  }
}

/** Reads the second object and then the first, over and over: what is in the first can only be newer. */
async function watch(
  { service, profile }: CaseContext,
  first: Thing,
  second: Thing,
  isOver: () => boolean,
): Promise<readonly { later: number; earlier: number }[]> {
  const seen = [];
  while (!isOver()) {
    const earlier = Number(dataOf(await service.read(second))[profile.scalars[0]]);
    const later = Number(dataOf(await service.read(first))[profile.scalars[0]]);
    seen.push({ later, earlier });
  }
  return seen;
}
