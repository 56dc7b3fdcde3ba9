import { Client } from 'undici';

/** One connection of its own, made anew when it has ended. */
export interface Connection {
  readonly client: Client;
  /** It has answered since it was made. */
  wasKept: boolean;
}

/** Whoever wants a connection. */
export interface Waiter {
  /** @param connection none when all are closed */
  taken(connection: Connection | undefined): void;
}

export interface ConnectionOptions {
  readonly origin: string;
  /** At once. */
  readonly most: number;
  readonly timeoutMs: number;
}

/**
 * Connections of which each carries one request at a time. The one that was used last is taken first; whoever finds none free waits, in
 * order. undici's own pool looks through all of its connections for a free one, at each request.
 */
export class Connections {
  readonly #options: ConnectionOptions;
  readonly #all: Connection[] = [];
  readonly #free: Connection[] = [];
  #waiting: Waiter[] = [];
  #served = 0;
  #isClosed = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /** Calls back at once, or when one is free. */
  take(waiter: Waiter): void {
    if (this.#isClosed) return waiter.taken(undefined);
    const connection = this.#free.pop() ?? (this.#all.length < this.#options.most ? this.#opened() : undefined);
    if (connection === undefined) this.#waiting.push(waiter);
    else waiter.taken(connection);
  }

  give(connection: Connection): void {
    const next = this.#waiting[this.#served];
    if (next === undefined) return void this.#free.push(connection);
    this.#served += 1;
    if (this.#served * 2 > this.#waiting.length) {
      this.#waiting = this.#waiting.slice(this.#served);
      this.#served = 0;
    }
    next.taken(connection);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const waiter of this.#waiting.slice(this.#served)) waiter.taken(undefined);
    this.#waiting = [];
    await Promise.all(this.#all.map(({ client }) => client.destroy()));
  }

  #opened(): Connection {
    const { origin, timeoutMs } = this.#options;
    // with 1 each request would wait for the turn of the event loop that `delicate` ones alone wait for here
    const client = new Client(origin, { pipelining: 2, connectTimeout: timeoutMs, headersTimeout: timeoutMs, bodyTimeout: timeoutMs });
    const connection: Connection = { client, wasKept: false };
    client.on('connect', () => {
      connection.wasKept = false;
    });
    this.#all.push(connection);
    return connection;
  }
}
