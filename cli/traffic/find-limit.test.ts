import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findLimit } from './find-limit.ts';

test('whatever a target bears is found within a tenth, from wherever one begins', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.double({ min: 1, max: 2000, noNaN: true }),
      fc.double({ min: 1, max: 1000, noNaN: true }),
      async (bears, from) => {
        const attempts = await findLimit(from, async (rate) => (rate <= bears ? 'kept' : 'missed'));
        const kept = Math.max(...attempts.filter(({ verdict }) => verdict === 'kept').map(({ rate }) => rate));
        const missed = Math.min(...attempts.filter(({ verdict }) => verdict === 'missed').map(({ rate }) => rate));
        expect(kept).toBeLessThanOrEqual(bears);
        expect(missed).toBeGreaterThan(bears);
        // 14 attempts leave more open where one begins far away
        if (attempts.length < 14) expect(missed / kept).toBeLessThanOrEqual(1.1);
      },
    ),
    { numRuns: 200 },
  );
});

test('a target that bears nothing, or everything, ends the search, and so does whoever interrupts', async () => {
  expect((await findLimit(8, async () => 'missed')).at(-1)?.rate).toBeLessThan(0.2);
  expect((await findLimit(8, async () => 'kept')).length).toBeLessThanOrEqual(14);
  expect(await findLimit(8, async () => undefined)).toEqual([]);
});
