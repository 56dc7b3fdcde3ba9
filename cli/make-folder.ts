import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** Makes a folder and those above it, each by itself: where nothing can be made, as in /proc, Node's own recursion never ends. */
export function makeFolder(folder: string): void {
  const place = resolve(folder);
  if (statSync(place, { throwIfNoEntry: false })?.isDirectory() === true) return;
  if (dirname(place) !== place) makeFolder(dirname(place));
  try {
    mkdirSync(place);
  } catch (error) {
    // somebody else may have made it meanwhile
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !statSync(place).isDirectory()) throw error;
  }
}

/** Writes a document, and makes its folder where there is none. */
export function writeDocument(file: string, content: string | Uint8Array): void {
  makeFolder(dirname(file));
  writeFileSync(file, content);
}
