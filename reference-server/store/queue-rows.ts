import type { Delivery, DeliveryLogEntry } from '../delivery/delivery.ts';
import type { RateWindow, StoredDelivery, StoredLogEntry } from './queue.ts';

/** Rows of the delivery queue; the one place where its columns become types. */
export type DeliveryRow = readonly [
  sequence: number,
  endpoint: string,
  dueAt: number,
  readyAt: number | null,
  attempts: number,
  leaseOwner: string | null,
  delivery: string,
];
export type RateRow = readonly [startedAt: number, executions: number, pausedUntil: number];
export type LogRow = readonly [sequence: number, entry: string];
export type EndpointRow = readonly [endpoint: string];
export type OwnerRow = readonly [leaseOwner: string | null];
export type CountRow = readonly [count: number];
export type TimeRow = readonly [time: number | null];

/** Columns of a `DeliveryRow`. */
export const deliveryColumns = 'sequence, endpoint, due_at, ready_at, attempts, lease_owner, delivery';

export function deliveryFrom(row: DeliveryRow): StoredDelivery {
  const [sequence, endpoint, dueAt, readyAt, attempts, leaseOwner, text] = row;
  return {
    ...(JSON.parse(text) as Delivery),
    sequence,
    endpoint,
    dueAt,
    attempts,
    ...(readyAt !== null && { readyAt }),
    ...(leaseOwner !== null && { leaseOwner }),
  };
}

export function rateFrom([startedAt, executions, pausedUntil]: RateRow): RateWindow {
  return { startedAt, executions, pausedUntil };
}

export function logEntryFrom([sequence, text]: LogRow): StoredLogEntry {
  return { ...(JSON.parse(text) as DeliveryLogEntry), sequence };
}
