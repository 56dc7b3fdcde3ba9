import { areas, type Area } from '../contract/areas.ts';
import type { RuleId } from '../contract/rule.ts';
import { states, type State } from '../contract/schemas/report.ts';
import type { Outcome } from '../judge/outcome.ts';
import type { ReportedRule, Run } from './run.ts';

/** States in the order of how much they need a reader, each with its word. */
export const stateWords: readonly (readonly [State, string])[] = [
  ['fail', 'failed'],
  ['warn', 'warned'],
  ['broken', 'broken'],
  ['blocked', 'blocked'],
  ['not-run', 'not run'],
  ['observed', 'observed'],
  ['pass', 'passed'],
  ['not-selected', 'not selected'],
];

export function wordOf(state: State): string {
  return stateWords.find(([name]) => name === state)?.[1] ?? state;
}

/** Whether the rule, of a state or verdict, was seen broken. */
export function isViolated(state: string | undefined): boolean {
  return state === 'fail' || state === 'warn';
}

export function isKept(state: string | undefined): boolean {
  return state === 'pass' || state === 'observed';
}

/** Whether it came to an end of its own. */
export function isJudged(state: string | undefined): boolean {
  return isViolated(state) || isKept(state);
}

/** One rule of the catalogue and how it stands in a run. */
export interface Standing {
  readonly rule: ReportedRule;
  readonly state: State;
  readonly outcome?: Outcome;
}

/** Numbers of rules, by state; `rules` is their sum. */
export type Counts = Readonly<Record<State | 'rules', number>>;
export type AreaCounts = Counts & { readonly area: Area };

/** A rule that the profile says will fail: it does, or it passes now (stale), or this run did not judge it. */
export interface KnownFailure {
  readonly rule: string;
  readonly reason: string;
  readonly status: 'fails' | 'stale' | 'not-judged';
}

/** A run laid over the catalogue: every rule stands somewhere, in catalogue order. */
export interface Assessment {
  readonly standings: readonly Standing[];
  readonly areas: readonly AreaCounts[];
  readonly totals: Counts;
  readonly known: readonly KnownFailure[];
  /** Violated `must` rules that the profile does not expect, in catalogue order. */
  readonly failures: readonly Standing[];
  /** Violated `should` rules that the profile does not expect. */
  readonly warnings: readonly Standing[];
}

/** Lays a run over the catalogue. */
export function assess(run: Run): Assessment {
  const standings = standingsOf(run);
  const known = knownFailuresOf(run, standings);
  const excused = new Set(known.filter(({ status }) => status === 'fails').map(({ rule }) => rule));
  const unexpected = standings.filter(({ rule }) => !excused.has(rule.id));
  return {
    standings,
    areas: areas.map((area) => ({ area, ...countsOf(standings.filter(({ rule }) => rule.area === area)) })),
    totals: countsOf(standings),
    known,
    failures: unexpected.filter(({ state }) => state === 'fail'),
    warnings: unexpected.filter(({ state }) => state === 'warn'),
  };
}

/** Whether it shows something to run the rule again for its own sake. */
export function isWorthRepeating(standing: Standing): boolean {
  const { state } = standing;
  return isViolated(state) || state === 'broken' || (state === 'blocked' && isUnmet(standing));
}

/** Whether the target did not do what the rule has to begin with. */
export function isUnmet({ outcome }: Standing): boolean {
  return outcome?.precondition !== undefined;
}

export function inState(assessment: Assessment, state: State): readonly Standing[] {
  return assessment.standings.filter((standing) => standing.state === state);
}

/** Areas of which at least one rule was selected. */
export function selectedAreas(assessment: Assessment): readonly AreaCounts[] {
  return assessment.areas.filter((area) => area['not-selected'] < area.rules);
}

function standingsOf(run: Run): Standing[] {
  const outcomes = new Map<RuleId, Outcome>(run.outcomes.map((outcome) => [outcome.rule, outcome]));
  const selected: ReadonlySet<string> = new Set(run.header.selected);
  return run.rules.map((rule) => {
    const outcome = outcomes.get(rule.id);
    return { rule, state: stateOf(rule.id, selected, outcome), ...(outcome !== undefined && { outcome }) };
  });
}

function stateOf(id: RuleId, selected: ReadonlySet<string>, outcome: Outcome | undefined): State {
  if (outcome !== undefined) return outcome.verdict;
  return selected.has(id) ? 'not-run' : 'not-selected';
}

function countsOf(standings: readonly Standing[]): Counts {
  const count = (state: State) => standings.filter((standing) => standing.state === state).length;
  const entries = states.map((state) => [state, count(state)] as const);
  return { ...zero, ...Object.fromEntries(entries), rules: standings.length };
}

const zero: Counts = {
  rules: 0,
  pass: 0,
  fail: 0,
  warn: 0,
  observed: 0,
  blocked: 0,
  broken: 0,
  'not-run': 0,
  'not-selected': 0,
};

function knownFailuresOf(run: Run, standings: readonly Standing[]): KnownFailure[] {
  const byId = new Map<string, State>(standings.map(({ rule, state }) => [rule.id, state]));
  const known = Object.entries(run.header.knownFailures).map(([rule, reason]): KnownFailure => ({
    rule,
    reason,
    status: statusOf(byId.get(rule)),
  }));
  const { split = {} } = run.header;
  const failing = new Set(known.filter(({ status }) => status === 'fails').map(({ rule }) => split[rule]));
  // what was one rule fails as long as one of its parts does
  return known.filter(
    ({ rule, status }) => status !== 'stale' || split[rule] === undefined || !failing.has(split[rule]),
  );
}

function statusOf(state: State | undefined): KnownFailure['status'] {
  if (isViolated(state)) return 'fails';
  return isKept(state) ? 'stale' : 'not-judged';
}

/** What the profile accounts for: failures that it knows, rules that it declares not to be offered, and entries that hold no longer. */
export interface ApartCounts {
  readonly known: number;
  readonly declared: number;
  readonly stale: number;
  readonly expired: number;
}

/** Counts what is in the totals as well, by itself. */
export function apartCounts(run: Run, assessment: Assessment): ApartCounts {
  const withStatus = (status: string): number => assessment.known.filter((known) => known.status === status).length;
  return {
    known: withStatus('fails'),
    declared: inState(assessment, 'blocked').filter((standing) => isExplained(standing, run, assessment)).length,
    stale: withStatus('stale'),
    expired: run.header.expired?.length ?? 0,
  };
}

/** Blocked with a reason on the record: declared by rule or need by need, or behind rules that are on the record themselves. */
export function isExplained(standing: Standing, run: Run, assessment: Assessment): boolean {
  const { rule, outcome } = standing;
  const missing = outcome?.missing ?? [];
  const behind = outcome?.standsOn ?? [];
  return (
    isDeclared(rule.id, run) ||
    (missing.length > 0 && missing.every((need) => isDeclared(need, run))) ||
    (behind.length > 0 && behind.every((id) => isOnRecord(id, assessment)) && !isBehindGuideline(standing, assessment))
  );
}

/** Whether a rule that has to be kept was not, where a guideline may be why, and as well may not: nobody took that guideline for known. */
export function isBehindGuideline({ outcome }: Standing, { standings, known }: Assessment): boolean {
  const isOpen = (id: string): boolean =>
    standings.some(({ rule, state }) => rule.id === id && state === 'warn') && !known.some(({ rule }) => rule === id);
  return outcome?.byItself === 'fail' && (outcome.standsOn ?? []).some(isOpen);
}

/** A rule that failed or warned is shown by itself, as a violation or as a known failure. */
function isOnRecord(id: string, { standings, known }: Assessment): boolean {
  return (
    known.some(({ rule }) => rule === id) || standings.some(({ rule, state }) => rule.id === id && isViolated(state))
  );
}

function isDeclared(name: string, run: Run): boolean {
  return reasonDeclared(name, run) !== undefined;
}

/** Why the need or rule is not offered, as `notSupported` says; `*` stands for any text there. */
export function reasonDeclared(name: string, { header }: Run): string | undefined {
  return Object.entries(header.notSupported).find(([pattern]) => matches(pattern, name))?.[1];
}

function matches(pattern: string, name: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[^\w-]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(name);
}
