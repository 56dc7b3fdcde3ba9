import { thresholdFrom } from '../thresholds.ts';
import { countedMetrics } from './names.ts';
import type { Plan } from './plan.ts';

type Shape = Pick<Plan, 'mix' | 'load' | 'durationMs' | 'rampMs'>;

interface Stage {
  readonly target: number;
  readonly duration: string;
}

const setupTimeout = '10m';
const gracefulStop = '30s';
/** A tenth of an arrival a second is the finest that is told apart; k6 takes whole numbers only. */
const finest = 10;
/** Users that k6 makes at once for every journey that begins in a second, and how often so many it may make later. */
const usersForAnArrival = 4;
const [fewestUsers, mostUsers] = [20, 10_000];
const furtherUsers = 5;

/** Options of the script. @param counted whether the counts are listed as well: once is enough, and a copy for each user is not */
export function optionsOf(plan: Plan, counted: boolean): Readonly<Record<string, unknown>> {
  return {
    setupTimeout,
    noCookiesReset: true,
    scenarios: { traffic: { ...scenarioOf(plan), gracefulStop } },
    thresholds: {
      ...(counted && Object.fromEntries(countedMetrics(plan.mix).map((name) => [name, ['count>=0']]))),
      ...thresholdsOf(plan.thresholds).expressed,
    },
  };
}

export function scenarioOf(shape: Shape): Readonly<Record<string, unknown>> {
  const { load, durationMs } = shape;
  if (load.model === 'closed') return closedScenario(shape, load.users);
  const users = Math.min(mostUsers, Math.max(fewestUsers, Math.ceil(load.rate * usersForAnArrival)));
  const common = {
    exec: 'arrival',
    timeUnit: `${finest}s`,
    preAllocatedVUs: users,
    maxVUs: Math.min(mostUsers, users * furtherUsers),
  };
  const full = Math.max(1, Math.round(load.rate * finest));
  const stages = stagesOf(shape, full);
  if (stages === undefined)
    return { executor: 'constant-arrival-rate', ...common, rate: full, duration: ms(durationMs) };
  return { executor: 'ramping-arrival-rate', ...common, startRate: 0, stages };
}

function closedScenario(shape: Shape, users: number): Readonly<Record<string, unknown>> {
  const stages = stagesOf(shape, users);
  if (stages === undefined)
    return { executor: 'constant-vus', exec: 'user', vus: users, duration: ms(shape.durationMs) };
  return { executor: 'ramping-vus', exec: 'user', startVUs: 0, stages };
}

/** Stages of the mix, else a rise to the full load; undefined where it is full from the start. */
function stagesOf({ mix, durationMs, rampMs }: Shape, full: number): readonly Stage[] | undefined {
  if (mix.stages !== undefined)
    return mix.stages.map(({ seconds, to }) => ({ target: Math.round(full * to), duration: ms(seconds * 1000) }));
  if (rampMs === 0) return undefined;
  const rise = Math.min(rampMs, durationMs);
  return [rise, durationMs - rise]
    .filter((length) => length > 0)
    .map((length) => ({ target: full, duration: ms(length) }));
}

function ms(length: number): string {
  return `${Math.round(length)}ms`;
}

/** Figures of a mix in the words of k6. A rate is not among them: a segment sees its own share only. */
const figures: Readonly<Record<string, string>> = {
  p50: 'p(50)',
  p90: 'p(90)',
  p95: 'p(95)',
  p99: 'p(99)',
  'p99.9': 'p(99.9)',
  'p99.99': 'p(99.99)',
  mean: 'avg',
  max: 'max',
};

/** Thresholds of the mix as k6 judges them for each segment, and those that only the merged counts can be judged by. */
export function thresholdsOf(texts: readonly string[]): {
  readonly expressed: Readonly<Record<string, readonly string[]>>;
  readonly left: readonly string[];
} {
  const expressed: Record<string, string[]> = {};
  const left: string[] = [];
  for (const text of texts) {
    const { op, figure, below, limit } = thresholdFrom(text);
    const tags = `{scenario:traffic${op === undefined || op === 'all' ? '' : `,op:${op}`}}`;
    const sign = below ? '<' : '>';
    const latency = figures[figure];
    if (latency !== undefined) (expressed[`http_req_duration${tags}`] ??= []).push(`${latency}${sign}${limit}`);
    else if (figure === 'errors') (expressed[`http_req_failed${tags}`] ??= []).push(`rate${sign}${limit / 100}`);
    else left.push(text);
  }
  return { expressed, left };
}
