import { type Clean, writeLine } from '../outlet.ts';
import { createHash, hash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../../contract/thrown.ts';
import type { Outcome, RunFooter, RunHeader } from '../../judge/outcome.ts';
import { OutcomesError, readRun, type Run } from '../../reports/run.ts';
import { listedRules } from '../rule-list.ts';
import { throwAsUsage, UsageError } from '../usage.ts';
import { makeFolder } from '../make-folder.ts';

/** outcomes.ndjson while it grows: a line is on its way to the disk when the call returns, whatever happens to this process or the target. */
export interface OutcomesFile {
  readonly path: string;
  append(outcome: Clean<Outcome>): void;
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
    failure = failureAt(path, 'written', () => writeLine(file, text));
  };
  write(header);
  if (failure !== undefined) throw new UsageError(`${failure}; name another folder with --out.`);
  return {
    path,
    append: write,
    finish: (footer) => {
      write(footer);
      failure ??= failureAt(path, 'read again', () => changed(file, path, lines.digest('hex')));
      const unclosed = failureAt(path, 'closed', () => closeSync(file));
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

/** What the work says is wrong, or that it failed, as a sentence. */
function failureAt(path: string, what: string, work: () => string | undefined | void): string | undefined {
  try {
    return work() ?? undefined;
  } catch (error) {
    return `the record ${path} cannot be ${what} (${codeOf(error)})`;
  }
}

/** Two runs that share a folder write over each other's lines, and neither is told by the system. */
function changed(file: number, path: string, digest: string): string | undefined {
  if (!fstatSync(file).isFile() || hash('sha256', readFileSync(path)) === digest) return undefined;
  return `the record ${path} is not what was written: something else wrote there meanwhile; give each run a folder of its own with --out`;
}

/** The record of a run. @throws {UsageError} it is none */
export function readRecord(file: string, counts?: Parameters<typeof readRun>[2]): Promise<Run> {
  return readRun(file, listedRules, counts).catch(throwAsUsage(OutcomesError));
}
