import { copyFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../make-folder.ts';
import { filesOfRun } from './place.ts';
import { clearScripts, scriptNamesIn } from './scripts.ts';

/** In the folder of a run, where the run before it is kept. */
const former = 'former';

/**
 * Keeps what an earlier run has left in its folder, in the place of what was kept before: `compare OUT/former/report.json OUT/report.json`
 * says what has changed. The names in the folder stay what they are, links too. What cannot be kept stops no run.
 */
export function keepFormer(out: string): void {
  try {
    const [record = '', ...reports] = filesOfRun({ out });
    if (!isWritten(record)) return;
    const kept = join(out, former);
    makeFolder(kept);
    for (const file of [record, ...reports]) keep(file, join(kept, file.slice(join(out, '/').length)));
    keepScripts(join(out, 'repeat'), join(kept, 'repeat'));
  } catch {
    // the run that begins is worth more
  }
}

/** Of a run that was refused nothing is left but empty files. */
function isWritten(file: string): boolean {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat?.isFile() === true && stat.size > 0;
}

function keep(file: string, to: string): void {
  if (isWritten(file)) copyFileSync(file, to);
  else rmSync(to, { force: true });
}

function keepScripts(folder: string, to: string): void {
  clearScripts(to);
  const names = scriptNamesIn(folder);
  if (names.length > 0) makeFolder(to);
  for (const name of names) copyFileSync(join(folder, name), join(to, name));
}
