import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Waits } from '../case/waits.ts';
import { judgedInTime } from './deadline.ts';
import { startTakingOff } from './taken-off.ts';
import { startDeadline } from '../time/real-time.ts';

const deadlineMs = 1000;

/** A case on a machine that stalls for so long, whose orders to the clock were on their way for so long by then, and whose clock was held up for so long. */
function takingOff({
  stalledMs = 0,
  orderedMs = 0,
  orderedBeforeMs = 0,
  heldUpMs = 0,
  waits = new Waits(),
} = {}): () => number {
  const asked: number[] = [];
  const machine = {
    stalledMs: (from: number, to: number) => {
      asked.push(from, to);
      return stalledMs;
    },
  };
  const time = { orderedMs: orderedBeforeMs, heldUpMs: 0 };
  const startedAt = performance.now();
  const takenOff = startTakingOff({ session: { machine, time }, waits, deadlineMs });
  time.orderedMs += orderedMs;
  time.heldUpMs += heldUpMs;
  return () => {
    const ms = takenOff();
    expect(asked[0]).toBeGreaterThanOrEqual(startedAt);
    expect(asked[1]).toBeLessThanOrEqual(performance.now());
    return ms;
  };
}

describe('no part of the limit of a case', () => {
  test('is what the machine took since it began, and what orders to the clock were on their way or held up since then', () => {
    expect(takingOff()()).toBe(0);
    expect(takingOff({ stalledMs: 300 })()).toBe(300);
    expect(takingOff({ orderedMs: 200, orderedBeforeMs: 5000 })()).toBe(200);
    expect(takingOff({ stalledMs: 300, orderedMs: 200 })()).toBe(500);
    expect(takingOff({ orderedMs: 200, heldUpMs: 100 })()).toBe(300);
  });

  test('is as much of these as three of its limits at most', () => {
    expect(takingOff({ stalledMs: 5000, orderedMs: 5000 })()).toBe(3 * deadlineMs);
  });

  test('is all of the time in which its requests are held back', async () => {
    const waits = new Waits();
    const held = Promise.withResolvers<void>();
    const holding = waits.heldBack('a request', held.promise);
    const takenOff = takingOff({ stalledMs: 5000, waits });
    while (waits.heldBackMs === 0) await new Promise(setImmediate);
    expect(takenOff()).toBeGreaterThan(3 * deadlineMs);
    held.resolve();
    await holding;
    expect(takenOff()).toBe(3 * deadlineMs + waits.heldBackMs);
  });
});

describe('the limit of a case', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
  afterEach(() => void vi.useRealTimers());

  test('is reached so much later, also by what is known only then', () => {
    let uncountedMs = 300;
    let isOver = false;
    startDeadline(
      deadlineMs,
      () => uncountedMs,
      () => (isOver = true),
    );
    vi.advanceTimersByTime(deadlineMs + 299);
    uncountedMs = 500;
    vi.advanceTimersByTime(200);
    expect(isOver).toBe(false);
    vi.advanceTimersByTime(1);
    expect(isOver).toBe(true);
  });

  test('ends its judgement when nothing more is taken off', async () => {
    const judging = judgedInTime(() => new Promise(() => undefined), 'reading.create.status-201', {
      limitMs: deadlineMs,
      stopped: new AbortController().signal,
      heldBackMs: () => 300,
      waitedFor: () => 'the answer to GET /slow (for 1 s)',
    });
    let isOver = false;
    void judging.then(() => (isOver = true));
    await vi.advanceTimersByTimeAsync(deadlineMs + 299);
    expect(isOver).toBe(false);
    // with the time that it has to say what it booked
    await vi.advanceTimersByTimeAsync(deadlineMs);
    const { outcome } = await judging;
    expect(outcome).toMatchObject({
      verdict: 'broken',
      reason: expect.stringContaining('did not end within 1 s; it waited for the answer to GET /slow (for 1 s)'),
    });
  });
});
