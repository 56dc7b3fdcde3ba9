import type { TaskSettings } from './task.ts';

/** A text on its way through a task: pieces in, pieces out, and what was counted. */
export class Transformation {
  readonly #operation: TaskSettings['operation'];
  readonly #decoder = new TextDecoder();
  /** Bytes of the input. */
  bytes = 0;
  /** Line ends of the input. */
  lines = 0;

  constructor(operation: TaskSettings['operation']) {
    this.#operation = operation;
  }

  /** A piece of the result; the pieces may be cut anywhere. */
  take(piece: Uint8Array): Uint8Array {
    this.bytes += piece.length;
    this.lines += piece.reduce((lines, byte) => (byte === 0x0a ? lines + 1 : lines), 0);
    return this.#operation === 'copy' ? piece : upperCase(this.#decoder.decode(piece, { stream: true }));
  }

  /** The end of the result: what a cut character left over, and the counts. */
  end(): Uint8Array {
    if (this.#operation === 'copy') return new Uint8Array();
    const rest = upperCase(this.#decoder.decode());
    return Buffer.concat([rest, Buffer.from(`-- ${this.counts()}\n`)]);
  }

  counts(): string {
    return `${this.lines} lines, ${this.bytes} bytes`;
  }
}

function upperCase(text: string): Buffer {
  return Buffer.from(text.toUpperCase());
}
