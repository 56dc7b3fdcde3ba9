import { constants, type BigIntStats } from 'node:fs';
import { lstat, mkdir, open, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { PlaceTaken, type FileArea, type FilePlace } from '../file-store.ts';

const { O_DIRECTORY, O_RDONLY } = constants;

/** Folder of an area below the root. Ids are encoded, so that none of them, dots included, can lead anywhere else. */
export function areaFolder(area: FileArea): readonly string[] {
  switch (area.kind) {
    case 'collection':
      return ['collection'];
    case 'space':
      return ['space', asFolder(area.spaceId)];
    case 'user':
      return ['user', asFolder(area.spaceId), asFolder(area.userName)];
    case 'participant':
      return ['participant', asFolder(area.spaceId), asFolder(area.participantId)];
  }
}

function asFolder(id: string): string {
  return encodeURIComponent(id).replaceAll('.', '%2E') || '%';
}

/** Folders from the root to the one that holds the place, and its name in there. @throws {RangeError} a place that is not below the root */
export function whereabouts({ area, segments }: FilePlace): { readonly folders: readonly string[]; readonly name: string } {
  const path = join(...areaFolder(area), ...segments);
  const all = path.split(sep).filter((name) => name !== '');
  const name = all.at(-1);
  if (name === undefined || name === '.' || all[0] === '..') throw new RangeError('Expected a place below the root of the files.');
  return { folders: all.slice(0, -1), name };
}

/** The folder as a path that no link is part of; undefined when it is not there, or not a folder of its own. */
export async function foundFolder(root: string, folders: readonly string[]): Promise<string | undefined> {
  const path = join(root, ...folders);
  const real = await whenThere(realpath(path));
  if (real !== path) return undefined;
  return (await whenThere(lstat(path)))?.isDirectory() ? path : undefined;
}

/** The folder, made as far as it is not there; at the same time by others too. @throws {PlaceTaken} a file or a link is in the way */
export async function madeFolder(root: string, folders: readonly string[]): Promise<string> {
  const found = await foundFolder(root, folders);
  if (found !== undefined) return found;
  let path = root;
  for (const folder of folders) {
    const parent = path;
    path = join(parent, folder);
    if (await made(path)) await synced(parent);
    if (!(await whenThere(lstat(path)))?.isDirectory()) throw new PlaceTaken(`Where a directory ${folder} is needed, something else is.`);
  }
  return path;
}

async function made(path: string): Promise<boolean> {
  try {
    await mkdir(path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** What stands in a folder survives a crash of the machine. */
export async function synced(path: string): Promise<void> {
  await using folder = await open(path, O_RDONLY | O_DIRECTORY);
  await folder.sync();
}

export async function statsOf(path: string): Promise<BigIntStats | undefined> {
  return whenThere(lstat(path, { bigint: true }));
}

/** Undefined where nothing is, and behind links or files that are taken for folders. */
export async function whenThere<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(codeOf(error))) return undefined;
    throw error;
  }
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
