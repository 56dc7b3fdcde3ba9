import { Ajv } from 'ajv';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { timelineLimits } from '../../contract/limits.ts';
import { timelinesSchema } from '../../contract/schemas/timeline.ts';
import { boundedTimelines, type Due, timelineOf, type Told } from './timeline.ts';

const isTimelines = new Ajv({ allErrors: true }).compile(timelinesSchema);
const zero = { at: 1000, label: 'the first attempt' };
const anyTime = fc.oneof(fc.integer({ min: 0, max: 100_000 }), fc.double());
const anyDue: fc.Arbitrary<Due> = fc.record(
  { label: fc.string({ maxLength: 300 }), from: anyTime, until: anyTime, calls: fc.nat(5) },
  { requiredKeys: ['label', 'from'] },
);
const anyCall: fc.Arbitrary<Told> = fc.record(
  { arrivedAt: anyTime, endedAt: anyTime, answered: fc.integer({ min: 100, max: 599 }) },
  { requiredKeys: ['arrivedAt'] },
);

describe('a timeline', () => {
  test('of any schedule and any calls is one that a reader takes', () => {
    const story = fc.record({ due: fc.array(anyDue, { maxLength: 40 }), calls: fc.array(anyCall, { maxLength: 60 }) });
    fc.assert(
      fc.property(fc.array(story, { maxLength: 20 }), (stories) => {
        const timelines = boundedTimelines(stories.map((one) => timelineOf({ title: 'attempts', zero, ...one })));
        isTimelines(timelines);
        expect(isTimelines.errors).toBeNull();
      }),
    );
  });

  test('marks what came early, late, or when nothing was due, and what did not come', () => {
    const due = [2000, 4000, 8000].map((from) => ({ label: `at ${from}`, from, until: from + 250 }));
    const told = (...arrivals: number[]) =>
      timelineOf({ title: 'attempts', zero, due, calls: arrivals.map((arrivedAt) => ({ arrivedAt })) });
    const off = (...arrivals: number[]) => told(...arrivals).seen.map(({ isOff = false }) => isOff);
    expect(off(2000, 4000, 8000)).toEqual([false, false, false]);
    expect(off(1995, 4250, 8251)).toEqual([false, false, true]);
    expect(off(1994, 4000, 8000, 8001)).toEqual([true, false, false, true]);
    expect(told(2000, 4000).expected.map(({ missing }) => missing)).toEqual([undefined, undefined, 1]);
    expect(told(2000).seen[0]?.atMs).toBe(1000);
    expect(timelineOf({ title: 'left open', zero, due: [], calls: [{ arrivedAt: 1 }] }).seen[0]?.isOff).toBeUndefined();
  });

  test('of several those with something off are kept, and those of one title are numbered', () => {
    const late = timelineOf({
      title: 'attempts',
      zero,
      due: [{ label: 'none', from: 0, calls: 0 }],
      calls: [{ arrivedAt: 1 }],
    });
    const kept = boundedTimelines([
      ...Array.from({ length: 20 }, () => timelineOf({ title: 'attempts', zero, due: [], calls: [] })),
      late,
    ]);
    expect(kept).toHaveLength(timelineLimits.timelines);
    expect(kept.at(-1)).toMatchObject({ title: `attempts (${kept.length} of ${kept.length})`, seen: late.seen });
  });
});
