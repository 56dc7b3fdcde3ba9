import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../../contract/thrown.ts';
import type { Outcome, RunFooter, RunHeader } from '../../judge/outcome.ts';
import { UsageError } from '../usage.ts';
import { makeFolder } from '../make-folder.ts';

/** outcomes.ndjson while it grows: a line is on its way to the disk when the call returns, whatever happens to this process or the target. */
export interface OutcomesFile {
  readonly path: string;
  append(outcome: Outcome): void;
  /** Writes the last line. */
  finish(footer: RunFooter): void;
  /** Why the record is not whole, a sentence; undefined while every line was written. */
  failure(): string | undefined;
}

/** Begins the file anew in that folder. @throws {UsageError} nothing can be written there */
export function startOutcomesFile(folder: string, header: RunHeader): OutcomesFile {
  const path = join(folder, 'outcomes.ndjson');
  const file = opened(folder, path);
  let failure: string | undefined;
  // half a line is the last one: what follows would be glued to it
  const write = (line: RunHeader | Outcome | RunFooter): void => {
    if (failure === undefined) failure = written(file, path, `${JSON.stringify(line)}\n`);
  };
  write(header);
  if (failure !== undefined) throw new UsageError(`${failure}; name another folder with --out.`);
  return {
    path,
    append: write,
    finish: (footer) => {
      write(footer);
      failure ??= closed(file, path);
    },
    failure: () => failure,
  };
}

function opened(folder: string, path: string): number {
  try {
    makeFolder(folder);
    return openSync(path, 'w');
  } catch (error) {
    throw new UsageError(`${path} cannot be written (${codeOf(error)}); name another folder with --out.`);
  }
}

function written(file: number, path: string, line: string): string | undefined {
  try {
    const bytes = Buffer.from(line);
    for (let done = 0; done < bytes.byteLength;) done += writeSync(file, bytes, done);
    return undefined;
  } catch (error) {
    return `the record ${path} cannot be written (${codeOf(error)})`;
  }
}

function closed(file: number, path: string): string | undefined {
  try {
    closeSync(file);
    return undefined;
  } catch (error) {
    return `the record ${path} cannot be closed (${codeOf(error)})`;
  }
}
