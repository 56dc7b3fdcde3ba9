import type { Reply } from '../../exchange.ts';
import type { TaskSample } from '../host.ts';
import type { Envelope, HostCall } from '../host.ts';
import type { HostRecord } from '../records.ts';
import type { Arrival, ArrivalKind } from './arrival.ts';

/** One installation of the service that the suite plays, with what the host sends to it. Everything in it ends with the case. */
export interface Installation {
  /** Without a slash at its end. */
  readonly baseAddress: string;
  readonly spaceId: string;
  readonly port: number;
  /** A call of the record with a token of its own. The payload is one of its type, a sample where the profile has one, unless given. */
  call(record: HostRecord, payload?: Readonly<Record<string, unknown>>, changes?: Partial<Envelope>): HostCall;
  /** A job of its own whose input file is here. */
  task(options?: TaskOptions): Task;
  /** What arrived so far, oldest first. */
  arrivals(filter?: ArrivalFilter): readonly Arrival[];
  /** The first that the filter admits, or undefined when `withinMs` pass first; 5 s unless given. */
  arrived(filter?: ArrivalFilter, withinMs?: number): Promise<Arrival | undefined>;
  /** Withholds the answers to what comes from now on; of these kinds only where some are named. */
  hold(...kinds: readonly ArrivalKind[]): Held;
  /** Answers what comes from now on with that status. */
  refuse(kind: ArrivalKind, status: number): void;
  /** Answers 401 to the keys that were given out so far. */
  refuseKeys(): void;
  /** Keys that work, as a callback gets them. */
  newKeys(names: readonly string[]): object;
  /** Requests for API keys of this run, whichever installation they came to. */
  readonly acquired: readonly Acquired[];
  /** A token that was given out here and is past its expiry. */
  expiredToken(): string;
}

export interface TaskOptions {
  readonly sample?: TaskSample;
  /** In seconds; 600 unless given. */
  readonly timeout?: number;
  /** The links lead to unusual addresses that work. */
  readonly unusualLinks?: boolean;
}

/** A job for a task of the host. */
export interface Task {
  readonly jobId: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly inputPath: string;
  /** Path prefix of its links; empty for usual ones. */
  readonly prefix: string;
  /** The call, with the id of the job in its envelope. */
  readonly call: (record: HostRecord) => HostCall;
}

/** Which arrivals are meant; everything that is stated has to fit. */
export interface ArrivalFilter {
  readonly kind?: ArrivalKind | readonly ArrivalKind[];
  /** It carried the token of that call, or is about its job. */
  readonly of?: HostCall;
  readonly where?: (arrival: Arrival) => boolean;
}

/** Answers that are withheld. */
export interface Held {
  readonly count: number;
  /** Answers them, and whatever comes later at once. */
  release(): void;
}

/** A request for API keys and what became of it. */
export interface Acquired {
  readonly arrival: Arrival;
  /** Id in the path. */
  readonly recordId: string;
  /** Answer of the callback to the POST of the keys; undefined where the request does not fit the metadata, so that none was sent. */
  readonly delivered: Promise<Reply | undefined>;
}

export function fits(arrival: Arrival, { kind, of, where = () => true }: ArrivalFilter): boolean {
  const kinds = typeof kind === 'string' ? [kind] : kind;
  if (kinds !== undefined && !kinds.includes(arrival.kind)) return false;
  if (of !== undefined && !isOf(arrival, of)) return false;
  return where(arrival);
}

function isOf({ callId, token, target }: Arrival, { envelope }: HostCall): boolean {
  return token?.text === envelope.accessToken || callId === envelope.id || target.includes(envelope.id);
}
