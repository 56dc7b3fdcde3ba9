import { type Clean, writeDocument } from '../outlet.ts';
import { declaredOn } from '../../api/declarations.ts';
import type { TrafficReportRequest } from '../options.ts';
import { withoutSlash } from '../../contract/address.ts';
import type { Profile } from '../../contract/profile.ts';
import type { MinuteSummary, TrafficReport, TrafficViolation } from '../../contract/schemas/traffic.ts';
import { curlLine } from '../../judge/curl/curl.ts';
import type { LoadedProfile } from '../../judge/profile/load.ts';
import type { Secrets } from '../../judge/redact/redact.ts';
import { matches } from '../../judge/run/glob.ts';
import { cutTo } from '../../reports/text.ts';
import { trafficFormats } from '../../reports/traffic-formats.ts';
import type { EngineSetup, LoadPlan, TrafficExchange } from '../../simulator/traffic/engine.ts';
import { type FoundViolation, sumSeconds } from '../../simulator/traffic/judging/violations.ts';
import { driftOf } from '../../simulator/traffic/measure/drift.ts';
import { informationFilterOf } from '../../simulator/traffic/ground-of.ts';
import { judgeThreshold, type Threshold } from '../../simulator/traffic/thresholds.ts';
import type { TrafficEnd } from '../../simulator/traffic/traffic.ts';
import { wireRequestOf } from '../../simulator/traffic/wire.ts';
import { catalogue } from '../../suites/catalogue.ts';
import { emptyFormer } from '../check/place.ts';
import { assertOthers } from '../make-folder.ts';

export interface ReportParts {
  readonly loaded: LoadedProfile;
  readonly secrets: Secrets;
  readonly plan: LoadPlan;
  readonly workers: number;
  readonly startedAt: string;
  readonly ratio: number;
  readonly thresholds: readonly Threshold[];
  readonly interrupted: boolean;
}

/** Everything that a run came to. */
export function trafficReportOf(end: TrafficEnd, parts: ReportParts): TrafficReport {
  const { loaded, plan, workers, startedAt, ratio, interrupted } = parts;
  const { tally, engine, deliveries } = end;
  const all = tally.all.summary('all');
  const operations = tally.operations();
  const explanationOf = explainedBy(loaded.profile, startedAt);
  const broken = end.violations.filter(({ rule }) => explanationOf(rule) === undefined);
  const declared = end.violations.flatMap((violation) => {
    const reason = explanationOf(violation.rule);
    return reason === undefined ? [] : [{ ...violationOf(violation, parts, end.authorizationOf), reason }];
  });
  const bySecond = sumSeconds(broken);
  const seconds = Math.max(engine.durationMs, 1) / 1000;
  return {
    schemaVersion: 1,
    kind: 'traffic',
    implementation: loaded.profile.implementation,
    target: loaded.profile.baseUrl,
    startedAt,
    seed: plan.seed,
    load: plan.load,
    ...(plan.mix.stages && { stages: plan.mix.stages }),
    workers,
    ...segmentOf(plan),
    durationMs: Math.round(engine.durationMs),
    ...(interrupted && { interrupted }),
    ...(engine.endedEarly && { endedEarly: true }),
    requestsPerSecond: all.requests / seconds,
    all,
    operations: [...operations],
    journeys: [...tally.journeys()],
    seconds: tally
      .seconds()
      .map((one) => ({ ...one, ...(bySecond.has(one.second) && { violations: bySecond.get(one.second) ?? 0 }) })),
    ...minutesIn(tally.minutes(), plan),
    ...(engine.lateness && { lateness: engine.lateness }),
    judged: { ratio, exchanges: end.judged },
    violations: broken.map((violation) => violationOf(violation, parts, end.authorizationOf)),
    ...(declared.length > 0 && { declared }),
    ...(deliveries && { deliveries }),
    thresholds: [
      ...parts.thresholds.map((threshold) => judgeThreshold(threshold, [...operations, all], seconds)),
      ...(end.limit === undefined ? [] : [end.limit]),
    ],
    remarks: [...end.remarks, ...engine.remarks],
  };
}

function segmentOf({ segment, startAt }: LoadPlan): Pick<TrafficReport, 'segment'> {
  if (segment === undefined) return {};
  const start = startAt === undefined ? {} : { startAt: new Date(startAt).toISOString() };
  return { segment: { number: segment.index + 1, of: segment.of, ...start } };
}

/** Minutes of a run of several, and whether they drift; where the load itself rises and falls they say nothing about that. */
function minutesIn(all: readonly MinuteSummary[], { rampMs, mix }: LoadPlan): Pick<TrafficReport, 'minutes' | 'drift'> {
  if (all.length < 2) return {};
  const drift = mix.stages === undefined ? driftOf(all, Math.ceil(rampMs / 60_000)) : undefined;
  return { minutes: [...all], ...(drift && { drift }) };
}

/** Characters of a body. */
const mostShown = 4000;

type AuthorizationOf = EngineSetup['authorizationOf'];

function violationOf(
  { rule, expected, actual, count, exchange }: FoundViolation,
  parts: ReportParts,
  authorizationOf: AuthorizationOf,
): TrafficViolation {
  const shown = exchange && { curl: curlOf(exchange, parts, authorizationOf), ...answerOf(exchange) };
  return { rule, expected, actual, count, ...shown };
}

/** Of a download nothing but the head, and nothing at all where no answer came. */
function answerOf({ step, result: { status, headers, body } }: TrafficExchange): { readonly answer?: string } {
  if (status === 0) return {};
  const head = [`${status}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)];
  const text = step.about?.kind === 'download' ? `(${body.length} bytes)` : cutTo(mostShown, body);
  return { answer: [...head, '', text].join('\n') };
}

function curlOf({ step }: TrafficExchange, { loaded, secrets }: ReportParts, authorizationOf: AuthorizationOf): string {
  const { method, path, headers, body } = wireRequestOf(step, {
    authorizationOf,
    ...informationFilterOf(loaded.profile),
  });
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  return curlLine(
    {
      method,
      url: path.startsWith('/') ? withoutSlash(loaded.profile.baseUrl) + path : path,
      headers: Object.entries(headers),
      ...(bytes instanceof Uint8Array && { body: bytes }),
    },
    secrets,
  );
}

/** @throws {UsageError} what is read would be written over */
export function assertTrafficReports(
  requests: readonly TrafficReportRequest[] = [],
  inputs: readonly (string | undefined)[],
): void {
  assertOthers(requests.map(fileOf), inputs);
}

/** Empties what an earlier run has left in the places of the reports: a run that is refused or killed must not be taken for that one. @throws {UsageError} */
export function emptyFormerReports(requests: readonly TrafficReportRequest[] = []): void {
  emptyFormer(requests.map(fileOf));
}

export function writeTrafficReports(report: Clean<TrafficReport>, requests: readonly TrafficReportRequest[]): void {
  for (const request of requests) writeDocument(fileOf(request), report.map(trafficFormats[request.format].write));
}

function fileOf({ format, file }: TrafficReportRequest): string {
  return file ?? `traffic.${trafficFormats[format].extension}`;
}

/**
 * Why the profile explains that a rule is broken: it is a known failure, or the rule, or something that it needs, is not supported.
 * Entries whose last day is over explain nothing. @returns undefined where it says nothing
 */
function explainedBy(
  profile: Pick<Profile, 'notSupported' | 'knownFailures' | 'identities'>,
  startedAt: string,
): (rule: string) => string | undefined {
  const { notSupported, knownFailures } = declaredOn(startedAt, profile);
  return (rule) => {
    if (Object.hasOwn(knownFailures, rule)) return knownFailures[rule];
    const names = [rule, ...(catalogue.find(rule)?.needs ?? [])];
    return Object.entries(notSupported).find(([pattern]) => names.some((name) => matches(pattern, name)))?.[1];
  };
}
