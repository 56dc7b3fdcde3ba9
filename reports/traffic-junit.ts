import type { TrafficReport } from '../contract/schemas/traffic.ts';
import { type JunitCase, junitText } from './xml.ts';

/** What became of a threshold, a rule or the load; `failure` where it did not go well. */
interface Case {
  readonly name: string;
  readonly group: 'thresholds' | 'rules' | 'run';
  readonly failure?: { readonly message: string; readonly text: string };
}

/**
 * JUnit XML of a run of traffic: a test case for each threshold, one for each rule that was seen broken, or one that none was, and one that the
 * load was made. Of the same schema as that of a check.
 */
export function trafficJunit(report: TrafficReport): string {
  const { implementation, target, startedAt, durationMs, seed, workers, requestsPerSecond, all, remarks } = report;
  const { requests, errors, p50Ms, p99Ms, p9999Ms } = all;
  const load = { requests, errors, requestsPerSecond, p50Ms, p99Ms, p9999Ms };
  return junitText([
    {
      name: 'traffic',
      about: { implementation, url: target, startedAt },
      durationMs,
      properties: { implementation, target, seed, workers, ...load },
      cases: [...thresholdCases(report), ...ruleCases(report), runCase(report)].map((one) => caseOf(one, durationMs)),
      out: remarks,
    },
  ]);
}

function caseOf({ name, group, failure }: Case, durationMs: number): JunitCase {
  const kind = group === 'run' ? 'error' : 'failure';
  return {
    name,
    group: `traffic.${group}`,
    durationMs,
    ...(failure && { end: { ...failure, kind, type: group } }),
  };
}

function thresholdCases({ thresholds }: TrafficReport): readonly Case[] {
  return thresholds.map(({ text, met, found }) => ({
    name: text,
    group: 'thresholds',
    ...(!met && { failure: { message: `found ${found}`, text: `expected ${text}, found ${found}` } }),
  }));
}

function ruleCases({ violations, judged }: TrafficReport): readonly Case[] {
  if (judged.ratio === 0) return [];
  if (violations.length === 0) return [{ name: 'no rule was seen broken', group: 'rules' }];
  return violations.map(({ rule, expected, actual, count, curl, answer }) => ({
    name: rule,
    group: 'rules',
    failure: {
      message: `broken ${count === 1 ? 'once' : `${count} times`}`,
      text: [`expected ${expected}`, `found ${actual}`, curl, answer].filter((part) => part !== undefined).join('\n'),
    },
  }));
}

function runCase({ interrupted, endedEarly, lateness, remarks }: TrafficReport): Case {
  const reasons = [
    ...(interrupted === true ? ['it was interrupted'] : []),
    ...(endedEarly === true ? ['it ended early'] : []),
    ...((lateness?.skipped ?? 0) > 0 ? [`${lateness?.skipped} journeys could not begin`] : []),
  ];
  const failure = { message: reasons.join(', '), text: remarks.join('\n') };
  return {
    name: 'the load was made',
    group: 'run',
    ...(reasons.length > 0 && { failure }),
  };
}
