import type { TrafficReport } from '../../contract/schemas/traffic.ts';
import { goneFromSecond } from '../../reports/traffic.ts';
import { undecidedIn } from '../../simulator/traffic/compare/compare.ts';
import { complain, incompleteExitCode, violatedExitCode } from '../exit-codes.ts';

/** A generator that begins journeys later than this, at the 99th percentile, did not keep the rate that it was asked for, in ms. */
const tolerableLatenessMs = 250;

/** A broken rule is one however the load was made. A threshold says something about the target only when the load that was asked for was made, and the target was there. */
export function exitCodeOf(report: TrafficReport): number {
  if (report.violations.length > 0) return violatedExitCode;
  if (report.interrupted === true) return incompleteExitCode;
  const reason = notMade(report);
  if (reason !== undefined) return complain(reason, incompleteExitCode);
  if (report.thresholds.some(({ met }) => !met)) return violatedExitCode;
  const undecided = undecidedIn(report).map(({ figure }) => figure);
  return undecided.length === 0
    ? 0
    : complain(
        `whether ${undecided.join(' and ')} became worse than allowed cannot be told: make both runs longer, or on a quieter machine.`,
        incompleteExitCode,
      );
}

/** Why the load that was asked for was not made; undefined where it was. */
export function notMade(report: TrafficReport): string | undefined {
  const { all, lateness, remarks } = report;
  if (all.requests === 0) return 'no request was sent: is there a journey that the profile allows?';
  if (!Object.keys(all.outcomes).some((outcome) => /^\d{3}$/.test(outcome))) return 'nobody answered at the target';
  const goneFrom = goneFromSecond(report);
  if (goneFrom !== undefined)
    return `the target was gone, or refused everything, from second ${goneFrom} of the load on`;
  if (report.endedEarly === true) return remarks.join(' ');
  if (lateness === undefined) return undefined;
  const { p99Ms, skipped } = lateness;
  if (p99Ms > tolerableLatenessMs)
    return `this machine did not keep the rate: 1 % of the journeys began more than ${Math.round(p99Ms)} ms late. That says nothing about the target, nor do the latencies; ask for less, use more --workers, or more machines (--export).`;
  return skipped === 0
    ? undefined
    : `${skipped} journeys could not begin, as too many were under way: what was asked for was not sent. Ask for less, or use more machines (--export).`;
}
