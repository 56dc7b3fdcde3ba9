import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import type { BoundProfile } from '../profile.ts';
import type { CaseRecord } from '../record.ts';
import { Inconclusive, PreconditionFailed } from '../violation.ts';
import type { MakesSources, SourceDirectory } from './bulk.ts';

export interface SourceParts {
  readonly profile: BoundProfile;
  readonly record: CaseRecord;
  readonly unique: (prefix?: string) => string;
}

/** The service may run as another user. */
const openToAll = { directory: 0o777, file: 0o666 } as const;
/** How long the removal of a directory may take, in ms. */
const removalMs = 5000;

/** Words that make directories on the disk of the service's host. */
export function openSources(parts: SourceParts): MakesSources {
  return {
    sourceDirectory: async (files) => {
      const { path, mountedAt = path } = hostDirectory(parts.profile);
      const place = await made(mountedAt, parts.unique('source'));
      parts.record.atEnd(() => rm(place, { recursive: true, force: true }), removalMs);
      const directory = directoryAt(place, `${path.replace(/[/\\]+$/, '')}/${basename(place)}`);
      for (const [name, bytes] of Object.entries(files)) await directory.write(name, bytes);
      return directory;
    },
  };
}

function hostDirectory({ all }: BoundProfile): { readonly path: string; readonly mountedAt?: string } {
  if (all.bulk?.hostDirectory === undefined)
    throw new Inconclusive('The case uses bulk.hostDirectory, which the profile does not have: add it.');
  return all.bulk.hostDirectory;
}

/** A name that not even a run with the same seed takes at the same time. */
async function made(parent: string, name: string): Promise<string> {
  try {
    const place = await mkdtemp(join(parent, `${name}-`));
    await chmod(place, openToAll.directory);
    return place;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new PreconditionFailed(`to make a directory in ${parent} (${reason}): correct bulk.hostDirectory`);
  }
}

function directoryAt(place: string, path: string): SourceDirectory {
  return {
    path,
    names: () => namesBelow(place),
    read: async (name) => new Uint8Array(await readFile(join(place, name))),
    write: async (name, bytes) => {
      const file = join(place, name);
      await mkdirBelow(place, dirname(file));
      await writeFile(file, bytes);
      await chmod(file, openToAll.file);
    },
  };
}

async function mkdirBelow(place: string, directory: string): Promise<void> {
  if (directory === place) return;
  await mkdirBelow(place, dirname(directory));
  await mkdir(directory, { recursive: true });
  await chmod(directory, openToAll.directory);
}

async function namesBelow(place: string): Promise<readonly string[]> {
  const entries = await readdir(place, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => !entry.isDirectory());
  return files.map((entry) => relative(place, join(entry.parentPath, entry.name)).split(sep).join('/')).toSorted();
}
