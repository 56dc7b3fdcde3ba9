import { integer, property, assert } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fateOf, freeFrom, gapBefore, inForce } from './due.ts';

describe('the gap before a retry', () => {
  test('doubles from two seconds on up to five minutes', () => {
    expect([1, 2, 3, 4, 5, 6, 7, 8, 9, 40].map(gapBefore)).toEqual([
      2000, 4000, 8000, 16_000, 32_000, 64_000, 128_000, 256_000, 300_000, 300_000,
    ]);
  });

  test('never shrinks', () => {
    assert(property(integer({ min: 1, max: 5000 }), (retry) => gapBefore(retry + 1) >= gapBefore(retry)));
  });
});

describe('what follows from the end of an attempt', () => {
  const answered = (status: number) => fateOf({ arrivedAt: 0, ending: 'answered', answered: status }, {});

  test('is the end for the two acknowledgements, and open for any other status below 400', () => {
    expect([200, 201].map(answered)).toEqual(['done', 'done']);
    expect([202, 204, 301, 304].map(answered)).toEqual(['unsaid', 'unsaid', 'unsaid', 'unsaid']);
  });

  test('is another attempt for 408, any server error and a connection that breaks', () => {
    expect([408, 500, 501, 599].map(answered)).toEqual(['again', 'again', 'again', 'again']);
    expect(fateOf({ arrivedAt: 0, ending: 'cut' }, {})).toBe('again');
  });

  test('is failure for other client errors, for 429 unless the profile says otherwise', () => {
    expect([400, 404, 429].map(answered)).toEqual(['failed', 'failed', 'failed']);
    const tooMany = { arrivedAt: 0, ending: 'answered', answered: 429 } as const;
    expect(fateOf(tooMany, { retriesTooManyRequests: true })).toBe('again');
  });

  test('is what the profile says for an attempt without an answer', () => {
    const said = [undefined, true, false].map((retriesTimeouts) =>
      fateOf({ arrivedAt: 0, ending: 'abandoned' }, { retriesTimeouts }),
    );
    expect(said).toEqual(['unsaid', 'again', 'failed']);
  });
});

describe('the versions of a registration that a call may be made by', () => {
  const versions = [
    { step: 0, from: 0 },
    { step: 4, from: 100 },
    { step: 7, from: 200 },
  ];

  test('are those from its trigger up to its arrival', () => {
    expect(inForce(versions, 5, 150).map(({ step }) => step)).toEqual([4]);
    expect(inForce(versions, 3, 150).map(({ step }) => step)).toEqual([0, 4]);
    expect(inForce(versions, 3, 250).map(({ step }) => step)).toEqual([0, 4, 7]);
  });

  test('leave out those of before, also where no time has passed since', () => {
    expect(inForce(versions, 5, 100).map(({ step }) => step)).toEqual([4]);
  });
});

test('a moment is free behind all that touch one another around it', () => {
  const busy = [
    { from: 0, to: 10 },
    { from: 8, to: 20 },
    { from: 30, to: 40 },
  ];
  expect([5, 25, 30, 40].map((moment) => freeFrom(moment, busy))).toEqual([20, 25, 40, 40]);
});
