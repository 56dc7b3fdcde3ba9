import { Alarm } from '../delivery/alarm.ts';
import { outgoingOf } from '../delivery/outgoing.ts';
import type { Service } from '../service.ts';
import { apart } from '../store/nesting.ts';

/** Before a change set is tried again that the store did not take. */
const storeRetryMs = 1000;
/** From one look at a store that others use as well to the next: what they began and cannot end is found then. */
const sharedLookMs = 30_000;

/** Ends tasks that run out of time. When that is stands in the store: any number of hosts may look, and one that dies leaves nothing behind. */
class TaskTimeouts {
  readonly #service: Service;
  readonly #alarm: Alarm;
  #wanted = false;
  #looking: Promise<void> | undefined;
  #closed = false;

  constructor(service: Service) {
    this.#service = service;
    this.#alarm = new Alarm(service.clock, 'task timeout', () => this.wake());
  }

  /** Looks at what runs. May be called inside the change set that changes it. */
  wake(): void {
    if (this.#closed) return;
    this.#wanted = true;
    this.#looking ??= apart(() => outgoingOf(this.#service).activity.work(() => this.#look()));
  }

  /** Resolves when what was begun is on record. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#alarm.clear();
    await this.#looking;
  }

  async #look(): Promise<void> {
    while (this.#wanted && !this.#closed) {
      this.#wanted = false;
      const next = await this.#next();
      if (!this.#closed) this.#alarm.set(next);
    }
    this.#looking = undefined;
  }

  async #next(): Promise<number | undefined> {
    const { store, behaviours, log, clock } = this.#service;
    try {
      const next = await store.change((writing) => behaviours.failOverdue(this.#service, writing));
      return store.isShared ? Math.min(next ?? Infinity, clock.now() + sharedLookMs) : next;
    } catch (error) {
      log.error({ err: error }, 'the store did not take the end of a task');
      return clock.now() + storeRetryMs;
    }
  }
}

const timeoutsOfService = new WeakMap<Service, TaskTimeouts>();

/** Those of the service; made when a task is acknowledged. */
export function timeoutsOf(service: Service): Pick<TaskTimeouts, 'wake' | 'close'> {
  const known = timeoutsOfService.get(service);
  if (known) return known;
  const timeouts = new TaskTimeouts(service);
  timeoutsOfService.set(service, timeouts);
  return timeouts;
}
