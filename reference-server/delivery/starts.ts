import type { Service } from '../service.ts';
import type { StoredDelivery } from '../store/queue.ts';
import { Alarm } from './alarm.ts';

interface Start {
  readonly id: string;
  readonly at: number;
  readonly resolve: (mayStart: boolean) => void;
}

/** Attempts whose requests are made and whose time has not come. Those of one moment start together, after one look at the store. */
export class Starts {
  readonly #service: Service;
  readonly #host: string;
  readonly #alarm: Alarm;
  #starts: Start[] = [];

  constructor(service: Service, host: string) {
    this.#service = service;
    this.#host = host;
    this.#alarm = new Alarm(service.clock, 'delivery', () => void this.#begin());
  }

  /** Resolves when the delivery may start, or false when it may not any more: it was cancelled or switched off meanwhile. */
  wait({ id, readyAt = 0 }: StoredDelivery): Promise<boolean> {
    return new Promise((resolve) => {
      this.#starts.push({ id, at: readyAt, resolve });
      if (this.#alarm.at === undefined || readyAt < this.#alarm.at) this.#alarm.set(readyAt);
    });
  }

  /** Nothing that waits starts any more. */
  stop(): void {
    this.#alarm.clear();
    for (const { resolve } of this.#starts) resolve(false);
    this.#starts = [];
  }

  async #begin(): Promise<void> {
    const now = this.#service.clock.now();
    const due = this.#starts.filter(({ at }) => at <= now);
    this.#starts = this.#starts.filter(({ at }) => at > now);
    if (this.#starts.length > 0) this.#alarm.set(Math.min(...this.#starts.map(({ at }) => at)));
    const owners = await this.#ownersOf(due);
    for (const [index, { resolve }] of due.entries()) resolve(owners[index] === this.#host);
  }

  async #ownersOf(due: readonly Start[]): Promise<readonly (string | undefined)[]> {
    try {
      return await this.#service.store.read((reading) => Promise.all(due.map(({ id }) => reading.leaseOwner(id))));
    } catch (error) {
      this.#service.log.error({ err: error }, 'the store did not tell whose deliveries are due');
      return [];
    }
  }
}
