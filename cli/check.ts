import { randomInt } from 'node:crypto';
import type { Rule } from '../contract/rules.ts';
import { ReportError } from '../reports/compare/report-file.ts';
import { sideProfile } from '../suites/engine/host/host-needs.ts';
import type { Shard } from '../suites/engine/outcome.ts';
import { sidesOf } from '../suites/engine/profile/load.ts';
import { ProfileError } from '../suites/engine/profile/profile-error.ts';
import { selectRules, SelectionError } from '../suites/engine/run/selection.ts';
import { rulesOfShard } from '../suites/engine/run/shard.ts';
import { isTimeControlled, withTime } from '../suites/engine/time/budget.ts';
import { gateOf } from './check/gate.ts';
import { onInterrupt } from './check/interrupt.ts';
import { judgeTarget } from './check/judge-target.ts';
import { openDeployment, type Deployment } from './check/deployment.ts';
import { judgedSides } from './check/sides.ts';
import { KnownError } from './known/edit-known.ts';
import type { CheckOptions } from './options.ts';
import { UsageError } from './usage.ts';

const usageExitCode = 2;
const incompleteExitCode = 3;
const defaultRuns = 20;

/**
 * Judges a deployment, or the bundled reference server and extension host when no profile is named. Prints progress and summary, writes outcomes and reports.
 * Resolves with the exit code: 0 conforms, 1 violations, 2 the options or the profile cannot be used, 3 the run is incomplete.
 */
export async function checkCommand(options: CheckOptions, open: () => Promise<Deployment> = () => openDeployment(options.profile)): Promise<number> {
  const startedAt = performance.now();
  try {
    const all = selectRules({ ...options, ...(options.level !== undefined && { levels: options.level }) });
    const selected = options.extension === undefined ? all : all.filter(({ side }) => side === 'extension');
    if (selected.length === 0) return complain(`nothing to judge: no rule${options.extension === undefined ? '' : ' about extension hosts'} is in all parts of the selection; widen --areas, --rules or --level`, incompleteExitCode);
    const gate = gateOf(options);
    assertEditable(options);
    using interrupt = onInterrupt();
    await using deployment = await open();
    const { rules: whole, note } = judgedSides(selected, deployment.loaded);
    if (whole.length === 0) return complain(`nothing to judge: ${note ?? ''}`, incompleteExitCode);
    const rules = options.shard === undefined ? whole : shardOf(whole, options.shard);
    const target = { ...deployment, loaded: withTime(deployment.loaded, options) };
    if (options.time === 'virtual' && !sidesOf(target.loaded).every((side) => isTimeControlled(sideProfile(target.loaded.profile, side))))
      return complain('--time virtual needs a target whose clock the suite can move: add time: { mode: controlled, control: … } to the profile, under extensionHost for an extension host', usageExitCode);
    const { runs = defaultRuns, seed = randomInt(2 ** 31) } = options;
    return await judgeTarget({ options, rules, target, runs, seed, startedAt, signal: interrupt.signal, notes: note === undefined ? [] : [note], ...(gate !== undefined && { gate }) });
  } catch (error) {
    if (isUsage(error)) return complain(error.message, usageExitCode);
    throw error;
  }
}

/** @throws {UsageError} --update-known without a file to write to */
function assertEditable({ updateKnown, profile }: CheckOptions): void {
  if (updateKnown !== true || (profile !== undefined && !/^https?:\/\//.test(profile))) return;
  throw new UsageError(`--update-known writes into the profile, and needs one in a file; found ${profile ?? 'none'}. Save it, and name it with --profile`);
}

/** @throws {UsageError} fewer rules than parts: a part without rules could not be told from one that went wrong */
function shardOf(whole: readonly Rule[], shard: Shard): readonly Rule[] {
  if (shard.of <= whole.length) return rulesOfShard(whole, shard);
  throw new UsageError(`--shard ${shard.index}/${shard.of} of ${whole.length} selected rules leaves parts empty; take ${whole.length} parts or fewer`);
}

function isUsage(error: unknown): error is Error {
  return [ProfileError, SelectionError, ReportError, KnownError, UsageError].some((kind) => error instanceof kind);
}

function complain(sentence: string, exitCode: number): number {
  process.stderr.write(`svc-conformance: ${sentence}\n`);
  return exitCode;
}
