import type { TrafficReport } from '../contract/schemas/traffic.ts';
import { MergeError, readCounts } from '../simulator/traffic/merge/counts.ts';
import { type CountsByFile, mergeCounts, skippedIn } from '../simulator/traffic/merge/merge.ts';
import { terminalText } from '../reports/terminal.ts';
import { trafficReport } from '../reports/traffic.ts';
import type { MergeOptions } from './options.ts';
import { writeTrafficReports } from './traffic/report.ts';
import { UsageError } from './usage.ts';

const [violatedExitCode, incompleteExitCode] = [1, 3];

/**
 * Adds up what the segments of an exported run counted. Resolves with the exit code: 0 all kept, 1 a rule or a threshold was broken, 3 the load
 * could not be made. @throws {UsageError} files that are no segments of one run, or not all of them
 */
export async function mergeCommand(files: readonly string[], options: MergeOptions): Promise<number> {
  try {
    const twice = files.find((file, index) => files.indexOf(file) < index);
    if (twice !== undefined) throw new UsageError(`Expected each segment once, found ${twice} twice. Name it once.`);
    const counts: CountsByFile = new Map(files.map((file) => [file, readCounts(file)]));
    const report = mergeCounts(counts);
    writeTrafficReports(report, options.report ?? []);
    process.stdout.write(terminalText(trafficReport(report)));
    return exitCodeOf(report, skippedIn(counts.values()));
  } catch (error) {
    if (error instanceof MergeError) throw new UsageError(error.message);
    throw error;
  }
}

function exitCodeOf({ violations, thresholds, all }: TrafficReport, skipped: number): number {
  if (violations.length > 0 || thresholds.some(({ met }) => !met)) return violatedExitCode;
  return skipped > 0 || all.requests === 0 ? incompleteExitCode : 0;
}
