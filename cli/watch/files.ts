import { statSync, watch, type FSWatcher } from 'node:fs';
import { basename, dirname, relative, resolve, sep } from 'node:path';
import { UsageError } from '../usage.ts';

/** Changes that come closer together count as one, in ms: editors write a file in several steps. */
const debounceMs = 150;
/** Folders that no person edits. */
const leftOut = new Set(['node_modules', '.git']);

export interface FilesWatched {
  /** Files, and folders with everything below them. */
  readonly paths: readonly string[];
  /** Files and folders whose changes do not count. */
  readonly ignored: readonly string[];
  /** Called with absolute paths. */
  readonly onChange: (files: ReadonlySet<string>) => void;
}

/** Tells of changes until disposed. @throws {UsageError} a path that is not there or cannot be watched */
export function watchFiles({ paths, ignored, onChange }: FilesWatched): Disposable {
  const changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const note = (file: string): void => {
    if (isLeftOut(file, ignored)) return;
    changed.add(file);
    clearTimeout(timer);
    timer = setTimeout(() => {
      const files = new Set(changed);
      changed.clear();
      onChange(files);
    }, debounceMs);
  };
  const watchers = paths.map((path) => watcherOf(resolve(path), note));
  return {
    [Symbol.dispose]: () => {
      clearTimeout(timer);
      watchers.forEach((watcher) => watcher.close());
    },
  };
}

/** A file is watched by its folder: most editors put a new file in the place of the old one. */
function watcherOf(path: string, note: (file: string) => void): FSWatcher {
  const isFolder = isFolderAt(path);
  const folder = isFolder ? path : dirname(path);
  const listener = (_event: string, name: string | null): void => {
    if (isFolder) note(name === null ? folder : resolve(folder, name));
    else if (name === null || name === basename(path)) note(path);
  };
  try {
    return watch(folder, { recursive: isFolder }, listener).on('error', (error) => complain(path, error));
  } catch (error) {
    throw new UsageError(`${path} cannot be watched: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** A profile may come into being later; other paths have to be there, or a misspelt one would be watched for ever. */
function isFolderAt(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function isLeftOut(file: string, ignored: readonly string[]): boolean {
  if (file.split(sep).some((part) => leftOut.has(part))) return true;
  return ignored.some((path) => {
    const below = relative(resolve(path), file);
    return below === '' || (below !== '..' && !below.startsWith(`..${sep}`));
  });
}

function complain(path: string, error: Error): void {
  process.stderr.write(`svc-conformance: ${path} is no longer watched (${error.message}): start again to watch it\n`);
}
