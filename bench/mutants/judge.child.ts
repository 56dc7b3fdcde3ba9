import { startBoth, startReference } from '../../api/deployment.ts';
import { inTurns, judgeVariant, outcomesOn } from '../../cli/kill-matrix/judge-variant.ts';
import { mapAtOnce } from '../../cli/kill-matrix/map-at-once.ts';
import { controlKills, faultRow } from '../../cli/kill-matrix/matrix.ts';
import type { RuleId } from '../../contract/rule.ts';
import { catalogue } from '../../suites/catalogue.ts';
import { hasHostFault } from '../../variants/extension-host/faults.ts';
import { hasFault } from '../../variants/faults.ts';
import { answerTasks } from './child.ts';
import { atLoading, noteFor, ranAtLoading, ranFor, switchOn } from './switch.ts';

/** What a process with a copy of the judge is asked. */
export type JudgeTask =
  | ({ readonly kind: 'cover' } & Asked)
  | ({ readonly kind: 'try'; readonly mutant: string } & Asked);

interface Asked {
  /** Rules whose cases meet their own fault, and the right server. */
  readonly rules: readonly RuleId[];
  readonly seed: number;
  readonly runs: number;
}

export interface JudgeCoverage {
  readonly loading: readonly string[];
  readonly byRule: readonly (readonly [RuleId, readonly string[]])[];
  readonly wrong: readonly WrongVerdict[];
}

/** A verdict that the matrix does not let pass. */
export interface WrongVerdict {
  readonly rule: RuleId;
  /** As `the fault was not killed: …`. */
  readonly found: string;
}

export interface JudgeTried {
  readonly wrong: readonly WrongVerdict[];
}

/** Lies within the copy itself: the judge that it starts is the one with the mutants. */
const caseLimitMs = 20_000;
/** Servers with a fault at once. */
const faultsAtOnce = 4;
const casesAtOnce = 8;

answerTasks<JudgeTask, JudgeCoverage | JudgeTried>((task) => (task.kind === 'cover' ? cover(task) : tryMutant(task)));

/** One case after the other, so that what runs is known to be its own. */
async function cover({ rules, seed, runs }: JudgeTask): Promise<JudgeCoverage> {
  const wrong: WrongVerdict[] = [];
  await using right = await startBoth();
  for (const rule of inTurns(right, rules).flat()) {
    noteFor(rule);
    wrong.push(...(await faultOn(rule, seed, runs)));
    wrong.push(...wrongIn(await outcomesOn(right, [rule], { seed, runs, width: 1, caseLimitMs })));
  }
  noteFor(atLoading);
  return { loading: ranAtLoading(), byRule: rules.map((rule) => [rule, ranFor(rule)]), wrong };
}

async function tryMutant({ mutant, rules, seed, runs }: Extract<JudgeTask, { kind: 'try' }>): Promise<JudgeTried> {
  switchOn(mutant);
  try {
    const byFault = (await mapAtOnce(rules, faultsAtOnce, (rule) => faultOn(rule, seed, runs))).flat();
    return { wrong: byFault.length > 0 ? byFault : await controlOn(rules, seed, runs) };
  } catch (error) {
    return { wrong: [{ rule: rules[0] ?? 'reading.', found: `nothing could be judged: ${String(error)}` }] };
  } finally {
    switchOn(undefined);
  }
}

async function faultOn(rule: RuleId, seed: number, runs: number): Promise<readonly WrongVerdict[]> {
  if (!hasFault(rule) && !hasHostFault(rule)) return [];
  const outcomes = await judgeVariant({ fault: rule, own: [rule], others: [], seed, runs, caseLimitMs });
  const { verdict, found } = faultRow(rule, { outcomes });
  return verdict === 'killed' ? [] : [{ rule, found: `the fault was not killed: ${found}` }];
}

async function controlOn(rules: readonly RuleId[], seed: number, runs: number): Promise<readonly WrongVerdict[]> {
  const needsHost = rules.some((rule) => catalogue.get(rule).side === 'extension');
  await using right = await (needsHost ? startBoth() : startReference());
  const [ordinary, schedules, restarting] = inTurns(right, rules);
  const judging = { seed, runs, caseLimitMs };
  return wrongIn([
    ...(await outcomesOn(right, ordinary, { ...judging, width: casesAtOnce })),
    ...(await outcomesOn(right, schedules, { ...judging, width: schedules.length })),
    ...(await outcomesOn(right, restarting, { ...judging, width: 1 })),
  ]);
}

function wrongIn(outcomes: Parameters<typeof controlKills>[0]): readonly WrongVerdict[] {
  return controlKills(outcomes).map(({ rule, found }) => ({ rule, found: `the right server did not pass: ${found}` }));
}
