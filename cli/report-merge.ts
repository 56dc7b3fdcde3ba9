import { Clean, tell } from './outlet.ts';
import { startConsole } from '../reports/console.ts';
import { exitOf } from '../reports/exit.ts';
import { readRecord, startOutcomesFile } from './check/outcomes-file.ts';
import { filesOfRun, takePlace, viewStream } from './check/place.ts';
import { cleanRun, writeReports } from './check/reports.ts';
import type { ReportRequest } from './options.ts';
import { assertOthers } from './make-folder.ts';
import { merged, type MergedRun } from './shards/merged.ts';
import { shardsOfOneRun } from './shards/same-run.ts';
import { incompleteExitCode } from './exit-codes.ts';

export interface ReportMergeOptions {
  /** Folder of the record and the reports of the whole. */
  readonly out: string;
  readonly report?: readonly ReportRequest[];
  readonly quiet?: true;
}

/**
 * Puts the records of all parts of a run together and writes what one whole run leaves behind. Resolves with the exit code of that run.
 * @throws {UsageError} records of different runs, or not every part once
 */
export async function reportMergeCommand(files: readonly string[], options: ReportMergeOptions): Promise<number> {
  assertOthers(filesOfRun(options), files);
  takePlace(filesOfRun(options));
  const { run, judged } = merged(
    shardsOfOneRun(files, await Promise.all(files.map((file) => readRecord(file, 'first')))),
  );
  const { told, failed } = write({ run, judged }, options);
  startConsole({
    stream: viewStream(options),
    quiet: options.quiet === true,
    tty: false,
    total: run.outcomes.length,
    folder: options.out,
  }).finish(told.value);
  for (const sentence of failed) tell(sentence);
  const { code } = exitOf(run);
  return code === 0 && failed.length > 0 ? incompleteExitCode : code;
}

/** Every case as it ended by itself, then what was taken back, as the record of a whole run has it. */
function write({ run, judged }: MergedRun, options: ReportMergeOptions): ReturnType<typeof writeReports> {
  const file = startOutcomesFile(options.out, Clean.of(run.header));
  for (const outcome of judged) file.append(Clean.of(outcome));
  run.outcomes
    .filter((outcome, index) => outcome !== judged[index])
    .forEach((outcome) => file.append(Clean.of(outcome)));
  if (run.footer !== undefined) file.finish(Clean.of(run.footer));
  const failure = file.failure();
  return writeReports(cleanRun(run), options, failure === undefined ? [] : [failure]);
}
