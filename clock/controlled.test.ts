import { createServer } from 'node:http';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { listen } from '../fixtures/listening.fixture.ts';
import { Activity } from './activity.ts';
import { type Clock, nextTurn, systemClock } from './clock.ts';
import { clockToTakeOver, controlledClock } from './controlled.ts';

/** The whole process does nothing, as on a machine that is too busy. */
function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

const clockAt = (startAt: number) => controlledClock({ startAt });

describe.each<[string, () => Clock]>([
  ['system', () => systemClock],
  ['controlled', () => clockAt(0)],
])('the %s clock', (_name, clock) => {
  test.each([-1, Number.NaN])('refuses a delay of %d', async (delayMs) => {
    await expect(clock().sleep(delayMs)).rejects.toThrow(RangeError);
  });

  test('lets a sleep of 0 ms pass at once', () => clock().sleep(0));

  test('ends a sleep with the reason of its signal, before and while it waits', async () => {
    const reason = new Error('no longer wanted');
    await expect(clock().sleep(1000, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const abort = new AbortController();
    const sleep = clock().sleep(60_000, { signal: abort.signal });
    abort.abort(reason);
    await expect(sleep).rejects.toBe(reason);
  });
});

test('the system clock sleeps at least as long as told, and keeps delays beyond what a timer holds', async () => {
  const from = systemClock.monotonic();
  await systemClock.sleep(5);
  expect(systemClock.monotonic() - from).toBeGreaterThanOrEqual(4);
  const abort = new AbortController();
  const sleep = systemClock.sleep(2 ** 31, { signal: abort.signal });
  const first = await Promise.race([
    sleep.then(
      () => 'slept',
      () => 'aborted',
    ),
    systemClock.sleep(5).then(() => 'still asleep'),
  ]);
  expect(first).toBe('still asleep');
  abort.abort();
  await expect(sleep).rejects.toThrow();
});

describe('the controlled clock', () => {
  test('does what it is told in turn: a reset comes after the moves before it, and a move stops time that was let run', async () => {
    const clock = clockAt(1000);
    void clock.sleep(5);
    const [fired] = await Promise.all([clock.advanceBy(10), clock.reset()]);
    expect([fired.length, clock.now(), clock.running]).toEqual([1, 1000, false]);
    const startedAt = Date.now();
    await Promise.all([clock.run(), clock.advanceBy(10)]);
    expect(clock.running).toBe(false);
    // it ran, if only for as long as the machine took from one to the other
    expect(clock.now() - 1010).toBeGreaterThanOrEqual(0);
    expect(clock.now() - 1010).toBeLessThanOrEqual(Date.now() - startedAt);
    await clock.run();
    expect(clock.running).toBe(true);
  });

  test('fires exactly the timers up to the time told, in order of their due time, each at its own time', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 50 })), fc.nat(60), async (delays, by) => {
        const clock = clockAt(1000);
        const seen: number[] = [];
        delays.forEach(
          (delayMs, index) => void clock.sleep(delayMs, { tag: `${index}` }).then(() => seen.push(clock.now())),
        );
        const fired = await clock.advanceBy(by);
        const due = delays.filter((delayMs) => delayMs <= by).map((delayMs) => 1000 + delayMs);
        expect(seen).toEqual(due.toSorted((a, b) => a - b));
        expect(fired.map((timer) => timer.at)).toEqual(seen);
        expect(clock.timers()).toHaveLength(delays.length - due.length);
        expect(clock.now()).toBe(1000 + by);
        expect(clock.monotonic()).toBe(by);
      }),
    );
  });

  test('walks through timers that a fired one sets', async () => {
    const clock = clockAt(0);
    const seen: number[] = [];
    const ticking = (async () => {
      for (let count = 0; count < 3; count += 1) {
        await clock.sleep(10, { tag: 'tick' });
        seen.push(clock.now());
      }
    })();
    expect(await clock.advanceTo(29)).toEqual([
      { at: 10, tag: 'tick' },
      { at: 20, tag: 'tick' },
    ]);
    expect(clock.timers()).toEqual([{ at: 30, tag: 'tick' }]);
    expect(await clock.advanceTo(30)).toEqual([{ at: 30, tag: 'tick' }]);
    await ticking;
    expect(seen).toEqual([10, 20, 30]);
  });

  test('moves to the next timer and no further, and stays where it is without one', async () => {
    const clock = clockAt(0);
    const first = [clock.sleep(7, { tag: 'a' }), clock.sleep(7, { tag: 'b' })];
    void clock.sleep(8, { tag: 'c' });
    expect(await clock.advanceNext()).toEqual([
      { at: 7, tag: 'a' },
      { at: 7, tag: 'b' },
    ]);
    await Promise.all(first);
    expect(clock.now()).toBe(7);
    expect(await clock.advanceNext()).toEqual([{ at: 8, tag: 'c' }]);
    expect(await clock.advanceNext()).toEqual([]);
    expect(clock.now()).toBe(8);
  });

  test('does not go back, and lets moves that come together run one after another', async () => {
    const clock = clockAt(100);
    await expect(clock.advanceTo(99)).rejects.toThrow(RangeError);
    await expect(clock.advanceBy(-1)).rejects.toThrow(RangeError);
    await Promise.all([clock.advanceBy(5), clock.advanceBy(5)]);
    expect(clock.now()).toBe(110);
  });

  test.for([-1, Number.NaN, Infinity])('does not move by %d', async (by) => {
    const clock = clockAt(0);
    await expect(clock.advanceBy(by)).rejects.toThrow(RangeError);
    expect(clock.now()).toBe(0);
  });

  test('never fires what waits for ever, and does not tell of it', async () => {
    const clock = clockAt(0);
    const end = new AbortController();
    const sleep = clock.sleep(Infinity, { signal: end.signal });
    expect([await clock.advanceNext(), clock.timers()]).toEqual([[], []]);
    end.abort(new Error('enough'));
    await expect(sleep).rejects.toThrow('enough');
  });

  test('waits for what a timer sets off, calls included, but for those that are held', async () => {
    const [clock, activity] = [clockAt(0), new Activity()];
    clock.settleWith(() => activity.settled());
    const call = Promise.withResolvers<void>();
    let ended = false;
    void clock
      .sleep(10)
      .then(() => activity.call(() => systemClock.sleep(30)))
      .then(() => (ended = true));
    await clock.advanceBy(10);
    expect(ended).toBe(true);
    activity.hold(1);
    void activity.call(() => call.promise);
    await clock.advanceBy(10);
    expect(activity.calls).toBe(1);
    call.resolve();
  });

  test('does not take a call for held that needs a few more turns after the machine stood still', async () => {
    const [clock, activity] = [clockAt(0), new Activity()];
    clock.settleWith(() => activity.settled());
    let ended = false;
    await using server = await listen(
      createServer(async (_request, response) => {
        standStill(300);
        for (let turn = 0; turn < 8; turn += 1) await nextTurn();
        response.end();
      }),
    );
    void activity.call(async () => (await fetch(server.url)).text()).then(() => (ended = true));
    await clock.advanceBy(10);
    expect(ended).toBe(true);
  });

  test('lets time run by itself until it is taken over', async () => {
    const clock = clockToTakeOver();
    await clock.sleep(5);
    expect(clock.running).toBe(true);
    await clock.advanceBy(0);
    const end = new AbortController();
    const sleep = clock.sleep(5, { signal: end.signal });
    const either = [sleep.then(() => 'woke'), systemClock.sleep(30).then(() => 'asleep')];
    expect(await Promise.race(either)).toBe('asleep');
    end.abort(new Error('enough'));
    await expect(Promise.all(either)).rejects.toThrow('enough');
    await clock.advanceBy(3_600_000);
    await clock.reset();
    expect([clock.running, clock.now() < Date.now() + 3_600_000]).toEqual([true, true]);
  });

  test('forgets a sleep that was aborted', async () => {
    const clock = clockAt(0);
    const abort = new AbortController();
    const sleep = clock.sleep(10, { signal: abort.signal });
    abort.abort();
    await expect(sleep).rejects.toThrow();
    expect(clock.timers()).toEqual([]);
  });
});
