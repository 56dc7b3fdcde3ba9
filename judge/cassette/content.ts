import { isUtf8 } from 'node:buffer';
import { generatedBytes } from '../files/bodies.ts';

/** A part of the bytes that the suite makes of a text. */
interface Slice {
  readonly seed: string;
  readonly from: number;
  readonly length: number;
}

/** A text, or bytes in pieces: Base64, or what can be made again. */
export type Content = string | readonly (string | Slice)[];

/** The same content as another one before it, by its number. */
export interface Again {
  readonly same: number;
}

/** Bytes that a part of the run made of a text. */
export interface Made {
  readonly seed: string;
  readonly bytes: Uint8Array;
}

/** Shorter content is kept as it is. */
export const shortestMade = 1024;
/** How far apart places are looked at, and so many bytes have to be the same. */
const probeBytes = 32;
const probeStep = 64;
/** So long is what stands before a part of a form, at most. */
const usualHead = 2048;
/** Bytes that are compared at once. */
const block = 4096;
/** So many places without a find are enough. */
const mostProbes = 64;

/** Bytes as a cassette holds them. @param safe takes the secrets out of a text; @param made what they may consist of */
export function contentOf(bytes: Uint8Array, safe: (text: string) => string, made: readonly Made[] = []): Content {
  const buffer = bufferOf(bytes);
  return isUtf8(buffer) ? safe(buffer.toString()) : piecesOf(buffer, safe, made);
}

let last: { readonly seed: string; readonly bytes: Uint8Array } | undefined;

export function bytesOf(content: Content): Uint8Array {
  if (typeof content === 'string') return Buffer.from(content);
  return Buffer.concat(
    content.map((piece) => (typeof piece === 'string' ? Buffer.from(piece, 'base64') : madeAgain(piece))),
  );
}

/** Slices of the same bytes come one after the other. */
function madeAgain({ seed, from, length }: Slice): Uint8Array {
  if (last?.seed !== seed || last.bytes.length < from + length)
    last = { seed, bytes: generatedBytes(seed, from + length) };
  return last.bytes.subarray(from, from + length);
}

function piecesOf(bytes: Buffer, safe: (text: string) => string, made: readonly Made[]): Content {
  const pieces: (string | Slice)[] = [];
  // what is no text may hold one all the same
  const literal = (from: number, to: number): void => {
    if (from < to) pieces.push(Buffer.from(safe(bytes.toString('latin1', from, to)), 'latin1').toString('base64'));
  };
  let done = 0;
  let probes = 0;
  // a head of a form stands before what was made
  let at = Math.min(usualHead, bytes.length >> 1);
  while (at + shortestMade / 2 <= bytes.length && probes < mostProbes && bytes.length >= shortestMade) {
    const slice = sliceAround(bytes, at, done, made);
    if (slice === undefined) {
      at += probeStep;
      probes += 1;
      continue;
    }
    literal(done, slice.at);
    pieces.push({ seed: slice.seed, from: slice.from, length: slice.length });
    done = slice.at + slice.length;
    at = done;
    probes = 0;
  }
  literal(done, bytes.length);
  return pieces;
}

/** The longest slice that goes through that place, and begins no sooner than `least`. */
function sliceAround(
  bytes: Buffer,
  at: number,
  least: number,
  made: readonly Made[],
): (Slice & { readonly at: number }) | undefined {
  const probe = bytes.subarray(at, at + probeBytes);
  for (const { seed, bytes: whole } of made) {
    const found = bufferOf(whole).indexOf(probe);
    if (found === -1) continue;
    let before = 0;
    while (at - before > least && found > before && bytes[at - before - 1] === whole[found - before - 1]) before += 1;
    const length = before + sameFrom(bytes, at, whole, found);
    return { seed, from: found - before, length, at: at - before };
  }
  return undefined;
}

/** How many bytes are the same from there on. */
function sameFrom(one: Buffer, at: number, whole: Uint8Array, found: number): number {
  const other = bufferOf(whole);
  const most = Math.min(one.length - at, other.length - found);
  let same = 0;
  while (
    same + block <= most &&
    one.compare(other, found + same, found + same + block, at + same, at + same + block) === 0
  )
    same += block;
  while (same < most && one[at + same] === other[found + same]) same += 1;
  return same;
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
