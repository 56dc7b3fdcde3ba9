import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { UsageError } from './usage.ts';

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

/** @param outputs undefined and `-` are no file @throws {UsageError} what is read would be written over, whatever the two are called */
export function assertOthers(outputs: readonly (string | undefined)[], inputs: readonly (string | undefined)[]): void {
  const read = new Map(inputs.flatMap((file) => (file === undefined ? [] : [[placeOf(file), file] as const])));
  for (const output of outputs) {
    const input = output === undefined || output === '-' ? undefined : read.get(placeOf(output));
    if (input !== undefined)
      throw new UsageError(
        `${output} would be written over ${input === output ? 'itself' : input}, which is read; name another file to write, as with --out or --report.`,
      );
  }
}

/** What a name leads to, through links. */
function placeOf(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat?.isFile() === true ? `${stat.dev} ${stat.ino}` : resolve(file);
}
