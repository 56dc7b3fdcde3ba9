import { expect, test } from 'vitest';
import { holdsWhole } from './call.ts';

test.each([
  ['"event-1"', true],
  ['event-1', true],
  ['"event-12" and "event-1"', true],
  ['"event-12"', false],
  ['"anevent-1"', false],
  ['nothing', false],
])('a marker in %s', (text, isThere) => {
  expect(holdsWhole(text, 'event-1')).toBe(isThere);
});
