import { setTimeout as sleep } from 'node:timers/promises';
import { pending } from '../../contract/pending.ts';
import { interfering } from '../../contract/related.ts';
import type { Side } from '../../contract/rule.ts';
import { allRules, ruleOf, type RuleId } from '../../contract/rules.ts';
import type { FaultId } from '../../reference-server/faults/faults.ts';
import { hasHostFault, type HostFaultId } from '../../simulator/extension/faults/faults.ts';
import type { Outcome } from '../../suites/engine/outcome.ts';
import { brokenOutcome, judgedInTime } from '../../suites/engine/run/deadline.ts';
import { openJudge, planOf } from '../../suites/engine/run/judge.ts';
import { startHostAlone } from '../check/bundled-host.ts';
import { startBoth, startReference, type Deployment } from '../check/deployment.ts';
import { controlKills, countsOf, type KillMatrix } from './matrix.ts';
import { pooled } from './pooled.ts';
import { faultRow } from './verdict.ts';

export interface Trial {
  readonly faults: readonly RuleId[];
  /** Every case under every fault, not only that of the rule. */
  readonly all: boolean;
  /** Rules whose case judges the server without faults. */
  readonly control?: readonly RuleId[];
  readonly seed?: number;
  readonly runs?: number;
  /** Starts the server that is judged under a fault; a reference server with it unless given. */
  readonly start?: (fault: FaultId) => Promise<Deployment>;
}

/** Servers under way at once. */
const serversAtOnce = 4;
/** Cases under way at once on one server. */
const casesAtOnce = 8;
/** Generated runs of the cases that should not notice a fault: what they would find, the values that are always tried find too. */
const bystanderRuns = 2;
/** Longest wait for a server to close, in ms. */
const closeLimitMs = 3000;
/** Longest case, in ms. */
const caseLimitMs = 30_000;
const withoutCase: ReadonlySet<string> = new Set(pending);
const never = new AbortController().signal;

/** Every rule that has a case. */
export const builtRules: readonly RuleId[] = allRules.map((rule) => rule.id).filter((id) => !withoutCase.has(id));

/**
 * Starts a reference server, or for rules about them an extension host, for each fault, and both without, and lets the cases judge them;
 * verdicts are not settled.
 */
export async function killMatrix({ faults, all, control = builtRules, seed = 1, runs = 20, start = startWith }: Trial): Promise<KillMatrix> {
  const startedAt = performance.now();
  const judgedUnder = async (fault: FaultId, own: readonly RuleId[], others: readonly RuleId[]): Promise<readonly Outcome[]> => {
    await using deployment = closingInTime(await start(fault));
    const width = interfering.values().some((rule) => rule === fault) ? 1 : casesAtOnce;
    // schedules move the clock of the server, which no other case bears: so they come last, all together
    const isSchedule = (rule: RuleId): boolean => planOf(deployment).secondsOf(rule) !== undefined;
    const isOrdinary = (rule: RuleId): boolean => !isSchedule(rule);
    const schedules = [...own, ...others].filter(isSchedule);
    return [
      ...(await outcomesOn(deployment, own.filter(isOrdinary), { seed, runs, width })),
      ...(await outcomesOn(deployment, others.filter(isOrdinary), { seed, runs: Math.min(runs, bystanderRuns), width })),
      ...(await outcomesOn(deployment, schedules, { seed, runs, width: width === 1 ? 1 : schedules.length })),
    ];
  };
  const controlled = await judgedUnder('control', control, []);
  const othersOf = (fault: RuleId): readonly RuleId[] => (all ? builtRules.filter((rule) => rule !== fault && sideOf(rule) === sideOf(fault)) : []);
  const rows = await pooled(faults, serversAtOnce, async (fault) => faultRow(fault, await judgedUnder(fault, [fault], othersOf(fault))));
  return {
    schemaVersion: 1,
    kind: 'kill-matrix',
    mode: all ? 'all' : 'own',
    seed,
    runs,
    durationMs: Math.round(performance.now() - startedAt),
    control: { cases: controlled.length, killedBy: controlKills(controlled) },
    faults: rows,
    counts: countsOf(rows),
  };
}

/** A server whose fault keeps it from closing is left behind: the matrix is about what it answers. */
function closingInTime(deployment: Deployment): Deployment {
  const close = () => Promise.race([deployment[Symbol.asyncDispose](), sleep(closeLimitMs, undefined, { ref: false })]);
  return { ...deployment, [Symbol.asyncDispose]: async () => void (await close()) };
}

function startWith(fault: FaultId | HostFaultId): Promise<Deployment> {
  if (fault === 'control') return startBoth({ faults: [fault] });
  return hasHostFault(fault) ? startHostAlone([fault]) : startReference({ faults: [fault] });
}

const sideOf = (rule: RuleId): Side => ruleOf(rule).side;

async function outcomesOn(
  deployment: Deployment,
  rules: readonly RuleId[],
  { seed, runs, width }: { readonly seed: number; readonly runs: number; readonly width: number },
): Promise<readonly Outcome[]> {
  if (rules.length === 0) return [];
  await using open = openJudge({ loaded: deployment.loaded, seed, runs, caseLimitMs, collect: false });
  return await pooled(rules, width, async (rule) => {
    const { outcome } = await judgedInTime(open.judge, rule, caseLimitMs + 1000, never);
    return outcome ?? brokenOutcome(rule, 'the case ended without an outcome');
  });
}
