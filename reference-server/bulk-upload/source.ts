import type { Dirent } from 'node:fs';
import { readdir, realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import { Refusal } from '../problem.ts';
import type { Service } from '../service.ts';
import { isLogName } from './log.ts';
import type { BulkRequest } from './request.ts';

/** Most files of one run: each leaves a line in the log, which is answered whole. */
export const mostFiles = 100_000;

/** Something below the source directory. */
export interface SourceEntry {
  /** Names from the source directory on. */
  readonly path: readonly string[];
  /** Why it cannot be taken. */
  readonly problem?: string;
}

/** The source directory, free of links. Source: ledger bulk-source-errors. @throws {Refusal} 400 */
export async function bulkSourceOf(service: Service, { sourceDirectory }: BulkRequest): Promise<string> {
  const roots = service.configuration.bulkSources;
  if (!isAbsolute(sourceDirectory) || sourceDirectory.includes('\0')) throw refused('an absolute path of this host');
  const directory = await realpath(sourceDirectory).catch(() => undefined);
  if (roots !== undefined && !(directory !== undefined && (await isBelow(roots, directory))))
    throw refused('a directory that this server may take files from');
  if (directory !== undefined && (await readdir(directory).catch(() => undefined)) !== undefined) return directory;
  throw refused('a directory of this host that is there and can be read');
}

function refused(expected: string): Refusal {
  return new Refusal(400, `Expected sourceDirectory to be ${expected}; no file was touched.`, {
    pointer: '/sourceDirectory',
  });
}

async function isBelow(roots: readonly string[], directory: string): Promise<boolean> {
  for (const root of roots) {
    const path = relative(await realpath(root).catch(() => root), directory);
    if (path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path)) return true;
  }
  return false;
}

/**
 * All that is below the directory, in the order of names. It is looked at before the first file is taken, so that what comes meanwhile is
 * not taken as well. Links are not followed; logs of earlier runs are passed over. Source: ledger bulk-log-schema.
 * @throws {Refusal} 400 for more than `most`
 */
export async function entriesOf(source: string, most = mostFiles): Promise<readonly SourceEntry[]> {
  const found: SourceEntry[] = [];
  for await (const entry of walked(source, [])) {
    found.push(entry);
    if (found.length > most) throw refused(`one of at most ${most} files: give its subdirectories one by one`);
  }
  return found;
}

async function* walked(source: string, path: readonly string[]): AsyncGenerator<SourceEntry> {
  const entries = await entriesIn(join(source, ...path));
  if (entries === undefined) return yield { path, problem: 'a directory that cannot be read' };
  for (const entry of entries) {
    const next = [...path, entry.name];
    if (entry.isDirectory()) yield* walked(source, next);
    else if (path.length > 0 || !isLogName(entry.name))
      yield entry.isFile() ? { path: next } : { path: next, problem: 'a link or a device, which is not followed' };
  }
}

async function entriesIn(directory: string): Promise<readonly Dirent[] | undefined> {
  try {
    // a directory that has become a link meanwhile leads elsewhere
    if ((await realpath(directory)) !== directory) return undefined;
    const entries = await readdir(directory, { withFileTypes: true });
    return entries.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  } catch {
    return undefined;
  }
}
