import { Client } from 'undici';
import { Way } from './reach.ts';

/** One connection and whether it has served a request since it was opened. */
export interface Connection {
  readonly client: Client;
  readonly origin: string;
  used: boolean;
  /** Whether it takes no place among those in use. */
  aside: boolean;
}

/** At most `limit` connections in use at once over all origins, beside those that stepped aside; those that wait are served in their order. */
export class Connections {
  readonly #width: Width;
  readonly #connect: ReturnType<Way['connector']>;
  readonly #idle = new Map<string, Connection[]>();
  readonly #waiting: (() => void)[] = [];
  #inUse = 0;

  /** @param limit most at once */
  constructor(limit: number, way: Way = new Way()) {
    this.#width = new Width(limit);
    this.#connect = way.connector();
  }

  /** An idle connection that was used last, or a new one; always a new one unless `reuse`. */
  async take(origin: string, reuse: boolean): Promise<Connection> {
    await this.#turn();
    const idle = reuse ? this.#idle.get(origin)?.pop() : undefined;
    return idle ?? opened(origin, this.#connect);
  }

  /** Ends the use of a connection; one that is not `sound` is closed. */
  release(connection: Connection, sound: boolean): void {
    if (sound) this.#keep(connection);
    else connection.client.destroy().catch(() => undefined);
    if (connection.aside) connection.aside = false;
    else this.#makeRoom();
  }

  /** Makes room for another one: what was asked on this one is answered only after others have had their turn. */
  stepAside(connection: Connection): void {
    connection.aside = true;
    this.#makeRoom();
  }

  get inUse(): number {
    return this.#inUse;
  }

  /** Learns from an answer whether the target takes so many at once. @param sentAt when its request was sent, monotonic, in ms */
  learn(isRefused: boolean, sentAt: number): void {
    this.#width.learn(isRefused, sentAt);
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      this.#inUse += 1;
      next();
    }
  }

  async close(): Promise<void> {
    const idle = [...this.#idle.values()].flat();
    this.#idle.clear();
    await Promise.all(idle.map((connection) => connection.client.destroy()));
  }

  #keep(connection: Connection): void {
    const idle = this.#idle.get(connection.origin) ?? [];
    idle.push(connection);
    this.#idle.set(connection.origin, idle);
  }

  #makeRoom(): void {
    const next = this.#inUse > this.#width.now ? undefined : this.#waiting.shift();
    if (next === undefined) this.#inUse -= 1;
    else next();
  }

  #next(): (() => void) | undefined {
    return this.#inUse < this.#width.now ? this.#waiting.shift() : undefined;
  }

  async #turn(): Promise<void> {
    if (this.#inUse < this.#width.now) {
      this.#inUse += 1;
      return;
    }
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}

function opened(origin: string, connect: ReturnType<Way['connector']>): Connection {
  const limits = { headersTimeout: 0, bodyTimeout: 0, maxResponseSize: -1 };
  const client = new Client(origin, { allowH2: false, ...limits, connect });
  const connection: Connection = { client, origin, used: false, aside: false };
  client.on('disconnect', () => {
    connection.used = false;
  });
  return connection;
}

/** So many answers are looked at; where so many of them are refusals, the target does not take so many requests at once. */
const lookedAt = 20;
const tooMany = 4;

/** How many requests may be under way at once: fewer where the target often answers 429, and one more again after every few that it takes. */
export class Width {
  readonly #most: number;
  #now: number;
  /** Whether the last answers were refusals. */
  #recent: boolean[] = [];
  /** When the width last became less, monotonic, in ms: requests that were under way together are refused together. */
  #narrowedAt = -Infinity;
  /** Answers since the width last changed, and how many it takes to widen it. */
  #calm = 0;
  #needed = lookedAt;
  #isTrying = false;

  constructor(most: number) {
    this.#most = most;
    this.#now = most;
  }

  get now(): number {
    return this.#now;
  }

  learn(isRefused: boolean, sentAt: number): void {
    if (sentAt < this.#narrowedAt) return;
    this.#recent = [...this.#recent, isRefused].slice(-lookedAt);
    this.#calm += 1;
    if (this.#recent.filter(Boolean).length >= tooMany) this.#narrow(Math.floor(this.#now / 4));
    // a step that is refused at once is taken back, and the next one comes later
    else if (isRefused && this.#isTrying) {
      this.#needed *= 2;
      this.#narrow(this.#now - 1);
    } else if (this.#calm >= this.#needed) this.#widen();
  }

  #narrow(to: number): void {
    this.#now = Math.max(1, to);
    this.#recent = [];
    this.#narrowedAt = performance.now();
    this.#calm = 0;
    this.#isTrying = false;
  }

  #widen(): void {
    this.#isTrying = this.#now < this.#most;
    this.#now = Math.min(this.#most, this.#now + 1);
    this.#calm = 0;
  }
}
