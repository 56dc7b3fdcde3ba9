import { isoTime } from '../clock/iso-time.ts';
import type { Answer, Service, UserCall } from '../service.ts';
import type { LogQuery, StoredLogEntry } from '../store/queue.ts';
import type { Reading, Writing } from '../store/store.ts';
import type { Delivery, DeliveryLogEntry, DeliveryPolicy } from './delivery.ts';

const path = '/api/admin/log';
const longestPage = 1000;

/** An entry about the delivery, made now. */
export function entryOf(
  service: Service,
  { id, envelopeId, registrationId, recordId }: Delivery,
  policy: DeliveryPolicy | undefined,
  kind: DeliveryLogEntry['kind'],
  message: string,
): DeliveryLogEntry {
  const endpoint = policy?.endpoint ?? recordId ?? registrationId;
  return { at: service.clock.now(), kind, deliveryId: id, envelopeId, endpoint, message };
}

/** Keeps an entry with the change set that it tells of, and shows it in the log of the service. Source: extensions, Errors 3 */
export async function logEntry(service: Service, writing: Writing, entry: DeliveryLogEntry): Promise<void> {
  await writing.appendLogEntry(entry);
  const { envelopeId, message, at: _at, ...fields } = entry;
  service.log.info({ ...fields, ...(envelopeId !== undefined && { correlationId: envelopeId }) }, message);
}

/** The entries that are kept, oldest first; `envelopeId` chooses those of one call, `after` those behind a sequence. Source: ledger log-access */
export async function readDeliveryLog(service: Service, call: UserCall, reading: Reading): Promise<Answer> {
  const entries = await reading.logEntries(queryOf(call));
  const data = entries.map((entry) => service.behaviours.logEntryOut(entry));
  return { status: 200, headers: { 'Cache-Control': 'no-store' }, body: { href: path, data } };
}

function queryOf({ query }: UserCall): LogQuery {
  const envelopeId = query.get('envelopeId');
  const after = Number(query.get('after') ?? 0);
  return {
    after: Number.isSafeInteger(after) ? after : 0,
    limit: longestPage,
    ...(envelopeId !== null && { envelopeId }),
  };
}

/** An entry as it is read: `wait` in seconds, `total` a number or `infinity` where there is a retry. */
export function logEntryOut({ at, waitMs, retry, total, ...entry }: StoredLogEntry): object {
  return {
    ...entry,
    at: isoTime(at),
    ...(waitMs !== undefined && { wait: waitMs / 1000 }),
    ...(retry !== undefined && { retry, total: total ?? 'infinity' }),
  };
}

export const deliveryLogPath = path;
