import type { Area } from '../contract/areas.ts';
import type { ExpiredEntry, RunHeader } from '../suites/engine/outcome.ts';
import type { Assessment, KnownFailure, Standing } from './assessment.ts';
import type { Run } from './run.ts';
import { changedSince } from './since.ts';

/** What a rule, or an entry of the profile whose day is over, says to a reader that knows four ends of a test. */
export interface Entry {
  /** Id of the rule, or list and entry of the profile. */
  readonly name: string;
  readonly group: Area | 'profile';
  readonly kind: 'passed' | 'failure' | 'error' | 'skipped';
  readonly type: string;
  readonly message: string;
  /** Absent for an entry of the profile. */
  readonly standing?: Standing;
}

/**
 * Every selected rule in catalogue order, then the expired entries of the profile. A `failure` is what makes the exit code 1, an `error` what
 * the suite stumbled over or did not come to: a known failure is skipped, a stale one is a failure, and so is a guideline where those
 * count; what was the same in the report that the run is held against is skipped.
 */
export function entriesOf({ header }: Run, assessment: Assessment): readonly Entry[] {
  const known = new Map(assessment.known.map((failure) => [failure.rule, failure]));
  const isStrict = countsWarnings(header, assessment);
  return [
    ...assessment.standings
      .filter(({ state }) => state !== 'not-selected')
      .map((standing) => unlessUnchanged(entryOf(standing, known.get(standing.rule.id), isStrict), header)),
    ...(header.expired ?? []).map(expiredEntry),
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
  if (known?.status === 'fails') return { ...about, kind: 'skipped', type: 'known-failure', message: `known failure: ${known.reason}` };
  if (known?.status === 'stale') {
    const message = `known failure that passes now, take it off the profile: ${known.reason}`;
    return { ...about, kind: 'failure', type: 'stale-known-failure', message };
  }
  return { ...about, kind: state === 'warn' && isStrict ? 'failure' : kinds[state], type: state, message: messageOf(standing) };
}

function messageOf({ state, outcome }: Standing): string {
  if (state === 'not-run') return 'not run: the run ended before this rule';
  return outcome?.violation?.expected ?? outcome?.reason ?? state;
}

function unlessUnchanged(entry: RuleEntry, { gate }: RunHeader): Entry {
  const since = gate?.since;
  const isRed = entry.kind === 'failure' || entry.kind === 'error';
  if (since === undefined || !isRed || since.states[entry.name] !== entry.standing.state) return entry;
  return { ...entry, kind: 'skipped', type: 'unchanged', message: `as in ${since.report}: ${entry.message}` };
}

function expiredEntry({ list, entry, until, reason }: ExpiredEntry): Entry {
  const message = `the entry held until ${until}: renew it or take it out (${reason})`;
  return { name: `${list}: ${entry}`, group: 'profile', kind: 'failure', type: 'expired-entry', message };
}
