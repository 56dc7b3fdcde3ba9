import { createHash, randomUUID } from 'node:crypto';
import { constants, linkSync, unlinkSync } from 'node:fs';
import { rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import {
  NoRoom,
  PlaceTaken,
  type Arrived,
  type Beginning,
  type FileInfo,
  type GrowingFile,
  type Section,
  type WriteOptions,
  type Written,
} from '../file-store.ts';
import { Descriptor } from './descriptor.ts';
import { absent, codeOf, statsOf, synced } from './folder.ts';
import { fileInfoOf, stampOf } from './info.ts';

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = constants;
/** Bytes that are written at once, or a piece more. */
const batchBytes = 1024 * 1024;

/** Folder and name where a file is to stand. The folder is made only when everything has arrived. */
export interface Target {
  folder(): Promise<string>;
  readonly name: string;
}

/** @throws {NoRoom} where the disk is full */
export async function withRoom<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!['ENOSPC', 'EDQUOT'].includes(codeOf(error))) throw error;
    throw new NoRoom('The disk is full.', { cause: error });
  }
}

export async function writtenFile(
  incoming: string,
  target: Target,
  content: AsyncIterable<Uint8Array>,
  { replace = false, accept }: WriteOptions,
): Promise<Written> {
  return drafted(incoming, target, replace, async (file) => {
    const arrived = await filled(file, content);
    await file.sync();
    const written = { ...arrived, stamp: stampOf(file.stats()) };
    await accept?.(written);
    return written;
  });
}

export async function begunFile(
  incoming: string,
  target: Target,
  { pieces, position }: Section,
  { accept, withdraw }: Beginning,
): Promise<void> {
  const begin = async (file: Descriptor): Promise<FileInfo> => {
    await file.write(pieces, position);
    await file.sync();
    const begun = fileInfoOf(file.stats());
    await accept(begun);
    return begun;
  };
  await drafted(incoming, target, false, begin, withdraw);
}

/** Writes to a file that nobody sees, and gives it its name at the end. */
async function drafted<T>(
  incoming: string,
  target: Target,
  replace: boolean,
  fill: (file: Descriptor) => Promise<T>,
  withdraw?: (result: T) => Promise<void>,
): Promise<T> {
  const draft = join(incoming, randomUUID());
  try {
    using file = await Descriptor.make(draft, O_WRONLY | O_CREAT | O_EXCL);
    const result = await fill(file);
    const folder = await placed(draft, target, replace).catch(async (error: unknown) => {
      await withdraw?.(result);
      throw error;
    });
    await synced(folder);
    return result;
  } finally {
    if (statsOf(draft) !== undefined) await unlink(draft);
  }
}

/** The next bytes may come while the last ones are being written. */
async function filled(file: Descriptor, content: AsyncIterable<Uint8Array>): Promise<Arrived> {
  const hash = createHash('md5');
  let size = 0;
  let stored = Promise.resolve();
  try {
    for await (const { pieces, bytes } of batchesOf(content)) {
      for (const piece of pieces) hash.update(piece);
      await stored;
      stored = file.write(pieces, size);
      stored.catch(() => 'told when it is waited for');
      size += bytes;
    }
  } finally {
    await stored;
  }
  return { size, md5: hash.digest('hex') };
}

/** Many small writes cost more than the bytes in them. */
async function* batchesOf(
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ readonly pieces: readonly Uint8Array[]; readonly bytes: number }> {
  let pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of content) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes < batchBytes) continue;
    yield { pieces, bytes };
    pieces = [];
    bytes = 0;
  }
  if (bytes > 0) yield { pieces, bytes };
}

/** @returns the folder that it stands in. @throws {PlaceTaken} */
async function placed(draft: string, { folder, name }: Target, replace: boolean): Promise<string> {
  const path = await folder();
  await named(draft, join(path, name), replace);
  return path;
}

/** A link never takes the place of anything, so that of several writers one wins. @throws {PlaceTaken} */
async function named(draft: string, path: string, replace: boolean): Promise<void> {
  try {
    if (replace) return await rename(draft, path);
    linkSync(draft, path);
    unlinkSync(draft);
  } catch (error) {
    if (['EEXIST', 'EISDIR'].includes(codeOf(error)))
      throw new PlaceTaken('Something is there already.', { cause: error });
    throw error;
  }
}

/** Undefined when there is no file; no link is followed. */
export function openedToGrow(path: string): GrowingFile | undefined {
  const file = openedToWrite(path);
  if (!file?.stats().isFile()) return void file?.[Symbol.dispose]();
  return {
    info: () => fileInfoOf(file.stats()),
    write: ({ position, pieces }) => withRoom(file.write(pieces, position).then(() => file.sync())),
    [Symbol.dispose]: () => file[Symbol.dispose](),
  };
}

function openedToWrite(path: string): Descriptor | undefined {
  try {
    return Descriptor.open(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    return ['EISDIR', 'ENXIO'].includes(codeOf(error)) ? undefined : absent(error);
  }
}

/** Whether there was a file; a link is none. @throws {PlaceTaken} a directory is there */
export async function removedFile(folder: string, name: string): Promise<boolean> {
  const path = join(folder, name);
  const stats = statsOf(path);
  if (stats?.isDirectory()) throw new PlaceTaken('A directory is there.');
  if (!stats?.isFile()) return false;
  const removed = await unlink(path).then(() => true, absent);
  await synced(folder);
  return removed ?? false;
}
