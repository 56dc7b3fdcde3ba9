import { stderr, stdout, type Outlet } from '../outlet.ts';
import { accessSync, constants, copyFileSync, openSync, rmSync, statSync, truncateSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { CheckOptions, ReportRequest } from '../options.ts';
import { codeOf } from '../../contract/thrown.ts';
import { UsageError } from '../usage.ts';
import { makeFolder } from '../make-folder.ts';
import { keepMade } from './made-file.ts';
import { clearScripts, scriptNamesIn } from './scripts.ts';

/** Reports that every run leaves in its folder. */
export function reportsIn(out: string): readonly ReportRequest[] {
  return [
    { format: 'json', file: join(out, 'report.json') },
    { format: 'markdown', file: join(out, 'report.md') },
    { format: 'junit', file: join(out, 'junit.xml') },
    { format: 'html', file: join(out, 'report.html') },
  ];
}

/** The place of a report that is printed, and in no file. */
export const printed = '-';

/** Where a person watches a run: not where a report or events are printed. */
export function viewStream({ report = [], json }: Pick<CheckOptions, 'report' | 'json'>): Outlet {
  return json === true || report.some(({ file }) => file === printed) ? stderr : stdout;
}

/** Every file that a run with these options leaves, the record first. */
export function filesOfRun({
  out,
  report = [],
  record,
}: Pick<CheckOptions, 'out' | 'report' | 'record'>): readonly string[] {
  const reports = [...reportsIn(out), ...report].map(({ file }) => file);
  return [
    join(out, 'outcomes.ndjson'),
    ...reports.filter((file) => file !== printed),
    ...(record === undefined ? [] : [record]),
  ];
}

/** The same for a run with a second implementation beside the first. */
export function filesOfComparison({ out, report = [] }: Pick<CheckOptions, 'out' | 'report'>): readonly string[] {
  return [...['json', 'md', 'html'].map((name) => join(out, `against.${name}`)), ...report.map(({ file }) => file)];
}

/**
 * Empties what an earlier run has left under these names, before anything else can go wrong: a run that is refused or killed must not be
 * taken for the one before. The names stay what they are, links and devices too. @throws {UsageError} one of them cannot be written
 */
export function emptyFormer(files: readonly string[]): void {
  named(files, (file) => {
    if (statSync(file, { throwIfNoEntry: false })?.isFile() === true) truncateSync(file);
  });
}

/** The same, with folders for what is to come. @throws {UsageError} one of them cannot be written */
export function takePlace(files: readonly string[]): void {
  named(files, empty);
}

function named(files: readonly string[], work: (file: string) => void): void {
  for (const file of files) {
    try {
      work(file);
    } catch (error) {
      throw new UsageError(`${file} cannot be written (${codeOf(error)}); name another place with --out or --report.`);
    }
  }
}

function empty(file: string): void {
  makeFolder(dirname(file));
  const found = statSync(file, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) throw Object.assign(new Error('a folder'), { code: 'EISDIR' });
  if (found === undefined) accessSync(dirname(file), constants.W_OK);
  else if (found.isFile()) truncateSync(file);
  // to wait for somebody who reads could be for ever; it stays open, for whoever reads would take its close for the end
  else if (found.isFIFO()) openSync(file, constants.O_WRONLY | constants.O_NONBLOCK);
}

/** In the folder of a run, where the run before it is kept. */
const former = 'former';

/**
 * Keeps what an earlier run has left in its folder, in the place of what was kept before: `compare OUT/former/report.json OUT/report.json`
 * says what has changed. The names in the folder stay what they are, links too. What cannot be kept stops no run.
 * @returns how much killed runs have left on a deployment
 */
export function keepFormer(out: string): number {
  const kept = join(out, former);
  try {
    const [record = '', ...reports] = filesOfRun({ out });
    if (!isWritten(record)) return keepMade(out, kept);
    makeFolder(kept);
    for (const file of [record, ...reports]) keep(file, join(kept, file.slice(join(out, '/').length)));
    keepScripts(join(out, 'repeat'), join(kept, 'repeat'));
    return keepMade(out, kept);
  } catch {
    // the run that begins is worth more
    return 0;
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
