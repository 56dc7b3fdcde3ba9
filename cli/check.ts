import { randomInt } from 'node:crypto';
import { ProfileError } from '../suites/engine/profile/profile-error.ts';
import { selectRules, SelectionError } from '../suites/engine/run/selection.ts';
import { isTimeControlled, withTime } from '../suites/engine/time/budget.ts';
import { onInterrupt } from './check/interrupt.ts';
import { judgeTarget } from './check/judge-target.ts';
import { openDeployment } from './check/deployment.ts';
import type { CheckOptions } from './options.ts';

const usageExitCode = 2;
const incompleteExitCode = 3;
const defaultRuns = 20;

/**
 * Judges a deployment, or the bundled reference server when no profile is named. Prints progress and summary, writes outcomes and reports.
 * Resolves with the exit code: 0 conforms, 1 violations, 2 the options or the profile cannot be used, 3 the run is incomplete.
 */
export async function checkCommand(options: CheckOptions): Promise<number> {
  const startedAt = performance.now();
  try {
    const rules = selectRules({ ...options, ...(options.level !== undefined && { levels: options.level }) });
    if (rules.length === 0) return complain('nothing to judge: no rule is in all parts of the selection; widen --areas, --rules or --level', incompleteExitCode);
    using interrupt = onInterrupt();
    await using deployment = await openDeployment(options.profile);
    const target = { ...deployment, loaded: withTime(deployment.loaded, options) };
    if (options.time === 'virtual' && !isTimeControlled(target.loaded.profile))
      return complain('--time virtual needs a service whose clock the suite can move: add time: { mode: controlled, control: … } to the profile', usageExitCode);
    const { runs = defaultRuns, seed = randomInt(2 ** 31) } = options;
    return await judgeTarget({ options, rules, target, runs, seed, startedAt, signal: interrupt.signal });
  } catch (error) {
    if (error instanceof ProfileError || error instanceof SelectionError) return complain(error.message, usageExitCode);
    throw error;
  }
}

function complain(sentence: string, exitCode: number): number {
  process.stderr.write(`svc-conformance: ${sentence}\n`);
  return exitCode;
}
