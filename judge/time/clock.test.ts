import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CaseRecord } from '../case/record.ts';
import { MachineStalled, TooLate, Violation } from '../violation.ts';
import { Clock } from './clock.ts';
import type { Timed } from './timeline.ts';
import type { TimeKeeper } from './keeper.ts';

/** A clock beside a service that was slow by so much, on a machine that stalled for so long. */
function clockWith(
  slowMs = 0,
  record = new CaseRecord(true),
  gapClock: 'end' | 'open' = 'end',
  now = () => 0,
  stalledMs = 0,
  controlled = false,
): Clock {
  const keeper: TimeKeeper = {
    controlled,
    now,
    sleep: () => Promise.reject(new Error('nobody sleeps here')),
    begin: async () => undefined,
    watch: () => undefined,
    join: () => Promise.reject(new Error('nobody takes part here')),
    keptBetween: () => ({ stalledMs, slowMs }),
    close: async () => undefined,
  };
  return new Clock(keeper, record, gapClock === 'open' ? {} : { gapClock });
}

/** Attempts that take a while each, with those gaps between them. */
function attempts(gapsMs: readonly number[], durationMs: number): readonly Timed[] {
  let at = 1000;
  return [0, ...gapsMs].map((gapMs) => {
    const arrivedAt = at + gapMs;
    at = arrivedAt + durationMs;
    return { arrivedAt, endedAt: at };
  });
}

const expectTwo = (clock: Clock, calls: readonly Timed[]): void => clock.expectCalls('attempts', calls, 2);

const documented = [2000, 4000, 8000, 16_000, 32_000];
const lateMs = (gapMs: number): number => Math.max(250, gapMs * 0.05);

describe('gaps', () => {
  test('within the tolerance pass, whatever the attempts took', () => {
    const shifts = fc.tuple(
      ...documented.map((gapMs) => fc.double({ min: -5 + 1e-6, max: lateMs(gapMs) - 1e-6, noNaN: true })),
    );
    fc.assert(
      fc.property(shifts, fc.integer({ min: 0, max: 5000 }), (late, durationMs) => {
        const calls = attempts(
          documented.map((gapMs, index) => gapMs + (late[index] ?? 0)),
          durationMs,
        );
        clockWith().expectGaps(calls, documented);
      }),
    );
  });

  test('one that is early or late by more is a violation, and one missing or one too many', () => {
    const wrong = fc.record({
      index: fc.nat(documented.length - 1),
      early: fc.boolean(),
      byMs: fc.double({ min: 0.01, max: 5000, noNaN: true }),
    });
    fc.assert(
      fc.property(wrong, ({ index, early, byMs }) => {
        const gaps = documented.map((gapMs, at) => {
          if (at !== index) return gapMs;
          return early ? Math.max(0, gapMs - 5.001 - byMs) : gapMs + lateMs(gapMs) + byMs;
        });
        expect(() => clockWith().expectGaps(attempts(gaps, 10), documented)).toThrow(Violation);
      }),
    );
    expect(() => clockWith().expectGaps(attempts(documented.slice(1), 10), documented)).toThrow('6 attempts');
    expect(() => clockWith().expectGaps(attempts([...documented, 64_000], 10), documented)).toThrow('6 attempts');
  });

  test('where it is open what a gap counts from, it may count from the start of an attempt, and from no time before', () => {
    fc.assert(
      fc.property(fc.integer({ min: 10, max: 1900 }), fc.integer({ min: 10, max: 90 }), (durationMs, byMs) => {
        const fromStart = attempts(
          documented.map((gapMs) => gapMs - durationMs),
          durationMs,
        );
        const open = clockWith(0, new CaseRecord(true), 'open');
        open.expectGaps(fromStart, documented);
        expect(() => clockWith().expectGaps(fromStart, documented)).toThrow(Violation);
        const early = fromStart.map(({ arrivedAt, endedAt }, index) => ({
          arrivedAt: arrivedAt - index * byMs,
          endedAt,
        }));
        expect(() => open.expectGaps(early, documented)).toThrow(Violation);
      }),
    );
  });

  test('an end that was heard late may as well have been when it was', () => {
    const heardLate = (calls: readonly Timed[]) =>
      calls.map((call) => ({ ...call, heardAt: (call.endedAt ?? 0) + 3000 }));
    clockWith().expectGaps(heardLate(attempts([2000], 10)), [2000]);
    clockWith().expectGaps(heardLate(attempts([5000], 10)), [2000]);
    expect(() => clockWith().expectGaps(heardLate(attempts([1500], 10)), [2000])).toThrow(Violation);
    expect(() => clockWith().expectGaps(heardLate(attempts([5500], 10)), [2000])).toThrow(Violation);
  });

  test('the time in which the target held a request back is no part of a wait', async () => {
    const record = new CaseRecord(true);
    const clock = clockWith(0, record);
    const held = Promise.withResolvers<void>();
    const came = Promise.withResolvers<string>();
    const holding = record.waits.heldBack('a request', held.promise);
    const waiting = clock.until(came.promise, 20);
    setTimeout(() => {
      held.resolve();
      came.resolve('the call');
    }, 100);
    expect(await waiting).toBe('the call');
    await holding;
    expect(await clock.until(new Promise<string>(() => undefined), 20)).toBeUndefined();
  });

  test('what the calibration explains is inconclusive: lateness, and earliness after an end that was noticed late', () => {
    expect(() => clockWith(70).expectGaps(attempts([2500], 10), [2000])).toThrow(TooLate);
    expect(() => clockWith(70).expectGaps(attempts([2500], 10), [2000])).not.toThrow('--shard');
    expect(() => clockWith(12_000).expectGaps(attempts([13_000], 10), [2000])).toThrow('--shard');
    expect(() => clockWith(60).expectGaps(attempts([2500], 10), [2000])).toThrow(Violation);
    expect(() => clockWith(600).expectGaps(attempts([1500], 10), [2000])).toThrow(TooLate);
    expect(() => clockWith(50).expectGaps(attempts([1900], 10), [2000])).toThrow(Violation);
  });

  test('the last attempts of a row that was late from the start are no word about a service that is slow with everything', () => {
    const late = attempts([9582, 6130, 15_913, 20_194], 10);
    expect(() => clockWith(2000).expectGaps(late, documented)).toThrow(TooLate);
    expect(() => clockWith(100).expectGaps(late, documented)).toThrow('6 attempts');
    expect(() => clockWith(2000).expectGaps(attempts(documented.slice(0, 4), 10), documented)).toThrow(Violation);
  });

  test('early by no more than a call may be longer on its way than the next one is in time', () => {
    clockWith(100).expectGaps(attempts([1900], 10), [2000]);
    expect(() => clockWith(90).expectGaps(attempts([1900], 10), [2000])).toThrow(Violation);
  });

  test('what falls into a stall of the machine proves nothing, and what no stall explains does', () => {
    const stalledFor = (ms: number): Clock => clockWith(0, new CaseRecord(true), 'end', () => 0, ms);
    expect(() => stalledFor(70).expectGaps(attempts([2500], 10), [2000])).toThrow(MachineStalled);
    expect(() => stalledFor(60).expectGaps(attempts([2500], 10), [2000])).toThrow(Violation);
    expect(() => stalledFor(30).expectGaps(attempts([1900], 10), [2000])).toThrow(MachineStalled);
    // one too many, after an answer that the machine held back or not
    for (const count of [(clock: Clock, calls: readonly Timed[]) => clock.expectGaps(calls, [2000]), expectTwo]) {
      expect(() => count(stalledFor(800), attempts([2000, 2000], 3000))).toThrow(MachineStalled);
      expect(() => count(stalledFor(700), attempts([2000, 2000], 3000))).toThrow(Violation);
      expect(() => count(stalledFor(800), attempts([2000, 2000], 200))).toThrow(Violation);
      expect(() => count(stalledFor(1000), attempts([2000, 2000], 10))).toThrow(MachineStalled);
    }
    expect(() => stalledFor(20).expectGaps(attempts([1900], 10), [2000])).toThrow(Violation);
  });
});

test('a count may have an end that is open: too few are lateness, which a stall explains, and too many are not', async () => {
  const waited = async (stalledMs: number, slowMs = 0): Promise<Clock> => {
    let now = 0;
    const clock = clockWith(slowMs, new CaseRecord(true), 'end', () => now, stalledMs);
    const waiting = clock.until(Promise.resolve(), 1000);
    now = 1000;
    await waiting;
    return clock;
  };
  const six = attempts([2000, 4000, 8000, 16_000, 32_000], 10);
  const clock = await waited(0);
  clock.expectCalls('attempts', six, { least: 6 });
  clock.expectCalls('attempts', six, { most: 6 });
  expect(() => clock.expectCalls('attempts', six, { least: 7 })).toThrow('attempts to be 7 at least, found 6');
  expect(() => clock.expectCalls('attempts', six, { most: 5 })).toThrow('attempts to be 5 at most, found 6');
  expect(() => clock.expectCalls('attempts', six, { least: 2, most: 5 })).toThrow('2 at least and 5 at most');
  const stalled = await waited(250);
  expect(() => stalled.expectCalls('attempts', six, { least: 7 })).toThrow(MachineStalled);
  expect(() => stalled.expectCalls('attempts', six, { most: 5 })).toThrow(Violation);
  const slow = await waited(0, 250);
  expect(() => slow.expectCalls('attempts', six, { least: 7 })).toThrow(TooLate);
  expect(() => slow.expectCame('the seventh', undefined)).toThrow(TooLate);
  expect(() => slow.expectCalls('attempts', six, { most: 5 })).toThrow(Violation);
  const quick = await waited(0, 240);
  expect(() => quick.expectCalls('attempts', six, { least: 7 })).toThrow(Violation);
});

test('what is missing after a wait that took no time is missing, unless the machine stalled for longer than a call takes', async () => {
  for (const [stalledMs, error] of [
    [0, Violation],
    [23, Violation],
    [70, MachineStalled],
  ] as const) {
    const clock = clockWith(0, new CaseRecord(true), 'end', () => 0, stalledMs);
    await clock.until(Promise.resolve('at once'), 1000);
    expect(() => clock.expectCalls('attempts', [], 1)).toThrow(error);
  }
});

describe('what is done at a moment for what is true up to another', () => {
  const done = async (atMs: number, isRight?: () => boolean): Promise<string> => {
    let now = 0;
    const clock = clockWith(0, new CaseRecord(true), 'end', () => now);
    const act = async (): Promise<string> => {
      now = atMs;
      return 'an answer';
    };
    return clock.at(0, act, { until: 100, what: 'the token ends', ...(isRight && { isRight }) });
  };

  test('counts where it had ended by then, and shows nothing where it had not', async () => {
    expect(await done(100)).toBe('an answer');
    await expect(done(101)).rejects.toThrow(TooLate);
  });

  test('counts also later where the result is right at any time', async () => {
    expect(await done(101, () => true)).toBe('an answer');
    await expect(done(101, () => false)).rejects.toThrow('before the token ends');
  });
});

test('lateness, and where time is moved earliness too, is told from other violations, because it has to be seen twice', () => {
  const violationOf = (run: () => void): Partial<Violation> => {
    try {
      run();
      return {};
    } catch (error) {
      return error instanceof Violation ? error : {};
    }
  };
  const real = clockWith();
  const moved = clockWith(0, new CaseRecord(true), 'end', () => 0, 0, true);
  const seen: readonly (readonly [(clock: typeof real) => void, 'early' | 'late' | 'neither'])[] = [
    [(clock) => clock.expectGaps(attempts([2500], 10), [2000]), 'late'],
    [(clock) => clock.expectGaps(attempts([1500], 10), [2000]), 'early'],
    [(clock) => clock.expectGaps(attempts([], 10), [2000]), 'late'],
    [(clock) => clock.expectCalls('calls', attempts([1], 10), 1), 'neither'],
    [(clock) => clock.expectCame('a call', undefined), 'late'],
    [(clock) => clock.expectCalls('calls', [], { least: 1 }), 'late'],
    [(clock) => clock.expectCalls('calls', attempts([1], 10), { most: 1 }), 'neither'],
  ];
  for (const [run, how] of seen) {
    expect(violationOf(() => run(real))).toMatchObject({ isLate: how === 'late', isOutOfTime: false });
    expect(violationOf(() => run(moved))).toMatchObject({ isLate: false, isOutOfTime: how !== 'neither' });
  }
  for (const run of [
    () => real.expectDue('a call', 1000, 2000, { mayEndMinute: true }),
    () => real.expectCalls('calls', attempts([1], 10), 1, { mayEndMinute: true }),
  ])
    expect(violationOf(run)).toMatchObject({ isLate: false, isOutOfTime: true });
});

test('time passes only in a schedule', async () => {
  await expect(clockWith().pass(1)).rejects.toThrow('kind schedule');
});

describe('what is held against a schedule is told', () => {
  test('whether it holds or not, with the silence after it in the same timeline', () => {
    const record = new CaseRecord(true);
    const clock = clockWith(0, record);
    const calls = attempts([2000, 3000], 10);
    expect(() => clock.expectGaps(calls, [2000, 4000])).toThrow(Violation);
    expect(() => clock.expectCalls('attempts after the second', calls, 2)).toThrow(
      'attempts after the second to be 2, found 3',
    );
    const [timeline, ...others] = record.timelines.values();
    expect(others).toEqual([]);
    expect(timeline?.seen.map(({ atMs, isOff = false }) => [atMs, isOff])).toEqual([
      [0, false],
      [2010, false],
      [5020, true],
    ]);
    expect(timeline?.expected.map(({ fromMs, calls: due }) => [fromMs, due])).toEqual([
      [0, 1],
      [2010, 1],
      [6020, 1],
      [2020, 0],
    ]);
  });

  test('a due time by itself, unless the case tells it', () => {
    const record = new CaseRecord(true);
    const clock = clockWith(0, record);
    clock.expectDue('the end of the call', 3000, 3000, { zero: { at: 1000, label: 'the trigger' } });
    clock.expectDue('the end of the call', 3000, 3000, { isTold: true });
    expect([...record.timelines.values()]).toEqual([
      {
        title: 'the end of the call',
        zero: 'the trigger',
        expected: [{ label: 'the end of the call', fromMs: 2000, untilMs: 2250, calls: 1 }],
        seen: [{ label: 'the end of the call', atMs: 2000 }],
      },
    ]);
  });

  test('counts of calls that no schedule was asserted of', () => {
    const record = new CaseRecord(true);
    const clock = clockWith(0, record);
    clock.expectCalls('calls', attempts([], 10), 1);
    expect(() => clock.expectCalls('calls of another', [], 1)).toThrow('calls of another to be 1, found 0');
    expect([...record.timelines.values()].map(({ seen, expected }) => [seen.length, expected[0]?.missing])).toEqual([
      [1, undefined],
      [0, 1],
    ]);
  });
});

test('a case that takes no part in time waits in that of the service as well, where it stands still', async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const steps: string[] = [];
  const keeper: TimeKeeper = {
    controlled: true,
    standsStill: true,
    now: () => 0,
    sleep: () => Promise.reject(new Error('nobody sleeps here')),
    begin: async () => undefined,
    watch: () => undefined,
    join: async () => ({
      until: (awaited) => {
        steps.push('time is moved');
        resolve('came');
        return awaited;
      },
      through: (run) => run(),
      beside: (run) => run(),
      leave: () => void steps.push('left'),
    }),
    keptBetween: () => ({ stalledMs: 0, slowMs: 0 }),
    close: async () => undefined,
  };
  expect(await new Clock(keeper, new CaseRecord(true)).until(promise, 5)).toBe('came');
  expect(steps).toEqual(['time is moved', 'left']);
});
