import { createHash, randomUUID } from 'node:crypto';
import { constants, linkSync, unlinkSync } from 'node:fs';
import { rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { NoRoom, PlaceTaken, type Arrived, type FileInfo, type WriteOptions, type Written } from '../file-store.ts';
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

/** Writes to a file that nobody sees, and gives it its name at the end. */
export async function writtenFile(
  incoming: string,
  target: Target,
  content: AsyncIterable<Uint8Array>,
  { replace = false, accept }: WriteOptions,
): Promise<Written> {
  const draft = join(incoming, randomUUID());
  try {
    const written = await drafted(draft, content);
    await accept?.(written);
    const folder = await target.folder();
    await named(draft, join(folder, target.name), replace);
    await synced(folder);
    return written;
  } finally {
    if (statsOf(draft) !== undefined) await unlink(draft);
  }
}

async function drafted(draft: string, content: AsyncIterable<Uint8Array>): Promise<Written> {
  using file = await Descriptor.make(draft, O_WRONLY | O_CREAT | O_EXCL);
  const arrived = await filled(file, content);
  await file.sync();
  return { ...arrived, stamp: stampOf(file.stats()) };
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
async function* batchesOf(content: AsyncIterable<Uint8Array>): AsyncGenerator<{ readonly pieces: readonly Uint8Array[]; readonly bytes: number }> {
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

/** A link never takes the place of anything, so that of several writers one wins. @throws {PlaceTaken} */
async function named(draft: string, path: string, replace: boolean): Promise<void> {
  try {
    if (replace) return await rename(draft, path);
    linkSync(draft, path);
    unlinkSync(draft);
  } catch (error) {
    if (['EEXIST', 'EISDIR'].includes(codeOf(error))) throw new PlaceTaken('Something is there already.', { cause: error });
    throw error;
  }
}

/** Writes at a position. A fresh file goes when that fails. @throws {PlaceTaken} */
export async function writtenAt(path: string, position: number, pieces: readonly Uint8Array[], fresh: boolean): Promise<FileInfo> {
  using file = await openedToWrite(path, fresh);
  try {
    await file.write(pieces, position);
    await file.sync();
    return fileInfoOf(file.stats());
  } catch (error) {
    if (fresh) await unlink(path).catch(absent);
    throw error;
  }
}

async function openedToWrite(path: string, fresh: boolean): Promise<Descriptor> {
  try {
    const file = await Descriptor.make(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | (fresh ? O_EXCL : 0));
    if (file.stats().isFile()) return file;
    file[Symbol.dispose]();
  } catch (error) {
    if (!['EEXIST', 'EISDIR', 'ELOOP', 'ENXIO'].includes(codeOf(error))) throw error;
  }
  throw new PlaceTaken('Something is there already.');
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
