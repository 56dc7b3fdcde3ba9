import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { RuleId, Side } from '../../contract/rule.ts';
import type { Outcome } from '../../judge/outcome.ts';
import { catalogue } from '../../suites/catalogue.ts';
import { type Children, isFall } from './children.ts';
import { type Control, controlOf, isWell } from './fate.ts';
import type { Mutant } from './mutant.ts';
import { type Ground, groundOf } from './places.ts';
import { ReachMap } from './reach.ts';
import type { Coverage, ServiceTask, Tried } from './service.child.ts';

export type ServiceChildren = Children<ServiceTask, Coverage | Tried>;

export interface Surveying {
  readonly children: ServiceChildren;
  readonly seed: number;
  /** Generated runs of each property. */
  readonly runs: number;
  /** Rules that are asked. */
  readonly rules: ReadonlySet<RuleId>;
}

/** What is known of a ground before its mutants are tried. */
export interface Surveyed {
  readonly ground: Ground;
  readonly reach: ReachMap;
  readonly control: Control;
  /** Rules that do not get along with the copy when nothing is switched on. */
  readonly unsteady: readonly RuleId[];
  /** A case that takes so long hangs, in ms. */
  readonly caseLimitMs: number;
}

/** What the cases of a ground came by and said with nothing switched on. Plain data, so that it can be kept. */
interface Sighted {
  readonly coverages: readonly Coverage[];
  readonly outcomes: readonly Outcome[];
}

/** Generated runs where a case is only to come by. */
export const fewRuns = 2;
/** A case that hangs on whatever machine, in ms. */
const patientLimitMs = 120_000;
/** The least that counts as hanging, in ms. */
const leastLimitMs = 20_000;
/** Longest time of what every case of a ground takes. */
const wholeLimitMs = 1_800_000;

/** Sees which cases reach what, and what all of them say when nothing is switched on. */
export async function survey(ground: Ground, surveying: Surveying): Promise<Surveyed> {
  return surveyedOf(ground, await look(ground, surveying));
}

/** The same from a file, where that was written for these mutants; else it is written. */
export async function keptSurvey(
  ground: Ground,
  surveying: Surveying,
  { file, mutants }: { readonly file: string; readonly mutants: readonly Mutant[] },
): Promise<Surveyed> {
  const kept = existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, Sighted>>)
    : undefined;
  const key = `${ground} ${digestOf(mutants)}`;
  const sighted = kept?.[key] ?? (await look(ground, surveying));
  if (kept?.[key] === undefined) writeFileSync(file, JSON.stringify({ ...kept, [key]: sighted }));
  return surveyedOf(ground, sighted);
}

/** Whether a case comes to its place. */
export function isReached(mutant: Mutant, surveyed: ReadonlyMap<Ground, Surveyed>): boolean {
  return (surveyed.get(groundOf(mutant))?.reach.of(mutant).rules.length ?? 0) > 0;
}

async function look(ground: Ground, { children, seed, runs, rules: chosen }: Surveying): Promise<Sighted> {
  const side: Side = ground === 'host' ? 'extension' : 'service';
  const rules = catalogue.all.filter((rule) => rule.side === side && chosen.has(rule.id)).map((rule) => rule.id);
  const shares = Array.from({ length: children.width }, (_, share) =>
    rules.filter((_rule, index) => index % children.width === share),
  );
  const common = { ground, seed, caseLimitMs: patientLimitMs };
  const judge = (share: readonly RuleId[]): Promise<Tried> =>
    told<Tried>(children, { kind: 'try', preflight: true, own: [], others: share, lookingBack: [], runs, ...common });
  const coverages = await Promise.all(
    shares.map((share) => told<Coverage>(children, { kind: 'cover', rules: share, runs: fewRuns, ...common })),
  );
  const tried = await Promise.all(shares.map(judge));
  const refused = tried.find((control) => control.refused !== undefined)?.refused;
  if (refused !== undefined) throw new Error(`The copy is refused with nothing switched on: ${refused}`);
  const outcomes = tried.flatMap((control) => control.outcomes);
  // a busy machine may make one case in twenty inconclusive: only what is not right twice is unsteady
  const doubtful = outcomes.filter((outcome) => !isWell(outcome)).map(({ rule }) => rule);
  const again = doubtful.length === 0 ? [] : (await judge(doubtful)).outcomes;
  return { coverages, outcomes: outcomes.map((first) => again.find(({ rule }) => rule === first.rule) ?? first) };
}

function surveyedOf(ground: Ground, { coverages, outcomes }: Sighted): Surveyed {
  const control = controlOf([outcomes, coverages.flatMap((coverage) => coverage.outcomes)]);
  const longestMs = Math.max(0, ...outcomes.filter(isWell).map(({ durationMs }) => durationMs));
  return {
    ground,
    reach: new ReachMap(coverages),
    control,
    unsteady: outcomes.map(({ rule }) => rule).filter((rule) => !control.steady.has(rule)),
    caseLimitMs: Math.max(leastLimitMs, Math.min(2 * longestMs, patientLimitMs)),
  };
}

async function told<Answer extends Coverage | Tried>(children: ServiceChildren, task: ServiceTask): Promise<Answer> {
  const answer = await children.ask(task, { limitMs: wholeLimitMs });
  if (isFall(answer)) throw new Error(`The copy could not be judged with nothing switched on: ${answer.fell}`);
  return answer as Answer;
}

/** By what a survey is known to be of these: the ids stand for places. */
function digestOf(mutants: readonly Mutant[]): string {
  const known = mutants.map(({ id, file, line, replacement }) => [id, file, line, replacement]);
  return createHash('sha256').update(JSON.stringify(known)).digest('hex').slice(0, 16);
}
