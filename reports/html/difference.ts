import { html, type Markup } from './markup.ts';

/** Most words of a text that is compared word by word; longer ones are compared at their ends. */
const mostWords = 300;

/** Words of a text, and whether the other text lacks them. */
export interface Piece {
  readonly text: string;
  readonly differs: boolean;
}

/** Both texts in pieces, joined again equal to what was given; what differs is what their longest common row of words leaves over. */
export function differenceOf(
  expected: string,
  actual: string,
): { readonly expected: readonly Piece[]; readonly actual: readonly Piece[] } {
  const [left, right] = [wordsOf(expected), wordsOf(actual)];
  const common = commonOf(left, right);
  return {
    expected: piecesOf(left, new Set(common.map(([at]) => at))),
    actual: piecesOf(right, new Set(common.map(([, at]) => at))),
  };
}

/** The pieces as text, the different ones in the element for what is missing or for what is there in its place. */
export function marked(pieces: readonly Piece[], side: 'expected' | 'actual'): Markup {
  const mark = (text: string): Markup => (side === 'expected' ? html`<del>${text}</del>` : html`<ins>${text}</ins>`);
  return html`${pieces.map(({ text, differs }) => (differs ? mark(text) : text))}`;
}

function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
}

type Pair = readonly [number, number];

function commonOf(left: readonly string[], right: readonly string[]): Pair[] {
  const start = sharedLength(left, right);
  const end = sharedLength(left.slice(start).toReversed(), right.slice(start).toReversed());
  const middle = [left.slice(start, left.length - end), right.slice(start, right.length - end)] as const;
  return [
    ...Array.from({ length: start }, (_, at): Pair => [at, at]),
    ...longestCommon(...middle).map(([one, other]): Pair => [one + start, other + start]),
    ...Array.from({ length: end }, (_, at): Pair => [left.length - end + at, right.length - end + at]),
  ];
}

function sharedLength(left: readonly string[], right: readonly string[]): number {
  const at = left.findIndex((word, index) => word !== right[index]);
  return at === -1 ? Math.min(left.length, right.length) : at;
}

/** Pairs of positions of the longest row of words that both have in the same order; none where a text is too long for that. */
function longestCommon(left: readonly string[], right: readonly string[]): Pair[] {
  if (left.length > mostWords || right.length > mostWords) return [];
  const lengths = lengthsOf(left, right);
  const at = (one: number, other: number): number => lengths[one]?.[other] ?? 0;
  const pairs: Pair[] = [];
  let [one, other] = [0, 0];
  while (one < left.length && other < right.length) {
    if (left[one] === right[other]) pairs.push([one++, other++]);
    else if (at(one + 1, other) >= at(one, other + 1)) one += 1;
    else other += 1;
  }
  return pairs;
}

function lengthsOf(left: readonly string[], right: readonly string[]): number[][] {
  const lengths = Array.from({ length: left.length + 1 }, () => Array.from({ length: right.length + 1 }, () => 0));
  for (let one = left.length - 1; one >= 0; one -= 1) {
    const [row = [], below = []] = [lengths[one], lengths[one + 1]];
    for (let other = right.length - 1; other >= 0; other -= 1) {
      row[other] =
        left[one] === right[other] ? (below[other + 1] ?? 0) + 1 : Math.max(below[other] ?? 0, row[other + 1] ?? 0);
    }
  }
  return lengths;
}

/** Neighbours that are alike are one piece. */
function piecesOf(words: readonly string[], kept: ReadonlySet<number>): Piece[] {
  const pieces: { text: string; differs: boolean }[] = [];
  words.forEach((text, index) => {
    const differs = !kept.has(index);
    const last = pieces.at(-1);
    if (last?.differs === differs) last.text += text;
    else pieces.push({ text, differs });
  });
  return pieces;
}
