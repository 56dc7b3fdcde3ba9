import { inState, type Assessment } from './assessment.ts';
import { isExplained } from './explained.ts';
import type { Run } from './run.ts';

/** What the profile accounts for: failures that it knows, rules that it declares not to be offered, and entries that hold no longer. */
export interface ApartCounts {
  readonly known: number;
  readonly declared: number;
  readonly stale: number;
  readonly expired: number;
}

/** Counts what is in the totals as well, by itself. */
export function apartCounts(run: Run, assessment: Assessment): ApartCounts {
  const withStatus = (status: string): number => assessment.known.filter((known) => known.status === status).length;
  return {
    known: withStatus('fails'),
    declared: inState(assessment, 'blocked').filter((standing) => isExplained(standing, run, assessment)).length,
    stale: withStatus('stale'),
    expired: run.header.expired?.length ?? 0,
  };
}

/** The same as a sentence; undefined where the profile accounts for nothing. */
export function apartSentence(run: Run, assessment: Assessment): string | undefined {
  const { known, declared, stale, expired } = apartCounts(run, assessment);
  const parts: readonly (readonly [number, string])[] = [
    [known, 'known to fail'],
    [declared, 'blocked for a reason on record'],
    [stale, 'said to fail and passing'],
    [expired, 'expired'],
  ];
  const shown = parts.filter(([count]) => count > 0).map(([count, words]) => `${count} ${words}`);
  return shown.length === 0 ? undefined : `Of these by the profile: ${shown.join(', ')}.`;
}
