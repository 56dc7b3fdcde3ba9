import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Activity } from './activity.ts';
import { ControlledClock } from './controlled.ts';

const never = new AbortController().signal;
const stopped = async (): Promise<{ clock: ControlledClock; activity: Activity; from: number }> => {
  const activity = new Activity();
  const clock = new ControlledClock(() => activity.settle());
  await clock.advanceBy(0);
  return { clock, activity, from: clock.now() };
};

describe('a clock that is moved', () => {
  test('fires what is due, in order and at its time, and nothing else', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 8 }), fc.nat(50), async (delays, by) => {
        const { clock, from } = await stopped();
        const seen: number[] = [];
        for (const delayMs of delays) void clock.sleep(delayMs, never).then(() => seen.push(clock.now() - from));
        const fired = await clock.advanceBy(by);
        const due = delays.filter((delayMs) => delayMs <= by).toSorted((a, b) => a - b);
        expect(seen).toEqual(due);
        expect(fired.map(({ at }) => at - from)).toEqual(due);
        expect(clock.timers()).toHaveLength(delays.length - due.length);
        expect(clock.now()).toBe(from + by);
      }),
      { numRuns: 50 },
    ));

  test('waits for what a timer sets off, calls included, but for those that are held', async () => {
    const { clock, activity } = await stopped();
    const call = Promise.withResolvers<void>();
    let ended = false;
    void clock
      .sleep(10, never)
      .then(() =>
        activity.call(() => new Promise<void>((resolve) => setTimeout(() => resolve(), 30))).then(() => (ended = true)),
      );
    await clock.advanceBy(10);
    expect(ended).toBe(true);
    activity.hold(1);
    void activity.call(() => call.promise);
    await clock.advanceBy(10);
    expect(activity.calls).toBe(1);
    call.resolve();
  });

  test('lets time run by itself until then', async () => {
    const clock = new ControlledClock(async () => undefined);
    await clock.sleep(5, never);
    expect(clock.running).toBe(true);
    await clock.advanceBy(0);
    const end = new AbortController();
    const sleep = clock.sleep(5, end.signal);
    expect(
      await Promise.race([sleep.then(() => 'woke'), new Promise((resolve) => setTimeout(() => resolve('asleep'), 30))]),
    ).toBe('asleep');
    end.abort(new Error('enough'));
    await expect(sleep).rejects.toThrow('enough');
    expect(clock.timers()).toEqual([]);
  });

  test('does what it is told in turn: a reset comes after the moves before it, and a move stops time that was let run', async () => {
    const { clock, from } = await stopped();
    await Promise.all([clock.advanceBy(3_600_000), clock.reset()]);
    expect(clock.running).toBe(true);
    expect(clock.now()).toBeLessThan(from + 3_600_000);
    await Promise.all([clock.run(), clock.advanceBy(10)]);
    expect(clock.running).toBe(false);
  });

  test.for([-1, Number.NaN, Infinity])('does not move by %d', async (by) => {
    const { clock, from } = await stopped();
    await expect(clock.advanceBy(by)).rejects.toThrow(RangeError);
    expect(clock.now()).toBe(from);
  });
});
