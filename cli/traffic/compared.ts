import type { TrafficReport } from '../../contract/schemas/traffic.ts';
import {
  assertLongEnough,
  CompareError,
  withComparison,
  type WorseLimit,
  worseLimitsFrom,
} from '../../simulator/traffic/compare/compare.ts';
import { shapeOf } from '../../simulator/traffic/arrivals.ts';
import type { LoadPlan } from '../../simulator/traffic/engine.ts';
import { usable } from '../usage.ts';

/** What `--allow-worse` asks for. @throws {UsageError} */
export function worseLimits(texts: readonly string[] = []): readonly WorseLimit[] {
  return usable(() => texts.flatMap(worseLimitsFrom), CompareError, RangeError);
}

/** The later run with what became of its figures. @throws {UsageError} the two cannot be compared */
export function compared(before: TrafficReport, after: TrafficReport, limits: readonly WorseLimit[]): TrafficReport {
  return usable(() => withComparison(before, after, limits), CompareError, RangeError);
}

/** Whether a load that is to be made can be compared with an earlier one. @throws {UsageError} it would be made in vain */
export function assertComparable(before: TrafficReport, { mix, durationMs, rampMs }: LoadPlan): void {
  usable(() => assertLongEnough(before, shapeOf(mix, rampMs, durationMs).durationMs), CompareError, RangeError);
}
