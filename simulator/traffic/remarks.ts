import type { Profile } from '../../contract/profile.ts';
import type { Credentials } from './credentials.ts';
import type { EngineEnd } from './engine.ts';
import type { Tally } from './measure/tally.ts';

/** The pace that a profile sets is that of a check, and a load has its own: whoever wrote it there may not have meant this one. */
export function remarksOnPace(
  { limits }: Pick<Profile, 'limits'>,
  { tally, engine }: { readonly tally: Pick<Tally, 'all'>; readonly engine: Pick<EngineEnd, 'durationMs'> },
): readonly string[] {
  const most = limits?.requestsPerSecond ?? Infinity;
  const perSecond = (1000 * tally.all.latency.count) / engine.durationMs;
  return perSecond > most
    ? [
        `limits.requestsPerSecond of the profile is ${most}, which check keeps to: this load sent ${perSecond.toFixed(1)} a second, as it was told.`,
      ]
    : [];
}

/** Requests of theirs failed for that alone. */
export function remarksOnTokens(ended: Credentials['ended']): readonly string[] {
  return [...ended].map(
    (name) =>
      `The token of identities.${name} was refused with 401 during the load, and the profile gives no other one: it may have ended.`,
  );
}
