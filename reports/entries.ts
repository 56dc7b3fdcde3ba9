import type { Area } from '../contract/areas.ts';
import type { ExpiredEntry, RunHeader } from '../judge/outcome.ts';
import {
  type Assessment,
  isBehindGuideline,
  isExplained,
  isUnmet,
  type KnownFailure,
  type Standing,
} from './assessment.ts';
import type { ClassResult } from '../contract/schemas/report.ts';
import { classResults, classWords } from './classes.ts';
import type { Run } from './run.ts';
import { foundInWords } from './text.ts';

/** What a rule, an entry of the profile whose day is over, or the run as a whole says to a reader that knows four ends of a test. */
export interface Entry {
  /** Id of the rule, list and entry of the profile, or what the run lacks. */
  readonly name: string;
  readonly group: Area | 'profile' | 'run';
  readonly kind: 'passed' | 'failure' | 'error' | 'skipped';
  readonly type: string;
  readonly message: string;
  /** Absent for an entry of the profile and for the run. */
  readonly standing?: Standing;
}

/**
 * What the exit code and every format are made of. Every selected rule in catalogue order, then the expired entries of the profile, then what
 * makes the run as a whole incomplete. A `failure` makes the exit code 1, an `error` makes it 3 where there is none: what the suite stumbled
 * over, did not come to, or could not judge without that being declared. A known failure is skipped, a stale one is a failure, and so is a
 * guideline where those count; a failure that was the same in the report that the run is held against is skipped. An error never is: a target
 * that keeps on dying is not what it was.
 */
export function entriesOf(run: Run, assessment: Assessment): readonly Entry[] {
  const { header } = run;
  const known = new Map(assessment.known.map((failure) => [failure.rule, failure]));
  const isStrict = countsWarnings(header, assessment);
  return [
    ...assessment.standings
      .filter(({ state }) => state !== 'not-selected')
      .map((standing) => entryOf(standing, known.get(standing.rule.id), isStrict))
      .map((entry) => unlessUndeclared(entry, run, assessment))
      .map((entry) => unlessUnchanged(entry, header)),
    ...(header.expired ?? []).map(expiredEntry),
    ...unkeptClasses(run, assessment).map(classEntry),
    ...runGaps(run, assessment).map(gapEntry),
  ];
}

/** Failures that count: all of them, or where the run is held against an earlier report those whose verdict is another one there. */
export function changedSince({ gate }: RunHeader, standings: readonly Standing[]): readonly Standing[] {
  const states = gate?.since?.states;
  return states === undefined ? standings : standings.filter(({ rule, state }) => states[rule.id] !== state);
}

/** The other failures: as in the earlier report, and counting for nothing. */
export function sameSince(header: RunHeader, standings: readonly Standing[]): readonly Standing[] {
  const changed = new Set(changedSince(header, standings));
  return standings.filter((standing) => !changed.has(standing));
}

/** How those are titled. */
export const sameTitle = 'As in the report of before, and counted for nothing';

/** What makes a run incomplete whatever became of its single rules. */
function runGaps({ footer }: Run, { totals, standings }: Assessment): readonly string[] {
  const judged = totals.pass + totals.fail + totals.warn;
  // what is only seen is judged where the profile binds it
  const isHeld = standings.some(({ state, outcome }) => state === 'observed' && (outcome?.assertions ?? 0) > 0);
  const seen = totals.observed > 0 ? ': what was seen was held against nothing' : '';
  return [
    ...(footer === undefined ? ['the run was cut off'] : []),
    ...(footer?.aborted === undefined ? [] : [`it ended early: ${footer.aborted}`]),
    ...(judged === 0 && !isHeld ? [`no rule was judged${seen}`] : []),
  ];
}

function countsWarnings(header: RunHeader, { warnings }: Assessment): boolean {
  const { failOn, maxWarnings = Infinity } = header.gate ?? {};
  return failOn === 'should' || changedSince(header, warnings).length > maxWarnings;
}

const kinds = {
  pass: 'passed',
  warn: 'passed',
  observed: 'passed',
  fail: 'failure',
  broken: 'error',
  'not-run': 'error',
  blocked: 'skipped',
  'not-selected': 'skipped',
} as const;

type RuleEntry = Entry & { readonly standing: Standing };

function entryOf(standing: Standing, known: KnownFailure | undefined, isStrict: boolean): RuleEntry {
  const { rule, state } = standing;
  const about = { name: rule.id, group: rule.area, standing };
  if (known?.status === 'fails')
    return { ...about, kind: 'skipped', type: 'known-failure', message: `known failure: ${known.reason}` };
  if (known?.status === 'stale') {
    const message = `known failure that passes now, take it off the profile: ${known.reason}`;
    return { ...about, kind: 'failure', type: 'stale-known-failure', message };
  }
  return {
    ...about,
    kind: state === 'warn' && isStrict ? 'failure' : kinds[state],
    type: state,
    message: messageOf(standing),
  };
}

function messageOf({ state, outcome }: Standing): string {
  if (state === 'not-run') return 'not run: the run ended before this rule';
  return foundInWords(outcome?.violation) ?? outcome?.reason ?? state;
}

function unlessUndeclared(entry: RuleEntry, run: Run, assessment: Assessment): RuleEntry {
  if (entry.type !== 'blocked' || isExplained(entry.standing, run, assessment)) return entry;
  return { ...entry, kind: 'error', message: `${leadOf(entry.standing, assessment)}: ${entry.message}` };
}

function leadOf(standing: Standing, assessment: Assessment): string {
  if (isBehindGuideline(standing, assessment)) return 'not kept, behind a guideline that is not kept either';
  return isUnmet(standing)
    ? 'blocked by what the target did not do'
    : 'blocked without being declared under notSupported';
}

/** What says nothing about the target is a gap however often that happens. */
function unlessUnchanged(entry: RuleEntry, { gate }: RunHeader): Entry {
  const since = gate?.since;
  if (since === undefined || entry.kind !== 'failure' || since.states[entry.name] !== entry.standing.state)
    return entry;
  return { ...entry, kind: 'skipped', type: 'unchanged', message: `as in ${since.report}: ${entry.message}` };
}

function expiredEntry({ list, entry, until, reason }: ExpiredEntry): Entry {
  const message = `the entry held until ${until}: renew it or take it out (${reason})`;
  return { name: `${list}: ${entry}`, group: 'profile', kind: 'failure', type: 'expired-entry', message };
}

/** Classes that the run was to show as kept, and did not; a part of a run shows none. */
function unkeptClasses(run: Run, assessment: Assessment): readonly ClassResult[] {
  const { gate, shard } = run.header;
  if (gate?.require === undefined || shard !== undefined) return [];
  const demanded = new Set<string>(gate.require);
  return classResults(run, assessment).filter(({ name, state }) => demanded.has(name) && state !== 'kept');
}

function classEntry({ name, state, rules, kept, violated, declared, open }: ClassResult): Entry {
  const message = `required, and ${classWords[state].replace(/^partly$/, 'partly kept')}: of ${rules} rules ${kept} kept, ${violated} violated, ${declared} not offered, ${open} open`;
  return { name: `class: ${name}`, group: 'run', kind: 'failure', type: 'unkept-class', message };
}

function gapEntry(gap: string): Entry {
  return {
    name: `run: ${gap}`,
    group: 'run',
    kind: 'error',
    type: 'incomplete',
    message: `the run is incomplete and proves nothing: ${gap}`,
  };
}
