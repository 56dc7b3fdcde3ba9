import { setTimeout as pause } from 'node:timers/promises';
import { request } from 'undici';
import type { WireRequest } from '../client/wire.ts';
import type { Profile } from '../../contract/profile.ts';
import { reachOf } from '../../contract/profile/reach.ts';
import { dispatcherOf } from '../client/reach.ts';
import { aside } from '../case/part.ts';
import { absoluteUrl } from './requests.ts';
import { UnfitProfile } from '../violation.ts';

/** What a service answers that has too much to do, or is restarting already: it is asked again. */
const notNow: ReadonlySet<number> = new Set([429, 503]);
const mostTries = 5;
const tryAgainMs = 500;

/** When it was asked for, in ms of `performance.now`. */
const askedAt: number[] = [];

/** When those are over that were asked for, by their address. */
const underWay = new Map<string, Promise<unknown>>();

/** Resolves when the restart that is under way is over, however it ends; undefined where none is. */
export function restarted(profile: Profile): Promise<unknown> | undefined {
  const { url } = profile.restart ?? {};
  return url === undefined ? undefined : underWay.get(absoluteUrl(profile, url));
}

/** When the service was restarted since then, in ms of `performance.now`. */
export function restartsSince(moment: number): readonly number[] {
  return askedAt.filter((at) => at >= moment);
}

export function restartRequest(profile: Profile): WireRequest | undefined {
  const { url, token } = profile.restart ?? {};
  if (url === undefined) return undefined;
  const headers = token === undefined ? [] : [['Authorization', `Bearer ${token}`] as const];
  return { method: 'POST', url: absoluteUrl(profile, url), headers, restarts: true };
}

/** Resolves when the service has started again. @throws {UnfitProfile} where it cannot be asked to */
export async function restart(profile: Profile): Promise<void> {
  const asked = restartRequest(profile);
  if (asked === undefined) throw new UnfitProfile('restart in the profile');
  const { url: address } = asked;
  const headers = Object.fromEntries(asked.headers);
  askedAt.push(performance.now());
  const dispatcher = dispatcherOf(reachOf(profile));
  const answer = aside('restart', async () => {
    for (let left = mostTries; ; left -= 1) {
      const { statusCode, body } = await request(address, { method: 'POST', headers, reset: true, dispatcher });
      await body.dump();
      if (!notNow.has(statusCode) || left === 1) return statusCode;
      await pause(tryAgainMs);
    }
  });
  const over = Promise.allSettled([answer]);
  underWay.set(address, over);
  const statusCode = await answer.finally(() => underWay.get(address) === over && underWay.delete(address));
  if (statusCode >= 300)
    throw new UnfitProfile(`a restart by ${address}, which answered ${statusCode}; check restart in the profile`);
}
