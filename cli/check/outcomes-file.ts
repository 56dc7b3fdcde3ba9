import { type Clean, writeLine } from '../outlet.ts';
import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../../contract/thrown.ts';
import type { Outcome, RunFooter, RunHeader } from '../../judge/outcome.ts';
import { UsageError } from '../usage.ts';
import { makeFolder } from '../make-folder.ts';

/** outcomes.ndjson while it grows: a line is on its way to the disk when the call returns, whatever happens to this process or the target. */
export interface OutcomesFile {
  readonly path: string;
  append(outcome: Clean<Outcome>): void;
  /** Writes the last line. */
  finish(footer: Clean<RunFooter>): void;
  /** Why the record is not whole, a sentence; undefined while every line was written. */
  failure(): string | undefined;
}

/** Begins the file anew in that folder. @throws {UsageError} nothing can be written there */
export function startOutcomesFile(folder: string, header: Clean<RunHeader>): OutcomesFile {
  const path = join(folder, 'outcomes.ndjson');
  const file = opened(folder, path);
  let failure: string | undefined;
  const lines = createHash('sha256');
  // half a line is the last one: what follows would be glued to it
  const write = (line: Clean<RunHeader | Outcome | RunFooter>): void => {
    if (failure !== undefined) return;
    const text = line.map((value) => `${JSON.stringify(value)}\n`);
    lines.update(text.value);
    failure = written(file, path, text);
  };
  write(header);
  if (failure !== undefined) throw new UsageError(`${failure}; name another folder with --out.`);
  return {
    path,
    append: write,
    finish: (footer) => {
      write(footer);
      failure ??= changed(file, path, lines.digest('hex'));
      const unclosed = closed(file, path);
      failure ??= unclosed;
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

function written(file: number, path: string, line: Clean<string>): string | undefined {
  try {
    writeLine(file, line);
    return undefined;
  } catch (error) {
    return `the record ${path} cannot be written (${codeOf(error)})`;
  }
}

/** Two runs that share a folder write over each other's lines, and neither is told by the system. */
function changed(file: number, path: string, digest: string): string | undefined {
  try {
    if (!fstatSync(file).isFile() || createHash('sha256').update(readFileSync(path)).digest('hex') === digest)
      return undefined;
    return `the record ${path} is not what was written: something else wrote there meanwhile; give each run a folder of its own with --out`;
  } catch (error) {
    return `the record ${path} cannot be read again (${codeOf(error)})`;
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
