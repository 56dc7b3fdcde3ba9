import { constants, lstatSync, mkdirSync, realpathSync, type BigIntStats } from 'node:fs';
import { join, sep } from 'node:path';
import { PlaceTaken, type FileArea, type FilePlace } from '../file-store.ts';
import { Descriptor } from './descriptor.ts';

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
export function whereabouts({ area, segments }: FilePlace): {
  readonly folders: readonly string[];
  readonly name: string;
} {
  const path = join(...areaFolder(area), ...segments);
  const all = path.split(sep).filter((name) => name !== '');
  const name = all.at(-1);
  if (name === undefined || name === '.' || all[0] === '..')
    throw new RangeError('Expected a place below the root of the files.');
  return { folders: all.slice(0, -1), name };
}

/** The folder as a path that no link is part of; undefined when it is not there, or not a folder of its own. */
export function foundFolder(root: string, folders: readonly string[]): string | undefined {
  const path = join(root, ...folders);
  if (whenThere(() => realpathSync.native(path)) !== path) return undefined;
  return statsOf(path)?.isDirectory() ? path : undefined;
}

/** The folder, made as far as it is not there; at the same time by others too. @throws {PlaceTaken} a file or a link is in the way */
export async function madeFolder(root: string, folders: readonly string[]): Promise<string> {
  const found = foundFolder(root, folders);
  if (found !== undefined) return found;
  let path = root;
  for (const folder of folders) {
    const parent = path;
    path = join(parent, folder);
    if (made(path)) await synced(parent);
    if (!statsOf(path)?.isDirectory())
      throw new PlaceTaken(`Where a directory ${folder} is needed, something else is.`);
  }
  return path;
}

function made(path: string): boolean {
  try {
    mkdirSync(path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** What stands in a folder survives a crash of the machine. */
export async function synced(path: string): Promise<void> {
  using folder = Descriptor.open(path, O_RDONLY | O_DIRECTORY);
  await folder.sync();
}

export function statsOf(path: string): BigIntStats | undefined {
  return whenThere(() => lstatSync(path, { bigint: true, throwIfNoEntry: false }));
}

/** Undefined where nothing is, and behind links or files that are taken for folders. */
export function whenThere<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    return absent(error);
  }
}

/** Passes over that nothing is there. @throws {unknown} any other error */
export function absent(error: unknown): undefined {
  if (!['ENOENT', 'ENOTDIR', 'ELOOP'].includes(codeOf(error))) throw error;
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
