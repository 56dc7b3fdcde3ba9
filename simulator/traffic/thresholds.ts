import type { OperationSummary, ThresholdResult } from '../../contract/schemas/traffic.ts';

/** A limit that a run has to keep: `p99<200ms`, `errors<1%`, `rate>100/s`, or one of them for an operation, as `read:p95<50ms`. */
export interface Threshold {
  readonly text: string;
  /** All operations together unless given. */
  readonly op?: string;
  readonly figure: Figure;
  readonly below: boolean;
  readonly limit: number;
}

const figures = {
  p50: { unit: 'ms', of: ({ p50Ms }) => p50Ms },
  p90: { unit: 'ms', of: ({ p90Ms }) => p90Ms },
  p95: { unit: 'ms', of: ({ p95Ms }) => p95Ms },
  p99: { unit: 'ms', of: ({ p99Ms }) => p99Ms },
  'p99.9': { unit: 'ms', of: ({ p999Ms }) => p999Ms },
  'p99.99': { unit: 'ms', of: ({ p9999Ms }) => p9999Ms },
  mean: { unit: 'ms', of: ({ meanMs }) => meanMs },
  max: { unit: 'ms', of: ({ maxMs }) => maxMs },
  errors: { unit: '%', of: ({ errors, requests }) => (requests === 0 ? 0 : (errors / requests) * 100) },
  rate: { unit: '/s', of: ({ requests }, seconds) => requests / seconds },
} as const satisfies Record<
  string,
  { readonly unit: string; readonly of: (summary: OperationSummary, seconds: number) => number }
>;
type Figure = keyof typeof figures;

const form =
  /^(?:(?<op>[^:]+):)? *(?<figure>[a-z0-9.]+) *(?<sign>[<>]) *(?<limit>\d+(?:\.\d+)?) *(?<unit>ms|s|%|\/s|)$/;

/** @throws {RangeError} a text that is no threshold: says what one looks like */
export function thresholdFrom(text: string): Threshold {
  const { op, figure = '', sign, limit = '', unit } = form.exec(text.trim())?.groups ?? {};
  if (!isFigure(figure))
    throw wrong(text, `one of ${Object.keys(figures).join(', ')}, < or >, and a number with its unit`);
  const { unit: right } = figures[figure];
  if (unit === '') throw wrong(text, `a unit behind the limit (write ${text.trim()}${right})`);
  if (unit !== right && !(unit === 's' && right === 'ms')) throw wrong(text, `the unit of ${figure} to be ${right}`);
  return {
    text,
    figure,
    below: sign === '<',
    limit: Number(limit) * (unit === 's' ? 1000 : 1),
    ...(op !== undefined && { op }),
  };
}

/** @param operations by name, `all` among them */
export function judgeThreshold(
  threshold: Threshold,
  operations: readonly OperationSummary[],
  seconds: number,
): ThresholdResult {
  const { text, op = 'all', figure, below, limit } = threshold;
  const summary = operations.find((one) => one.op === op);
  if (summary === undefined)
    return { text, met: false, found: `no operation ${op}: there were ${operations.map((one) => one.op).join(', ')}` };
  const found = figures[figure].of(summary, seconds);
  return {
    text,
    met: below ? found < limit : found > limit,
    found: `${Number(found.toPrecision(4))}${figures[figure].unit}`,
  };
}

function isFigure(name: string): name is Figure {
  return Object.hasOwn(figures, name);
}

function wrong(text: string, expected: string): RangeError {
  return new RangeError(
    `Expected ${expected} in the threshold '${text}', as in p99<200ms, errors<1%, rate>100/s or read:p95<50ms.`,
  );
}
