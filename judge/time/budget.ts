import type { Profile } from '../../contract/profile.ts';
import type { LoadedProfile } from '../profile/load.ts';

/** Real time for schedules where neither profile nor command line says more. */
export const usualTimeBudgetSeconds = 150;
/** What a schedule takes beside its own seconds: to begin and to end. */
const aroundSeconds = 3;

/** Whether the suite can move the clock of the service. */
export function isTimeControlled({ time }: Pick<Profile, 'time'>): boolean {
  return time?.mode === 'controlled' && time.control !== undefined;
}

export function timeBudgetSeconds({ limits }: Pick<Profile, 'limits'>): number {
  return limits?.timeBudgetSeconds ?? usualTimeBudgetSeconds;
}

/** How much later than due a call may come because the service looks at its queue only now and then, in ms. */
export function granularityMsOf({ delivery }: Pick<Profile, 'delivery'>): number {
  return (delivery?.granularitySeconds ?? 0) * 1000;
}

/** What a schedule takes where every call may be late by the granularity: gaps double, so that many of them fit into it. */
export function realSeconds(profile: Pick<Profile, 'delivery'>, seconds: number): number {
  return Math.ceil(seconds + (Math.ceil(Math.log2(Math.max(2, seconds))) * granularityMsOf(profile)) / 1000);
}

/** Undefined when a schedule of so many seconds fits into the run, else why not. */
export function overBudget(profile: Profile, seconds: number): string | undefined {
  const needed = realSeconds(profile, seconds) + aroundSeconds;
  if (isTimeControlled(profile) || needed <= timeBudgetSeconds(profile)) return undefined;
  return `it needs ${needed} s of real time, the run has ${timeBudgetSeconds(profile)} s: give --time-budget ${needed}s`;
}

interface TimeOptions {
  readonly time?: 'real' | 'virtual';
  /** In seconds. */
  readonly timeBudget?: number;
}

/** The profile with what the command line says about time. */
export function withTime(loaded: LoadedProfile, { time, timeBudget }: TimeOptions): LoadedProfile {
  const { profile } = loaded;
  const limits = timeBudget === undefined ? profile.limits : { ...profile.limits, timeBudgetSeconds: timeBudget };
  const { extensionHost } = profile;
  const real =
    time === 'real'
      ? { time: { mode: time }, ...(extensionHost && { extensionHost: { ...extensionHost, time: { mode: time } } }) }
      : {};
  return { ...loaded, profile: { ...profile, ...(limits && { limits }), ...real } };
}
