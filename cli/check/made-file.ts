import { closeSync, openSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readTextFile } from '../../contract/named-file.ts';
import type { BookingNews } from '../../judge/case/bookings.ts';
import { jsonOf, memberIn, textIn } from '../../judge/json.ts';
import { jsonLine } from '../../reports/text.ts';
import { makeFolder } from '../make-folder.ts';
import { appendText, Clean, writeDocument, writeLine } from '../outlet.ts';
import { UsageError } from '../usage.ts';

/** What a run that was killed has made on a deployment, and the identity that may delete it, as far as that is known. */
export interface Made {
  readonly uri: string;
  readonly as?: string;
}

/** made.ndjson while it grows: what is there of a run that goes on. When that ends its report tells it, and the file goes. */
interface MadeFile {
  note(news: BookingNews): void;
  finish(): void;
}

const name = 'made.ndjson';

const mostBytes = 64 * 1024 * 1024;

/** Begins the file in the folder of a run. Where it cannot be written the run goes on: it tells no verdict. */
export function startMadeFile(folder: string): MadeFile {
  const path = join(folder, name);
  let file: number | undefined;
  let isWhole = true;
  const write = (line: BookingNews | { readonly process: number }): void => {
    if (!isWhole) return;
    try {
      file ??= openSync(path, 'w');
      writeLine(file, Clean.of(line).map(jsonLine));
    } catch {
      isWhole = false;
    }
  };
  return {
    note: (news) => {
      if (file === undefined) write({ process: process.pid });
      write(news);
    },
    finish: () => {
      if (file !== undefined) closeSync(file);
      rmSync(path, { force: true });
    },
  };
}

/** Moves what a killed run has made to what others before it have left. Returns how much that is. */
export function keepMade(folder: string, kept: string): number {
  const lines = linesIn(folder).filter((line) => memberIn(line, 'process') === undefined);
  if (lines.length > 0) {
    makeFolder(kept);
    appendText(join(kept, name), textOf(lines));
  }
  rmSync(join(folder, name), { force: true });
  return madeIn(kept).length;
}

/** What is there of killed runs, as far as these came to tell; the oldest first. */
export function madeIn(folder: string): readonly Made[] {
  const there = new Map<string, Made>();
  for (const line of linesIn(folder)) {
    const [made, gone, as] = ['made', 'gone', 'as'].map((member) => textIn(line, member));
    if (made !== undefined) there.set(made, { uri: made, ...(as !== undefined && { as }) });
    if (gone !== undefined) there.delete(gone);
  }
  return [...there.values()];
}

/** Leaves that in the file, and no file where that is nothing. */
export function keepOnly(folder: string, made: readonly Made[]): void {
  const path = join(folder, name);
  if (made.length === 0) rmSync(path, { force: true });
  else writeDocument(path, textOf(made.map(({ uri, as }) => ({ made: uri, as }))));
}

function textOf(lines: readonly unknown[]): Clean<string> {
  return Clean.of(lines).map((all) => all.map(jsonLine).join(''));
}

/** The process of a run that goes on and writes there. */
export function writerIn(folder: string): number | undefined {
  const ids = linesIn(folder).map((line) => memberIn(line, 'process'));
  return ids.find((id) => typeof id === 'number' && id !== process.pid && isRunning(id)) as number | undefined;
}

function isRunning(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch (error) {
    // somebody else's
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** A last line that was cut off in the middle is none. @throws {UsageError} it cannot be read */
function linesIn(folder: string): readonly unknown[] {
  const path = join(folder, name);
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return [];
  const refusal = (why: string): UsageError => new UsageError(`${path}: cannot be read: ${why}`);
  return readTextFile(path, refusal, mostBytes)
    .split('\n')
    .map(jsonOf)
    .filter((line) => line !== undefined);
}
