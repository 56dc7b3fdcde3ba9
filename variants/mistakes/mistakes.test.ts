import { describe, expect, test } from 'vitest';
import type { Mistake } from './mistake.ts';
import { mistakes, sections } from './mistakes.ts';
import { playOn } from './service.ts';

describe.each(Object.entries(sections))('of %s', (_section, some) => {
  test.concurrent.each(Object.entries(some))(
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

test('no two sections have a mistake of one id', () => {
  expect(mistakes.size).toBe(Object.values(sections).flatMap(Object.keys).length);
});
