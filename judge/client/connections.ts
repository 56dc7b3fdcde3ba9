import { Client } from 'undici';

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
  #limit: number;
  readonly #idle = new Map<string, Connection[]>();
  readonly #waiting: (() => void)[] = [];
  #inUse = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** An idle connection that was used last, or a new one; always a new one unless `reuse`. */
  async take(origin: string, reuse: boolean): Promise<Connection> {
    await this.#turn();
    const idle = reuse ? this.#idle.get(origin)?.pop() : undefined;
    return idle ?? opened(origin);
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

  /** From now on a quarter as many at once: the target does not take so many, and each request is repeated a few times only. */
  narrow(): void {
    this.#limit = Math.max(1, Math.floor(this.#limit / 4));
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
    const next = this.#inUse > this.#limit ? undefined : this.#waiting.shift();
    if (next === undefined) this.#inUse -= 1;
    else next();
  }

  async #turn(): Promise<void> {
    if (this.#inUse < this.#limit) {
      this.#inUse += 1;
      return;
    }
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}

function opened(origin: string): Connection {
  const client = new Client(origin, { allowH2: false, headersTimeout: 0, bodyTimeout: 0, maxResponseSize: -1 });
  const connection: Connection = { client, origin, used: false, aside: false };
  client.on('disconnect', () => {
    connection.used = false;
  });
  return connection;
}
