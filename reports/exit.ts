import { assess, inState, type Assessment, type Standing } from './assessment.ts';
import type { Run } from './run.ts';
import { counted } from './text.ts';

/** Exit code of a run and the same in words. 0: no violation. 1: violations. 3: incomplete. */
export interface Exit {
  readonly code: 0 | 1 | 3;
  readonly words: string;
}

/** The exit code that the outcomes of a run lead to. Violations win over incompleteness, because they are certain. */
export function exitOf(run: Run, assessment: Assessment = assess(run)): Exit {
  const violations = violationReasons(assessment);
  const gaps = gapReasons(run, assessment);
  if (violations.length > 0) return { code: 1, words: sentence('the target violates rules', [...violations, ...gaps]) };
  if (gaps.length > 0) return { code: 3, words: sentence('the run is incomplete and proves nothing', gaps) };
  return { code: 0, words: sentence('no rule is violated', successReasons(assessment)) };
}

/** What an exit code means in words: the reasons of the run where they lead to that code, else its meaning in general. */
export function exitWords(run: Run, code: number): string {
  const exit = exitOf(run);
  if (exit.code === code) return exit.words;
  return generalMeaning.get(code) ?? 'the run ended in a way that has no meaning of its own';
}

const generalMeaning: ReadonlyMap<number, string> = new Map([
  [0, 'no rule is violated'],
  [1, 'the target violates rules'],
  [2, 'the command or the profile is wrong'],
  [3, 'the run is incomplete and proves nothing'],
]);

function violationReasons({ failures, known }: Assessment): string[] {
  const stale = known.filter(({ status }) => status === 'stale').length;
  return [
    ...(failures.length > 0 ? [`${counted(failures.length, 'rule')} violated`] : []),
    ...(stale > 0 ? [`${counted(stale, 'known failure')} no longer ${stale === 1 ? 'fails' : 'fail'}: take the entry off the profile`] : []),
  ];
}

function gapReasons(run: Run, assessment: Assessment): string[] {
  const { totals } = assessment;
  const undeclared = inState(assessment, 'blocked').filter((standing) => !isExplained(standing, run, assessment)).length;
  const judged = totals.pass + totals.fail + totals.warn + totals.observed;
  return [
    ...(run.footer === undefined ? ['the run was cut off'] : []),
    ...(run.footer?.aborted === undefined ? [] : [`it ended early: ${run.footer.aborted}`]),
    ...(judged === 0 ? ['no rule was judged'] : []),
    ...(totals.broken > 0 ? [`the suite stumbled over ${counted(totals.broken, 'rule')}`] : []),
    ...(undeclared > 0 ? [`${counted(undeclared, 'rule')} blocked without being declared under notSupported`] : []),
    ...(totals['not-run'] > 0 ? [`${counted(totals['not-run'], 'rule')} not run`] : []),
  ];
}

function successReasons({ totals, known }: Assessment): string[] {
  const excused = known.filter(({ status }) => status === 'fails').length;
  const parts: readonly (readonly [number, string])[] = [
    [totals.pass, 'passed'],
    [totals.warn, 'warned'],
    [totals.observed, 'observed'],
    [totals.blocked, 'blocked and declared'],
    [excused, 'known to fail'],
  ];
  return parts.filter(([count]) => count > 0).map(([count, words]) => `${count} ${words}`);
}

/** Blocked with a reason on the record: declared by rule or need by need, or behind rules that are on the record themselves. */
function isExplained({ rule, outcome }: Standing, run: Run, assessment: Assessment): boolean {
  const missing = outcome?.missing ?? [];
  const behind = outcome?.standsOn ?? [];
  return (
    isDeclared(rule.id, run) ||
    (missing.length > 0 && missing.every((need) => isDeclared(need, run))) ||
    (behind.length > 0 && behind.every((id) => isOnRecord(id, assessment)))
  );
}

/** A failed rule is shown by itself, as a violation or as a known failure. */
function isOnRecord(id: string, { standings, known }: Assessment): boolean {
  return known.some(({ rule }) => rule === id) || standings.some(({ rule, state }) => rule.id === id && state === 'fail');
}

/** Whether `notSupported` names the need or rule; `*` stands for any text. */
function isDeclared(name: string, run: Run): boolean {
  return Object.keys(run.header.notSupported).some((pattern) => matches(pattern, name));
}

function matches(pattern: string, name: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[^\w-]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(name);
}

function sentence(lead: string, reasons: readonly string[]): string {
  return reasons.length === 0 ? lead : `${lead}: ${reasons.join('; ')}`;
}
