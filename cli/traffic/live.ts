import type { TrafficReport } from '../../contract/schemas/traffic.ts';
import { count, share, time } from '../../reports/text.ts';

interface Live {
  readonly elapsedMs: number;
  readonly durationMs: number;
  readonly violations: number;
  /** The last whole one. */
  readonly second: Pick<TrafficReport['seconds'][number], 'requests' | 'errors' | 'p50Ms' | 'p99Ms'> | undefined;
}

/** What is told each second while a load goes on. Where nothing was answered there is no latency, and no share of errors. */
export function liveWords({ elapsedMs, durationMs, violations, second }: Live): string {
  const seconds = (ms: number): number => Math.round(ms / 1000);
  const waiting = elapsedMs > durationMs ? ', waiting for what is under way' : '';
  const figures =
    second === undefined || second.requests === 0
      ? 'no answer'
      : `p50 ${time(second.p50Ms)}  p99 ${time(second.p99Ms)}  errors ${share(second.errors, second.requests)}`;
  const place = `${seconds(Math.min(elapsedMs, durationMs))}/${seconds(durationMs)} s${waiting}`;
  return `${place}  ${count(second?.requests ?? 0)}/s  ${figures}  violations ${count(violations)}`;
}
