import { randomInt } from 'node:crypto';
import type { TrafficReport } from '../contract/schemas/traffic.ts';
import { trafficText } from '../reports/traffic/plain.ts';
import { goneFromSecond } from '../reports/traffic/rows.ts';
import { PreparationFailed } from '../simulator/traffic/drive-prepared.ts';
import type { Engine, Load } from '../simulator/traffic/engine.ts';
import type { Mix } from '../simulator/traffic/mix.ts';
import { closedLoop } from '../simulator/traffic/closed-loop.ts';
import type { TrafficExport } from '../simulator/traffic/export/plan-of.ts';
import { openModel } from '../simulator/traffic/open-model.ts';
import { thresholdFrom, type Threshold } from '../simulator/traffic/thresholds.ts';
import { makeTraffic } from '../simulator/traffic/traffic.ts';
import { TargetUnreachable } from '../suites/engine/client/failure.ts';
import { loadProfile } from '../suites/engine/profile/load.ts';
import { ProfileError } from '../suites/engine/profile/profile-error.ts';
import { closeSession, openSession } from '../suites/engine/session.ts';
import { PreconditionFailed } from '../suites/engine/violation.ts';
import { breachesOf } from '../suites/register/check.ts';
import { exportTo } from './export.ts';
import { onInterrupt } from './check/interrupt.ts';
import type { TrafficOptions } from './options.ts';
import { startLive } from './traffic/live.ts';
import { loadMix } from './traffic/mix-file.ts';
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
    const mix = loadMix(options.mix);
    const thresholds = [...(mix.thresholds ?? []), ...(options.threshold ?? [])].map(threshold);
    if (options.export !== undefined) return await exportTo(options.export, await exportOf(options, mix));
    using interrupt = onInterrupt();
    await using target = await openTrafficTarget(options.profile, options.yesLoad);
    const report = await loaded(options, mix, thresholds, target.loaded, interrupt.signal);
    writeTrafficReports(report, options.report ?? []);
    process.stdout.write(trafficText(report));
    return exitCodeOf(report);
  } catch (error) {
    if (error instanceof ProfileError || error instanceof UsageError) return complain(error.message, usageExitCode);
    if (error instanceof PreparationFailed || error instanceof PreconditionFailed || error instanceof TargetUnreachable) return complain(error.message, incompleteExitCode);
    throw error;
  }
}

async function loaded(
  options: TrafficOptions,
  mix: Mix,
  thresholds: readonly Threshold[],
  profile: Parameters<typeof openSession>[0],
  signal: AbortSignal,
): Promise<TrafficReport> {
  const session = openSession(profile);
  try {
    const { seed = randomInt(2 ** 31), judge = 1 } = options;
    const load = loadOf(options, mix);
    const { durationMs, rampMs } = timesOf(options, mix);
    const startedAt = new Date().toISOString();
    const lives: Disposable[] = [];
    const end = await makeTraffic({
      profile: profile.profile,
      mix,
      load,
      durationMs,
      seed,
      judge,
      breachesOf,
      signal,
      rampMs,
      engine: engineFor(load),
      tokenOf: (identity) => session.tokens.of(identity),
      begun: (progress) => {
        if (options.quiet !== true) lives.push(startLive(progress, durationMs));
      },
    }).finally(() => lives.forEach((live) => live[Symbol.dispose]()));
    const { secrets } = session;
    return trafficReportOf(end, { loaded: profile, secrets, load, seed, startedAt, thresholds, ratio: judge, interrupted: signal.aborted });
  } finally {
    await closeSession(session);
  }
}

/** @throws {UsageError} without a profile: a server that is gone afterwards cannot be loaded from elsewhere */
async function exportOf(options: TrafficOptions, mix: Mix): Promise<TrafficExport> {
  if (options.profile === undefined) throw new UsageError('--export needs --profile: the load is made later, and elsewhere, on the deployment that it describes.');
  const { profile } = await loadProfile(options.profile);
  const { seed = randomInt(2 ** 31) } = options;
  return { profile, mix, load: loadOf(options, mix), ...timesOf(options, mix), seed, thresholds: [...(mix.thresholds ?? []), ...(options.threshold ?? [])] };
}

function timesOf(options: TrafficOptions, mix: Mix): { readonly durationMs: number; readonly rampMs: number } {
  return {
    durationMs: (options.duration ?? mix.durationSeconds ?? usualSeconds) * 1000,
    rampMs: (options.ramp ?? mix.rampSeconds ?? 0) * 1000,
  };
}

/** Flags before the mix. @throws {UsageError} both of them */
function loadOf({ rate, users }: TrafficOptions, { load }: Mix): Load {
  if (rate !== undefined && users !== undefined) throw new UsageError('Give --rate for an open model or --users for a closed loop, not both.');
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

function exitCodeOf(report: TrafficReport): number {
  const { violations, thresholds, lateness, all, interrupted } = report;
  if (violations.length > 0 || thresholds.some(({ met }) => !met)) return violatedExitCode;
  if (interrupted === true) return incompleteExitCode;
  if (all.requests === 0) return complain('no request was sent: is there a journey that the profile allows?', incompleteExitCode);
  if (all.outcomes['ECONNREFUSED'] === all.requests) return complain('nobody answered at the target', incompleteExitCode);
  const goneFrom = goneFromSecond(report);
  if (goneFrom !== undefined) return complain(`the target was gone, or refused everything, from second ${goneFrom} of the load on`, incompleteExitCode);
  if (report.endedEarly === true) return complain(report.remarks.join(' '), incompleteExitCode);
  if (lateness === undefined || lateness.p99Ms <= tolerableLatenessMs) return 0;
  return complain(
    `this machine did not keep the rate: 1 % of the journeys began more than ${Math.round(lateness.p99Ms)} ms late. That says nothing about the target; ask for less, or use more machines (--export).`,
    incompleteExitCode,
  );
}

function complain(sentence: string, exitCode: number): number {
  process.stderr.write(`svc-conformance: ${sentence}\n`);
  return exitCode;
}
