import { setTimeout as sleep } from 'node:timers/promises';
import type { RuleId } from '../../contract/rule.ts';
import { mistakes } from '../../variants/mistakes/mistakes.ts';
import { methodsBrokenBy, watches } from '../../variants/breaks.ts';
import { faultOf } from '../../variants/faults.ts';
import { hasHostFault } from '../../variants/extension-host/faults.ts';
import { judgedInTime } from '../../judge/run/deadline.ts';
import { openJudge, planCases } from '../../judge/run/judge.ts';
import { brokenOutcome, type Outcome } from '../../judge/outcome.ts';
import { catalogue } from '../../suites/catalogue.ts';
import { type Deployment, startBoth, startHostAlone, startReference } from '../../api/deployment.ts';
import { mapAtOnce } from './map-at-once.ts';

/** One fault, one mistake of a batch, or none, and the rules whose cases judge what it leaves. Plain data, so that another thread can be asked. */
export interface Variant {
  readonly fault: string;
  /** Rules that are judged in full. */
  readonly own: readonly RuleId[];
  /** Rules that should not notice. */
  readonly others: readonly RuleId[];
  readonly seed: number;
  /** Generated runs of each property. */
  readonly runs: number;
  /** Longest case, in ms; one that only a case which hangs takes, unless given. */
  readonly caseLimitMs?: number;
  /** Rules that look back at what the other cases met; none unless given. */
  readonly lookingBack?: readonly RuleId[];
  /** Whether what the rules that are judged in full find is told as it was found, as what the others find always is. */
  readonly asFound?: boolean;
}

export type Start = (fault: string) => Promise<Deployment>;

/** Cases under way at once on one server. */
const casesAtOnce = 8;
/** Faults by which one object disturbs another: under them cases run one after the other, so that each meets only what it does itself. */
const interfering: ReadonlySet<string> = new Set<RuleId>([
  'versioning.object.own-counter',
  'versioning.race.different-objects-independent',
  'calls.host.uses-base-address',
]);
/** Generated runs of the cases that should not notice a fault: what they would find, the values that are always tried find too. */
export const bystanderRuns = 2;
/** Longest case, in ms: only one that hangs takes so long, on a busy machine too. */
const usualCaseLimitMs = 120_000;
const never = new AbortController().signal;
/** Longest wait for a server to close, in ms. */
const closeLimitMs = 3000;

/** Starts the variant and lets the cases judge it; verdicts are not settled. */
export async function judgeVariant(
  { fault, own, others, seed, runs, caseLimitMs = usualCaseLimitMs, lookingBack = [], asFound = false }: Variant,
  start: Start = startVariant,
): Promise<readonly Outcome[]> {
  await using deployment = closingInTime(await start(fault));
  const alone = interfering.has(fault);
  const judging = { seed, caseLimitMs, lookingBack };
  const width = alone ? 1 : casesAtOnce;
  const [ordinary] = inTurns(deployment, own);
  const [bystanders] = inTurns(deployment, others);
  const [, schedules, last] = inTurns(deployment, [...own, ...others]);
  return [
    ...(await outcomesOn(deployment, ordinary, { ...judging, runs, width, asFound })),
    ...(await outcomesOn(deployment, bystanders, {
      ...judging,
      runs: Math.min(runs, bystanderRuns),
      width,
      asFound: true,
    })),
    ...(await outcomesOn(deployment, schedules, { ...judging, runs, width: alone ? 1 : schedules.length })),
    ...(await outcomesOn(deployment, last, { ...judging, runs, width: 1 })),
  ];
}

/** A server whose fault keeps it from closing is left behind: the matrix is about what it answers. */
function closingInTime(deployment: Deployment): Deployment {
  const close = () => Promise.race([deployment[Symbol.asyncDispose](), sleep(closeLimitMs, undefined, { ref: false })]);
  return { ...deployment, [Symbol.asyncDispose]: async () => void (await close()) };
}

/** A server or a host with that fault or mistake; the control is both without any. */
export function startVariant(fault: string): Promise<Deployment> {
  if (fault === 'control') return startBoth({ faults: [faultOf(fault)] });
  return hasHostFault(fault)
    ? startHostAlone([fault])
    : startReference({ faults: [mistakes.get(fault)?.variant ?? faultOf(fault)] });
}

export interface Judging {
  readonly seed: number;
  /** Generated runs of each property. */
  readonly runs: number;
  /** Cases under way at once. */
  readonly width: number;
  /** Longest case, in ms. */
  readonly caseLimitMs?: number;
  /** Rules that are judged at the end, by what the others met. */
  readonly lookingBack?: readonly RuleId[];
  /** Whether data that fail are told as they were found; else the smallest that fail are looked for. */
  readonly asFound?: boolean;
}

/** What the cases of these rules say of a deployment; verdicts are not settled. */
export async function outcomesOn(
  deployment: Deployment,
  rules: readonly RuleId[],
  { seed, runs, width, caseLimitMs = usualCaseLimitMs, lookingBack = [], asFound = false }: Judging,
): Promise<readonly Outcome[]> {
  if (rules.length === 0) return [];
  await using open = openJudge(catalogue, {
    loaded: deployment.loaded,
    seed,
    runs,
    caseLimitMs,
    collect: false,
    asFound,
  });
  const judge = async (rule: RuleId): Promise<Outcome> => {
    const { outcome } = await judgedInTime(open.judge, rule, { limitMs: caseLimitMs + 1000, stopped: never });
    return outcome ?? brokenOutcome(rule, 'the case ended without an outcome');
  };
  return [...(await mapAtOnce(rules, width, judge)), ...(await mapAtOnce(lookingBack, 1, judge))];
}

/** Schedules move the clock of the server, which no other case bears: so they come behind the others, and what comes last behind them. */
export function inTurns(
  deployment: Deployment,
  rules: readonly RuleId[],
): readonly [ordinary: readonly RuleId[], schedules: readonly RuleId[], last: readonly RuleId[]] {
  const { secondsOf, comesLast = () => false } = planCases(catalogue, deployment.loaded);
  const isSchedule = (rule: RuleId): boolean => secondsOf(rule) !== undefined;
  return [
    rules.filter((rule) => !isSchedule(rule) && !comesLast(rule)),
    rules.filter((rule) => isSchedule(rule) && !comesLast(rule)),
    rules.filter(comesLast),
  ];
}

/** Methods of the areas of the reference server that the case of a rule sets in motion, by rule. */
export type Reach = readonly (readonly [RuleId, readonly string[]])[];

/** Judges each rule by itself on a server that notes what is called. What is called before the first case is reached by all of them. */
export async function reachOf(rules: readonly RuleId[], seed: number, runs: number): Promise<Reach> {
  const called = new Set<string>();
  await using deployment = await startReference({ faults: [watches((method) => called.add(method))] });
  const atStart = [...called];
  const reach: [RuleId, readonly string[]][] = [];
  for (const rule of inTurns(deployment, rules).flat()) {
    called.clear();
    await outcomesOn(deployment, [rule], { seed, runs, width: 1 });
    reach.push([rule, [...new Set([...atStart, ...called])]]);
  }
  return reach;
}

/** Methods of areas that a fault or a mistake replaces. */
export function replacedBy(fault: string): readonly string[] {
  return methodsBrokenBy(mistakes.get(fault)?.variant ?? faultOf(fault));
}
