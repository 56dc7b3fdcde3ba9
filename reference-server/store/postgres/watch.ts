import pg from 'pg';
import { systemClock } from '../../clock/system.ts';
import { configurationOf } from './connections.ts';

const channel = 'svc_conformance_ready';
const againMs = 1000;

/** Statement that tells all hosts but this one, when its transaction is committed. @param self id without quotes */
export function tellingOthers(self: string): string {
  return `NOTIFY ${channel}, '${self}'`;
}

/** Hears what other hosts tell, over a connection of its own, which is made anew when it breaks. */
export class Watch {
  readonly #url: string;
  readonly #self: string;
  readonly #told: () => void;
  readonly #ending = new AbortController();
  readonly #ended: Promise<void>;

  constructor(url: string, self: string, told: () => void) {
    this.#url = url;
    this.#self = self;
    this.#told = told;
    this.#ended = this.#hear();
  }

  async end(): Promise<void> {
    this.#ending.abort();
    await this.#ended;
  }

  async #hear(): Promise<void> {
    const { signal } = this.#ending;
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      // what was told while nobody heard is not told again
      await this.#hearOnce(() => isFirst || this.#told()).catch(() => undefined);
      if (!signal.aborted) await systemClock.sleep(againMs, { signal }).catch(() => undefined);
    }
  }

  /** Resolves when the connection has ended. */
  async #hearOnce(connected: () => void): Promise<void> {
    const client = new pg.Client(configurationOf(this.#url));
    const over = Promise.withResolvers<void>();
    const end = (): void => over.resolve();
    client.on('error', end);
    client.on('end', end);
    client.on('notification', ({ payload }) => {
      if (payload !== this.#self) this.#told();
    });
    this.#ending.signal.addEventListener('abort', end, { once: true });
    try {
      await client.connect();
      await client.query(`LISTEN ${channel}`);
      connected();
      await over.promise;
    } finally {
      this.#ending.signal.removeEventListener('abort', end);
      await client.end();
    }
  }
}
