import fc from 'fast-check';
import { expect, test } from 'vitest';
import { answered } from './kind.ts';
import { type Passing, withPasses } from './passing.ts';

const passing: Passing = {
  // a clock that is moved by a second in each ms of the machine
  at: (moment) => moment * 1000,
  order: (ms) => ({ method: 'POST', url: 'http://service/clock', headers: [], passMs: ms }),
  isMoved: true,
};

function sentAt(at: number, durationMs = 0) {
  const { request, exchange } = answered({ method: 'GET', url: `http://service/${at}`, headers: [] }, { status: 200 });
  return { at, sent: { request, exchange: { ...exchange, durationMs } } };
}

function told(history: ReturnType<typeof withPasses>): readonly (string | number)[] {
  return history.map(({ request }) => request.passMs ?? request.url.slice('http://service/'.length));
}

test('what passed between two requests passes between them', () => {
  expect(told(withPasses([sentAt(1), sentAt(1), sentAt(3)], passing))).toEqual(['1', '1', 2000, '3']);
});

test('the clock goes on by itself during a request for which it was moved', () => {
  expect(told(withPasses([sentAt(1), sentAt(2, 4), sentAt(7)], passing))).toEqual(['1', 1000, 0, '2', 1000, '7']);
});

test('whatever came behind the end is left out, and all time up to it passes', () => {
  const times = fc.array(fc.nat({ max: 50 }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(times, fc.nat({ max: 50 }), (drawn, end) => {
      const timed = drawn.toSorted((one, other) => one - other).map((at) => sentAt(at));
      const before = timed.filter(({ at }) => at <= end);
      const last = sentAt(end).sent;
      const history = withPasses(timed, passing, { by: end * 1000, sent: [last] });
      expect(history.filter(({ request }) => request.passMs === undefined)).toEqual([
        ...before.map(({ sent }) => sent),
        last,
      ]);
      const passedMs = history.reduce((sum, { request }) => sum + (request.passMs ?? 0), 0);
      expect(passedMs).toBe(before.length === 0 ? 0 : (end - (before[0]?.at ?? 0)) * 1000);
    }),
  );
});
