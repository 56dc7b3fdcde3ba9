import fc from 'fast-check';
import { build } from 'hdr-histogram-js';
import { expect, test } from 'vitest';
import { Histogram } from './histogram.ts';

const time = fc.oneof(
  fc.double({ min: 0, max: 5, noNaN: true }),
  fc.double({ min: 0, max: 3000, noNaN: true }),
  fc.double({ min: 0, max: 4_000_000, noNaN: true }),
  fc.integer({ min: 0, max: 22 }).map((power) => 2 ** power),
);
const times = fc.array(time, { maxLength: 200 });
const percents = [0.1, 1, 50, 90, 95, 99, 99.9, 99.99, 100] as const;

function holding(all: readonly number[]): Histogram {
  const histogram = new Histogram();
  for (const ms of all) histogram.record(ms);
  return histogram;
}

function told(histogram: Histogram): object {
  const { count, mean, max } = histogram;
  return { count, mean, max, percentiles: percents.map((percent) => histogram.percentile(percent)) };
}

test('a percentile is that of a known library, and the true one to a thousandth', () => {
  fc.assert(
    fc.property(times, (all) => {
      const known = build({ highestTrackableValue: 3_600_000_000, numberOfSignificantValueDigits: 3 });
      const us = all.map((ms) => Math.round(Math.min(ms, 3_600_000) * 1000)).toSorted((one, other) => one - other);
      for (const one of us) known.recordValue(one);
      const histogram = holding(all);
      for (const percent of percents) {
        const found = Math.round(histogram.percentile(percent) * 1000);
        expect(found).toBe(all.length === 0 ? 0 : Math.min(known.getValueAtPercentile(percent), us.at(-1) ?? 0));
        const exact = us[Math.max(1, Math.ceil((percent / 100) * us.length - 1e-9)) - 1] ?? 0;
        expect(Math.abs(found - exact)).toBeLessThanOrEqual(exact / 1000);
      }
    }),
  );
});

test('it is the same however times are dealt out, and when it was written and read', () => {
  fc.assert(
    fc.property(times, times, (some, others) => {
      const all = told(holding([...some, ...others]));
      const sum = holding(some);
      sum.add(holding(others));
      expect(told(sum)).toEqual(all);
      expect(sum.text()).toBe(holding([...others, ...some]).text());
      expect(told(Histogram.of(sum.text()))).toEqual(all);
      sum.reset();
      for (const ms of others) sum.record(ms);
      expect(told(sum)).toEqual(told(holding(others)));
    }),
  );
});

test.each(['', '1;2', '1;2;x', '1;2;5*0', '1;2;5*', '1;2;90000', '1;99999999999;1', 'a;2;3'])(
  "'%s' is no histogram",
  (text) => {
    expect(() => Histogram.of(text)).toThrow('Expected a histogram');
  },
);
