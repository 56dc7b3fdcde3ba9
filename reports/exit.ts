import { assess, type Assessment, isBehindGuideline, isUnmet } from './assessment.ts';
import { changedSince, entriesOf, type Entry } from './entries.ts';
import type { Run } from './run.ts';
import { counted, numbersIn, oneLine } from './text.ts';

/** Exit code of a run and the same in words. 0: no violation. 1: violations. 3: incomplete. */
export interface Exit {
  readonly code: 0 | 1 | 3;
  readonly words: string;
}

/**
 * The exit code of a run that got past the profile, the same for the process and for every format: it is read off the entries that they show.
 * Violations win over incompleteness, because they are certain.
 */
export function exitOf(
  run: Run,
  assessment: Assessment = assess(run),
  entries: readonly Entry[] = entriesOf(run, assessment),
): Exit {
  const code = codeOf(entries);
  const reasons = code === 0 ? successReasons(assessment) : redReasons(run, entries, assessment);
  return { code, words: sentence(leadOf(code, assessment, entries), [...reasons, ...changesCounted(run, assessment)]) };
}

function codeOf(entries: readonly Entry[]): Exit['code'] {
  if (entries.some(({ kind }) => kind === 'failure')) return 1;
  return entries.some(({ kind }) => kind === 'error') ? 3 : 0;
}

/** Failures that were there before do not count where only changes do, and are failures nevertheless. */
function leadOf(code: Exit['code'], { failures }: Assessment, entries: readonly Entry[]): string {
  const isViolated = entries.some(({ kind, type }) => kind === 'failure' && (type === 'fail' || type === 'warn'));
  if (code === 1) return isViolated ? 'the target violates rules' : 'no rule is violated, but the gate is not passed';
  if (code === 3) return 'the run is incomplete and proves nothing';
  return failures.length === 0 ? 'no rule is violated' : 'no rule is violated that was kept before';
}

function redReasons(run: Run, entries: readonly Entry[], assessment: Assessment): string[] {
  const red = entries.filter(({ kind }) => kind === 'failure' || kind === 'error');
  const number = (type: string): number => red.filter((entry) => entry.type === type).length;
  const stale = number('stale-known-failure');
  const blocked = red.flatMap(({ type, standing }) => (type === 'blocked' && standing !== undefined ? [standing] : []));
  const behind = blocked.filter((standing) => isBehindGuideline(standing, assessment)).length;
  const unmet = blocked.filter((standing) => isUnmet(standing)).length;
  const parts: readonly (readonly [number, (count: number) => string])[] = [
    [number('fail'), (count) => `${counted(count, 'rule')} violated`],
    [number('warn'), (count) => `${counted(count, 'guideline')} not kept, ${whyWarningsCount(run)}`],
  ];
  const later: typeof parts = [
    [stale, (count) => `${counted(count, 'known failure')} no longer ${verbOf(count)}: take the entry off the profile`],
  ];
  const gaps: typeof parts = [
    [number('broken'), (count) => brokenText(counted(count, 'rule'), run)],
    [unmet, (count) => `${counted(count, 'rule')} blocked by what the target did not do`],
    [
      behind,
      (count) =>
        `${counted(count, 'rule')} not kept behind a guideline that is not kept either, which may be why: keep it, or name it under knownFailures`,
    ],
    [
      number('blocked') - unmet - behind,
      (count) => `${counted(count, 'rule')} blocked without being declared under notSupported`,
    ],
    [number('not-run'), (count) => `${counted(count, 'rule')} not run`],
  ];
  const said = (list: typeof parts): string[] =>
    list.filter(([count]) => count > 0).map(([count, words]) => words(count));
  return [
    ...said(parts),
    ...(run.header.expired ?? []).map(
      ({ list, entry, until }) => `the entry ${oneLine(entry)} under ${list} expired: it held until ${until}`,
    ),
    ...red
      .filter(({ type }) => type === 'unkept-class')
      .map(({ name, message }) => `the ${name.replace(':', '')} is ${message}`),
    ...said(later),
    ...red.filter(({ type }) => type === 'incomplete').map(({ name }) => name.replace(/^run: /, '')),
    ...said(gaps),
  ];
}

/** Of what was under way when a run ended the suite is not the cause. */
function brokenText(rules: string, { footer }: Run): string {
  return footer?.aborted === undefined ? `the suite stumbled over ${rules}` : `${rules} not judged to the end`;
}

function verbOf(count: number): string {
  return count === 1 ? 'fails' : 'fail';
}

function whyWarningsCount({ header: { gate = {} } }: Run): string {
  return gate.failOn === 'should' ? 'which count' : `where ${gate.maxWarnings ?? 0} may be`;
}

function successReasons({ totals, known }: Assessment): string[] {
  const excused = known.filter(({ status }) => status === 'fails').length;
  return numbersIn([
    [totals.pass, 'passed'],
    [totals.warn, 'warned'],
    [totals.observed, 'observed'],
    [totals.blocked, 'blocked for a reason on record'],
    [excused, 'known to fail'],
  ]);
}

function sentence(lead: string, reasons: readonly string[]): string {
  return reasons.length === 0 ? lead : `${lead}: ${reasons.join('; ')}`;
}

/** Says that of failures only new ones count, where that is so, and how many these are. */
function changesCounted({ header }: Run, { failures, warnings }: Assessment): string[] {
  const since = header.gate?.since;
  if (since === undefined) return [];
  const failed = [...failures, ...warnings];
  return [
    `of what failed only what is new since ${oneLine(since.report)} counts, ${changedSince(header, failed).length} of ${failed.length}`,
  ];
}
