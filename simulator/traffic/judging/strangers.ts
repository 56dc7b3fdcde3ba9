import type { IdentityName } from '../../../contract/profile.ts';
import type { EngineSetup, TrafficExchange } from '../engine.ts';
import { identityOf } from '../wire.ts';

/** What is known of the token that an identity has now. */
interface Known {
  readonly token: string;
  /** What was sent before may have had the one before, in monotonic ms. */
  readonly since: number;
  /** It was answered by something that only the token of somebody who is known gets. */
  isAlive: boolean;
  /** A 401 after that: the token has ended, or the answer is wrong. */
  doubtful?: TrafficExchange;
}

/** Tells a 401 to a token that has ended, which is right, from one to somebody who is known and has no access. */
export class Strangers {
  readonly #authorizationOf: EngineSetup['authorizationOf'];
  readonly #known = new Map<IdentityName, Known>();

  constructor(authorizationOf: EngineSetup['authorizationOf']) {
    this.#authorizationOf = authorizationOf;
  }

  /** The exchange that is known now to have been answered by 401 to a good token: this one, or an earlier one. */
  see(exchange: TrafficExchange): TrafficExchange | undefined {
    const { step, result, sentAt, endedAt } = exchange;
    const name = identityOf(step);
    const known = name && this.#of(name, endedAt);
    if (known === undefined || sentAt < known.since) return undefined;
    const { isAlive, doubtful } = known;
    if (result.status === 401) {
      if (!isAlive) return exchange;
      known.doubtful ??= exchange;
      return undefined;
    }
    if (result.status < 500) known.isAlive = true;
    if (doubtful === undefined || sentAt < doubtful.endedAt || result.status >= 500) return undefined;
    delete known.doubtful;
    return doubtful;
  }

  #of(name: IdentityName, now: number): Known {
    const token = this.#authorizationOf(name);
    const before = this.#known.get(name);
    if (before?.token === token) return before;
    const known: Known = { token, since: before === undefined ? -Infinity : now, isAlive: false };
    this.#known.set(name, known);
    return known;
  }
}
