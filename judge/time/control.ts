import type { HttpClient, Sender } from '../client.ts';
import { ConnectionLost } from '../client/failure.ts';
import { replyOf } from '../client/reply.ts';
import type { Profile } from '../../contract/profile.ts';
import type { Reply } from '../exchange.ts';
import { absoluteUrl } from '../requests/absolute-url.ts';
import { PreconditionFailed } from '../violation.ts';

/** The clock of the service as it stands. */
export interface ClockState {
  /** ms since the epoch. */
  readonly now: number;
  /** Due time of the earliest timer; Infinity without any. */
  readonly next: number;
  /** Calls of the service to others that are under way, where it tells. */
  readonly calls?: number;
}

const unrecorded: Sender = { reuse: true, retries: [], add: () => undefined };

/** The clock of a service that can be moved from outside. */
export class ClockControl {
  readonly #client: HttpClient;
  readonly #url: string;
  readonly #token: string | undefined;

  constructor(profile: Profile, client: HttpClient) {
    this.#client = client;
    this.#url = absoluteUrl(profile, profile.time?.control?.url ?? '/_control/clock');
    this.#token = profile.time?.control?.token;
  }

  async state(): Promise<ClockState> {
    return stateFrom(await this.#send('GET'));
  }

  /** Time runs by itself until it is moved for the first time. Returns when it stands still, and everything but `held` calls has settled. */
  async takeOver(held = 0): Promise<ClockState> {
    return stateFrom(await this.#send('POST', { by: 0, held }));
  }

  /**
   * Moves to that time, firing what is due on the way. Resolves when everything that fired has settled, but for `held` calls, which the
   * suite does not answer before more time has passed.
   */
  async moveTo(at: number, held: number): Promise<void> {
    await this.#send('POST', { to: at, held });
  }

  /** Tells how many calls the suite keeps open, also while a move is under way. */
  async hold(held: number): Promise<void> {
    await this.#send('POST', { held });
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  async #send(method: string, body?: object): Promise<Reply> {
    const headers: (readonly [string, string])[] = body === undefined ? [] : [['Content-Type', 'application/json']];
    if (this.#token !== undefined) headers.push(['Authorization', `Bearer ${this.#token}`]);
    const request = { method, url: this.#url, headers, ...(body && { body: Buffer.from(JSON.stringify(body)) }) };
    const answer = await this.#client.send(request, unrecorded).catch((error: unknown) => {
      // A connection that ended under it proves nothing, and to move to the same time twice is to move once.
      if (error instanceof ConnectionLost) return this.#client.send(request, { ...unrecorded, reuse: false });
      throw error;
    });
    const reply = replyOf(answer, this.#url);
    if (reply.status >= 200 && reply.status < 300) return reply;
    throw new PreconditionFailed('a clock that can be moved: correct time.control in the profile', reply);
  }
}

function stateFrom(reply: Reply): ClockState {
  const state: object = typeof reply.json === 'object' && reply.json !== null ? reply.json : {};
  const now: unknown = Reflect.get(state, 'now');
  const timers: unknown = Reflect.get(state, 'timers');
  const calls: unknown = Reflect.get(state, 'calls');
  if (typeof now !== 'number' || !Array.isArray(timers))
    throw new PreconditionFailed('a clock that tells now and its timers', reply);
  const due = timers.map((timer: unknown) => Number(Reflect.get(Object(timer), 'at')));
  return { now, next: Math.min(...due, Infinity), ...(typeof calls === 'number' && { calls }) };
}
