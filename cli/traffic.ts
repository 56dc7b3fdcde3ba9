import { randomInt } from 'node:crypto';
import type { TrafficReport } from '../contract/schemas/traffic.ts';
import { trafficText } from '../reports/traffic/plain.ts';
import { goneFromSecond } from '../reports/traffic/rows.ts';
import { shapeOf } from '../simulator/traffic/arrivals.ts';
import { closedLoop } from '../simulator/traffic/closed-loop.ts';
import type { Engine, Load } from '../simulator/traffic/engine.ts';
import type { TrafficExport } from '../simulator/traffic/export/plan.ts';
import type { Mix } from '../simulator/traffic/mix.ts';
import { openModel } from '../simulator/traffic/open-model.ts';
import { PreparationFailed } from '../simulator/traffic/preparation.ts';
import { type Threshold, thresholdFrom } from '../simulator/traffic/thresholds.ts';
import { makeTraffic } from '../simulator/traffic/traffic.ts';
import { TargetUnreachable } from '../suites/engine/client/failure.ts';
import { loadProfile } from '../suites/engine/profile/load.ts';
import { ProfileError } from '../suites/engine/profile/profile-error.ts';
import { closeSession, openSession } from '../suites/engine/session.ts';
import { PreconditionFailed } from '../suites/engine/violation.ts';
import { breachesOf } from '../suites/register/check.ts';
import { assertTrafficFlags } from './check/flags-together.ts';
import { onInterrupt } from './check/interrupt.ts';
import { exportTo } from './export.ts';
import type { TrafficOptions } from './options.ts';
import { startLive } from './traffic/live.ts';
import { loadMix } from './traffic/mix-file.ts';
import { offeredBy } from './traffic/offered.ts';
import { trafficReportOf, writeTrafficReports } from './traffic/report.ts';
import { openTrafficTarget } from './traffic/target.ts';
import { UsageError } from './usage.ts';

const [violatedExitCode, usageExitCode, incompleteExitCode] = [1, 2, 3];
const usualSeconds = 30;
const usualRate = 20;
/** A generator that begins journeys later than this, at the 99th percentile, did not keep the rate that it was asked for, in ms. */
const tolerableLatenessMs = 250;

/**
 * Loads a deployment, or the bundled reference server, and holds its answers against the rules. Resolves with the exit code: 0 all kept,
 * 1 a rule or a threshold was broken, 2 an option or file cannot be used, 3 the target could not be reached or the load not be made.
 */
export async function trafficCommand(options: TrafficOptions): Promise<number> {
  try {
    assertTrafficFlags(options);
    const mix = loadMix(options.mix);
    const thresholds = [...(mix.thresholds ?? []), ...(options.threshold ?? [])].map(threshold);
    if (options.export !== undefined) return await exportTo(options.export, await exportOf(options, mix));
    const load = loadOf(options, mix);
    assertSharedOut(options.workers, load);
    using interrupt = onInterrupt();
    await using target = await openTrafficTarget(options.profile, options.yesLoad, [], interrupt.signal);
    if (target === undefined)
      return complain('interrupted before the target was there: there is nothing to report.', incompleteExitCode);
    const report = await loaded(options, mix, load, thresholds, target.loaded, interrupt.signal);
    writeTrafficReports(report, options.report ?? []);
    process.stdout.write(trafficText(report));
    return exitCodeOf(report);
  } catch (error) {
    if (error instanceof ProfileError || error instanceof UsageError) return complain(error.message, usageExitCode);
    if (error instanceof PreparationFailed || error instanceof PreconditionFailed || error instanceof TargetUnreachable)
      return complain(error.message, incompleteExitCode);
    throw error;
  }
}

async function loaded(
  options: TrafficOptions,
  mix: Mix,
  load: Load,
  thresholds: readonly Threshold[],
  profile: Parameters<typeof openSession>[0],
  signal: AbortSignal,
): Promise<TrafficReport> {
  const session = openSession(profile);
  try {
    const { seed = randomInt(2 ** 31), judge = 1, workers = 1 } = options;
    const { durationMs, rampMs } = timesOf(options, mix);
    const startedAt = new Date().toISOString();
    const offered = offeredBy(profile.profile, dayOf(startedAt));
    const lives: Disposable[] = [];
    const end = await makeTraffic({
      profile: offered.profile,
      plan: { mix, load, durationMs, rampMs, seed },
      judging: { ratio: judge, breachesOf },
      signal,
      engine: engineFor(load),
      workers,
      tokenOf: (identity) => session.tokens.of(identity, { reuse: false, retries: [], add: () => undefined, signal }),
      begun: (progress) => {
        if (options.quiet !== true)
          lives.push(
            startLive(progress, load.model === 'open' ? shapeOf(mix, rampMs, durationMs).durationMs : durationMs),
          );
      },
    }).finally(() => lives.forEach((live) => live[Symbol.dispose]()));
    const { secrets } = session;
    return trafficReportOf(
      { ...end, remarks: [...offered.remarks, ...end.remarks] },
      {
        loaded: profile,
        secrets,
        load,
        workers,
        seed,
        startedAt,
        thresholds,
        ratio: judge,
        interrupted: signal.aborted,
      },
    );
  } finally {
    await closeSession(session);
  }
}

/** @throws {UsageError} without a profile: a server that is gone afterwards cannot be loaded from elsewhere */
async function exportOf(options: TrafficOptions, mix: Mix): Promise<TrafficExport> {
  if (options.profile === undefined)
    throw new UsageError(
      '--export needs --profile: the load is made later, and elsewhere, on the deployment that it describes.',
    );
  const { profile: whole } = await loadProfile(options.profile);
  const { profile } = offeredBy(whole, dayOf(new Date().toISOString()));
  const { seed = randomInt(2 ** 31) } = options;
  return {
    profile,
    plan: { mix, load: loadOf(options, mix), ...timesOf(options, mix), seed },
    thresholds: [...(mix.thresholds ?? []), ...(options.threshold ?? [])],
  };
}

/** Of a time in UTC, as 2027-01-31. */
function dayOf(time: string): string {
  return time.slice(0, 'YYYY-MM-DD'.length);
}

function timesOf(options: TrafficOptions, mix: Mix): { readonly durationMs: number; readonly rampMs: number } {
  return {
    durationMs: (options.duration ?? mix.durationSeconds ?? usualSeconds) * 1000,
    rampMs: (options.ramp ?? mix.rampSeconds ?? 0) * 1000,
  };
}

/** @throws {UsageError} a worker would have nothing to do */
function assertSharedOut(workers = 1, load: Load): void {
  if (load.model === 'closed' && workers > load.users)
    throw new UsageError(
      `Expected at most as many --workers as --users, found ${workers} and ${load.users}: a user is in one worker.`,
    );
}

/** Flags before the mix. @throws {UsageError} both of them */
function loadOf({ rate, users }: TrafficOptions, { load }: Mix): Load {
  if (rate !== undefined && users !== undefined)
    throw new UsageError('Give --rate for an open model or --users for a closed loop, not both.');
  if (rate !== undefined) return { model: 'open', rate };
  if (users !== undefined) return { model: 'closed', users };
  if (load === undefined) return { model: 'open', rate: usualRate };
  return 'rate' in load ? { model: 'open', rate: load.rate } : { model: 'closed', users: load.users };
}

function engineFor({ model }: Load): Engine {
  return model === 'open' ? openModel : closedLoop;
}

function threshold(text: string): Threshold {
  try {
    return thresholdFrom(text);
  } catch (error) {
    throw error instanceof RangeError ? new UsageError(error.message) : error;
  }
}

/** A broken rule is one however the load was made. A threshold says something about the target only when the load that was asked for was made, and the target was there. */
function exitCodeOf(report: TrafficReport): number {
  if (report.violations.length > 0) return violatedExitCode;
  if (report.interrupted === true) return incompleteExitCode;
  const reason = notMade(report);
  if (reason !== undefined) return complain(reason, incompleteExitCode);
  return report.thresholds.every(({ met }) => met) ? 0 : violatedExitCode;
}

/** Why the load that was asked for was not made; undefined where it was. */
function notMade(report: TrafficReport): string | undefined {
  const { all, lateness, remarks } = report;
  if (all.requests === 0) return 'no request was sent: is there a journey that the profile allows?';
  if (!Object.keys(all.outcomes).some((outcome) => /^\d{3}$/.test(outcome))) return 'nobody answered at the target';
  const goneFrom = goneFromSecond(report);
  if (goneFrom !== undefined)
    return `the target was gone, or refused everything, from second ${goneFrom} of the load on`;
  if (report.endedEarly === true) return remarks.join(' ');
  if (lateness === undefined) return undefined;
  const { p99Ms, skipped } = lateness;
  if (p99Ms > tolerableLatenessMs)
    return `this machine did not keep the rate: 1 % of the journeys began more than ${Math.round(p99Ms)} ms late. That says nothing about the target, nor do the latencies; ask for less, use more --workers, or more machines (--export).`;
  return skipped === 0
    ? undefined
    : `${skipped} journeys could not begin, as too many were under way: what was asked for was not sent. Ask for less, or use more machines (--export).`;
}

function complain(sentence: string, exitCode: number): number {
  process.stderr.write(`svc-conformance: ${sentence}\n`);
  return exitCode;
}
