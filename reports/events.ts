import { schemaVersion } from '../contract/schemas/outcomes.ts';
import type { FindingEvent as FindingLine, RunEvent as Line } from '../contract/schemas/events.ts';
import type { Outcome, RunHeader } from '../judge/outcome.ts';
import { assess, type Assessment, inState, type Standing } from './assessment.ts';
import { blockedOf, type Gap } from './blocked.ts';
import type { RunConsole } from './console.ts';
import { entriesOf } from './entries.ts';
import { exitOf } from './exit.ts';
import { cleanCommand, lackedToClean, replayCommand } from './finding.ts';
import type { Immutable } from './json.ts';
import { likenessOf } from './likeness.ts';
import type { ReportedRule, Run } from './run.ts';
import { foldedReasons } from './run-summary.ts';
import { sourceText } from './source.ts';
import { counted } from './text.ts';

type RunEvent = Immutable<Line>;
type FindingEvent = Immutable<FindingLine>;

interface EventOptions {
  readonly tell: (event: RunEvent) => void;
  readonly header: RunHeader;
  readonly rules: readonly ReportedRule[];
  /** Those that are final with this one. */
  readonly settled: (outcome: Outcome) => readonly Outcome[];
  /** report.json of the run. */
  readonly report: string;
}

/** Tells of a run while it goes on, in what become lines of JSON for tools and agents. Schema: contract/schemas/events.ts. */
export function startEvents({ tell, header, rules, settled, report }: EventOptions): RunConsole {
  const byId = new Map(rules.map((rule) => [rule.id, rule]));
  const told = new Set<string>();
  const tellVerdict = (outcome: Outcome): void => {
    const rule = byId.get(outcome.rule);
    if (rule === undefined || told.has(rule.id)) return;
    told.add(rule.id);
    tell(verdictEvent(outcome, rule, told.size));
  };
  tell(startOf(header));
  return {
    onOutcome: (outcome) => settled(outcome).forEach(tellVerdict),
    finish: (run) => {
      // a run that ended early has some whose ground was never judged
      run.outcomes.forEach(tellVerdict);
      closingEvents(run, report).forEach(tell);
    },
  };
}

function startOf({ implementation, baseUrl, seed, startedAt, suiteVersion, command, selected }: RunHeader): RunEvent {
  const rules = selected.length;
  return { event: 'run', schemaVersion, implementation, baseUrl, seed, startedAt, suiteVersion, command, rules };
}

function verdictEvent(
  { rule, verdict, reason, standsOn, missing }: Outcome,
  about: ReportedRule,
  count: number,
): RunEvent {
  return {
    event: 'verdict',
    rule,
    area: about.area,
    level: about.level,
    verdict,
    ...(reason !== undefined && { reason }),
    ...(standsOn !== undefined && { standsOn }),
    ...(missing !== undefined && { missing }),
    count,
  };
}

/** Everything that needs a reader, the most urgent first, and the end. */
export function closingEvents(run: Run, report?: string): readonly RunEvent[] {
  const assessment = assess(run);
  const { code, words } = exitOf(run, assessment);
  const findings = findingsOf(run, assessment, report);
  return [
    ...findings,
    {
      event: 'end',
      exitCode: code,
      meaning: words,
      totals: assessment.totals,
      findings: findings.length,
      looksLike: likenessOf(assessment),
      ...(report !== undefined && { report }),
    },
  ];
}

function findingsOf(run: Run, assessment: Assessment, report: string | undefined): readonly FindingEvent[] {
  const command = cleanCommand(report, run.header);
  const lacked = lackedToClean(run);
  const { failures, warnings, known, standings } = assessment;
  const { causes, gaps, others } = blockedOf(run, assessment);
  const violation = (kind: 'violation' | 'guideline') => (standing: Standing) =>
    violationEvent(kind, standing, causes.get(standing.rule.id) ?? [], run);
  const byId = new Map<string, Standing>(standings.map((standing) => [standing.rule.id, standing]));
  const stale = known.filter(({ status }) => status === 'stale').flatMap(({ rule }) => byId.get(rule) ?? []);
  const unjudged = (kind: 'broken' | 'blocked') => (standing: Standing) => unjudgedEvent(kind, standing, run);
  return [
    ...failures.map(violation('violation')),
    ...warnings.map(violation('guideline')),
    ...stale.map(({ rule }) => ({
      ...aboutOf('stale', rule),
      next: { do: `Take ${rule.id} off knownFailures of the profile: it passes now.` },
    })),
    ...entriesOf(run, assessment).flatMap(({ group, message }) => (group === 'profile' ? [expiredEvent(message)] : [])),
    ...incompleteOf(run, assessment).map((reason) => incompleteEvent(reason, run)),
    ...inState(assessment, 'broken').map(unjudged('broken')),
    ...others.map(unjudged('blocked')),
    ...gaps.filter(({ isDeclared }) => !isDeclared).map(needEvent),
    ...foldedReasons(run).map(({ reason, objects }) => ({
      event: 'finding' as const,
      kind: 'left' as const,
      reason,
      objects: objects.length,
      next: {
        do: `Delete what is left where it is in the way${lacked === undefined ? '' : `, once the profile has ${lacked}`}; remains of report.json lists it.`,
        ...(command !== undefined && { command }),
      },
    })),
  ];
}

function aboutOf(kind: FindingEvent['kind'], { id, statement, source }: ReportedRule) {
  return { event: 'finding' as const, kind, rule: id, statement, source: sourceText(source) };
}

function violationEvent(
  kind: 'violation' | 'guideline',
  { rule, outcome }: Standing,
  blocked: readonly Standing[],
  { header }: Run,
): FindingEvent {
  const { expected, actual, counterexample, exchange, curl = [], repetition } = outcome?.violation ?? {};
  return {
    ...aboutOf(kind, rule),
    ...(expected !== undefined && { expected }),
    ...(actual !== undefined && { actual }),
    ...(outcome?.trace !== undefined && { trace: outcome.trace }),
    ...(counterexample !== undefined && { smallest: counterexample }),
    ...(exchange !== undefined && { exchange }),
    ...(curl.length > 0 && { curl }),
    ...(repetition !== undefined && 'steps' in repetition && { script: `repeat/${rule.id}.sh` }),
    blocks: blocked.map((one) => one.rule.id),
    next: {
      do: 'Repair the service, then judge this rule again: the command ends with 0 once it is kept.',
      command: replayCommand(rule.id, header),
    },
  };
}

function unjudgedEvent(kind: 'broken' | 'blocked', { rule, outcome }: Standing, { header }: Run): FindingEvent {
  return {
    ...aboutOf(kind, rule),
    reason: outcome?.reason ?? 'no reason recorded',
    next: {
      do: 'Look at the reason, then judge this rule by itself.',
      command: replayCommand(rule.id, header),
    },
  };
}

function expiredEvent(reason: string): FindingEvent {
  const next = { do: 'Renew the entry of the profile, or take it out.' };
  return { event: 'finding', kind: 'expired', reason, next };
}

/** Why the run as a whole proves nothing, and what it did not come to. */
function incompleteOf(run: Run, assessment: Assessment): readonly string[] {
  const left = inState(assessment, 'not-run').length;
  return [
    ...entriesOf(run, assessment).flatMap(({ group, message }) => (group === 'run' ? [message] : [])),
    ...(left === 0 ? [] : [`${counted(left, 'rule')} not run`]),
  ];
}

function incompleteEvent(reason: string, { header }: Run): FindingEvent {
  const next = { do: 'Find out why the run ended, then judge again.', command: header.command };
  return { event: 'finding', kind: 'incomplete', reason, next };
}

function needEvent({ need, members, unlocks, hint }: Gap): FindingEvent {
  return {
    event: 'finding',
    kind: 'need',
    need,
    unlocks,
    lackedBy: members.length,
    next: { do: `Extend the profile: ${hint}; or declare ${need} under notSupported.` },
  };
}
