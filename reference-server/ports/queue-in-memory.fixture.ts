import type { DeliveryLogEntry } from './deliveries.ts';
import type { QueueReading, QueueWriting, RateWindow, StoredDelivery } from './deliveries.ts';

/** What the queue of a store promises, in its plainest form: lists that are searched. For tests of stores only. */
export class QueueModel {
  deliveries: readonly StoredDelivery[] = [];
  rates: readonly (readonly [key: string, window: RateWindow])[] = [];
  log: readonly DeliveryLogEntry[] = [];

  copy(): QueueModel {
    return Object.assign(new QueueModel(), { deliveries: this.deliveries, rates: this.rates, log: this.log });
  }

  reading(): QueueReading {
    const ready = (now: number): readonly StoredDelivery[] =>
      this.deliveries.filter(({ readyAt = Infinity }) => readyAt <= now);
    return {
      delivery: async (id) => this.deliveries.find((delivery) => delivery.id === id),
      leaseOwner: async (id) => this.deliveries.find((delivery) => delivery.id === id)?.leaseOwner,
      readyEndpoints: async (now) => [...new Set(ready(now).map(({ endpoint }) => endpoint))],
      readyDeliveries: async (endpoint, now, limit) =>
        ready(now)
          .filter((delivery) => delivery.endpoint === endpoint)
          .slice(0, limit),
      leasedElsewhere: async (host, now, endpoint) =>
        this.deliveries.filter(
          ({ leaseOwner = host, readyAt = 0, endpoint: of }) =>
            leaseOwner !== host && readyAt > now && (endpoint ?? of) === of,
        ).length,
      nextReadyAt: async (host, now) =>
        this.deliveries
          .filter(({ leaseOwner, readyAt = -Infinity }) => leaseOwner !== host && readyAt > now)
          .map(({ readyAt }) => readyAt)
          .toSorted((one = 0, other = 0) => one - other)[0],
      rateWindow: async (key) => this.rates.findLast(([known]) => known === key)?.[1],
      logEntries: async ({ after, limit, envelopeId }) =>
        this.log
          .map((entry, index) => ({ ...entry, sequence: index + 1 }))
          .filter((entry) => entry.sequence > (after ?? 0) && (envelopeId ?? entry.envelopeId) === entry.envelopeId)
          .slice(...(after === undefined ? [-limit] : [0, limit])),
    };
  }

  writing(): QueueWriting {
    return {
      insertDelivery: async (delivery, endpoint, dueAt) => {
        const sequence = (this.deliveries.at(-1)?.sequence ?? 0) + 1;
        const stored = { ...delivery, sequence, endpoint, attempts: 0, dueAt, readyAt: dueAt };
        this.deliveries = [...this.deliveries, stored];
      },
      leaseDelivery: async (id, leaseOwner, readyAt) =>
        this.#each(hasId(id), (delivery) => ({ ...delivery, leaseOwner, readyAt })),
      renewLeases: async (host, readyAt) => this.#each(isOf(host), (delivery) => ({ ...delivery, readyAt })),
      releaseLeases: async (host) =>
        this.#each(isOf(host), (delivery) => ({ ...unleased(delivery), readyAt: delivery.dueAt })),
      scheduleDelivery: async (id, attempts, dueAt) =>
        this.#each(hasId(id), (delivery) => ({ ...unleased(delivery), attempts, dueAt, readyAt: dueAt })),
      holdDelivery: async (id, readyAt) => this.#each(hasId(id), (delivery) => ({ ...unleased(delivery), readyAt })),
      holdEndpoint: async (endpoint, now, readyAt) =>
        this.#each(
          (delivery) => delivery.endpoint === endpoint && (delivery.readyAt ?? Infinity) <= now,
          (delivery) => ({ ...unleased(delivery), readyAt }),
        ),
      parkDelivery: async (id) => this.#each(hasId(id), parked),
      resumeRegistration: async (id, now) =>
        this.#each(
          ({ registrationId, readyAt, leaseOwner, dueAt }) =>
            registrationId === id && (readyAt === undefined || (leaseOwner !== undefined && dueAt > now)),
          (delivery) => ({ ...unleased(delivery), readyAt: delivery.dueAt }),
        ),
      deleteDelivery: async (id) => {
        this.deliveries = this.deliveries.filter((delivery) => delivery.id !== id);
      },
      putRateWindow: async (key, window) => void (this.rates = [...this.rates, [key, window]]),
      appendLogEntry: async (entry) => void (this.log = [...this.log, entry]),
    };
  }

  #each(admits: (delivery: StoredDelivery) => boolean, change: (delivery: StoredDelivery) => StoredDelivery): void {
    this.deliveries = this.deliveries.map((delivery) => (admits(delivery) ? change(delivery) : delivery));
  }
}

function hasId(id: string): (delivery: StoredDelivery) => boolean {
  return (delivery) => delivery.id === id;
}

function isOf(host: string): (delivery: StoredDelivery) => boolean {
  return (delivery) => delivery.leaseOwner === host;
}

function unleased({ leaseOwner: _ended, ...delivery }: StoredDelivery): StoredDelivery {
  return delivery;
}

function parked({ leaseOwner: _ended, readyAt: _never, ...delivery }: StoredDelivery): StoredDelivery {
  return delivery;
}
