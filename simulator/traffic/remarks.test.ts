import { expect, test } from 'vitest';
import { madeUp } from './judging/made-up.fixture.ts';
import { Tally } from './measure/tally.ts';
import { remarksOnPace, remarksOnTokens } from './traffic.ts';

test('a load that is faster than the profile lets a check be is said to be', () => {
  const tally = new Tally(0);
  for (let number = 0; number < 30; number += 1) tally.exchange(madeUp({}));
  const made = { tally, engine: { durationMs: 2000 } };
  expect(remarksOnPace({ limits: { requestsPerSecond: 10 } }, made)).toEqual([
    'limits.requestsPerSecond of the profile is 10, which check keeps to: this load sent 15.0 a second, as it was told.',
  ]);
  expect(remarksOnPace({ limits: { requestsPerSecond: 15 } }, made)).toEqual([]);
  expect(remarksOnPace({}, made)).toEqual([]);
});

test('whose token ended is said', () =>
  expect(remarksOnTokens(new Set(['reader']))).toEqual([expect.stringContaining('identities.reader was refused')]));
