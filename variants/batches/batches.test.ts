import { describe, expect, test } from 'vitest';
import { batches, findMistake, mistakesOf } from './batches.ts';
import type { Mistake } from './mistake.ts';
import { playOn } from './service.ts';

describe.each(Object.entries(batches))('the batch %s', (_name, batch) => {
  test.concurrent.each(Object.entries(batch))(
    '%s is seen where it is made, and not at the right server',
    async (_id, mistake) => {
      expect(await playOn(undefined, mistake.shows), 'at the right server').toBe(false);
      expect(await isShownIn(mistake.kind === 'moment' ? 5 : 1, mistake), 'at the wrong one').toBe(true);
    },
  );
});

/** A moment may be missed, all the more on a busy machine: such a mistake has several tries. */
async function isShownIn(tries: number, { variant, shows }: Mistake): Promise<boolean> {
  for (let left = tries; left > 0; left -= 1) if (await playOn(variant, shows)) return true;
  return false;
}

test('a mistake is found by its batch and its id', () => {
  const [name, mistake] = mistakesOf().entries().next().value ?? [];
  expect(findMistake(name ?? '')).toBe(mistake);
  expect(findMistake('none/none')).toBeUndefined();
});
