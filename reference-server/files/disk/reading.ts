import { constants } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { OpenFile, PlaceInfo } from '../file-store.ts';
import { FileContent } from './content.ts';
import { Descriptor } from './descriptor.ts';
import { absent, codeOf } from './folder.ts';
import { fileInfoOf, infoOf } from './info.ts';

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

/** Undefined when there is no file; neither a link is followed nor a pipe waited for. */
export function openedFile(path: string): OpenFile | undefined {
  const file = openedToRead(path);
  if (file === undefined) return undefined;
  const stats = file.stats();
  if (!stats.isFile()) return void file[Symbol.dispose]();
  const info = fileInfoOf(stats);
  return {
    info,
    stream: (range = { from: 0, to: info.size }) => new FileContent(file, range),
    close: () => file.close(),
  };
}

/** A socket has a name too, but cannot be opened. */
function openedToRead(path: string): Descriptor | undefined {
  try {
    return Descriptor.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    return codeOf(error) === 'ENXIO' ? undefined : absent(error);
  }
}

/** What is in a folder, in the order of names; what is neither file nor directory is left out. */
export async function listed(folder: string): Promise<readonly (PlaceInfo & { readonly name: string })[] | undefined> {
  const names = await readdir(folder).catch(absent);
  if (names === undefined) return undefined;
  const entries = await Promise.all(names.map(async (name) => entryOf(folder, name)));
  return entries.filter((entry) => entry !== undefined).sort((one, other) => (one.name < other.name ? -1 : 1));
}

async function entryOf(folder: string, name: string): Promise<(PlaceInfo & { readonly name: string }) | undefined> {
  const stats = await lstat(join(folder, name), { bigint: true }).catch(absent);
  const info = stats && infoOf(stats);
  return info && { ...info, name };
}
