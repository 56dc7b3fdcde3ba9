import { Clean, stdout } from './outlet.ts';
import type { TrafficReport } from '../contract/schemas/traffic.ts';
import { terminalText } from '../reports/terminal.ts';
import { trafficReport } from '../reports/traffic.ts';
import { exitCodeOf } from './traffic/exit.ts';
import type { TrafficCompareOptions } from './options.ts';
import { compared, worseLimits } from './traffic/compared.ts';
import { readTrafficReport } from './traffic/report-file.ts';
import { assertTrafficReports, writeTrafficReports } from './traffic/report.ts';

/** Says what became of each figure from one run to another. Resolves with the exit code of the later run, as if it had been made with --compare. */
export async function compareTrafficCommand(
  before: string,
  after: string,
  { allowWorse, report = [] }: TrafficCompareOptions,
): Promise<number> {
  assertTrafficReports(report, [before, after]);
  const limits = worseLimits(allowWorse);
  const found: TrafficReport = compared(readTrafficReport(before), readTrafficReport(after), limits);
  const told = Clean.of(found);
  writeTrafficReports(told, report);
  stdout.write(told.map((one) => terminalText(trafficReport(one))));
  return exitCodeOf(found);
}
