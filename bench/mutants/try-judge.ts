import { createHash } from 'node:crypto';
import type { RuleId } from '../../contract/rule.ts';
import { mapAtOnce } from '../../cli/kill-matrix/map-at-once.ts';
import { catalogue } from '../../suites/catalogue.ts';
import { type Children, type Fall, isFall } from './children.ts';
import type { JudgeCoverage, JudgeTask, JudgeTried, WrongVerdict } from './judge.child.ts';
import type { Mutant } from './mutant.ts';
import { portionsOf } from './portions.ts';

export interface JudgeTrial {
  readonly children: Children<JudgeTask, JudgeCoverage | JudgeTried>;
  /** Whether there is time to begin with another mutant. */
  readonly hasTime: () => boolean;
  readonly seed: number;
  readonly runs: number;
  /** Rules that the matrix is made of. */
  readonly rules: ReadonlySet<RuleId>;
  /** Rules whose cases meet one mutant at most, drawn by lot among those that reach it. */
  readonly most: number;
}

/** What the matrix said of a judge with that mutant. */
export interface JudgeRow {
  readonly mutant: Mutant;
  readonly fate: 'noticed' | 'fell' | 'survived';
  readonly by: readonly string[];
  /** Rules whose cases met it. */
  readonly cases: number;
}

const portionLimitMs = 240_000;
const wholeLimitMs = 1_200_000;
const portionLengths = [6, 24, 48];
const askedAgain = 3;

/** Which rules reach which mutants of the judge, each before its fault and before the right server. */
export class JudgeReach {
  /** Rules that the matrix does not let pass when nothing is switched on: they count for nothing. */
  readonly unsteady: readonly RuleId[];
  readonly #loading: ReadonlySet<string>;
  readonly #rulesOf = new Map<string, Set<RuleId>>();
  readonly #rulesIn = new Map<string, Set<RuleId>>();

  constructor(coverages: readonly JudgeCoverage[], mutants: readonly Mutant[]) {
    this.#loading = new Set(coverages.flatMap(({ loading }) => loading));
    this.unsteady = [...new Set(coverages.flatMap(({ wrong }) => wrong.map(({ rule }) => rule)))];
    const fileOf = new Map(mutants.map(({ id, file }) => [id, file]));
    const rows = coverages.flatMap(({ byRule }) => byRule).filter(([rule]) => !this.unsteady.includes(rule));
    for (const [rule, ids] of rows) {
      for (const id of ids) note(this.#rulesOf, id, rule);
      for (const file of new Set(ids.map((id) => fileOf.get(id) ?? ''))) note(this.#rulesIn, file, rule);
    }
  }

  isReached({ id }: Mutant): boolean {
    return this.#loading.has(id) || this.#rulesOf.has(id);
  }

  isAtLoading({ id }: Mutant): boolean {
    return this.#loading.has(id);
  }

  /** Rules that meet the mutant, in an order by lot. What runs at loading is met by those that use the file. */
  rulesOf({ id, file }: Mutant, seed: number): readonly RuleId[] {
    const met = this.#rulesOf.get(id) ?? (this.#loading.has(id) ? this.#rulesIn.get(file) : undefined) ?? [];
    const lot = (rule: RuleId): string => createHash('sha256').update(`${seed} ${id} ${rule}`).digest('hex');
    return [...met].toSorted((one, other) => (lot(one) < lot(other) ? -1 : 1));
  }
}

function note(map: Map<string, Set<RuleId>>, key: string, rule: RuleId): void {
  map.set(key, (map.get(key) ?? new Set()).add(rule));
}

export async function surveyJudge(
  mutants: readonly Mutant[],
  { children, seed, runs, rules: chosen }: JudgeTrial,
): Promise<JudgeReach> {
  const rules = catalogue.all.map((rule) => rule.id).filter((id) => chosen.has(id));
  const shares = Array.from({ length: children.width }, (_, share) =>
    rules.filter((_rule, index) => index % children.width === share),
  );
  const coverages = await Promise.all(
    shares.map((share) => children.ask({ kind: 'cover', rules: share, seed, runs }, { limitMs: wholeLimitMs })),
  );
  return new JudgeReach(coverages.map(covered), mutants);
}

function covered(answer: JudgeCoverage | JudgeTried | Fall): JudgeCoverage {
  if (isFall(answer)) throw new Error(`The matrix fell with nothing switched on: ${answer.fell}`);
  if ('byRule' in answer) return answer;
  throw new Error('The matrix was asked what it reaches and told something else.');
}

export function tryJudgeMutants(
  mutants: readonly Mutant[],
  reach: JudgeReach,
  trial: JudgeTrial,
  ended: (row: JudgeRow) => void,
): Promise<unknown> {
  return mapAtOnce(mutants, trial.children.width, async (mutant) => {
    if (trial.hasTime()) ended(await tryOne(mutant, reach, trial).finally(() => trial.children.finish(mutant.id)));
  });
}

async function tryOne(mutant: Mutant, reach: JudgeReach, trial: JudgeTrial): Promise<JudgeRow> {
  const rules = reach.rulesOf(mutant, trial.seed).slice(0, trial.most);
  const judge = async (some: readonly RuleId[]): Promise<Fall | readonly WrongVerdict[]> => {
    const { children, seed, runs } = trial;
    const answer = await children.ask(
      { kind: 'try', mutant: mutant.id, rules: some, seed, runs },
      { limitMs: portionLimitMs, ...(reach.isAtLoading(mutant) && { from: mutant.id }) },
    );
    return isFall(answer) ? answer : answer.wrong;
  };
  let cases = 0;
  for (const portion of portionsOf(rules, portionLengths)) {
    const found = await judge(portion);
    cases += portion.length;
    const few = 'fell' in found ? portion : found.slice(0, askedAgain).map(({ rule }) => rule);
    const again = few.length === 0 ? [] : await judge(few);
    if ('fell' in again) return { mutant, fate: 'fell', by: [again.fell], cases };
    if (again.length > 0)
      return { mutant, fate: 'noticed', by: again.map(({ rule, found: words }) => `${rule}: ${words}`), cases };
  }
  return { mutant, fate: 'survived', by: [], cases };
}
