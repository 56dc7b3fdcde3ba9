import type { Delivery, DeliveryLogEntry, RateWindow, StoredDelivery, StoredLogEntry } from './deliveries.ts';
import type { Content, StoredEntry, StoredObject } from './store.ts';

/**
 * Entries that are removed leave gaps: closing one moves every entry behind it, which takes 0.4 s for 100,000 of them. So only a run of
 * few entries is moved up at once. The gap is behind it then, where it meets the next one or the end of the array and is no more.
 */
interface Gap {
  readonly place: number;
  readonly length: number;
}

/** In order of their places, with entries between any two. */
type Gaps = readonly Gap[];

/** Entries [from, to) go so many places up. */
interface Move {
  readonly from: number;
  readonly to: number;
  readonly by: number;
}

/** More gaps than that cost a page more than they save a removal: then longer runs are moved. */
const mostGaps = 128;

interface Run {
  /** Of the gap before it. */
  readonly index: number;
  readonly move: Move;
}

/** Rows as the statements of the adapters return them; the one place where their columns become types. */
export type ObjectRow = readonly [softType: string, version: number, content: string];

export type HoldingRow = readonly [oid: string, version: number, content: string];

export type EntryRow = readonly [entryId: number, content: string];

export type PlaceRow = readonly [place: number];

export type IdRow = readonly [entryId: number];

/** `gaps` is JSON. */
export type ArrayRow = readonly [count: number, nextId: number, gaps: string];

export type TextRow = readonly [text: string];

export type DocumentRow = readonly [id: string, text: string];

export interface ArrayState {
  readonly count: number;
  readonly nextId: number;
  readonly gaps: Gaps;
}

/** What is to become an entry; it gets a new id where it names none. */
export interface Item {
  readonly entryId?: number;
  readonly content: Content;
}

/** What an array without a row is. */
export const unusedArray: ArrayState = { count: 0, nextId: 1, gaps: [] };

/** Rows of the delivery queue; the one place where its columns become types. */
export type DeliveryRow = readonly [
  sequence: number,
  endpoint: string,
  dueAt: number,
  readyAt: number | null,
  attempts: number,
  leaseOwner: string | null,
  delivery: string,
];

export type RateRow = readonly [startedAt: number, executions: number, pausedUntil: number];

export type LogRow = readonly [sequence: number, entry: string];

export type EndpointRow = readonly [endpoint: string];

export type OwnerRow = readonly [leaseOwner: string | null];

export type CountRow = readonly [count: number];

export type TimeRow = readonly [time: number | null];

export const deliveryColumns = 'sequence, endpoint, due_at, ready_at, attempts, lease_owner, delivery';

/** Entries of the delivery log that are kept. */
export const keptEntries = 20_000;

export const forgottenTogether = 100;

export function placeOf(gaps: Gaps, ordinal: number): number {
  let place = ordinal;
  for (const gap of gaps) {
    if (gap.place > place) return place;
    place += gap.length;
  }
  return place;
}

/** Places that are in gaps. */
export function widthOf(gaps: Gaps): number {
  return gaps.reduce((sum, gap) => sum + gap.length, 0);
}

/** The gaps after the entry at `place` has gone. */
export function withGap(gaps: Gaps, place: number): Gaps {
  const before = gaps.filter((gap) => gap.place < place);
  return joined([...before, { place, length: 1 }, ...gaps.slice(before.length)]);
}

/** Moves every run that is short, one after another. @param count entries of the array */
export function closed(
  gaps: Gaps,
  count: number,
  longestMove: number,
): { readonly gaps: Gaps; readonly moves: readonly Move[] } {
  const longest = Math.max(longestMove, Math.floor(count / mostGaps));
  const moves: Move[] = [];
  let left = gaps;
  for (let run = shortRun(left, count, longest); run !== undefined; run = shortRun(left, count, longest)) {
    moves.push(run.move);
    left = withoutGapBefore(left, run);
  }
  return { gaps: left, moves };
}

/** The first run of at most `longest` entries. */
function shortRun(gaps: Gaps, count: number, longest: number): Run | undefined {
  const end = count + widthOf(gaps);
  const runs = gaps.map((gap, index) => ({
    index,
    move: { from: gap.place + gap.length, to: gaps[index + 1]?.place ?? end, by: gap.length },
  }));
  return runs.find(({ move }) => move.to - move.from <= longest);
}

/** Behind the last run there is nothing that a gap could be in front of. */
function withoutGapBefore(gaps: Gaps, { index, move }: Run): Gaps {
  const behind = index === gaps.length - 1 ? [] : [{ place: move.to - move.by, length: move.by }];
  return joined([...gaps.slice(0, index), ...behind, ...gaps.slice(index + 1)]);
}

function joined(gaps: Gaps): Gaps {
  const result: Gap[] = [];
  for (const gap of gaps) {
    const last = result.at(-1);
    if (last === undefined || last.place + last.length < gap.place) result.push(gap);
    else result[result.length - 1] = { place: last.place, length: last.length + gap.length };
  }
  return result;
}

/** The content is decoded by the first who looks at it: a read that is remembered needs no more than the version. */
export function objectFrom(spaceId: string, oid: string, [softType, version, text]: ObjectRow): StoredObject {
  let content: Content | undefined;
  return {
    spaceId,
    oid,
    softType,
    version,
    get content() {
      return (content ??= contentFrom(text));
    },
  };
}

export function entryFrom([entryId, text]: EntryRow): StoredEntry {
  return { entryId, content: contentFrom(text) };
}

export function arrayFrom([count, nextId, gaps]: ArrayRow): ArrayState {
  return { count, nextId, gaps: gaps === '[]' ? [] : (JSON.parse(gaps) as Gaps) };
}

function contentFrom(text: string): Content {
  return JSON.parse(text) as Content;
}

/** An id that is not known, or that an earlier item took, is dropped, so that the item gets a new one. */
export function keepingKnownId(item: Item, known: Set<number>): Item {
  const keeps = item.entryId !== undefined && known.delete(item.entryId);
  return keeps ? item : { content: item.content };
}

/** The ids of the items; new ones begin with `nextId`. */
export function numberItems(items: readonly Item[], nextId: number): readonly number[] {
  let next = nextId;
  return items.map((item) => item.entryId ?? next++);
}

export function deliveryFrom(row: DeliveryRow): StoredDelivery {
  const [sequence, endpoint, dueAt, readyAt, attempts, leaseOwner, text] = row;
  return {
    ...(JSON.parse(text) as Delivery),
    sequence,
    endpoint,
    dueAt,
    attempts,
    ...(readyAt !== null && { readyAt }),
    ...(leaseOwner !== null && { leaseOwner }),
  };
}

export function rateFrom([startedAt, executions, pausedUntil]: RateRow): RateWindow {
  return { startedAt, executions, pausedUntil };
}

export function logEntryFrom([sequence, text]: LogRow): StoredLogEntry {
  return { ...(JSON.parse(text) as DeliveryLogEntry), sequence };
}
