import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Outcome, RunFooter, RunHeader } from '../../judge/outcome.ts';

/** outcomes.ndjson while it grows: a line is on its way to the disk when the call returns, whatever happens to this process or the target. */
export interface OutcomesFile {
  readonly path: string;
  append(outcome: Outcome): void;
  /** Writes the last line. */
  finish(footer: RunFooter): void;
}

/** Begins the file anew in that folder. */
export function startOutcomesFile(folder: string, header: RunHeader): OutcomesFile {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'outcomes.ndjson');
  const file = openSync(path, 'w');
  const write = (line: RunHeader | Outcome | RunFooter): void => void writeSync(file, `${JSON.stringify(line)}\n`);
  write(header);
  return {
    path,
    append: write,
    finish: (footer) => {
      write(footer);
      closeSync(file);
    },
  };
}
