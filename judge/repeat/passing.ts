import { mediaTypes } from '../../contract/names.ts';
import type { Sent, WireRequest } from '../client/wire.ts';
import { absoluteUrl } from '../service/requests.ts';
import type { Profile } from '../../contract/profile.ts';
import type { TimeKeeper } from '../time/keeper.ts';
import { answered, type TimedSent } from './kind.ts';

/** How time passed for the service while a case ran. */
export interface Passing {
  /** What its clock read at a moment of this machine, in ms of `performance.now`. */
  readonly at: (moment: number) => number;
  /** What moves that clock so far, in ms, and for 0 lets it go on by itself; where nothing moves it, that stands for a wait. */
  readonly order: (ms: number) => WireRequest;
  /** Whether there is what moves it. */
  readonly isMoved: boolean;
}

/** A shorter time is the way of requests. */
const leastMs = 50;

export function passingOf(time: Pick<TimeKeeper, 'at' | 'controlled'>, all: Profile): Passing {
  const { url, token } = (time.controlled ? all.time?.control : undefined) ?? {};
  const order = (body: object): WireRequest => ({
    method: 'POST',
    url: absoluteUrl(all, url ?? '/'),
    headers: [
      ['Content-Type', mediaTypes.json],
      ...(token === undefined ? [] : [['Authorization', `Bearer ${token}`] as const]),
    ],
    body: Buffer.from(JSON.stringify(body)),
  });
  return {
    at: (moment) => time.at?.(moment) ?? moment,
    order: (ms) => ({ ...order(ms === 0 ? { run: true } : { by: ms }), passMs: ms }),
    isMoved: url !== undefined,
  };
}

/**
 * A history with the time that passed in it.
 * @param end comes last, at a time of the clock; what came behind that is left out
 */
export function withPasses(
  timed: readonly TimedSent[],
  passing: Passing,
  end?: { readonly by: number; readonly sent: readonly Sent[] },
): readonly Sent[] {
  const history: Sent[] = [];
  let now: number | undefined;
  const goOnTo = (moment: number): void => {
    const gapMs = Math.round(moment - (now ??= moment));
    if (gapMs < leastMs || gapMs === Infinity) return;
    history.push(passSent(passing, gapMs));
    now += gapMs;
  };
  for (const { at, sent } of timed) {
    const moment = passing.at(at);
    if (end !== undefined && moment > end.by) continue;
    goOnTo(moment);
    const answeredAt = passing.at(at + sent.exchange.durationMs);
    // an answer that takes time would not come while the clock stands still
    if (answeredAt - moment >= leastMs) history.push(passSent(passing, 0));
    history.push(sent);
    now = Math.max(now ?? moment, answeredAt);
  }
  if (end === undefined) return history;
  goOnTo(end.by);
  return [...history, ...end.sent];
}

export function passSent({ order }: Passing, ms: number): Sent {
  return answered(order(ms), { status: 200 });
}
