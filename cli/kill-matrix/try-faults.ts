import type { Side } from '../../contract/rule.ts';
import { allRules, ruleOf, type RuleId } from '../../contract/rules.ts';
import { judgeVariant, type Start, type Variant } from './judge-variant.ts';
import { controlKills, countsOf, type KillMatrix } from './matrix.ts';
import { pooled } from './pooled.ts';
import { openThreads } from './threads.ts';
import { faultRow } from './verdict.ts';

export interface Trial {
  readonly faults: readonly RuleId[];
  /** Every case under every fault, not only that of the rule. */
  readonly all: boolean;
  /** Rules whose case judges the server without faults. */
  readonly control?: readonly RuleId[];
  readonly seed?: number;
  readonly runs?: number;
  /** Starts what is judged under a fault, in this thread; threads of their own start reference servers and hosts unless given. */
  readonly start?: Start;
}

const allIds: readonly RuleId[] = allRules.map((rule) => rule.id);

/** Starts a reference server, or for rules about them an extension host, for each fault, and both without, and lets the cases judge them. */
export async function killMatrix({ faults, all, control = allIds, seed = 1, runs = 20, start }: Trial): Promise<KillMatrix> {
  const startedAt = performance.now();
  await using threads = start === undefined ? openThreads(faults.length + 1) : undefined;
  const judge = (variant: Variant) => (threads === undefined ? judgeVariant(variant, start) : threads.judge(variant));
  const othersOf = (fault: RuleId): readonly RuleId[] => (all ? allIds.filter((rule) => rule !== fault && sideOf(rule) === sideOf(fault)) : []);
  const controlled = await judge({ fault: 'control', own: control, others: [], seed, runs });
  const rows = await pooled(faults, threads?.width ?? 1, async (fault) => faultRow(fault, await judge({ fault, own: [fault], others: othersOf(fault), seed, runs })));
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

const sideOf = (rule: RuleId): Side => ruleOf(rule).side;
