import { ratePauseSeconds, rateWindowSeconds } from '../../contract/limits.ts';
import type { HttpClient, Sender } from '../client/client.ts';
import { NoAnswer } from '../client/failure.ts';
import type { WireAnswer, WireRequest } from '../client/wire.ts';

/** How often a call is made again that others kept from being taken. */
const mostRounds = 3;

/**
 * The calls of each endpoint go one after the other once the host has asked for patience: a host may hold its callers to the rate of the
 * record, and of many that come again together the last would never be taken. Source: extensions, Limits, rate limit
 */
export class Lanes {
  readonly #lasts = new Map<string, Promise<unknown>>();
  /** When calls were taken, by their endpoint; monotonic, in ms. */
  readonly #taken = new Map<string, number[]>();

  /** How many calls of an endpoint were taken in the last minutes in which a rate counts: that of the executions, and that of the pause. */
  takenLately(endpoint: string): number {
    const since = performance.now() - (rateWindowSeconds + ratePauseSeconds) * 1000;
    return (this.#taken.get(endpoint) ?? []).filter((at) => at > since).length;
  }

  /** @throws {TargetUnreachable | ConnectionLost | NoAnswer} */
  async send(endpoint: string, client: HttpClient, request: WireRequest, sender: Sender): Promise<WireAnswer> {
    for (let round = 1; ; round += 1) {
      try {
        const answer = await (isHurried(client)
          ? this.#inTurn(endpoint, sender, () => client.send(request, sender))
          : client.send(request, sender));
        this.#taken.set(endpoint, [...(this.#taken.get(endpoint) ?? []), performance.now()]);
        return answer;
      } catch (error) {
        if (!isOfRate(error) || round === mostRounds) throw error;
      }
    }
  }

  #inTurn<T>(endpoint: string, sender: Sender, send: () => Promise<T>): Promise<T> {
    const before = this.#lasts.get(endpoint) ?? Promise.resolve();
    const turn = sender.waits?.heldBack(() => `the turn of a call of ${new URL(endpoint).pathname}`, before) ?? before;
    const sent = turn.then(send);
    this.#lasts.set(
      endpoint,
      sent.catch(() => undefined),
    );
    return sent;
  }
}

function isHurried({ patience }: HttpClient): boolean {
  return patience.some(({ status }) => status === 429);
}

/** Whether the last answer was 429 still. */
function isOfRate(error: unknown): boolean {
  return error instanceof NoAnswer && error.message.includes('answered with 429');
}
