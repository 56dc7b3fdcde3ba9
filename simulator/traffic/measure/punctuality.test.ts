import { expect, test } from 'vitest';
import { Punctuality } from './punctuality.ts';

test('a second is told in which more than 1 % of the journeys began late, or one not at all', () => {
  const punctuality = new Punctuality(2);
  const at = (second: number, lateOnes: number, skipped = 0): void => {
    for (let number = 0; number < 100; number += 1)
      punctuality.count(second * 1000 + number * 10, number < lateOnes ? 80 + number : 1, number >= skipped);
  };
  at(0, 0);
  at(1, 1);
  at(2, 2);
  at(3, 0, 3);
  // nothing was due in second 4
  at(5, 100);
  expect(punctuality.summary()).toMatchObject({
    skipped: 3,
    maxMs: 179,
    behind: [
      { worker: 2, second: 2, due: 100, late: 2, skipped: 0, maxMs: 81 },
      { worker: 2, second: 3, due: 100, late: 0, skipped: 3, maxMs: 1 },
      { worker: 2, second: 5, due: 100, late: 100, skipped: 0, maxMs: 179 },
    ],
  });
});

test('a generator that kept its rate has nothing to say', () => {
  const punctuality = new Punctuality(1);
  for (let dueMs = 0; dueMs < 3000; dueMs += 5) punctuality.count(dueMs, 2, true);
  expect(punctuality.summary()).not.toHaveProperty('behind');
});
