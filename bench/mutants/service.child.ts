import type { Circumstance } from './circumstances.ts';
import type { Outcome } from '../../judge/outcome.ts';
import type { RuleId } from '../../contract/rule.ts';
import { join } from 'node:path';
import type { HostStart } from '../../api/bundled-host.ts';
import { type Deployment, startHostAlone, startReference } from '../../api/deployment.ts';
import { inTurns, judgeVariant, outcomesOn } from '../../cli/kill-matrix/judge-variant.ts';
import type { Need } from '../../contract/needs.ts';
import { Base } from '../../judge/run/base.ts';
import type { Server, ServerOptions } from '../../reference-server/server.ts';
import { catalogue } from '../../suites/catalogue.ts';
import { answerTasks } from './child.ts';
import { watchRequests } from './circumstances.ts';
import type { Ground } from './places.ts';
import { atLoading, noteFor, ranAtLoading, circumstancesFor, limitTo, ranFor, switchOn } from './switch.ts';

/** What a process of judged copies is asked. */
export type ServiceTask =
  | ({ readonly kind: 'cover'; readonly rules: readonly RuleId[] } & Asked)
  | ({
      readonly kind: 'try';
      readonly mutant?: string;
      /** Where alone it is on; everywhere unless given. */
      readonly circumstance?: Circumstance | undefined;
      readonly preflight: boolean;
      /** Rules that try as many generated values as they do alone. */
      readonly own: readonly RuleId[];
      readonly others: readonly RuleId[];
      /** Rules about what the cases of the others met. */
      readonly lookingBack: readonly RuleId[];
    } & Asked);

interface Asked {
  readonly ground: Ground;
  readonly seed: number;
  readonly runs: number;
  /** Longest case, in ms. */
  readonly caseLimitMs: number;
}

/** Ids of mutants whose place ran. */
export interface Coverage {
  /** While modules were loaded. */
  readonly loading: readonly string[];
  /** While the server started and the preflight tried it. */
  readonly start: readonly string[];
  /** With the circumstances in which it ran, a bit each. */
  readonly byRule: readonly (readonly [RuleId, readonly (readonly [id: string, bits: number])[]])[];
  readonly outcomes: readonly Outcome[];
}

export interface Tried {
  /** Why nothing could be judged. */
  readonly refused?: string;
  readonly outcomes: readonly Outcome[];
}

/** Judges the copy in the folder that it is told, by the suite as it is. */
const [, , folder = ''] = process.argv;
watchRequests();
const never = new AbortController().signal;

answerTasks<ServiceTask, Coverage | Tried>((task) => (task.kind === 'cover' ? cover(task) : tryMutant(task)));

async function cover({
  ground,
  rules,
  seed,
  runs,
  caseLimitMs,
}: Extract<ServiceTask, { kind: 'cover' }>): Promise<Coverage> {
  noteFor(atLoading);
  const start = await starterOf(ground);
  noteFor('start');
  await using deployment = await start();
  await sentenceAbout(deployment, seed);
  const outcomes = [];
  for (const rule of inTurns(deployment, rules).flat()) {
    noteFor('start');
    // what a server makes once and remembers, the first case to ask would come by alone
    await using fresh = await start();
    noteFor(rule);
    outcomes.push(...(await outcomesOn(fresh, [rule], { seed, runs, width: 1, caseLimitMs })));
  }
  noteFor(atLoading);
  return {
    loading: ranAtLoading(),
    start: ranFor('start'),
    byRule: rules.map((rule) => [rule, circumstancesFor(rule)]),
    outcomes,
  };
}

async function tryMutant(task: Extract<ServiceTask, { kind: 'try' }>): Promise<Tried> {
  const { ground, mutant, circumstance, preflight, seed } = task;
  try {
    // one that is on from the first may keep its module from loading
    const start = await starterOf(ground);
    limitTo(circumstance);
    switchOn(mutant);
    if (preflight) {
      await using deployment = await start();
      const refused = await sentenceAbout(deployment, seed);
      if (refused !== undefined) return { refused, outcomes: [] };
    }
    return { outcomes: await judgeVariant({ fault: 'mutant', ...task, asFound: true }, start) };
  } catch (error) {
    return { refused: `it does not start: ${String(error)}`, outcomes: [] };
  } finally {
    switchOn(undefined);
    limitTo(undefined);
  }
}

function sentenceAbout(deployment: Deployment, seed: number): Promise<string | undefined> {
  const needs = new Set<Need>(catalogue.all.flatMap((rule) => rule.needs));
  const base = new Base({ loaded: deployment.loaded, seed }, never, needs);
  return base.preflight().finally(() => base.close());
}

/** Modules of the copy have the types of those they were made from. */
async function starterOf(ground: Ground): Promise<() => Promise<Deployment>> {
  if (ground === 'host') {
    const host: { startExtensionHost: HostStart } = await import(join(folder, 'simulator/extension/host.ts'));
    // faults bring the classes of the host itself with them, which would answer instead of those of the copy
    return () => startHostAlone([], ({ faults: _rightOnes, ...options }) => host.startExtensionHost(options));
  }
  const server: { createServer: (options: ServerOptions) => Server } = await import(
    join(folder, 'reference-server/server.ts')
  );
  return () => startReference({}, ({ control = false }) => server.createServer({ control }));
}
