import { setTimeout as sleep } from 'node:timers/promises';
import { catalogue } from '../../suites/catalogue.ts';
import { mapAtOnce } from '../../cli/kill-matrix/map-at-once.ts';
import type { RuleId } from '../../contract/rule.ts';
import type { Outcome } from '../../judge/outcome.ts';
import { isFall } from './children.ts';
import { type Circumstance, circumstances } from './circumstances.ts';
import { type Fate, isHanging, isNoticed, signOf, worstOf } from './fate.ts';
import { diffOf, type Mutant } from './mutant.ts';
import { type Ground, groundOf } from './places.ts';
import { portionsOf } from './portions.ts';
import type { Reached } from './reach.ts';
import { lotOf } from './sample.ts';
import { fewRuns, type Surveyed, type Surveying } from './survey.ts';
import type { Tried } from './service.child.ts';

/** What became of a mutant, and by whom. */
export interface Row {
  readonly mutant: Mutant;
  /** Where alone it was on; everywhere unless given. */
  readonly circumstance?: Circumstance;
  readonly fate: Fate;
  /** Rules that noticed it, with what they found, or another reason. */
  readonly by: readonly string[];
  /** Cases that met it. */
  readonly cases: number;
  /** What it took, in ms. */
  readonly ms: number;
}

export interface Trial extends Surveying {
  /** Whether there is time to begin with another mutant. */
  readonly hasTime: () => boolean;
  /** Whether no rule has to notice it, so that none is asked. */
  readonly isExcused: (mutant: Mutant) => boolean;
}

/** Longest cases that a portion may wait for, one behind the other. */
const casesBehindEachOther = 8;
/** Cases that meet a mutant before all others, each with few runs: most mutants are killed by the first that reach them. */
const firstLength = 12;
/** Cases that meet what survives on one server before it is asked what they saw. */
const portionLengths = [30, 80];
/** So many rules that noticed a mutant are asked again. */
const askedAgain = 3;

/** Rules about what all cases met: each portion is looked back at. They are of the service. */
const lookingBack: readonly RuleId[] = catalogue.all
  .filter(({ test }) => test.side === undefined && test.looksBack === true)
  .map(({ id }) => id);

/** Tries mutants; each meets cases until a rule fails, which is then asked once more. */
export function tryMutants(
  mutants: readonly Mutant[],
  surveyed: ReadonlyMap<Ground, Surveyed>,
  trial: Trial,
  ended: (row: Row) => void,
): Promise<unknown> {
  return ofEach(mutants, surveyed, trial, async (mutant, known) => {
    if (trial.isExcused(mutant)) ended({ mutant, fate: 'survived', by: ['excused, and not tried'], cases: 0, ms: 0 });
    else ended(await new MutantTrial(mutant, known, trial).run());
  });
}

/**
 * Tries mutants that the nearest cases notice where they are on in one circumstance alone, drawn by lot of those in which a case comes to their
 * place: what is noticed at large and not there is a circumstance that no case looks at.
 */
export function tryUnder(
  mutants: readonly Mutant[],
  surveyed: ReadonlyMap<Ground, Surveyed>,
  trial: Trial,
  ended: (row: Row) => void,
): Promise<unknown> {
  return ofEach(mutants, surveyed, trial, async (mutant, known) => {
    const circumstance = drawnFrom(known.reach.circumstancesOf(mutant), mutant, trial.seed);
    if (circumstance === undefined || trial.isExcused(mutant)) return;
    if (!(await new MutantTrial(mutant, known, trial).isFoundNear()) || !trial.hasTime()) return;
    ended(await new MutantTrial(mutant, known, trial, circumstance).run());
  });
}

function drawnFrom(reached: readonly Circumstance[], mutant: Mutant, seed: number): Circumstance | undefined {
  return reached[Number.parseInt(lotOf(mutant, seed).slice(0, 8), 16) % reached.length];
}

/** How many were noticed in each circumstance, and what was not. */
export function underLinesOf(rows: readonly Row[]): readonly string[] {
  const unseen = rows.filter(({ fate }) => !isNoticed(fate));
  return [
    ...circumstances.map((name) => {
      const some = rows.filter(({ circumstance }) => circumstance === name);
      return `${some.filter(({ fate }) => isNoticed(fate)).length} of ${some.length} noticed ${name}`;
    }),
    `${rows.length - unseen.length} of ${rows.length} noticed in one circumstance`,
    ...unseen.map(
      ({ mutant, circumstance, fate, cases, by }) =>
        `${circumstance} (${fate}, ${cases} cases came by): ${diffOf(mutant)}${by.map((line) => `\n  ${line}`).join('')}`,
    ),
  ];
}

/** Does something with each mutant and what is known of its ground, several at once, while there is time. */
function ofEach(
  mutants: readonly Mutant[],
  surveyed: ReadonlyMap<Ground, Surveyed>,
  { children, hasTime }: Trial,
  work: (mutant: Mutant, known: Surveyed) => Promise<void>,
): Promise<unknown> {
  return mapAtOnce(mutants, children.width, async (mutant) => {
    const known = surveyed.get(groundOf(mutant));
    if (known === undefined) throw new Error(`Nobody has looked at the ground of ${mutant.file}.`);
    if (hasTime()) await work(mutant, known);
  });
}

/** How it ended with a mutant. */
type End = Pick<Row, 'fate' | 'by' | 'cases'>;

/** An outcome that tells of the mutant, and the cases that ran beside it. */
interface Noticed {
  readonly outcome: Outcome;
  readonly portion: readonly RuleId[];
}

/** One mutant before the cases that reach it, in whichever circumstance or in one. */
class MutantTrial {
  readonly #mutant: Mutant;
  readonly #surveyed: Surveyed;
  readonly #trial: Trial;
  readonly #reached: Reached;
  readonly #circumstance: Circumstance | undefined;
  /** Whether cases meet it in a process in which it is on from the first. */
  #isOnFromTheFirst = false;

  constructor(mutant: Mutant, surveyed: Surveyed, trial: Trial, circumstance?: Circumstance) {
    this.#mutant = mutant;
    this.#surveyed = surveyed;
    this.#trial = trial;
    this.#circumstance = circumstance;
    const { reach } = surveyed;
    this.#reached = circumstance === undefined ? reach.of(mutant) : reach.under(circumstance, mutant);
  }

  /** The nearest cases ask first. What they do not see is on from the first of a process: one may remember what it made before. */
  async run(): Promise<Row> {
    const { rules, atLoading } = this.#reached;
    const startedAt = performance.now();
    const end = await this.#meet(rules, atLoading).finally(() => this.#trial.children.finish(this.#mutant.id));
    const ms = Math.round(performance.now() - startedAt);
    return { mutant: this.#mutant, ...(this.#circumstance && { circumstance: this.#circumstance }), ...end, ms };
  }

  /** Whether the nearest cases alone find a rule violated. */
  async isFoundNear(): Promise<boolean> {
    const { rules, atLoading } = this.#reached;
    if (atLoading || rules.length === 0) return false;
    return (await this.#meetCases([rules.slice(0, firstLength)], fewRuns)).fate === 'rule';
  }

  async #meet(rules: readonly RuleId[], atLoading: boolean): Promise<End> {
    if (rules.length === 0) return { fate: 'survived', by: ['no case reaches it'], cases: 0 };
    const first = rules.slice(0, firstLength);
    if (!atLoading) {
      const end = await this.#meetCases([first], fewRuns);
      if (end.fate === 'rule' || end.fate === 'refused' || end.fate === 'fell') return end;
    }
    this.#isOnFromTheFirst = true;
    const lengths = atLoading ? [firstLength, ...portionLengths] : portionLengths;
    return this.#meetCases(portionsOf(rules, lengths), this.#trial.runs);
  }

  async #meetCases(portions: readonly (readonly RuleId[])[], runs: number): Promise<End> {
    const { atStart, atLoading } = this.#reached;
    const noticed: Noticed[] = [];
    let cases = 0;
    for (const [place, portion] of portions.entries()) {
      const tried = await this.#judge(portion, { preflight: place === 0 && (atStart || atLoading), runs });
      const end = await this.#endOf(tried, portion);
      if (end !== undefined) return { ...end, cases };
      cases += portion.length;
      const signs = tried.outcomes.filter((outcome) => this.#signOf(outcome) !== undefined);
      const [failing, others] = [true, false].map((isFailure) =>
        signs
          .filter((outcome) => (this.#signOf(outcome) === 'rule') === isFailure)
          .map((outcome) => ({ outcome, portion })),
      );
      const failed = await this.#seenAgain(failing ?? []);
      if (failed.length > 0) return { fate: 'rule', by: failed.map(wordsOf), cases };
      noticed.push(...(others ?? []));
    }
    const lasting = await this.#seenAgain(this.#mostTelling(noticed));
    const fate = worstOf(lasting.flatMap((outcome) => this.#signOf(outcome) ?? []));
    return { fate, by: lasting.map(wordsOf), cases };
  }

  /** Nothing answered, or nothing could be judged, twice. */
  async #endOf(
    tried: Tried & { readonly fell?: string },
    portion: readonly RuleId[],
  ): Promise<{ readonly fate: Fate; readonly by: readonly string[] } | undefined> {
    if (tried.fell === undefined && tried.refused === undefined && !isHanging(tried.outcomes)) return undefined;
    const again = await this.#judge(portion, { preflight: tried.refused !== undefined, runs: fewRuns });
    if (tried.refused !== undefined && again.refused !== undefined) return { fate: 'refused', by: [again.refused] };
    if (again.fell !== undefined) return { fate: 'fell', by: [again.fell] };
    return isHanging(again.outcomes) ? { fate: 'fell', by: ['cases do not end'] } : undefined;
  }

  /** Those that show the same when they are asked once more, on another server. */
  async #seenAgain(noticed: readonly Noticed[]): Promise<readonly Outcome[]> {
    const few = noticed.slice(0, askedAgain);
    if (few.length === 0) return [];
    // what looks back has to have something to look back at
    const rules = few.flatMap(({ outcome, portion }) =>
      lookingBack.includes(outcome.rule) ? portion : [outcome.rule],
    );
    const again = await this.#judge([...new Set(rules)], { preflight: false, runs: this.#trial.runs });
    return again.outcomes.filter((outcome) => {
      const sign = this.#signOf(outcome);
      return (
        sign !== undefined &&
        few.some(({ outcome: first }) => first.rule === outcome.rule && this.#signOf(first) === sign)
      );
    });
  }

  #mostTelling(noticed: readonly Noticed[]): readonly Noticed[] {
    const worst = worstOf(noticed.flatMap(({ outcome }) => this.#signOf(outcome) ?? []));
    return noticed.toSorted(
      (one, other) => Number(this.#signOf(other.outcome) === worst) - Number(this.#signOf(one.outcome) === worst),
    );
  }

  async #judge(
    rules: readonly RuleId[],
    { preflight, runs }: { readonly preflight: boolean; readonly runs: number },
  ): Promise<Tried & { readonly fell?: string }> {
    const { children, seed } = this.#trial;
    const { id, area } = this.#mutant;
    const [own, others] = [true, false].map((isOwn) =>
      rules.filter((rule) => (catalogue.get(rule).area === area) === isOwn),
    );
    const { ground, caseLimitMs } = this.#surveyed;
    const task = {
      kind: 'try',
      ground,
      mutant: id,
      circumstance: this.#circumstance,
      preflight,
      lookingBack: ground === 'service' ? lookingBack : [],
      seed,
      runs,
      caseLimitMs,
    } as const;
    const answer = await children.ask(
      { ...task, own: own ?? [], others: others ?? [] },
      { limitMs: casesBehindEachOther * caseLimitMs, ...(this.#isOnFromTheFirst && { from: id }) },
    );
    if (isFall(answer)) {
      // what was ended leaves its sockets to the system; the next one need not meet them
      await sleep(100);
      return { outcomes: [], fell: answer.fell };
    }
    return 'byRule' in answer ? { outcomes: answer.outcomes } : answer;
  }

  #signOf(outcome: Outcome): Fate | undefined {
    return signOf(outcome, this.#surveyed.control);
  }
}

function wordsOf({ rule, violation, reason, observations }: Outcome): string {
  if (violation !== undefined) return `${rule}: expected ${violation.expected}, found ${violation.actual}`;
  return `${rule}: ${reason ?? observations.map(({ what, seen }) => `${what}: ${seen}`).join(', ')}`;
}
