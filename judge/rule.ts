import type { Area } from '../contract/areas.ts';
import type { Need } from '../contract/needs.ts';
import type { Level, RuleId, Side } from '../contract/rule.ts';
import type { ServiceCase } from './case.ts';
import type { HostCase } from './host/host-case.ts';

/** A case about the service, or one about an extension host. */
export type Case = ServiceCase | HostCase;

/** A rule as it is declared in `suites/`, with the case that judges it. */
export interface Declaration {
  /** `must` unless given. */
  readonly level?: Exclude<Level, 'must'>;
  /** Document, section and number of the sentence behind the rule. */
  readonly source: string;
  readonly statement: string;
  /** The smallest wrong implementation that breaks this rule alone; absent where the rule only records. */
  readonly fault?: string;
  readonly needs: readonly Need[];
  /** Rules that this one stands on: when one of them failed, this one is inconclusive. */
  readonly after?: readonly RuleId[];
  /** Areas whose rules this one says again as a whole: it stands on all of them, so that one defect shows once. */
  readonly repeats?: readonly Area[];
  readonly test: Case;
}

/** A declared rule with its id, its area and its side. */
export interface Rule extends Omit<Declaration, 'level'> {
  readonly level: Level;
  readonly id: RuleId;
  readonly area: Area;
  readonly side: Side;
}

/** Declares rules of an area; their ids and levels stay known as types. */
export function rules<A extends Area, const R extends Readonly<Record<`${A}.${string}`, Declaration>>>(
  _area: A,
  declarations: R,
): R {
  return declarations;
}

/** All rules that can be judged, by id. */
export class Catalogue {
  readonly all: readonly Rule[];
  readonly #byId: ReadonlyMap<string, Rule>;
  /** Asked with every outcome of a run. */
  readonly #grounds = new Map<RuleId, readonly RuleId[]>();

  /** @throws {RangeError} a rule that stands on one that is not declared, or an id that is declared twice */
  constructor(rules: readonly Rule[]) {
    this.all = rules;
    this.#byId = new Map(rules.map((rule) => [rule.id, rule]));
    if (this.#byId.size !== rules.length) throw new RangeError('A rule is declared twice.');
    for (const { id, after = [] } of rules)
      for (const other of after)
        if (!this.has(other)) throw new RangeError(`${id} stands on ${other}, which is no rule.`);
  }

  get ids(): readonly RuleId[] {
    return this.all.map((rule) => rule.id);
  }

  has(id: string): id is RuleId {
    return this.#byId.has(id);
  }

  find(id: string): Rule | undefined {
    return this.#byId.get(id);
  }

  /** @throws {RangeError} there is no such rule */
  get(id: RuleId): Rule {
    const rule = this.#byId.get(id);
    if (rule === undefined) throw new RangeError(`There is no rule ${id}.`);
    return rule;
  }

  /** Rules that a rule stands on: those that it names, and all of the areas that it repeats that have to be kept. A guideline explains nothing that does not name it. */
  standsOn(id: RuleId): readonly RuleId[] {
    const found = this.#grounds.get(id) ?? this.#groundsOf(this.get(id));
    this.#grounds.set(id, found);
    return found;
  }

  #groundsOf({ after = [], repeats = [] }: Rule): readonly RuleId[] {
    if (repeats.length === 0) return after;
    const repeated = this.all.filter(
      ({ area, level, ...rule }) => repeats.includes(area) && rule.repeats === undefined && level === 'must',
    );
    return [...after, ...repeated.map((rule) => rule.id)];
  }
}
