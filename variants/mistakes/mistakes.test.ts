import { describe, expect, test } from 'vitest';
import type { Mistake } from './mistake.ts';
import { mistakes, sections } from './mistakes.ts';
import { playOn } from './service.ts';

describe.each(Object.entries(sections))('of %s', (_section, some) => {
  test.concurrent.each(Object.entries(some))(
    '%s is seen where it is made, and not at the right server',
    async (_id, mistake) => {
      expect(await playOn(undefined, mistake.shows), 'at the right server').toBe(false);
      expect(await isShown(mistake), 'at the wrong one').toBe(true);
    },
  );
});

/** Some show at a moment alone, which may be missed, all the more on a busy machine. */
async function isShown({ variant, shows }: Mistake): Promise<boolean> {
  for (let tries = 0; tries < 5; tries += 1) if (await playOn(variant, shows)) return true;
  return false;
}

test('no two sections have a mistake of one id', () => {
  expect(mistakes.size).toBe(Object.values(sections).flatMap(Object.keys).length);
});
