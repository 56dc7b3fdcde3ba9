import { MergeError } from './merge-error.ts';

/** A part of a run: the fractions that it begins and ends with. */
interface Segment {
  readonly text: string;
  readonly from: Fraction;
  readonly to: Fraction;
}

interface Fraction {
  readonly text: string;
  readonly over: bigint;
  readonly under: bigint;
}

const whole: Fraction = { text: '1', over: 1n, under: 1n };
const nothing: Fraction = { text: '0', over: 0n, under: 1n };

/** Makes sure that the segments are one whole run: from 0 to 1, each part once. @throws {MergeError} one overlaps another, or is missing */
export function assertWhole(texts: readonly string[]): void {
  const segments = texts
    .map(segmentOf)
    .toSorted((one, other) => compared(one.from, other.from) || compared(one.to, other.to));
  let reached = nothing;
  let before = '';
  for (const { text, from, to } of segments) {
    if (compared(from, reached) < 0)
      throw new MergeError(
        `The segments ${before} and ${text} overlap: expected each part of the run once. Leave out the file that was counted twice.`,
      );
    if (compared(from, reached) > 0) throw new MergeError(missing(reached, from));
    [reached, before] = [to, text];
  }
  if (compared(reached, whole) < 0) throw new MergeError(missing(reached, whole));
}

function missing(from: Fraction, to: Fraction): string {
  return `The segment ${from.text}:${to.text} is missing: expected the counts of every part of the run. Name its file as well.`;
}

/** @throws {MergeError} no part of a run */
function segmentOf(text: string): Segment {
  const [from, to] = text.split(':').map(fractionOf);
  if (from === undefined || to === undefined || compared(from, to) >= 0 || compared(to, whole) > 0)
    throw new MergeError(`Expected a segment as 0:1/2, that ends after it begins and not beyond 1, found ${text}.`);
  return { text, from, to };
}

function fractionOf(text: string): Fraction {
  const [over = '0', under = '1'] = text.split('/');
  return { text, over: BigInt(over), under: BigInt(under) };
}

function compared(one: Fraction, other: Fraction): number {
  const difference = one.over * other.under - other.over * one.under;
  return Number(difference > 0n) - Number(difference < 0n);
}
