import type { Delivery, DeliveryLogEntry, QueuedDelivery } from '../delivery/delivery.ts';

/**
 * A delivery as the queue keeps it. It is *ready* when its due time has come and nobody holds it: no host has it on lease, no pause of
 * its endpoint is on, and its registration is active.
 */
export interface StoredDelivery extends QueuedDelivery {
  /** What order and parallel calls are counted by. */
  readonly endpoint: string;
  /** Host that has it on lease. */
  readonly leaseOwner?: string;
  /** From when on it may be taken, in ms of the clock: its due time, the end of a pause, or the end of a lease. Absent while it is parked. */
  readonly readyAt?: number;
}

/** Executions of an endpoint, or of what else a rate limit is counted by. Times in ms of the clock. */
export interface RateWindow {
  /** First execution of the window. */
  readonly startedAt: number;
  readonly executions: number;
  /** End of the pause; 0 when there has been none. */
  readonly pausedUntil: number;
}

/** A log entry with its place in the log. */
export interface StoredLogEntry extends DeliveryLogEntry {
  readonly sequence: number;
}

export interface LogQuery {
  /** Entries with a greater sequence only. */
  readonly after: number;
  readonly limit: number;
  readonly envelopeId?: string;
}

export interface QueueReading {
  delivery(id: string): Promise<StoredDelivery | undefined>;
  /** Host that has the delivery on lease. */
  leaseOwner(id: string): Promise<string | undefined>;
  /** Endpoints with a delivery that is ready. */
  readyEndpoints(now: number): Promise<readonly string[]>;
  /** Deliveries of the endpoint that are ready, in the order of their acceptance. */
  readyDeliveries(endpoint: string, now: number, limit: number): Promise<readonly StoredDelivery[]>;
  /** Deliveries that hosts other than `host` have on lease: of the endpoint, or of all. */
  leasedElsewhere(host: string, now: number, endpoint?: string): Promise<number>;
  /** Earliest time after `now` at which a delivery becomes ready, those that `host` itself has on lease left out. */
  nextReadyAt(host: string, now: number): Promise<number | undefined>;
  rateWindow(key: string): Promise<RateWindow | undefined>;
  /** Entries in order, oldest first; the store keeps the last ones. */
  logEntries(query: LogQuery): Promise<readonly StoredLogEntry[]>;
}

export interface QueueWriting {
  /** Queues it behind all others. */
  insertDelivery(delivery: Delivery, endpoint: string, dueAt: number): Promise<void>;
  /** Takes it for `host` until then. */
  leaseDelivery(id: string, host: string, until: number): Promise<void>;
  /** Takes all that `host` has on lease until then. */
  renewLeases(host: string, until: number): Promise<void>;
  /** Gives back all that `host` has on lease: they are due when they were. */
  releaseLeases(host: string): Promise<void>;
  /** Ends the lease; the next attempt is due then. */
  scheduleDelivery(id: string, attempts: number, dueAt: number): Promise<void>;
  /** The delivery, due or not, is not ready before then. */
  holdDelivery(id: string, until: number): Promise<void>;
  /** All deliveries of the endpoint that are ready are not ready before then. */
  holdEndpoint(endpoint: string, now: number, until: number): Promise<void>;
  /** The delivery waits until its registration is resumed. */
  parkDelivery(id: string): Promise<void>;
  /** Deliveries of the registration that are parked, or on lease and not due yet, are due when they were. */
  resumeRegistration(registrationId: string, now: number): Promise<void>;
  /** Whether there was one. */
  deleteDelivery(id: string): Promise<boolean>;
  putRateWindow(key: string, window: RateWindow): Promise<void>;
  appendLogEntry(entry: DeliveryLogEntry): Promise<void>;
}
