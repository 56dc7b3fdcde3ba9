import { race, type CaseContext, type SomeCasesOf } from '../engine/case.ts';
import type { Thing } from '../engine/given.ts';
import { dataOf } from '../instance.ts';
import { editable } from '../writes.ts';
import { sendBatch, staleEdit } from './words.ts';

const rounds = 12;

export const commitCases = {
  'batch.commit.visible-together': race(
    async (context) => {
      const { given, service, profile, expect } = context;
      const [member] = profile.scalars;
      const [first, second] = [await given.object({ [member]: '0' }), await given.object({ [member]: '0' })];
      const failing = await editable(context);
      const done = { writing: true };
      const reading = Promise.all([watch(context, first, second, done), watch(context, first, second, done)]);
      for (let round = 1; round <= rounds; round += 1) {
        const version = first.version + round - 1;
        const edits = (text: string) => [second, first].map((thing) => service.requests.merge(thing, { [member]: text }, version));
        const failed = await sendBatch(context, [...edits(`-${round}`), staleEdit(context, failing)]);
        given.assume(failed.status === 500, 'a batch that fails');
        const reply = await sendBatch(context, edits(String(round)));
        given.assume(reply.status === 200, 'a batch of two edits that passes');
      }
      done.writing = false;
      const observed = (await reading).flat();
      for (const { later, earlier } of observed) {
        expect(later >= earlier, `a reader that saw ${earlier} in the second object sees at least that in the first, which says ${later}`).toEqual(true);
        expect(later >= 0 && earlier >= 0, 'a reader sees values of a batch that failed').toEqual(true);
      }
      expect(observed.length, 'pairs of reads while batches were under way').toSatisfy('some', (count) => count > 0);
    },
    { rounds: 1 },
  ),
} satisfies SomeCasesOf<'batch'>;

/** Reads the second object and then the first, over and over: what is in the first can only be newer. */
async function watch({ service, profile }: CaseContext, first: Thing, second: Thing, done: { readonly writing: boolean }): Promise<readonly { later: number; earlier: number }[]> {
  const seen = [];
  while (done.writing) {
    const earlier = Number(dataOf(await service.read(second))[profile.scalars[0]]);
    const later = Number(dataOf(await service.read(first))[profile.scalars[0]]);
    seen.push({ later, earlier });
  }
  return seen;
}
