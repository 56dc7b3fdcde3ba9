import { needs } from '../contract/needs.ts';
import {
  type Assessment,
  inState,
  isExplained,
  isUnmet,
  isViolated,
  reasonDeclared,
  type Standing,
} from './assessment.ts';
import type { Table } from './document.ts';
import type { Run } from './run.ts';
import { counted, oneLine } from './text.ts';

/** A need that some blocked rules lack. */
export interface Gap {
  readonly need: string;
  /** Rules that lack it. */
  readonly members: readonly Standing[];
  /** How many rules can be judged once this and the needs before it are met; of what is declared not to be offered, once all are. */
  readonly unlocks: number;
  /** What to do about it, or why it is not offered. */
  readonly hint: string;
  readonly isDeclared: boolean;
}

/** Why rules are blocked: needs, of which a rule may lack several; rules that are not kept; and anything else. */
export interface Blocked {
  /** In the order in which to meet them: what unlocks most next comes next, and what is declared not to be offered last. */
  readonly gaps: readonly Gap[];
  readonly lacking: readonly Standing[];
  /** Needs which, declared as not offered, account for all of them. */
  readonly least: readonly LeastNeed[];
  /** By the violated rule that they stand on. */
  readonly causes: ReadonlyMap<string, readonly Standing[]>;
  readonly others: readonly Standing[];
}

/** A need of a list that accounts for rules, and for how many that those before it in the list leave. */
export interface LeastNeed {
  readonly need: string;
  readonly rules: number;
}

/** Few needs of which every rule lacks one, what most lack first: one that is not offered is the whole reason. @param lacking needs, rule by rule */
export function leastNeeds(lacking: readonly (readonly string[])[]): readonly LeastNeed[] {
  const least: LeastNeed[] = [];
  for (let left = lacking.filter(({ length }) => length > 0); left.length > 0;) {
    const names = new Set(left.flat());
    const counts = [...names].map((need) => ({ need, rules: left.filter((one) => one.includes(need)).length }));
    const most = counts.reduce((best, one) => (one.rules > best.rules ? one : best));
    least.push(most);
    left = left.filter((one) => !one.includes(most.need));
  }
  return least;
}

/** Every blocked rule of a run, by what it waits for. */
export function blockedOf(run: Run, assessment: Assessment): Blocked {
  const blocked = inState(assessment, 'blocked');
  const lacking = blocked.filter(isLacking);
  const breaches = new Set<string>(
    assessment.standings.filter(({ state }) => isViolated(state)).map(({ rule }) => rule.id),
  );
  const causeOf = ({ outcome }: Standing): string | undefined => outcome?.standsOn?.find((id) => breaches.has(id));
  const behind = blocked.filter((one) => !isLacking(one) && causeOf(one) !== undefined);
  return {
    gaps: gapsOf(lacking, run),
    lacking,
    least: leastNeeds(
      lacking.filter((one) => !isExplained(one, run, assessment)).map(({ outcome }) => outcome?.missing ?? []),
    ),
    causes: Map.groupBy(behind, (one) => causeOf(one) ?? ''),
    others: blocked.filter((one) => !isLacking(one) && causeOf(one) === undefined),
  };
}

/**
 * Rules that wait for what some of them ask for: each was blocked by what the target did not do, and so were the ones that judge that. As where a service has
 * no pages at all, and no case could see an array that is longer than one.
 */
export function circleOf({ others }: Blocked): { readonly waiting: number; readonly grounds: readonly string[] } {
  const stuck = others.filter(isUnmet);
  const ids = new Set<string>(stuck.map(({ rule }) => rule.id));
  const groundsOf = ({ rule, outcome }: Standing): readonly string[] =>
    (outcome?.standsOn ?? []).filter((id) => id !== rule.id && ids.has(id));
  const named = new Set(stuck.flatMap(groundsOf));
  return {
    waiting: stuck.filter((one) => groundsOf(one).length > 0).length,
    grounds: stuck.map(({ rule }) => rule.id).filter((id) => named.has(id)),
  };
}

function isLacking({ outcome }: Standing): boolean {
  return (outcome?.missing ?? []).length > 0;
}

function gapsOf(lacking: readonly Standing[], run: Run): readonly Gap[] {
  const open = new Map<string, Standing[]>();
  for (const standing of lacking)
    for (const need of new Set(standing.outcome?.missing)) open.set(need, [...(open.get(need) ?? []), standing]);
  const met = new Set<string>();
  const gaps: Gap[] = [];
  while (open.size > 0) {
    const [next, ...others] = [...open].map(([need, members]) => {
      const unlocks = members.filter(({ outcome }) =>
        (outcome?.missing ?? []).every((one) => one === need || met.has(one)),
      ).length;
      return { need, members, unlocks, isDeclared: reasonDeclared(need, run) !== undefined };
    });
    if (next === undefined) break;
    const { need, members, unlocks, isDeclared } = others.reduce(
      (best, one) => (isBefore(one, best) ? one : best),
      next,
    );
    const hint = isDeclared ? `declared as not supported: ${reasonDeclared(need, run)}` : hintOf(need, members);
    gaps.push({ need, members, unlocks, hint, isDeclared });
    met.add(need);
    open.delete(need);
  }
  return gaps;
}

type Ranked = Omit<Gap, 'hint'>;

function isBefore(one: Ranked, other: Ranked): boolean {
  if (one.isDeclared !== other.isDeclared) return other.isDeclared;
  if (one.unlocks !== other.unlocks) return one.unlocks > other.unlocks;
  return one.members.length > other.members.length;
}

/** The part of a reason that speaks of the need; the whole of one where none does. */
function hintOf(need: string, members: readonly Standing[]): string {
  const reasons = members.map(({ outcome }) => outcome?.reason ?? 'no reason recorded');
  const parts = reasons.flatMap((reason) => reason.split('; '));
  const start = `the profile does not meet ${need}: `;
  return parts.find((part) => part.startsWith(start))?.slice(start.length) ?? reasons[0] ?? '';
}

/** What a need means, where it is one of this version. */
export function meaningOf(need: string): string | undefined {
  return Object.entries(needs).find(([name]) => name === need)?.[1];
}

/** A line a need: how many rules it unlocks, how many lack it, and what to do. */
export function gapTable(gaps: readonly Gap[]): Omit<Table, 'caption'> {
  return {
    titles: ['need', 'unlocks', 'of', 'how'],
    rows: gaps.map(({ need, members, unlocks, hint }) => [
      need,
      String(unlocks),
      String(members.length),
      oneLine(hint),
    ]),
    numbers: [1, 2],
  };
}

/** Says what the two numbers of that table are. */
export function gapSentence({ lacking, gaps, least }: Blocked): string {
  const rules = counted(lacking.length, 'rule');
  if (gaps.length === 1) return `${rules} can be judged once this need is met.`;
  const open = gaps.filter(({ isDeclared }) => !isDeclared).length;
  const short =
    least.length === 0 || least.length === open
      ? ''
      : ` Where none of it is offered, it is enough to name under notSupported: ${least.map(({ need }) => need).join(', ')}.`;
  return `${rules}. A need unlocks what it says once those above it are met, of all rules that lack it.${short}`;
}
