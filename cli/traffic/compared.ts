import type { TrafficReport } from '../../contract/schemas/traffic.ts';
import {
  CompareError,
  withComparison,
  type WorseLimit,
  worseLimitsFrom,
} from '../../simulator/traffic/compare/compare.ts';
import { asUsage } from '../usage.ts';

/** What `--allow-worse` asks for. @throws {UsageError} */
export function worseLimits(texts: readonly string[] = []): readonly WorseLimit[] {
  return told(() => texts.flatMap(worseLimitsFrom));
}

/** The later run with what became of its figures. @throws {UsageError} the two cannot be compared */
export function compared(before: TrafficReport, after: TrafficReport, limits: readonly WorseLimit[]): TrafficReport {
  return told(() => withComparison(before, after, limits));
}

function told<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw asUsage(error, CompareError, RangeError);
  }
}
