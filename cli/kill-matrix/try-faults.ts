import { catalogue } from '../../suites/catalogue.ts';
import type { Outcome } from '../../judge/outcome.ts';
import { isOfStalledMachine } from '../../judge/violation.ts';
import type { Side, RuleId } from '../../contract/rule.ts';
import { hasHostFault } from '../../variants/extension-host/faults.ts';
import { bystanderRuns, judgeVariant, type Reach, replacedBy, type Start, type Variant } from './judge-variant.ts';
import { mapAtOnce } from './map-at-once.ts';
import {
  controlKills,
  countsOf,
  faultRow,
  rulesInDoubt,
  type FaultRow,
  type KillMatrix,
  type PublishedMatrix,
} from './matrix.ts';
import { openThreads, type Threads } from './threads.ts';

export interface Trial {
  readonly faults: readonly RuleId[];
  /** Every case under every fault that it can meet, not only that of the rule. */
  readonly all: boolean;
  /** Rules whose case judges the server without faults. */
  readonly control?: readonly RuleId[];
  readonly seed?: number;
  readonly runs?: number;
  /** What is known to fail with each fault; where it is absent, whatever fails with one is taken as it is. */
  readonly published?: PublishedMatrix | undefined;
  /** Starts what is judged under a fault, in this thread; threads of their own start reference servers and hosts unless given. */
  readonly start?: Start;
}

const allIds: readonly RuleId[] = catalogue.all.map((rule) => rule.id);

/**
 * Starts a reference server, or for rules about them an extension host, for each fault, and both without, and lets the cases judge them.
 * With `all` a case is left out under a fault that replaces nothing of what the case sets in motion: it would do just what it did without.
 * Where what fails with a fault is not what is published, the cases in question are asked again on another server.
 */
export async function killMatrix({
  faults,
  all,
  control = allIds,
  seed = 1,
  runs = 20,
  published,
  start,
}: Trial): Promise<KillMatrix> {
  const startedAt = performance.now();
  await using threads = start === undefined ? openThreads(faults.length + 1) : undefined;
  const judge = (variant: Variant) => (threads === undefined ? judgeVariant(variant, start) : threads.judge(variant));
  const meets =
    all && threads !== undefined
      ? meetingBy(await reachIn(threads, servedIds(), seed, Math.min(runs, bystanderRuns)))
      : () => all;
  const othersOf = (fault: RuleId): readonly RuleId[] =>
    allIds.filter((rule) => rule !== fault && sideOf(rule) === sideOf(fault) && meets(fault, rule));
  const tryFault = async (fault: RuleId): Promise<FaultRow> => {
    const outcomes = await judge({ fault, own: [fault], others: othersOf(fault), seed, runs });
    if (!all || published === undefined) return faultRow(fault, { outcomes });
    const known = published.faults[fault]?.collateral ?? [];
    const inDoubt = rulesInDoubt(fault, outcomes, known);
    const judgeAgain = (others: readonly RuleId[]) => judge({ fault, own: [], others, seed, runs });
    const again = inDoubt.length === 0 ? [] : await settledFrom(await judgeAgain(inDoubt), judgeAgain);
    return faultRow(fault, { outcomes, again, published: known });
  };
  const tryControl = (own: readonly RuleId[]) => judge({ fault: 'control', own, others: [], seed, runs });
  // the control takes as long as many faults: it has a thread for itself meanwhile
  const [firstControl, first] = await Promise.all([
    tryControl(control),
    mapAtOnce(faults, Math.max(1, (threads?.width ?? 1) - 1), tryFault),
  ]);
  const controlled = await settledFrom(firstControl, tryControl);
  const rows = await triedAgain(first, tryFault);
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

/** So often is tried again what a busy machine left without a verdict, each by itself: what stalls then is not the load of the matrix. */
const mostTries = 4;

/** The rows, where the own case of one stalled that of a later try; one after another. */
export async function triedAgain(
  rows: readonly FaultRow[],
  tryFault: (fault: RuleId) => Promise<FaultRow>,
): Promise<readonly FaultRow[]> {
  const settled: FaultRow[] = [];
  for (const row of rows) {
    let latest = row;
    for (let left = mostTries; left > 0 && latest.own === 'broken' && isOfStalledMachine(latest.found); left -= 1)
      latest = await tryFault(row.fault);
    settled.push(latest);
  }
  return settled;
}

/** The outcomes, where the machine stalled a case that of a later try. */
async function settledFrom(
  outcomes: readonly Outcome[],
  judge: (rules: readonly RuleId[]) => Promise<readonly Outcome[]>,
): Promise<readonly Outcome[]> {
  let settled = outcomes;
  for (let left = mostTries; left > 0; left -= 1) {
    const stalled = settled.filter(({ reason }) => isOfStalledMachine(reason)).map(({ rule }) => rule);
    if (stalled.length === 0) break;
    settled = [...settled.filter(({ rule }) => !stalled.includes(rule)), ...(await judge(stalled))];
  }
  return settled;
}

const sideOf = (rule: RuleId): Side => catalogue.get(rule).side;

/** Those about extension hosts are few: they meet every fault. */
function servedIds(): readonly RuleId[] {
  return allIds.filter((rule) => sideOf(rule) === 'service');
}

/** What the cases of these rules reach: each thread looks at a share of them. */
export async function reachIn(threads: Threads, rules: readonly RuleId[], seed: number, runs: number): Promise<Reach> {
  const shares = Array.from({ length: threads.width }, (_, share) =>
    rules.filter((_rule, index) => index % threads.width === share),
  );
  const reaches = await Promise.all(shares.map((share) => threads.reachOf(share, seed, runs)));
  return reaches.flat();
}

/** Whether the case of a rule can notice a fault or a mistake. */
export function meetingBy(reach: Reach): (fault: string, rule: RuleId) => boolean {
  const reached = new Map<RuleId, ReadonlySet<string>>(reach.map(([rule, names]) => [rule, new Set(names)]));
  return (fault, rule) => hasHostFault(fault) || replacedBy(fault).some((name) => reached.get(rule)?.has(name) ?? true);
}
