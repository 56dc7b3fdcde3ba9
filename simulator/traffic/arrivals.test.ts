import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shapeOf } from './arrivals.ts';

const stages = fc.array(fc.record({ seconds: fc.integer({ min: 1, max: 20 }), to: fc.integer({ min: 0, max: 3 }) }), {
  minLength: 1,
  maxLength: 5,
});

function allDue(shape: ReturnType<typeof shapeOf>, rate: number): readonly number[] {
  const found: number[] = [];
  for (let at = shape.dueAt(0, rate); at !== undefined; at = shape.dueAt(found.length, rate)) found.push(at);
  return found;
}

test('arrivals never go back, and there are as many in any span as the load in it asks for', () => {
  fc.assert(
    fc.property(stages, fc.integer({ min: 1, max: 50 }), (parts, rate) => {
      const shape = shapeOf({ stages: parts }, 0, 0);
      const due = allDue(shape, rate);
      expect(due.every((at, index) => index === 0 || at >= (due[index - 1] ?? 0))).toBe(true);
      const step = 10;
      let load = 0;
      for (let at = 0; at < shape.durationMs; at += step) {
        load += (shape.factorAt(at + step / 2) * rate * step) / 1000;
        const arrived = due.filter((one) => one < at + step).length;
        expect(Math.abs(arrived - load)).toBeLessThanOrEqual(1.5);
      }
    }),
    { numRuns: 30 },
  );
});

test('without a ramp they come at even distances from the start', () => {
  expect(allDue(shapeOf({}, 0, 1000), 4)).toEqual([0, 250, 500, 750]);
});

test('a ramp to the full load brings half as many as the full load would', () => {
  expect(allDue(shapeOf({}, 2000, 2000), 10)).toHaveLength(10);
});
