import type { RuleId } from '../../contract/rule.ts';
import { isBreach, type Outcome } from '../../judge/outcome.ts';
import { foundInWords } from '../../reports/text.ts';
import { catalogue } from '../../suites/catalogue.ts';

/** Which cases notice which faults. */
export interface KillMatrix {
  readonly schemaVersion: 1;
  readonly kind: 'kill-matrix';
  /** `own`: each fault met the case of its rule. `all`: every case. */
  readonly mode: 'own' | 'all';
  readonly seed: number;
  readonly runs: number;
  readonly durationMs: number;
  /** The server without any fault: whatever does not pass here says nothing above. */
  readonly control: { readonly cases: number; readonly killedBy: readonly ControlKill[] };
  readonly faults: readonly FaultRow[];
  readonly counts: Readonly<Record<FaultVerdict | 'strayed' | 'stumbled', number>>;
}

export interface ControlKill {
  readonly rule: RuleId;
  readonly verdict: Outcome['verdict'];
  readonly found: string;
}

/**
 * What became of one fault. `killed`: the case of its own rule found it. `killed-by-other`: only other cases did. `survived`: none did.
 * `unjudged`: the own case could not judge (blocked, broken or absent) and no other one found it.
 */
export type FaultVerdict = 'killed' | 'killed-by-other' | 'survived' | 'unjudged';

export interface FaultRow {
  readonly fault: RuleId;
  readonly verdict: FaultVerdict;
  /** Verdict of the own case, before settling. */
  readonly own: Outcome['verdict'];
  /** What the own case found, or why it could not judge. */
  readonly found: string;
  /** Other rules that fail with it: each that is published and failed in one try at least, or could not judge, and each other that failed in both. */
  readonly collateral: readonly RuleId[];
  /** Rules that failed and are not published as collateral of the fault. */
  readonly appeared: readonly Stray[];
  /** Rules that are published as collateral and failed in neither try. */
  readonly vanished: readonly RuleId[];
  /** Cases that are broken with it each time they are tried: a fault of the service may not end so. */
  readonly stumbled: readonly Stumble[];
}

/** A case that a fault of the service breaks, and where. */
export interface Stumble {
  readonly rule: RuleId;
  readonly found: string;
}

/** A rule that fails with a fault and was not known to, and what its case says. */
export interface Stray {
  readonly rule: RuleId;
  readonly found: string;
  /** Whether it failed in the second try too; else chance had a hand in it. */
  readonly repeated: boolean;
}

/** What was last published of a fault. */
export interface PublishedFault {
  readonly verdict: FaultVerdict;
  /** What the case of its rule found, without what differs from run to run. */
  readonly found: string;
  /** Other rules that fail with it each time, by id. */
  readonly collateral: readonly RuleId[];
}

/** The matrix as it was last published: what a person has read and accepted. */
export interface PublishedMatrix {
  readonly schemaVersion: 1;
  readonly kind: 'published-kill-matrix';
  readonly faults: Readonly<Partial<Record<string, PublishedFault>>>;
}

/** What the cases said under one fault. */
export interface Tries {
  /** Raw outcomes of every case that ran, that of the fault's own rule among them. */
  readonly outcomes: readonly Outcome[];
  /** Those of the second try, in which only what differs from the published matrix is judged. */
  readonly again?: readonly Outcome[];
  /** Rules that are published as failing with the fault. Where nothing is published, whatever fails is taken as it is. */
  readonly published?: readonly RuleId[] | undefined;
}

/** Cases that stumbled, and rules about which the first try and the published matrix do not agree: to be judged once more. */
export function rulesInDoubt(
  fault: RuleId,
  outcomes: readonly Outcome[],
  published: readonly RuleId[],
): readonly RuleId[] {
  const failing = breachesBeside(fault, outcomes).map(({ rule }) => rule);
  return [
    ...outcomes.filter(isBroken).map(({ rule }) => rule),
    ...failing.filter((rule) => !published.includes(rule)),
    ...published.filter((rule) => catalogue.has(rule) && !failing.includes(rule)),
  ];
}

/** Judges what the cases said under one fault. */
export function faultRow(fault: RuleId, { outcomes, again = [], published }: Tries): FaultRow {
  const own = outcomes.find((outcome) => outcome.rule === fault);
  const first = breachesBeside(fault, outcomes);
  const failing = first.map(({ rule }) => rule);
  const failingAgain = breachesBeside(fault, again).map(({ rule }) => rule);
  const known = published ?? failing;
  const appeared = first
    .filter(({ rule }) => !known.includes(rule))
    .map((outcome) => ({
      rule: outcome.rule,
      found: foundBy(outcome),
      repeated: failingAgain.includes(outcome.rule),
    }));
  const stumbled = outcomes
    .filter(isBroken)
    .map((outcome) => again.find(({ rule }) => rule === outcome.rule) ?? outcome)
    .filter(isBroken)
    .map((outcome) => ({ rule: outcome.rule, found: foundBy(outcome) }));
  // a case that stumbled says nothing against what is published
  const seen = [...failing, ...failingAgain, ...stumbled.map(({ rule }) => rule)];
  const lasting = known.filter((rule) => seen.includes(rule));
  return {
    fault,
    verdict: verdictOf(own, failing),
    own: own?.verdict ?? 'broken',
    found: foundBy(own),
    collateral: [...lasting, ...appeared.filter(({ repeated }) => repeated).map(({ rule }) => rule)].toSorted(),
    appeared,
    vanished: known.filter((rule) => !lasting.includes(rule)),
    stumbled,
  };
}

/** Whether a row is as it should be: killed by its own case, no case stumbles over it, and no case of another area fails each time that nobody has accepted. */
export function isSound(row: FaultRow): boolean {
  return (
    row.verdict === 'killed' && row.stumbled.length === 0 && !row.appeared.some((stray) => isStray(row.fault, stray))
  );
}

/** Whether a rule fails each time with a fault of another area. Within an area rules say related things, so that this is only told. */
export function isStray(fault: RuleId, { rule, repeated }: Stray): boolean {
  return repeated && catalogue.get(rule).area !== catalogue.get(fault).area;
}

/** Cases that do not get along with a server without faults. */
export function controlKills(outcomes: readonly Outcome[]): readonly ControlKill[] {
  return outcomes
    .filter(({ verdict }) => !['pass', 'observed'].includes(verdict))
    .map(({ rule, verdict, reason, violation }) => ({ rule, verdict, found: violation?.actual ?? reason ?? verdict }));
}

export function countsOf(rows: readonly FaultRow[]): KillMatrix['counts'] {
  const count = (verdict: FaultVerdict): number => rows.filter((row) => row.verdict === verdict).length;
  return {
    killed: count('killed'),
    'killed-by-other': count('killed-by-other'),
    survived: count('survived'),
    unjudged: count('unjudged'),
    stumbled: rows.filter(({ stumbled }) => stumbled.length > 0).length,
    strayed: rows.filter(({ fault, appeared }) => appeared.some((stray) => isStray(fault, stray))).length,
  };
}

/** 0: every fault is killed by the case of its rule, hits no other area anew, and the control lives. 3: nothing was tried. Else 1. */
export function exitCodeOfMatrix({ faults, control }: KillMatrix): 0 | 1 | 3 {
  if (faults.some((row) => !isSound(row)) || control.killedBy.length > 0) return 1;
  return faults.length === 0 ? 3 : 0;
}

/** The same matrix when somebody has read what appeared and what vanished, and lets it stand. */
export function acceptDifferences(matrix: KillMatrix): KillMatrix {
  const faults = matrix.faults.map((row): FaultRow => ({ ...row, appeared: [], vanished: [] }));
  return { ...matrix, faults, counts: countsOf(faults) };
}

function isBroken({ verdict }: Outcome): boolean {
  return verdict === 'broken';
}

/** The verdict that a broken rule has to get is that of its level; a rule that only records may differ from what the profile binds. */
function verdictOf(own: Outcome | undefined, others: readonly RuleId[]): FaultVerdict {
  if (own !== undefined && isKill(own)) return 'killed';
  if (others.length > 0) return 'killed-by-other';
  const judged = own?.verdict === 'pass' || own?.verdict === 'observed' || own?.verdict === 'warn';
  return judged ? 'survived' : 'unjudged';
}

function isKill(outcome: Outcome): boolean {
  return catalogue.get(outcome.rule).level === 'must' ? outcome.verdict === 'fail' : isBreach(outcome);
}

function breachesBeside(fault: RuleId, outcomes: readonly Outcome[]): readonly Outcome[] {
  return outcomes.filter((outcome) => outcome.rule !== fault && isBreach(outcome));
}

function foundBy(own: Outcome | undefined): string {
  if (own === undefined) return 'no case';
  return foundInWords(own.violation) ?? own.reason ?? `the case ended with ${own.verdict}`;
}
