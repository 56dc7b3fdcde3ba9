import { type Clean, writeNew } from '../outlet.ts';
import { readdirSync, rmSync } from 'node:fs';
import { extname, join } from 'node:path';
import { codeOf } from '../../contract/thrown.ts';
import { scriptExtensions, scriptsOf } from '../../reports/repeat/scripts.ts';
import type { Run } from '../../reports/run.ts';
import { makeFolder } from '../make-folder.ts';

/** Writes the scripts that show the findings of a run again, in the place of those of the run before. Returns a sentence where that fails. */
export function writeScripts(run: Clean<Run>, out: string): readonly string[] {
  const folder = join(out, 'repeat');
  try {
    clearScripts(folder);
    const files = run.map(scriptsOf);
    if (files.value.length > 0) makeFolder(folder);
    for (const [index, { name }] of files.value.entries())
      writeNew(
        join(folder, name),
        files.map((all) => all[index]?.text ?? ''),
      );
    return [];
  } catch (error) {
    return [`the scripts in ${folder} cannot be written (${codeOf(error)})`];
  }
}

/** What has another name is somebody else's. */
export function clearScripts(folder: string): void {
  for (const name of scriptNamesIn(folder)) rmSync(join(folder, name), { force: true });
}

/** None where there is no such folder. */
export function scriptNamesIn(folder: string): readonly string[] {
  return namesIn(folder).filter((name) => scriptExtensions.some((extension) => extname(name) === `.${extension}`));
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
