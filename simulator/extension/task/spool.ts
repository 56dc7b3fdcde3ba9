import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
// oxlint-disable-next-line no-restricted-imports -- a temporary file of its own
import { mkdtemp, open, rm, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

/** A result that waits on the disk until its size is known. */
export class Spool {
  readonly #folder: string;
  readonly #handle: FileHandle;
  readonly #hash = createHash('md5');
  size = 0;

  private constructor(folder: string, handle: FileHandle) {
    this.#folder = folder;
    this.#handle = handle;
  }

  static async open(): Promise<Spool> {
    const folder = await mkdtemp(join(tmpdir(), 'svc-task-'));
    return new Spool(folder, await open(join(folder, 'result'), 'w+'));
  }

  async append(piece: Uint8Array): Promise<void> {
    this.#hash.update(piece);
    this.size += piece.length;
    await this.#handle.appendFile(piece);
  }

  /** MD5 of everything, lower-case hexadecimal. Source: extensions, File routes, stream upload */
  checksum(): string {
    return this.#hash.copy().digest('hex');
  }

  stream(): Readable {
    return createReadStream(join(this.#folder, 'result'));
  }

  async slice(from: number, length: number): Promise<Buffer> {
    const { buffer, bytesRead } = await this.#handle.read(Buffer.alloc(length), 0, length, from);
    return buffer.subarray(0, bytesRead);
  }

  async close(): Promise<void> {
    await this.#handle.close();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
