import { reading } from '../case/part.ts';

/** Calls of the service that are open for a while; times in ms of its clock. */
export interface OpenCall {
  readonly arrivedAt: number;
  readonly endedAt?: number | undefined;
}

/** What tells the calls of the service that were open in a span, whoever they were for. */
export type OpenCalls = (from: number, to: number) => readonly OpenCall[];

/**
 * How many calls at once a service may leave it at, in all: no document says how many it makes side by side. One that is due while so
 * many are open may wait for one of them to end.
 */
const fewestPlaces = 4;

/** Until the next in the queue has taken a place, in ms. */
const handOverMs = 250;

/** Until when in that span all places may have been taken; its beginning where one was free then. */
export function takenUntil(calls: OpenCalls, from: number, to: number): number {
  return reading('places', () => fullUntil(calls(from - handOverMs, to), from, to));
}

function fullUntil(calls: readonly OpenCall[], from: number, to: number): number {
  const isOpen = (at: number): boolean =>
    calls.filter(({ arrivedAt, endedAt = Infinity }) => arrivedAt <= at && endedAt + handOverMs > at).length >=
    fewestPlaces;
  const ends = calls
    .map(({ endedAt = Infinity }) => endedAt + handOverMs)
    .filter((end) => end > from && end < to)
    .toSorted((one, other) => one - other);
  const freeAt = [from, ...ends].find((at) => !isOpen(at));
  if (freeAt === from) return from;
  return Math.max(from, (freeAt ?? to + handOverMs) - handOverMs);
}
