/**
 * Entries that are removed leave gaps: closing one moves every entry behind it, which takes 0.4 s for 100,000 of them. So only a run of
 * few entries is moved up at once. The gap is behind it then, where it meets the next one or the end of the array and is no more.
 */
export interface Gap {
  readonly place: number;
  readonly length: number;
}

/** In order of their places, with entries between any two. */
export type Gaps = readonly Gap[];

/** Entries [from, to) go so many places up. */
export interface Move {
  readonly from: number;
  readonly to: number;
  readonly by: number;
}

/** More gaps than that cost a page more than they save a removal: then longer runs are moved. */
const mostGaps = 128;

/** Place of the entry with that ordinal. */
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

interface Run {
  /** Of the gap before it. */
  readonly index: number;
  readonly move: Move;
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
