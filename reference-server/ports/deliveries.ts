/** Kinds of calls that the service makes to the outside. Source: extensions, Calls to extensions; Registered external endpoint */
export type CallKind = 'event' | 'endpoint' | 'task' | 'email' | 'validation' | 'action';

/** Something that has to reach an endpoint: queued in the store, or made directly while a user waits (validation, action). */
export interface Delivery {
  readonly id: string;
  readonly kind: CallKind;
  /** Registration that it goes to: an external endpoint, or an extension. */
  readonly registrationId: string;
  /** Metadata record of the extension; absent for external endpoints. */
  readonly recordId?: string;
  readonly spaceId: string;
  /** Correlation id of the triggering request, or one of its own: `id` of the envelope, the same on every attempt. */
  readonly envelopeId: string;
  /** User that the impersonation token speaks for. */
  readonly userName: string;
  /** Information filter as the triggering request sent it, Base64. */
  readonly informationFilter: string;
  /** JSON value; its shape depends on the kind. Source: extensions, Payloads by extension type */
  readonly payload: unknown;
}

/** A delivery in the queue. Times in ms of the clock. */
export interface QueuedDelivery extends Delivery {
  /** Order of acceptance. */
  readonly sequence: number;
  /** Attempts made so far. */
  readonly attempts: number;
  readonly dueAt: number;
}

/** One HTTP request to the outside. */
export interface OutgoingRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** From the start of the attempt to the last byte of the answer. */
  readonly timeoutMs: number;
}

/** What came of one attempt. Source: extensions, Errors 1 */
export type CallOutcome =
  /** The body is empty when it was larger than what is read of an answer; then `oversized` says so. */
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly body: string;
      readonly oversized?: true;
      /** Where it says to go, and when to come again, as its headers have it; neither counts here. Source: ledger redirect-handling, retry-after-header */
      readonly location?: string;
      readonly retryAfter?: string;
    }
  /** `phase` says whether there was a connection already. */
  | { readonly kind: 'timeout'; readonly waitedMs: number; readonly phase?: 'connection' | 'response' }
  /** `gone`: nobody is registered there any more; `barred`: this server may not call there. */
  | { readonly kind: 'failed'; readonly reason: string; readonly gone?: true; readonly barred?: true };

/** How a delivery is retried and held back. */
export interface DeliveryPolicy {
  /** What log entries call the endpoint. */
  readonly endpoint: string;
  /** Whether calls may go there. */
  readonly active: boolean;
  /** Infinity for retryForever. */
  readonly retries: number;
  /** Executions a minute; Infinity for no limit. */
  readonly rateLimit: number;
  /** What the limit is counted by. */
  readonly rateKey: string;
}

/** What follows from an attempt. */
export type NextStep =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'failed' }
  /** `attempts` is what is kept as the number of attempts made; `retry` counts from 1. */
  | { readonly kind: 'retry'; readonly attempts: number; readonly retry: number; readonly delayMs: number };

/** How a delivery left the queue. */
export type DeliveryEnd = 'delivered' | 'failed' | 'cancelled';

/** A line of the service's own log of deliveries. Source: extensions, Errors 3 */
export interface DeliveryLogEntry {
  readonly at: number;
  readonly kind:
    | 'rate-limit'
    | 'transient-error'
    | 'timeout'
    | 'failed'
    | 'removed'
    | 'cancelled'
    | 'delivered'
    | 'dropped'
    | 'metadata';
  readonly deliveryId?: string;
  readonly envelopeId?: string;
  readonly endpoint: string;
  readonly message: string;
  readonly waitMs?: number;
  readonly retry?: number;
  /** Number of retries in all; absent for endless ones, then `message` says infinity. */
  readonly total?: number;
  readonly status?: number;
}

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
  /** The first entries with a greater sequence; the last ones of all unless given. */
  readonly after?: number;
  readonly limit: number;
  readonly envelopeId?: string;
}

export interface QueueReading {
  delivery(id: string): Promise<StoredDelivery | undefined>;
  leaseOwner(id: string): Promise<string | undefined>;
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
  deleteDelivery(id: string): Promise<void>;
  putRateWindow(key: string, window: RateWindow): Promise<void>;
  appendLogEntry(entry: DeliveryLogEntry): Promise<void>;
}
