import { describe, expect, test } from 'vitest';
import { madeUp } from './judging/made-up.fixture.ts';
import { Limits } from './limits.ts';
import { Tally } from './measure/tally.ts';

/** Requests of so many seconds, 10 in each, of which these fail: by their answer, or without one. */
function told(parts: readonly { readonly seconds: number; readonly failing: number; readonly lost?: true }[]): Tally {
  const tally = new Tally(0);
  let second = 0;
  for (const { seconds, failing, lost } of parts)
    for (const until = second + seconds; second < until; second += 1)
      for (let index = 0; index < 10; index += 1) {
        const at = second * 1000 + index * 100;
        const fails = index < failing;
        const error = fails && lost === true ? { error: 'ECONNREFUSED', status: 0 } : { status: fails ? 500 : 200 };
        tally.exchange(madeUp({ dueAt: at, sentAt: at, endedAt: at, ...error }));
      }
  return tally;
}

describe('a load is ended', () => {
  test('when nobody has answered for a while', () => {
    const limits = new Limits(undefined);
    const tally = told([
      { seconds: 3, failing: 0 },
      { seconds: 6, failing: 10, lost: true },
    ]);
    expect(limits.areCrossed(tally, 9000)).toBe(true);
    expect(limits.reason).toMatch(/the last 60 requests got no answer, for 6 s; the target is gone/);
  });

  test.each([
    ['a target that refuses everything answers', { seconds: 30, failing: 10 } as const, 30_000],
    ['one of ten answers', { seconds: 30, failing: 9, lost: true } as const, 30_000],
    ['it has been gone for a moment only', { seconds: 4, failing: 10, lost: true } as const, 4000],
  ])('not when %s', (_what, part, now) => {
    expect(new Limits(undefined).areCrossed(told([part]), now)).toBe(false);
  });

  test('when more of ten seconds fail than may', () => {
    const limits = new Limits(20);
    expect(limits.areCrossed(told([{ seconds: 12, failing: 2 }]), 12_000)).toBe(false);
    expect(limits.kept()).toEqual({ text: 'errors<=20% in any 10 s', met: true, found: '20%' });
    expect(
      limits.areCrossed(
        told([
          { seconds: 12, failing: 2 },
          { seconds: 2, failing: 10 },
        ]),
        14_000,
      ),
    ).toBe(true);
    expect(limits.kept()).toMatchObject({ met: false, found: '28%' });
  });
});
