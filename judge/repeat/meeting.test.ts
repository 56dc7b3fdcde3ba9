import fc from 'fast-check';
import { expect, test } from 'vitest';
import { answered } from './kind.ts';
import { withMeeting } from './meeting.ts';

function sentAt(sentAt: number, durationMs: number, method: string) {
  const { request, exchange } = answered({ method, url: `http://service/${sentAt}`, headers: [] }, { status: 200 });
  return { request, exchange: { ...exchange, sentAt, durationMs } };
}

test('the writes that were under way at the moment of one come last, this one behind them', () => {
  const times = fc.record({
    at: fc.nat({ max: 30 }),
    lasts: fc.integer({ min: 1, max: 10 }),
    method: fc.constantFrom('GET', 'PUT'),
  });
  fc.assert(
    fc.property(fc.array(times, { minLength: 2, maxLength: 12 }), fc.nat(), (drawn, choice) => {
      const history = drawn.map(({ at, lasts, method }) => sentAt(at, lasts, method));
      const named = history[choice % history.length]?.exchange;
      const told = withMeeting(history, named);
      const met = told.filter(({ request }) => request.atOnce === true);
      if (met.length === 0) {
        expect(told).toBe(history);
        return;
      }
      expect(met.length).toBeGreaterThan(1);
      expect(met.at(-1)?.exchange).toBe(named);
      expect(told.slice(-met.length)).toEqual(met);
      expect(met.every(({ request }) => request.method === 'PUT')).toBe(true);
      const from = Math.min(...met.map(({ exchange }) => exchange.sentAt));
      const before = told.slice(0, -met.length);
      expect(before.every(({ exchange }) => exchange.sentAt + exchange.durationMs <= from)).toBe(true);
    }),
  );
});
