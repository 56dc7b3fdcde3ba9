import { Clean, stdout, writeNew } from './outlet.ts';
import { CassetteError, readCassette, readCassetteFile } from '../judge/cassette/file.ts';
import { exchangesOn } from '../judge/cassette/exchanges.ts';
import { cassetteFormatOf, type CassetteFormat } from '../reports/cassette/formats.ts';
import { formatOf, UnknownFormat } from '../reports/formats.ts';
import { OutcomesError, readRun } from '../reports/run.ts';
import { cleanRun } from './check/reports.ts';
import { assertOthers } from './make-folder.ts';
import { listedRules } from './rule-list.ts';
import { asUsage, UsageError } from './usage.ts';

export interface ReportOptions {
  /** File to write; standard output unless given. */
  readonly out?: string;
}

/**
 * Makes one report of the outcomes of earlier runs: several files become an array in JSON, one section each in Markdown, further test
 * suites in JUnit. Resolves with 0 whatever the runs found. @throws {UsageError} unknown format or unreadable file
 */
export async function reportCommand(
  format: string,
  files: readonly string[],
  options: ReportOptions = {},
): Promise<number> {
  assertOthers([options.out], files);
  const document = await documentOf(format, files);
  if (options.out === undefined) stdout.write(document);
  else writeNew(options.out, document);
  return 0;
}

async function documentOf(format: string, files: readonly string[]): Promise<Clean<string>> {
  try {
    const cassetteFormat = cassetteFormatOf(format);
    if (cassetteFormat !== undefined) return await documentOfCassette(cassetteFormat, files);
    const { write, writeAll } = formatOf(format);
    const runs = await Promise.all(files.map((file) => readRun(file, listedRules)));
    const [only, ...others] = runs;
    if (only === undefined) throw new UsageError('Expected the outcomes.ndjson of at least one run.');
    return others.length === 0 ? cleanRun(only).map(write) : Clean.of(runs).map(writeAll);
  } catch (error) {
    throw asUsage(error, UnknownFormat, OutcomesError, CassetteError);
  }
}

async function documentOfCassette(write: CassetteFormat, files: readonly string[]): Promise<Clean<string>> {
  const [file, ...others] = files;
  if (file === undefined || others.length > 0) throw new UsageError('Expected one cassette.');
  const { about, tape } = readCassette(readCassetteFile(file), file);
  return Clean.own(write({ about, exchanges: exchangesOn(tape) }));
}
