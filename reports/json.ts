import { schemaVersion } from '../contract/schemas/outcomes.ts';
import type { Report, RuleResult } from '../contract/schemas/report.ts';
import type { Outcome, RunHeader } from '../judge/outcome.ts';
import { apartCounts, assess, isWorthRepeating, type Standing } from './assessment.ts';
import { exitOf } from './exit.ts';
import { replayCommand } from './finding.ts';
import type { Run } from './run.ts';
import { printableJson } from './text.ts';

const untouched = { observations: [], remarks: [], assertions: 0, exchanges: 0, durationMs: 0 };

/** report.json of one run. Schema: contract/schemas/report.ts. */
export function writeJson(run: Run): string {
  return printableJson(reportOf(run));
}

/** One report for one run, an array of them for several. */
export function writeJsonOfAll(runs: readonly Run[]): string {
  return printableJson(runs.map(reportOf));
}

function reportOf(run: Run): Report {
  const assessment = assess(run);
  const exit = exitOf(run, assessment);
  return {
    schemaVersion,
    kind: 'report',
    ...headerOf(run.header),
    exitCode: exit.code,
    meaning: exit.words,
    ...endOf(run),
    notes: [...(run.notes ?? [])],
    totals: { ...assessment.totals },
    areas: assessment.areas.map((area) => ({ ...area })),
    rules: assessment.standings.map((standing) => ruleResult(standing, run.header)),
    known: assessment.known.map((known) => ({ ...known })),
    apart: apartCounts(run, assessment),
  };
}

function headerOf(header: RunHeader) {
  const {
    implementation,
    baseUrl,
    seed,
    runs,
    startedAt,
    suiteVersion,
    command,
    notSupported,
    knownFailures,
    variables,
  } = header;
  return {
    implementation,
    baseUrl,
    seed,
    runs,
    startedAt,
    suiteVersion,
    command,
    notSupported,
    knownFailures,
    variables,
    ...gatesOf(header),
  };
}

function gatesOf({ expired, gate, shard, profileDigest }: RunHeader) {
  return {
    ...(expired !== undefined && { expired: expired.map((entry) => ({ ...entry })) }),
    ...(gate !== undefined && { gate }),
    ...(shard !== undefined && { shard }),
    ...(profileDigest !== undefined && { profileDigest }),
  };
}

function endOf({ footer }: Run): Pick<Report, 'complete' | 'aborted' | 'durationMs' | 'requests' | 'remains'> {
  if (footer === undefined) return { complete: false, remains: [] };
  const { durationMs, requests, remains, aborted } = footer;
  return {
    complete: aborted === undefined,
    ...(aborted !== undefined && { aborted }),
    durationMs,
    requests,
    remains: remains.map(({ uri, reason }) => ({ uri, reason })),
  };
}

function ruleResult(standing: Standing, header: RunHeader): RuleResult {
  const { rule, state, outcome } = standing;
  const { id, area, level, statement, source } = rule;
  return {
    id,
    area,
    level,
    statement,
    source,
    state,
    ...(isWorthRepeating(standing) && { replay: replayCommand(id, header) }),
    ...(outcome === undefined ? untouched : membersOf(outcome)),
  };
}

function membersOf(outcome: Outcome) {
  const {
    reason,
    standsOn,
    missing,
    precondition,
    violation,
    retries,
    timelines,
    observations,
    remarks,
    assertions,
    exchanges,
    durationMs,
  } = outcome;
  return {
    ...(reason !== undefined && { reason }),
    ...(standsOn !== undefined && { standsOn: [...standsOn] }),
    ...(missing !== undefined && { missing: [...missing] }),
    ...(precondition !== undefined && { precondition }),
    ...(violation !== undefined && { violation: violationOf(violation) }),
    observations: [...observations],
    remarks: [...remarks],
    ...(timelines !== undefined && {
      timelines: timelines.map((timeline) => ({
        ...timeline,
        expected: [...timeline.expected],
        seen: [...timeline.seen],
      })),
    }),
    assertions,
    exchanges,
    ...(retries !== undefined && { retries: [...retries] }),
    durationMs,
  };
}

function violationOf({ expected, actual, curl, exchange, counterexample }: NonNullable<Outcome['violation']>) {
  return {
    expected,
    actual,
    curl: [...curl],
    ...(exchange !== undefined && { exchange: exchangeOf(exchange) }),
    ...(counterexample !== undefined && { counterexample }),
  };
}

function exchangeOf({
  request,
  response,
  error,
  sentAt,
  durationMs,
}: NonNullable<NonNullable<Outcome['violation']>['exchange']>) {
  return {
    request: { ...request, headers: pairsOf(request.headers) },
    ...(response !== undefined && { response: { ...response, headers: pairsOf(response.headers) } }),
    ...(error !== undefined && { error }),
    sentAt,
    durationMs,
  };
}

function pairsOf(headers: readonly (readonly [string, string])[]): [string, string][] {
  return headers.map(([name, value]) => [name, value]);
}
