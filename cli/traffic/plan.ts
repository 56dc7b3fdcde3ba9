import { randomInt } from 'node:crypto';
import type { Load, LoadPlan } from '../../simulator/traffic/engine.ts';
import type { Mix } from '../../simulator/traffic/mix.ts';
import type { StageOption, TrafficOptions } from '../options.ts';
import { UsageError } from '../usage.ts';

const usualSeconds = 30;
const usualRate = 20;

/** What is asked for: flags before the mix. @throws {UsageError} flags that do not go together */
export function planOf(options: TrafficOptions, given: Mix): LoadPlan {
  const { stage, duration, ramp, seed = randomInt(2 ** 31) } = options;
  const peak = stage && peakOf(stage);
  const load = peak ?? loadOf(options, given);
  const mix = stage === undefined ? given : { ...given, stages: factorsOf(stage) };
  const { arrivals = given.arrivals } = options;
  if (options.arrivals !== undefined && load.model === 'closed')
    throw new UsageError('--arrivals is about a rate: users begin when the journey before has ended; leave it out.');
  return {
    mix,
    load: load.model === 'open' && arrivals === 'poisson' ? { ...load, arrivals } : load,
    durationMs: (duration ?? given.durationSeconds ?? usualSeconds) * 1000,
    rampMs: (ramp ?? given.rampSeconds ?? 0) * 1000,
    seed,
    ...(options.segment && { segment: options.segment }),
    ...(options.startAt !== undefined && { startAt: options.startAt }),
  };
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

/** The highest of the stages is the full load. @throws {UsageError} rates beside users, or nothing at all */
function peakOf(stages: readonly StageOption[]): Load {
  const most = Math.max(...stages.map(({ to }) => to));
  if (most === 0) throw new UsageError('Expected a --stage that rises above 0, found none: nothing would begin.');
  const [first] = stages;
  if (stages.some(({ model }) => model !== first?.model))
    throw new UsageError('Expected each --stage to end at a rate, as 30s:50, or each at users, as 30s:50users.');
  return first?.model === 'closed' ? { model: 'closed', users: most } : { model: 'open', rate: most };
}

function factorsOf(stages: readonly StageOption[]): NonNullable<Mix['stages']> {
  const most = Math.max(...stages.map(({ to }) => to));
  return stages.map(({ seconds, to }) => ({ seconds, to: to / most }));
}

/** @throws {UsageError} a worker would have nothing to do */
export function assertSharedOut(workers = 1, { load, segment }: Pick<LoadPlan, 'load' | 'segment'>): void {
  const segments = segment?.of ?? 1;
  if (load.model === 'closed' && workers * segments > load.users)
    throw new UsageError(
      segments === 1
        ? `Expected at most as many --workers as --users, found ${workers} and ${load.users}: a user is in one worker.`
        : `Expected at most as many workers of all segments as --users, found ${workers * segments} and ${load.users}: a user is in one worker.`,
    );
}
