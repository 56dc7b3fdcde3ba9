import type { Service } from '../service.ts';
import type { StoredDelivery } from '../store/queue.ts';
import { nextTurn } from '../clock/activity.ts';
import { Alarm } from './alarm.ts';

/** Attempts that start without a look at what arrives: with hundreds in one go the ends of the first would be noticed when the last is sent. */
const startedTogether = 16;

interface Start {
  readonly id: string;
  readonly at: number;
  readonly resolve: (mayStart: boolean) => void;
}

/** Attempts whose requests are made and whose time has not come. Those of one moment start together, some of them after one look at the store. */
export class Starts {
  readonly #service: Service;
  readonly #host: string;
  readonly #alarm: Alarm;
  #starts: Start[] = [];
  #stopped = false;

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
    this.#stopped = true;
    this.#alarm.clear();
    for (const { resolve } of this.#starts) resolve(false);
    this.#starts = [];
  }

  async #begin(): Promise<void> {
    const now = this.#service.clock.now();
    const due = this.#starts.filter(({ at }) => at <= now).sort((one, other) => one.at - other.at);
    this.#starts = this.#starts.filter(({ at }) => at > now);
    if (this.#starts.length > 0) this.#alarm.set(Math.min(...this.#starts.map(({ at }) => at)));
    for (let from = 0; from < due.length; from += startedTogether) {
      if (from > 0) await nextTurn();
      await this.#start(due.slice(from, from + startedTogether));
    }
  }

  async #start(due: readonly Start[]): Promise<void> {
    const owners = this.#stopped ? [] : await this.#ownersOf(due);
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
