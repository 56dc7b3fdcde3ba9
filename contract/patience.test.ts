import { expect, test } from 'vitest';
import { waitMsOf } from './patience.ts';

const midnight = Date.parse('2026-01-01T00:00:00Z');
const now = (): number => midnight;

test.each<[string, number, string | undefined, number, number | undefined]>([
  ['seconds', 429, '3', 0, 3000],
  ['a date', 503, 'Thu, 01 Jan 2026 00:00:02 GMT', 0, 2000],
  ['nothing stated, doubled each time', 429, undefined, 2, 4000],
  ['a 503 that states nothing', 503, undefined, 0, undefined],
  ['no time', 429, 'soon', 0, undefined],
  ['an hour', 429, '3600', 0, undefined],
  ['what is left of a second, rounded down', 429, '0', 0, 0],
  ['the same once more', 429, '0', 1, 250],
  ['a date that is over', 503, 'Wed, 31 Dec 2025 23:59:59 GMT', 3, 1000],
  ['the fifth time', 429, '3', 4, 3000],
  ['the sixth time', 429, '1', 5, undefined],
  ['another status', 200, '1', 0, undefined],
])('patience that an answer asks for: %s', (_what, status, retryAfter, repeated, waitMs) => {
  expect(waitMsOf({ status, retryAfter, now }, repeated)).toBe(waitMs);
});

test.each([
  ['that agrees as far as its date shows', -400, 5000],
  ['that is an hour ahead', 3_600_000, 5000 - 3_600_000],
])('a date is held against the clock of a target %s', (_what, ahead, stated) => {
  const retryAfter = new Date(midnight + 5000).toUTCString();
  expect(waitMsOf({ status: 429, retryAfter, answeredAt: midnight + ahead, now }, 0)).toBe(Math.max(0, stated));
});
