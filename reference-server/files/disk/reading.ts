import { constants } from 'node:fs';
import { open, readdir, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { ByteRange, OpenFile, PlaceInfo } from '../file-store.ts';
import { statsOf, whenThere } from './folder.ts';
import { fileInfoOf, infoOf } from './info.ts';

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
/** Bytes that are read at once. */
const pieceBytes = 256 * 1024;

/** Undefined when there is no file; neither a link is followed nor a pipe waited for. */
export async function openedFile(path: string): Promise<OpenFile | undefined> {
  const handle = await whenThere(open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
  if (handle === undefined) return undefined;
  const stats = await handle.stat({ bigint: true });
  if (!stats.isFile()) return void (await handle.close());
  const info = fileInfoOf(stats);
  return {
    info,
    stream: (range = { from: 0, to: info.size }) => streamOf(handle, range),
    close: () => handle.close(),
  };
}

/** Told to read nothing of a file, Node would read all of it. */
function streamOf(handle: FileHandle, { from, to }: ByteRange): Readable {
  if (to > from) return handle.createReadStream({ start: from, end: to - 1, highWaterMark: pieceBytes });
  const nothing = Readable.from([]);
  handle.close().catch((error: unknown) => nothing.destroy(error instanceof Error ? error : undefined));
  return nothing;
}

/** What is in a folder, in the order of names; what is neither file nor directory is left out. */
export async function listed(folder: string): Promise<readonly (PlaceInfo & { readonly name: string })[] | undefined> {
  const names = await whenThere(readdir(folder));
  if (names === undefined) return undefined;
  const entries = await Promise.all(names.map(async (name) => entryOf(folder, name)));
  return entries.filter((entry) => entry !== undefined).sort((one, other) => (one.name < other.name ? -1 : 1));
}

async function entryOf(folder: string, name: string): Promise<(PlaceInfo & { readonly name: string }) | undefined> {
  const stats = await statsOf(join(folder, name));
  const info = stats && infoOf(stats);
  return info && { ...info, name };
}
