import { catalogue } from '../../suites/catalogue.ts';
import type { RuleId } from '../../contract/rule.ts';
import type { Outcome } from '../../judge/outcome.ts';
import { brokenOutcome, judgedInTime } from '../../judge/run/deadline.ts';
import { openJudge, planCases } from '../../judge/run/judge.ts';
import type { Deployment } from '../check/deployment.ts';
import { pooled } from './pooled.ts';

/** Longest case, in ms. */
const caseLimitMs = 30_000;
const never = new AbortController().signal;

export interface Judging {
  readonly seed: number;
  /** Generated runs of each property. */
  readonly runs: number;
  /** Cases under way at once. */
  readonly width: number;
}

/** What the cases of these rules say of a deployment; verdicts are not settled. */
export async function outcomesOn(
  deployment: Deployment,
  rules: readonly RuleId[],
  { seed, runs, width }: Judging,
): Promise<readonly Outcome[]> {
  if (rules.length === 0) return [];
  await using open = openJudge(catalogue, { loaded: deployment.loaded, seed, runs, caseLimitMs });
  return await pooled(rules, width, async (rule) => {
    const { outcome } = await judgedInTime(open.judge, rule, caseLimitMs + 1000, never);
    return outcome ?? brokenOutcome(rule, 'the case ended without an outcome');
  });
}

/** Schedules move the clock of the server, which no other case bears: so they come behind the others, and restarts last. */
export function inTurns(
  deployment: Deployment,
  rules: readonly RuleId[],
): readonly [ordinary: readonly RuleId[], schedules: readonly RuleId[], restarting: readonly RuleId[]] {
  const { secondsOf, restarts = () => false } = planCases(catalogue, deployment.loaded);
  const isSchedule = (rule: RuleId): boolean => secondsOf(rule) !== undefined;
  return [
    rules.filter((rule) => !isSchedule(rule) && !restarts(rule)),
    rules.filter((rule) => isSchedule(rule) && !restarts(rule)),
    rules.filter(restarts),
  ];
}
