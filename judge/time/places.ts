import { reading } from '../case/part.ts';

/** Calls of the service that are open for a while; times in ms of its clock. */
export interface OpenCall {
  readonly arrivedAt: number;
  readonly endedAt?: number | undefined;
}

/** What tells the calls of the service that were open in a span, whoever they were for. */
export type OpenCalls = (from: number, to: number) => readonly OpenCall[];

/**
 * No document says how many calls a service makes side by side. One that is due while as many are open as were ever seen at once, and so many
 * at least, may wait for one of them to end.
 */
const fewestPlaces = 4;

/** Until the next in the queue has taken a place, in ms. */
const handOverMs = 250;

/** Until when in that span all places may have been taken; its beginning where one was free then. */
export function takenUntil(calls: OpenCalls, from: number, to: number): number {
  return reading('places', () => {
    const places = Math.max(fewestPlaces, mostAtOnce(calls(-Infinity, to)));
    return fullUntil(calls(from - handOverMs, to), { places, from, to });
  });
}

interface Span {
  readonly places: number;
  readonly from: number;
  readonly to: number;
}

function fullUntil(calls: readonly OpenCall[], { places, from, to }: Span): number {
  const isOpen = (at: number): boolean =>
    calls.filter(({ arrivedAt, endedAt = Infinity }) => arrivedAt <= at && endedAt + handOverMs > at).length >= places;
  const ends = calls
    .map(({ endedAt = Infinity }) => endedAt + handOverMs)
    .filter((end) => end > from && end < to)
    .toSorted((one, other) => one - other);
  const freeAt = [from, ...ends].find((at) => !isOpen(at));
  if (freeAt === from) return from;
  return Math.max(from, (freeAt ?? to + handOverMs) - handOverMs);
}

function mostAtOnce(calls: readonly OpenCall[]): number {
  const changes = calls.flatMap(({ arrivedAt, endedAt = Infinity }) => [
    { at: arrivedAt, by: 1 },
    { at: endedAt, by: -1 },
  ]);
  let [open, most] = [0, 0];
  // of those at one moment the ends count first
  for (const { by } of changes.toSorted((one, other) => one.at - other.at || one.by - other.by)) {
    open += by;
    most = Math.max(most, open);
  }
  return most;
}
