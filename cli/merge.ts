import { Clean, stdout } from './outlet.ts';
import type { TrafficReport } from '../contract/schemas/traffic.ts';
import { readTextFile } from '../contract/named-file.ts';
import { MergeError, readCounts } from '../simulator/traffic/merge/counts.ts';
import { mergeReports } from '../simulator/traffic/merge/reports.ts';
import { type CountsByFile, mergeCounts, skippedIn } from '../simulator/traffic/merge/merge.ts';
import { terminalText } from '../reports/terminal.ts';
import { trafficReport } from '../reports/traffic.ts';
import type { MergeOptions } from './options.ts';
import { exitCodeOf } from './traffic/exit.ts';
import { readTrafficReport } from './traffic/report-file.ts';
import { assertTrafficReports, writeTrafficReports } from './traffic/report.ts';
import { asUsage, UsageError } from './usage.ts';
import { incompleteExitCode } from './exit-codes.ts';

/**
 * Adds up what the segments of a run counted. Resolves with the exit code: 0 all kept, 1 a rule or a threshold was broken, 3 the load
 * could not be made. @throws {UsageError} files that are no segments of one run, or not all of them
 */
export async function mergeCommand(files: readonly string[], options: MergeOptions): Promise<number> {
  try {
    const twice = files.find((file, index) => files.indexOf(file) < index);
    if (twice !== undefined) throw new UsageError(`Expected each segment once, found ${twice} twice. Name it once.`);
    assertTrafficReports(options.report, files);
    const { report, exitCode } = files.some(isReport) ? mergedReports(files) : mergedCounts(files);
    const told = Clean.of(report);
    writeTrafficReports(told, options.report ?? []);
    stdout.write(told.map((one) => terminalText(trafficReport(one))));
    return exitCode();
  } catch (error) {
    throw asUsage(error, MergeError);
  }
}

interface Merged {
  readonly report: TrafficReport;
  readonly exitCode: () => number;
}

function mergedReports(files: readonly string[]): Merged {
  const report = mergeReports(new Map(files.map((file) => [file, readTrafficReport(file)])));
  return { report, exitCode: () => exitCodeOf(report) };
}

function mergedCounts(files: readonly string[]): Merged {
  const counts: CountsByFile = new Map(files.map((file) => [file, readCounts(file)]));
  const report = mergeCounts(counts);
  // what was left out says nothing against what was seen
  return { report, exitCode: () => exitCodeOf(report) || (skippedIn(counts.values()) > 0 ? incompleteExitCode : 0) };
}

const mostBytes = 400 * 1024 * 1024;

/** Whether a file is a report of our own traffic; what is wrong with another one is told by whoever reads counts. */
function isReport(file: string): boolean {
  try {
    const value: unknown = JSON.parse(readTextFile(file, (why) => new Error(why), mostBytes));
    return typeof value === 'object' && value !== null && Reflect.get(value, 'kind') === 'traffic';
  } catch {
    return false;
  }
}
