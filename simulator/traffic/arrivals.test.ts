import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scheduleOf, shapeOf } from './arrivals.ts';

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

describe('arrivals by chance', () => {
  const [rate, seconds, windowMs] = [50, 200, 200];
  const load = { model: 'open', rate, arrivals: 'poisson' } as const;
  const due = (shape: ReturnType<typeof shapeOf>, workers = 1): readonly number[] =>
    Array.from({ length: workers }, (_, worker) => {
      const dueAt = scheduleOf(shape, load, 7);
      const found: number[] = [];
      for (let number = worker; ; number += workers) {
        const at = dueAt(number);
        if (at === undefined) return found;
        found.push(at);
      }
    })
      .flat()
      .toSorted((one, other) => one - other);

  test('keep the rate, and differ from window to window as much as chance does', () => {
    const arrived = due(shapeOf({}, 0, seconds * 1000));
    // within four deviations
    expect(Math.abs(arrived.length - rate * seconds)).toBeLessThan(4 * Math.sqrt(rate * seconds));
    const windows = Array.from({ length: (seconds * 1000) / windowMs }, () => 0);
    for (const at of arrived) windows[Math.floor(at / windowMs)] = (windows[Math.floor(at / windowMs)] ?? 0) + 1;
    const mean = arrived.length / windows.length;
    const variance = windows.reduce((sum, count) => sum + (count - mean) ** 2, 0) / windows.length;
    // 1 for Poisson, near 0 at even distances
    expect(variance / mean).toBeGreaterThan(0.8);
    expect(variance / mean).toBeLessThan(1.2);
  });

  test('are the same by one worker and by three, in stages too', () => {
    const shape = shapeOf(
      {
        stages: [
          { seconds: 4, to: 1 },
          { seconds: 4, to: 0.2 },
        ],
      },
      0,
      0,
    );
    expect(due(shape, 3)).toEqual(due(shape));
    expect(Math.max(...due(shape))).toBeLessThan(8000);
  });
});
