import { describe, expect, test } from 'vitest';
import { batches, findMistake, mistakesOf } from './batches.ts';
import { playOn } from './service.ts';

describe.each(Object.entries(batches))('the batch %s', (_name, batch) => {
  test.each(Object.entries(batch))('%s is seen where it is made, and not at the right server', async (_id, mistake) => {
    expect(await playOn(undefined, mistake.shows), 'at the right server').toBe(false);
    expect(await playOn(mistake.variant, mistake.shows), 'at the wrong one').toBe(true);
  });
});

test('a mistake is found by its batch and its id', () => {
  const [name, mistake] = mistakesOf().entries().next().value ?? [];
  expect(findMistake(name ?? '')).toBe(mistake);
  expect(findMistake('none/none')).toBeUndefined();
});
