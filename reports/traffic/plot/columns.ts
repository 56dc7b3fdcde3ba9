import type { SecondSummary } from '../../../contract/schemas/traffic.ts';

/** A stretch of the run: one second, or several in a long run. */
export interface Column {
  /** Seconds from the start of the load. */
  readonly from: number;
  /** Shorter than the others at the end of the run. */
  readonly seconds: number;
  /** Answers a second. */
  readonly rate: number;
  /** Errors a second, among them. */
  readonly errorRate: number;
  readonly violations: number;
  /** The worst second in it; undefined where no answer came. */
  readonly worst: Pick<SecondSummary, 'p50Ms' | 'p90Ms' | 'p99Ms' | 'maxMs'> | undefined;
}

const mostColumns = 400;
/** A last second that is shorter says nothing about a rate. */
const shortestSeconds = 0.2;

/** How many seconds a column holds. */
export function secondsOfColumn(seconds: number): number {
  return Math.max(1, Math.ceil(seconds / mostColumns));
}

/** Percentiles of several seconds cannot be put together from those of each, so a column shows the worst second. */
export function columnsOf(all: readonly SecondSummary[], durationMs: number): readonly Column[] {
  const width = secondsOfColumn(all.length);
  return [...Map.groupBy(all, ({ second }) => Math.floor(second / width)).values()].flatMap((group) => {
    const from = group[0]?.second ?? 0;
    const seconds = Math.min(group.length, Math.max(durationMs / 1000 - from, 0));
    const sum = (of: (one: SecondSummary) => number): number => group.reduce((total, one) => total + of(one), 0);
    const answered = group.filter(({ requests }) => requests > 0);
    if (seconds < shortestSeconds) return [];
    const column = {
      from,
      seconds,
      rate: sum(({ requests }) => requests) / seconds,
      errorRate: sum(({ errors }) => errors) / seconds,
    };
    return [
      {
        ...column,
        violations: sum(({ violations = 0 }) => violations),
        worst: answered.length === 0 ? undefined : worstOf(answered),
      },
    ];
  });
}

function worstOf(seconds: readonly SecondSummary[]): NonNullable<Column['worst']> {
  const most = (of: (one: SecondSummary) => number): number => Math.max(...seconds.map(of));
  return {
    p50Ms: most(({ p50Ms }) => p50Ms),
    p90Ms: most(({ p90Ms }) => p90Ms),
    p99Ms: most(({ p99Ms }) => p99Ms),
    maxMs: most(({ maxMs }) => maxMs),
  };
}
