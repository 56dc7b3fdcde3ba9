import { assess, type Assessment, inState, isExplained, type Standing } from './assessment.ts';
import type { RunHeader } from '../judge/outcome.ts';
import type { Run } from './run.ts';
import { counted, oneLine } from './text.ts';

/** Exit code of a run and the same in words. 0: no violation. 1: violations. 3: incomplete. */
export interface Exit {
  readonly code: 0 | 1 | 3;
  readonly words: string;
}

/** The exit code that the outcomes of a run lead to. Violations win over incompleteness, because they are certain. */
export function exitOf(run: Run, assessment: Assessment = assess(run)): Exit {
  const violations = violationReasons(run, assessment);
  const gaps = gapReasons(run, assessment);
  if (violations.length > 0)
    return {
      code: 1,
      words: sentence('the target violates rules', [...violations, ...gaps, ...changesCounted(run, assessment)]),
    };
  if (gaps.length > 0)
    return {
      code: 3,
      words: sentence('the run is incomplete and proves nothing', [...gaps, ...changesCounted(run, assessment)]),
    };
  return {
    code: 0,
    words: sentence(successLead(assessment), [...successReasons(assessment), ...changesCounted(run, assessment)]),
  };
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

function violationReasons({ header }: Run, { failures, warnings, known, standings }: Assessment): string[] {
  const states = new Map<string, string>(standings.map(({ rule, state }) => [rule.id, state]));
  const stale = known.filter(
    ({ rule, status }) => status === 'stale' && header.gate?.since?.states[rule] !== states.get(rule),
  ).length;
  const violated = changedSince(header, failures).length;
  return [
    ...(violated > 0 ? [`${counted(violated, 'rule')} violated`] : []),
    ...warningReasons(header, changedSince(header, warnings).length),
    ...(header.expired ?? []).map(
      ({ list, entry, until }) => `the entry ${oneLine(entry)} under ${list} expired: it held until ${until}`,
    ),
    ...(stale > 0
      ? [
          `${counted(stale, 'known failure')} no longer ${stale === 1 ? 'fails' : 'fail'}: take the entry off the profile`,
        ]
      : []),
  ];
}

function warningReasons({ gate = {} }: RunHeader, warned: number): string[] {
  const { failOn, maxWarnings = warned } = gate;
  return [
    ...(failOn === 'should' && warned > 0 ? [`${counted(warned, 'guideline')} not kept, which count`] : []),
    ...(warned > maxWarnings ? [`${counted(warned, 'guideline')} not kept, where ${maxWarnings} may be`] : []),
  ];
}

/** What makes a run incomplete whatever became of its single rules. */
export function runGaps({ footer }: Run, { totals }: Assessment): readonly string[] {
  const judged = totals.pass + totals.fail + totals.warn + totals.observed;
  return [
    ...(footer === undefined ? ['the run was cut off'] : []),
    ...(footer?.aborted === undefined ? [] : [`it ended early: ${footer.aborted}`]),
    ...(judged === 0 ? ['no rule was judged'] : []),
  ];
}

function gapReasons(run: Run, assessment: Assessment): string[] {
  const { totals } = assessment;
  const broken = changedSince(run.header, inState(assessment, 'broken')).length;
  const unexplained = changedSince(run.header, inState(assessment, 'blocked')).filter(
    (standing) => !isExplained(standing, run, assessment),
  );
  const unmet = unexplained.filter(({ outcome }) => outcome?.precondition !== undefined).length;
  const undeclared = unexplained.length - unmet;
  return [
    ...runGaps(run, assessment),
    ...(broken > 0 ? [`the suite stumbled over ${counted(broken, 'rule')}`] : []),
    ...(unmet > 0 ? [`${counted(unmet, 'rule')} blocked by what the target did not do`] : []),
    ...(undeclared > 0 ? [`${counted(undeclared, 'rule')} blocked without being declared under notSupported`] : []),
    ...(totals['not-run'] > 0 ? [`${counted(totals['not-run'], 'rule')} not run`] : []),
  ];
}

/** Failures that were there before do not count where only changes do, and are failures nevertheless. */
function successLead({ failures }: Assessment): string {
  return failures.length === 0 ? 'no rule is violated' : 'no rule is violated that was kept before';
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

function sentence(lead: string, reasons: readonly string[]): string {
  return reasons.length === 0 ? lead : `${lead}: ${reasons.join('; ')}`;
}

/** Those that count: all of them, or where the run is held against an earlier report those whose verdict is another one there. */
export function changedSince({ gate }: RunHeader, standings: readonly Standing[]): readonly Standing[] {
  const states = gate?.since?.states;
  return states === undefined ? standings : standings.filter(({ rule, state }) => states[rule.id] !== state);
}

/** Says that only what changed counts, where that is so, and how much that is. */
function changesCounted({ header }: Run, { standings }: Assessment): string[] {
  const since = header.gate?.since;
  if (since === undefined) return [];
  const judged = standings.filter(({ outcome }) => outcome !== undefined);
  return [
    `only what changed since ${oneLine(since.report)} counts, ${changedSince(header, judged).length} of ${judged.length} verdicts`,
  ];
}
