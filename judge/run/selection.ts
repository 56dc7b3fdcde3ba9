import type { Area } from '../../contract/areas.ts';
import type { Level } from '../../contract/rule.ts';
import { hintAt } from '../../contract/spelling.ts';
import type { Shard } from '../outcome.ts';
import type { Rule } from '../rule.ts';
import { matches } from './glob.ts';

/** Which rules a run judges: those that every given part admits. */
interface Selection {
  readonly areas?: readonly Area[];
  /** Rule ids, `*` standing for any text. */
  readonly rules?: readonly string[];
  readonly levels?: readonly Level[];
}

/** What of a rule decides. */
type Selected = Pick<Rule, 'id' | 'area' | 'level'>;

/** A pattern that selects nothing; the message is one sentence with the nearest name. */
export class SelectionError extends Error {
  readonly code = 'SELECTION';
}

/** The rules of a selection, in the order of the contract; may be empty. @throws {SelectionError} a pattern that matches no rule */
export function selectRules<R extends Selected>(selection: Selection, rules: readonly R[]): readonly R[] {
  selection.rules?.forEach((glob) => assertMatches(glob, rules));
  return rules.filter(
    (rule) =>
      (selection.areas === undefined || selection.areas.includes(rule.area)) &&
      (selection.rules === undefined || selection.rules.some((glob) => matches(glob, rule.id))) &&
      (selection.levels === undefined || selection.levels.includes(rule.level)),
  );
}

function assertMatches(glob: string, rules: readonly Selected[]): void {
  if (rules.some(({ id }) => matches(glob, id))) return;
  const known = new Set(rules.flatMap(({ id, area }) => (glob.includes('*') ? [`${area}.*`, id] : [id])));
  throw new SelectionError(`no rule matches "${glob}"${hintAt(glob, [...known])}`);
}

/**
 * The rules of one part of a run, in their order. The longest schedules are dealt out first and everything else behind them, one to each
 * part in turn, so that every part takes about as long and the same selection is always dealt alike.
 */
export function rulesOfShard(rules: readonly Rule[], { index, of }: Shard): readonly Rule[] {
  const dealt = rules.toSorted((one, other) => lengthOf(other) - lengthOf(one));
  const own = new Set(dealt.filter((_rule, place) => place % of === index - 1));
  return rules.filter((rule) => own.has(rule));
}

/** Service time of its schedule, in seconds. */
function lengthOf({ test }: Rule): number {
  return test.seconds ?? 0;
}
