import { close, closeSync, fstatSync, fsync, open, openSync, read, writev, type BigIntStats } from 'node:fs';
import { promisify } from 'node:util';

const [made, readFrom, writeTo, flushed, closed] = [
  promisify(open),
  promisify(read),
  promisify(writev),
  promisify(fsync),
  promisify(close),
];

/**
 * An open file or folder. What takes microseconds is done at once, and only what waits for the disk goes to the thread pool: on a busy
 * machine the way there and back takes longer than the work.
 */
export class Descriptor implements Disposable {
  readonly #fd: number;
  #closed = false;

  private constructor(fd: number) {
    this.#fd = fd;
  }

  /** Opens what is there. @throws {Error} that of the system */
  static open(path: string, flags: number): Descriptor {
    return new Descriptor(openSync(path, flags));
  }

  /** Makes a file where that is needed, for which the disk may be asked. @throws {Error} that of the system */
  static async make(path: string, flags: number): Promise<Descriptor> {
    return new Descriptor(await made(path, flags, 0o666));
  }

  stats(): BigIntStats {
    return fstatSync(this.#fd, { bigint: true });
  }

  /** Number of bytes that were read into the buffer; 0 at the end. */
  async read(into: Uint8Array, position: number): Promise<number> {
    return (await readFrom(this.#fd, into, 0, into.length, position)).bytesRead;
  }

  /** Writes all of the pieces, one behind another: the system may take a part of them only. */
  async write(pieces: readonly Uint8Array[], position: number): Promise<void> {
    let left = pieces.filter(({ length }) => length > 0);
    for (let at = position; left.length > 0;) {
      const { bytesWritten } = await writeTo(this.#fd, left, at);
      at += bytesWritten;
      left = behind(left, bytesWritten);
    }
  }

  /** What was written survives a crash of the machine. */
  sync(): Promise<void> {
    return flushed(this.#fd);
  }

  /** For a file that may have been deleted, whose room the system gives back now. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await closed(this.#fd);
  }

  [Symbol.dispose](): void {
    if (!this.#closed) closeSync(this.#fd);
    this.#closed = true;
  }
}

/** What is left of the pieces behind so many bytes. */
function behind(pieces: readonly Uint8Array[], bytes: number): Uint8Array[] {
  const left: Uint8Array[] = [];
  let skipped = bytes;
  for (const piece of pieces) {
    if (skipped < piece.length) left.push(piece.subarray(skipped));
    skipped = Math.max(0, skipped - piece.length);
  }
  return left;
}
