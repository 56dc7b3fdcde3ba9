import { Client } from 'undici';
import { Way } from './reach.ts';
import { Width } from './width.ts';

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
  const client = new Client(origin, { allowH2: false, ...limits, ...(connect && { connect }) });
  const connection: Connection = { client, origin, used: false, aside: false };
  client.on('disconnect', () => {
    connection.used = false;
  });
  return connection;
}
