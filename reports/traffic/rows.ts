import type { TrafficReport } from '../../contract/schemas/traffic.ts';
import { counted } from '../text.ts';
import { count, rate, share, time } from './figures.ts';

export const operationHead = [
  'operation',
  'requests',
  'errors',
  'rate',
  'mean',
  'p50',
  'p90',
  'p99',
  'max',
  'answers',
] as const;

/** One row an operation, all of them together last. */
export function operationRows({ operations, all, durationMs }: TrafficReport): readonly (readonly string[])[] {
  return [...operations, all].map((one) => [
    one.op,
    count(one.requests),
    share(one.errors, one.requests),
    rate(durationMs === 0 ? 0 : (one.requests * 1000) / durationMs),
    time(one.meanMs),
    time(one.p50Ms),
    time(one.p90Ms),
    time(one.p99Ms),
    time(one.maxMs),
    Object.entries(one.outcomes)
      .map(([outcome, times]) => `${outcome}: ${count(times)}`)
      .join(', '),
  ]);
}

/** What was asked for, in words. */
export function loadOf({ load }: Pick<TrafficReport, 'load'>): string {
  return load.model === 'open' ? `${count(load.rate)} journeys a second` : counted(load.users, 'user');
}

/** What a run came to, in sentences: the first is the verdict. */
export function sentences(report: TrafficReport): readonly string[] {
  const { thresholds, deliveries, lateness, journeys, remarks, interrupted } = report;
  const goneFrom = goneFromSecond(report);
  const missed = thresholds.filter(({ met }) => !met);
  const whole = journeys.reduce((sum, journey) => sum + journey.whole, 0);
  const begun = journeys.reduce((sum, journey) => sum + journey.begun, 0);
  return [
    ...(interrupted === true ? ['Interrupted: this is what was until then.'] : []),
    verdictOf(report),
    ...declaredIn(report),
    `${count(whole)} of ${count(begun)} journeys came to their end without an error.`,
    ...(deliveries === undefined
      ? []
      : [
          `${count(deliveries.arrived)} of ${count(deliveries.triggered)} events arrived, half of them within ${time(deliveries.p50Ms)}, 99 % within ${time(deliveries.p99Ms)}.`,
        ]),
    ...(lateness === undefined
      ? []
      : [
          `Journeys began late by ${time(lateness.p50Ms)} in the median, ${time(lateness.p99Ms)} at the 99th percentile${lateness.skipped === 0 ? '' : `; ${count(lateness.skipped)} could not begin`}.`,
        ]),
    ...(goneFrom === undefined
      ? []
      : [`From second ${goneFrom} on every request failed: the target was gone or refused everything.`]),
    ...missed.map(({ text, found }) => `Threshold ${text} was missed: ${found}.`),
    ...remarks,
  ];
}

/** The last second of a run often holds a request or two: that these failed does not say that nobody was there. */
const fewestOfTheGone = 10;

/** The second from which on, to the end, all requests were errors; undefined where the last ones were not, or are too few to tell. */
export function goneFromSecond({ seconds, all }: Pick<TrafficReport, 'seconds' | 'all'>): number | undefined {
  if (all.errors === all.requests) return undefined;
  const busy = seconds.filter(({ requests }) => requests > 0);
  const lastGood = busy.findLastIndex(({ requests, errors }) => errors < requests);
  const bad = busy.slice(lastGood + 1);
  return bad.reduce((sum, { requests }) => sum + requests, 0) < fewestOfTheGone ? undefined : bad[0]?.second;
}

function declaredIn({ declared = [] }: TrafficReport): readonly string[] {
  if (declared.length === 0) return [];
  const times = declared.reduce((sum, { count: one }) => sum + one, 0);
  const reasons = declared.map(({ rule, reason }) => `${rule} (${reason})`).join(', ');
  return [
    `${counted(declared.length, 'rule was', 'rules were')} broken as the profile declares, ${counted(times, 'time')}, and left out of the verdict: ${reasons}.`,
  ];
}

function verdictOf({ judged, violations, declared = [] }: TrafficReport): string {
  if (judged.ratio === 0) return 'Nothing was judged.';
  const answers = `${count(judged.exchanges)} answers`;
  if (violations.length === 0)
    return `No rule was seen broken${declared.length === 0 ? '' : ' but as declared'} in ${answers}.`;
  const times = violations.reduce((sum, violation) => sum + violation.count, 0);
  return `${counted(violations.length, 'rule was', 'rules were')} broken, ${counted(times, 'time')} in ${answers}.`;
}
