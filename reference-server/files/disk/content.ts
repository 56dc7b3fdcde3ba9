import { Readable } from 'node:stream';
import type { ByteRange } from '../file-store.ts';
import type { Descriptor } from './descriptor.ts';

/** Bytes that are read at once. */
const pieceBytes = 512 * 1024;
/** Pieces that are kept to be filled again: one is being read while another one is sent. */
const sparePieces = 2;

/** Bytes of an open file, which is closed at the end. Pieces that are given back are filled again. */
export class FileContent extends Readable {
  readonly #file: Descriptor;
  readonly #to: number;
  #at: number;
  readonly #spare: Uint8Array[] = [];
  #isReading = false;
  #close: (() => void) | undefined;

  constructor(file: Descriptor, { from, to }: ByteRange) {
    super({ highWaterMark: pieceBytes });
    this.#file = file;
    this.#at = from;
    this.#to = to;
  }

  /** Says that nobody looks at a piece of this content any more. */
  release(piece: Uint8Array): void {
    if (piece.buffer.byteLength === pieceBytes && this.#spare.length < sparePieces)
      this.#spare.push(new Uint8Array(piece.buffer));
  }

  override _read(): void {
    void this.#next();
  }

  /** A descriptor that is closed while it is read could be that of another file already. */
  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const close = (): void => {
      this.#file[Symbol.dispose]();
      done(error);
    };
    if (this.#isReading) this.#close = close;
    else close();
  }

  async #next(): Promise<void> {
    this.#isReading = true;
    const read = await this.#filled().catch((error: unknown) =>
      Object.assign(new Error('Cannot read the file.'), { cause: error }),
    );
    this.#isReading = false;
    if (this.#close !== undefined) this.#close();
    else if (read instanceof Error) this.destroy(read);
    else this.push(read ?? null);
  }

  /** Undefined at the end. @throws {Error} the file has become shorter, so that fewer bytes would go than were announced */
  async #filled(): Promise<Buffer | undefined> {
    const length = Math.min(pieceBytes, this.#to - this.#at);
    if (length <= 0) return undefined;
    const piece = this.#spare.pop() ?? new Uint8Array(pieceBytes);
    const bytes = await this.#file.read(piece.subarray(0, length), this.#at);
    if (bytes === 0) throw new Error('The file has become shorter.');
    this.#at += bytes;
    return Buffer.from(piece.buffer, 0, bytes);
  }
}
