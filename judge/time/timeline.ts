import { timelineLimits } from '../../contract/limits.ts';
import { cutText } from '../describe.ts';
import type { ExpectedSpan, SeenMark, Timeline } from '../outcome.ts';

/** Something that arrived and, mostly, ended; times in ms of the clock. */
export interface Timed {
  readonly arrivedAt: number;
  readonly endedAt?: number | undefined;
  /** When it was heard that it had ended, where that may have been later. */
  readonly heardAt?: number | undefined;
  /** Status that it was answered with. */
  readonly answered?: number | undefined;
}

/** A moment to count from, in ms of the clock. */
export interface Moment {
  readonly at: number;
  /** As `the trigger`. */
  readonly label: string;
}

/** A span in which something is due, in ms of the clock; without an end it goes on. */
export interface Due {
  readonly label: string;
  readonly from: number;
  readonly until?: number;
  /** How many are due in it, 1 unless given; 0: none may come. */
  readonly calls?: number;
}

/** Something that came, with a name of its own and the word of the case on it, where it has them. */
export interface Told extends Timed {
  readonly label?: string;
  readonly isOff?: boolean;
}

/** A schedule and what came. */
export interface Story {
  readonly title: string;
  readonly zero: Moment;
  /** In the order in which they are due: the first call that came belongs to the first that is due, and so on. None: the documents leave it open. */
  readonly due: readonly Due[];
  readonly calls: readonly Told[];
  /** What a call is named with its number; `attempt` unless given. */
  readonly name?: string;
}

/** Early by that much, in ms, is in time. */
export const earlyMs = 5;

const longestLabel = 120;

const farthestMs = 8_640_000_000;

const anyTime: Due = { label: 'any time', from: -Infinity };

/** The story in ms from its zero, within the limits of an outcome. A call that is not the turn of any that is due is off. */
export function timelineOf({ title, zero, due, calls, name = 'attempt' }: Story): Timeline {
  const slots = due.flatMap((one) => Array.from({ length: one.calls ?? 1 }, () => one));
  const came = calls.filter(({ arrivedAt }) => Number.isFinite(arrivedAt));
  const seen = came.map((call, index) =>
    seenMark(
      call,
      call.label ?? `${name} ${index + 1}`,
      slots[index] ?? (due.length === 0 ? anyTime : undefined),
      zero.at,
    ),
  );
  const leftOut = Math.max(0, due.length - timelineLimits.expected) + Math.max(0, seen.length - timelineLimits.seen);
  return {
    title: short(title),
    zero: short(zero.label),
    expected: due.slice(0, timelineLimits.expected).map((one) => expectedSpan(one, slots.slice(came.length), zero.at)),
    seen: seen.slice(0, timelineLimits.seen),
    ...(leftOut > 0 && { leftOut: Math.min(leftOut, 10_000) }),
  };
}

/** As many as an outcome takes, those with something off before the others, in the order in which they were told. */
export function boundedTimelines(timelines: readonly Timeline[]): readonly Timeline[] {
  const kept = new Set(
    timelines
      .toSorted((one, other) => Number(hasFault(other)) - Number(hasFault(one)))
      .slice(0, timelineLimits.timelines),
  );
  return numbered(timelines.filter((timeline) => kept.has(timeline)));
}

function hasFault({ expected, seen }: Timeline): boolean {
  return seen.some(({ isOff }) => isOff === true) || expected.some(({ missing }) => missing !== undefined);
}

/** Several of one title are told apart by their number. */
function numbered(timelines: readonly Timeline[]): readonly Timeline[] {
  const titles = Map.groupBy(timelines, ({ title }) => title);
  return timelines.map((timeline) => {
    const alike = titles.get(timeline.title) ?? [];
    return alike.length > 1
      ? { ...timeline, title: `${timeline.title} (${alike.indexOf(timeline) + 1} of ${alike.length})` }
      : timeline;
  });
}

function seenMark(
  { arrivedAt, endedAt, answered, isOff }: Told,
  label: string,
  slot: Due | undefined,
  zeroAt: number,
): SeenMark {
  return {
    label: short(label),
    atMs: msFrom(zeroAt, arrivedAt),
    ...(endedAt !== undefined && { untilMs: msFrom(zeroAt, endedAt) }),
    ...(answered !== undefined && { status: answered }),
    ...((isOff ?? isOutside(arrivedAt, slot)) && { isOff: true }),
  };
}

function isOutside(at: number, slot: Due | undefined): boolean {
  return slot === undefined || at < slot.from - earlyMs || at > (slot.until ?? Infinity);
}

function expectedSpan(due: Due, open: readonly Due[], zeroAt: number): ExpectedSpan {
  const { label, from, until, calls = 1 } = due;
  const missing = open.filter((slot) => slot === due).length;
  return {
    label: short(label),
    fromMs: msFrom(zeroAt, from),
    ...(until !== undefined && { untilMs: msFrom(zeroAt, until) }),
    calls,
    ...(missing > 0 && { missing }),
  };
}

function msFrom(zeroAt: number, at: number): number {
  return Math.round(Math.max(-farthestMs, Math.min(farthestMs, at - zeroAt))) || 0;
}

function short(text: string): string {
  return cutText(text, longestLabel);
}
