import { cpus, loadavg, release, totalmem } from 'node:os';

/** What a figure has to be read with: the machine, Node, the day, and how busy the machine is by others too. */
export function machineLine(): string {
  const all = cpus();
  const memoryGb = Math.round(totalmem() / 2 ** 30);
  const [load = 0] = loadavg();
  const day = new Date().toISOString().slice(0, 10);
  return `${day}, ${all.length} × ${all[0]?.model ?? 'unknown'}, ${memoryGb} GB, Linux ${release()}, Node ${process.version}, load ${load.toFixed(1)}`;
}

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
