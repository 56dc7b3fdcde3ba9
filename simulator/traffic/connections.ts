import { Client } from 'undici';

/** After so long, in ms, an end that came with the last answer has been read. */
export const restMs = 5;

/** One connection of its own, made anew when it has ended. */
export interface Connection {
  readonly client: Client;
  /** It has answered since it was made. */
  wasKept: boolean;
  /** When it was given back, in monotonic ms. */
  givenAt: number;
}

/** Whoever wants a connection. */
export interface Waiter {
  /** @param connection none when all are closed */
  receive(connection: Connection | undefined): void;
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
  /** The target ended a kept connection that a request was sent on. */
  endsSilently = false;
  readonly #options: ConnectionOptions;
  readonly #all: Connection[] = [];
  readonly #free: Connection[] = [];
  #waiting: Waiter[] = [];
  #served = 0;
  #isClosed = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /** Calls back at once, or when one is free. @param isDelicate where kept connections end silently, one that has just answered is the last choice */
  take(waiter: Waiter, isDelicate: boolean): void {
    if (this.#isClosed) return waiter.receive(undefined);
    const connection =
      isDelicate && this.endsSilently
        ? (this.#takeRested() ?? this.#openAnother() ?? this.#free.pop())
        : (this.#free.pop() ?? this.#openAnother());
    if (connection === undefined) this.#waiting.push(waiter);
    else waiter.receive(connection);
  }

  give(connection: Connection): void {
    connection.givenAt = performance.now();
    const next = this.#waiting[this.#served];
    if (next === undefined) return void this.#free.push(connection);
    this.#served += 1;
    if (this.#served * 2 > this.#waiting.length) {
      this.#waiting = this.#waiting.slice(this.#served);
      this.#served = 0;
    }
    next.receive(connection);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const waiter of this.#waiting.slice(this.#served)) waiter.receive(undefined);
    this.#waiting = [];
    await Promise.all(this.#all.map(({ client }) => client.destroy()));
  }

  /** The free ones are in the order in which they were given back. */
  #takeRested(): Connection | undefined {
    const before = performance.now() - restMs;
    const index = this.#free.findLastIndex(({ givenAt }) => givenAt < before);
    return index < 0 ? undefined : this.#free.splice(index, 1)[0];
  }

  #openAnother(): Connection | undefined {
    return this.#all.length < this.#options.most ? this.#open() : undefined;
  }

  #open(): Connection {
    const { origin, timeoutMs } = this.#options;
    // with 1 each request would wait for the turn of the event loop that `delicate` ones alone wait for here
    const client = new Client(origin, {
      pipelining: 2,
      connectTimeout: timeoutMs,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    });
    const connection: Connection = { client, wasKept: false, givenAt: 0 };
    client.on('connect', () => {
      connection.wasKept = false;
    });
    this.#all.push(connection);
    return connection;
  }
}
