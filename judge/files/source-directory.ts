// oxlint-disable-next-line no-restricted-imports -- the input of the target
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { messageOf } from '../../contract/thrown.ts';
import { aside } from '../case/part.ts';
import type { BoundProfile } from '../profile.ts';
import { KeyMissing, UnfitProfile } from '../violation.ts';

/** A directory on the disk of the service's host with files in it. Needs `host-directory`. */
export interface SourceDirectory {
  /** As the service sees it, for sourceDirectory. */
  readonly path: string;
  /** Names of all files below it, with slashes, in order. */
  names(): Promise<readonly string[]>;
  read(name: string): Promise<Uint8Array>;
  write(name: string, bytes: Uint8Array): Promise<void>;
  /** Takes a file away, where it is there. */
  remove(name: string): Promise<void>;
}

/** The service may run as another user. */
const openToAll = { directory: 0o777, file: 0o666 } as const;

export function hostDirectory({ all }: BoundProfile): { readonly path: string; readonly mountedAt?: string } {
  if (all.bulk?.hostDirectory === undefined) throw new KeyMissing('bulk.hostDirectory', 'host-directory');
  return all.bulk.hostDirectory;
}

/** A name that not even a run with the same seed takes at the same time. */
export async function makeDirectory(parent: string, name: string): Promise<string> {
  try {
    const place = await mkdtemp(join(parent, `${name}-`));
    await chmod(place, openToAll.directory);
    return place;
  } catch (error) {
    const reason = messageOf(error);
    throw new UnfitProfile(`to make a directory in ${parent} (${reason}): correct bulk.hostDirectory`);
  }
}

export function directoryAt(place: string, path: string): SourceDirectory {
  return {
    path,
    names: () => aside('names', () => namesBelow(place)),
    read: async (name) =>
      new Uint8Array(Buffer.from(await aside(`read ${name}`, () => readFile(join(place, name), 'base64')), 'base64')),
    write: (name, bytes) => aside(`write ${name}`, () => writeBelow(place, name, bytes)),
    remove: (name) => aside(`remove ${name}`, () => rm(join(place, name), { force: true })),
  };
}

export async function makeDirectoryAt(place: string): Promise<void> {
  await mkdir(place, { recursive: true });
  await chmod(place, openToAll.directory);
}

export function removeDirectoryAt(place: string): Promise<void> {
  return rm(place, { recursive: true, force: true });
}

async function writeBelow(place: string, name: string, bytes: Uint8Array): Promise<void> {
  const file = join(place, name);
  await mkdirBelow(place, dirname(file));
  await writeFile(file, bytes);
  await chmod(file, openToAll.file);
}

async function mkdirBelow(place: string, directory: string): Promise<void> {
  if (directory === place) return;
  await mkdirBelow(place, dirname(directory));
  await mkdir(directory, { recursive: true });
  await chmod(directory, openToAll.directory);
}

/** The files below. A service that is at work there may take a folder away while it is read: then it is read again. */
async function namesBelow(place: string): Promise<readonly string[]> {
  const entries = await readdir(place, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
    if (Object(error).code === 'ENOENT' && Object(error).path !== place) return undefined;
    throw error;
  });
  if (entries === undefined) return namesBelow(place);
  const files = entries.filter((entry) => !entry.isDirectory());
  return files.map((entry) => relative(place, join(entry.parentPath, entry.name)).split(sep).join('/')).toSorted();
}
