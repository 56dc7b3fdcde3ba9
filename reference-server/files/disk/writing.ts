import { createHash, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { link, open, rename, unlink, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { PlaceTaken, type Arrived, type FileInfo, type WriteOptions, type Written } from '../file-store.ts';
import { codeOf, statsOf, synced, whenThere } from './folder.ts';
import { fileInfoOf, stampOf } from './info.ts';

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = constants;

/** Folder and name where a file is to stand. The folder is made only when everything has arrived. */
export interface Target {
  folder(): Promise<string>;
  readonly name: string;
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
    await whenThere(unlink(draft));
  }
}

async function drafted(draft: string, content: AsyncIterable<Uint8Array>): Promise<Written> {
  await using file = await open(draft, O_WRONLY | O_CREAT | O_EXCL, 0o666);
  const arrived = await filled(file, content);
  await file.sync();
  return { ...arrived, stamp: stampOf(await file.stat({ bigint: true })) };
}

async function filled(file: FileHandle, content: AsyncIterable<Uint8Array>): Promise<Arrived> {
  const hash = createHash('md5');
  let size = 0;
  for await (const bytes of content) {
    const stored = put(file, bytes, size);
    hash.update(bytes);
    await stored;
    size += bytes.length;
  }
  return { size, md5: hash.digest('hex') };
}

/** A link never takes the place of anything, so that of several writers one wins. @throws {PlaceTaken} */
async function named(draft: string, path: string, replace: boolean): Promise<void> {
  try {
    if (replace) await rename(draft, path);
    else await link(draft, path);
  } catch (error) {
    if (['EEXIST', 'EISDIR'].includes(codeOf(error))) throw new PlaceTaken('Something is there already.', { cause: error });
    throw error;
  }
}

/** Writes bytes at a position. @throws {PlaceTaken} */
export async function writtenAt(path: string, position: number, bytes: Uint8Array, fresh: boolean): Promise<FileInfo> {
  await using file = await openedToWrite(path, fresh);
  await put(file, bytes, position);
  await file.sync();
  return fileInfoOf(await file.stat({ bigint: true }));
}

/** All of the bytes: the system may take them piece by piece. */
async function put(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}

async function openedToWrite(path: string, fresh: boolean): Promise<FileHandle> {
  try {
    const file = await open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | (fresh ? O_EXCL : 0), 0o666);
    if ((await file.stat()).isFile()) return file;
    await file.close();
  } catch (error) {
    if (!['EEXIST', 'EISDIR', 'ELOOP', 'ENXIO'].includes(codeOf(error))) throw error;
  }
  throw new PlaceTaken('Something is there already.');
}

/** Whether there was a file; a link is none. @throws {PlaceTaken} a directory is there */
export async function removedFile(folder: string, name: string): Promise<boolean> {
  const path = join(folder, name);
  const stats = await statsOf(path);
  if (stats?.isDirectory()) throw new PlaceTaken('A directory is there.');
  if (!stats?.isFile()) return false;
  const removed = await whenThere(unlink(path).then(() => true));
  await synced(folder);
  return removed ?? false;
}
