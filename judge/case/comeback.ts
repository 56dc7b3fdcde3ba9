import { setTimeout as sleep } from 'node:timers/promises';
import { routes } from '../../contract/routes.ts';
import type { Profile } from '../../contract/profile.ts';
import { HttpClient, type Sender } from '../client/client.ts';
import { isUnanswered } from '../client/failure.ts';
import { isGatewayStatus } from '../every-answer/gateway.ts';
import { absoluteUrl, fillTemplate } from '../service/requests.ts';

/** As long as a restart may take, in ms. */
const longestAwayMs = 15_000;
const lookAgainMs = 500;

/** Cases that met a service which was away wait here until it is back; once that was in vain nobody waits any more. */
export class Comeback {
  readonly #profile: Profile;
  #waiting: Promise<boolean> | undefined;

  constructor(profile: Profile) {
    this.#profile = profile;
  }

  /** Whether it is back. @param limitMs longest wait of whoever asks first */
  async within(limitMs: number, signal?: AbortSignal): Promise<boolean> {
    this.#waiting ??= this.#look(Math.min(limitMs, longestAwayMs), signal);
    const isBack = await this.#waiting;
    if (isBack) this.#waiting = undefined;
    return isBack;
  }

  async #look(limitMs: number, signal: AbortSignal | undefined): Promise<boolean> {
    const client = new HttpClient(this.#profile);
    const until = performance.now() + limitMs;
    try {
      for (;;) {
        if (await isThere(client, this.#profile)) return true;
        if (signal?.aborted || performance.now() + lookAgainMs > until) return false;
        await sleep(lookAgainMs);
      }
    } finally {
      await client.close();
    }
  }
}

async function isThere(client: HttpClient, profile: Profile): Promise<boolean> {
  const url = absoluteUrl(profile, fillTemplate(routes.instanceShort, { spaceId: profile.space, objectId: 'none' }));
  const sender: Sender = { reuse: false, retries: [], mayLose: 0, add: () => undefined };
  try {
    return !isGatewayStatus((await client.send({ method: 'GET', url, headers: [] }, sender)).status);
  } catch (error) {
    if (isUnanswered(error)) return false;
    throw error;
  }
}
