import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/** Longest text that a person writes, in bytes: what is longer is something else. */
const longestWrittenBytes = 4 * 1024 * 1024;

/** Why a file cannot be used, as the rest of a sentence about it. */
class Unusable extends Error {}

const chunkBytes = 65_536;
/** How long a pipe may keep a reader waiting, in ms. */
const patienceMs = 10_000;
const pauseMs = 20;

/** What is thrown where a file cannot be used, made of the rest of a sentence about it. */
type Refusal = (why: string) => Error;

/**
 * The bytes of a file that somebody named. It has an end, whatever the name leads to: a device without one, a pipe that nobody writes to, a file of
 * any length.
 */
export function readBytes(file: string, refusal: Refusal, mostBytes: number): Buffer {
  return used(() => bytesOf(file, mostBytes), refusal);
}

/** As readBytes, of a text in UTF-8. */
export function readTextFile(file: string, refusal: Refusal, mostBytes: number = longestWrittenBytes): string {
  return used(() => textOf(bytesOf(file, mostBytes)), refusal);
}

function used<T>(read: () => T, refusal: Refusal): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof Unusable ? refusal(error.message) : error;
  }
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Unusable(`it is no UTF-8 text from byte ${firstWrong(bytes)} on; save it as UTF-8`);
  }
}

function bytesOf(file: string, mostBytes: number): Buffer {
  try {
    const open = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      return drained(open, mostBytes);
    } finally {
      closeSync(open);
    }
  } catch (error) {
    if (error instanceof Unusable) throw error;
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new Unusable(sentences[code] ?? `it cannot be read (${code})`);
  }
}

const sentences: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder and no file',
};

function drained(open: number, mostBytes: number): Buffer {
  const isPipe = fstatSync(open).isFIFO();
  const deadline = performance.now() + patienceMs;
  const pieces: Buffer[] = [];
  let length = 0;
  for (;;) {
    const piece = Buffer.allocUnsafe(chunkBytes);
    const count = readSome(open, piece);
    if (count === undefined || (count === 0 && isPipe && length === 0)) {
      if (performance.now() > deadline) throw new Unusable('nobody writes into the pipe');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
      continue;
    }
    if (count === 0) return Buffer.concat(pieces, length);
    pieces.push(piece.subarray(0, count));
    length += count;
    if (length > mostBytes) throw new Unusable(`it is longer than ${mostBytes} bytes`);
  }
}

/** Undefined where there is nothing yet. */
function readSome(open: number, into: Buffer): number | undefined {
  try {
    return readSync(open, into);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return undefined;
    throw error;
  }
}

/** Bytes before the first one that is no UTF-8; a character cut at the end is. */
function firstWrong(bytes: Uint8Array): number {
  let [least, most] = [0, bytes.byteLength];
  while (least < most) {
    const middle = Math.ceil((least + most) / 2);
    if (isTextSoFar(bytes.subarray(0, middle))) least = middle;
    else most = middle - 1;
  }
  return least;
}

function isTextSoFar(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
