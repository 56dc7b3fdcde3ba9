import { constants, type BigIntStats } from 'node:fs';
import { lstat, open, realpath, unlink, type FileHandle } from 'node:fs/promises';

/** A file of the source that is being read. */
export interface SourceFile extends AsyncDisposable {
  /** In bytes, when it was opened; what is added later is not read. */
  readonly size: number;
  content(): AsyncIterable<Uint8Array>;
  /** Deletes it unless it has changed since it was opened. @throws {Error} it has, or it cannot be deleted */
  remove(): Promise<void>;
}

/** Opens a regular file that no link leads to. @param path free of links when it was found @throws {Error} */
export async function openedSourceFile(path: string): Promise<SourceFile> {
  if ((await realpath(path)) !== path) throw new Error('a link is on the way to it');
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = await file.stat({ bigint: true });
    if (!stats.isFile()) throw new Error('it is no regular file');
    return {
      size: Number(stats.size),
      content: () => contentOf(file, Number(stats.size)),
      remove: () => removed(path, stats),
      [Symbol.asyncDispose]: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function* contentOf(file: FileHandle, size: number): AsyncGenerator<Uint8Array> {
  if (size > 0) yield* file.createReadStream({ start: 0, end: size - 1, autoClose: false });
}

async function removed(path: string, opened: BigIntStats): Promise<void> {
  const { dev, ino, size, mtimeNs } = await lstat(path, { bigint: true });
  const isSame = dev === opened.dev && ino === opened.ino && size === opened.size && mtimeNs === opened.mtimeNs;
  if (!isSame) throw new Error('it has changed meanwhile');
  await unlink(path);
}
