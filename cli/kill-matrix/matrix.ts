import type { RuleId } from '../../contract/rule.ts';
import type { Outcome } from '../../judge/outcome.ts';
import { isSound, type FaultRow, type FaultVerdict } from './verdict.ts';

/** Which cases notice which faults. */
export interface KillMatrix {
  readonly schemaVersion: 1;
  readonly kind: 'kill-matrix';
  /** `own`: each fault met the case of its rule. `all`: every case. */
  readonly mode: 'own' | 'all';
  readonly seed: number;
  readonly runs: number;
  readonly durationMs: number;
  /** The server without any fault: whatever does not pass here says nothing above. */
  readonly control: { readonly cases: number; readonly killedBy: readonly ControlKill[] };
  readonly faults: readonly FaultRow[];
  readonly counts: Readonly<Record<FaultVerdict | 'unrelated', number>>;
}

export interface ControlKill {
  readonly rule: RuleId;
  readonly verdict: Outcome['verdict'];
  readonly found: string;
}

/** Cases that do not get along with a server without faults. */
export function controlKills(outcomes: readonly Outcome[]): readonly ControlKill[] {
  return outcomes
    .filter(({ verdict }) => !['pass', 'observed'].includes(verdict))
    .map(({ rule, verdict, reason, violation }) => ({ rule, verdict, found: violation?.actual ?? reason ?? verdict }));
}

export function countsOf(rows: readonly FaultRow[]): KillMatrix['counts'] {
  const count = (verdict: FaultVerdict): number => rows.filter((row) => row.verdict === verdict).length;
  return {
    killed: count('killed'),
    'killed-by-other': count('killed-by-other'),
    survived: count('survived'),
    unjudged: count('unjudged'),
    unrelated: rows.filter((row) => row.unrelated.length > 0).length,
  };
}

/** 0: every fault is killed by the case of its rule, no other case is hit, and the control lives. 3: nothing was tried. Else 1. */
export function exitCodeOfMatrix({ faults, control }: KillMatrix): 0 | 1 | 3 {
  if (faults.some((row) => !isSound(row)) || control.killedBy.length > 0) return 1;
  return faults.length === 0 ? 3 : 0;
}
