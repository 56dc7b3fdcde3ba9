import type { TrafficReport } from '../contract/schemas/traffic.ts';
import { element, junitText, lines, placeAndTime, propertyElements, secondsOf, xmlText } from './xml.ts';

interface Case {
  readonly name: string;
  readonly group: 'thresholds' | 'rules' | 'run';
  /** Why it did not go well; nothing where it did. */
  readonly failure?: { readonly message: string; readonly text: string };
  readonly kind?: 'failure' | 'error';
}

/**
 * JUnit XML of a run of traffic: a test case for each threshold, one for each rule that was seen broken, or one that none was, and one that the
 * load was made. Of the same schema as that of a check.
 */
export function trafficJunit(report: TrafficReport): string {
  const cases = [...thresholdCases(report), ...ruleCases(report), runCase(report)];
  const number = (kind: Case['kind']): number =>
    cases.filter((one) => one.failure !== undefined && (one.kind ?? 'failure') === kind).length;
  const attributes = {
    name: 'traffic',
    package: report.implementation,
    id: 0,
    ...placeAndTime(report.target, report.startedAt),
    tests: cases.length,
    failures: number('failure'),
    errors: number('error'),
    skipped: 0,
    time: secondsOf(report.durationMs),
  };
  const content = [
    element('properties', {}, lines(propertiesOf(report))),
    ...cases.map((one) => caseElement(one, report)),
    element('system-out', {}, xmlText(report.remarks.join('\n'))),
    element('system-err', {}),
  ];
  return junitText([element('testsuite', attributes, lines(content))]);
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
    ...(reasons.length > 0 && { failure, kind: 'error' }),
  };
}

function caseElement({ name, group, failure, kind = 'failure' }: Case, { durationMs }: TrafficReport): string {
  const attributes = { name, classname: `svc-conformance.traffic.${group}`, time: secondsOf(durationMs) };
  if (failure === undefined) return element('testcase', attributes);
  return element(
    'testcase',
    attributes,
    element(kind, { message: failure.message, type: group }, xmlText(failure.text)),
  );
}

function propertiesOf({ implementation, target, seed, workers, requestsPerSecond, all }: TrafficReport): string[] {
  const { p50Ms, p99Ms, p9999Ms, requests, errors } = all;
  return propertyElements({
    implementation,
    target,
    seed,
    workers,
    requests,
    errors,
    requestsPerSecond,
    p50Ms,
    p99Ms,
    p9999Ms,
  });
}
