export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** @throws {RangeError} no values */
export function spreadOf(values: readonly number[]): Spread {
  return { median: medianOf(values), min: Math.min(...values), max: Math.max(...values) };
}

/** As 1.20 [1.10–1.40]. @throws {RangeError} no values */
export function spreadText(values: readonly number[], digits = 2): string {
  const { median, min, max } = spreadOf(values);
  return `${median.toFixed(digits)} [${min.toFixed(digits)}–${max.toFixed(digits)}]`;
}

/** @throws {RangeError} no values */
export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[sorted.length >> 1];
  const lower = sorted[(sorted.length - 1) >> 1];
  if (upper === undefined || lower === undefined) throw new RangeError('Expected one value or more, found none.');
  return (upper + lower) / 2;
}
