import { Area } from '../area.ts';
import type { Answer, Log, UserCall } from '../http/call.ts';
import { type Route, readingRoute } from '../http/route.ts';
import type { Clock } from '../../clock/clock.ts';
import { isoTime } from '../rfc3339.ts';
import type { Delivery, DeliveryLogEntry, DeliveryPolicy, LogQuery, StoredLogEntry } from '../ports/deliveries.ts';
import type { Reading, Writing } from '../ports/store.ts';

const path = '/api/admin/log';

const longestPage = 1000;

const deliveryLogPath = path;

interface Needs {
  readonly clock: Clock;
  readonly log: Log;
}

export class DeliveryLog extends Area<Needs> {
  routes(): readonly Route[] {
    return [
      readingRoute({
        method: 'GET',
        path: deliveryLogPath,
        access: 'collection',
        effect: 'read',
        needs: {},
        handle: (call, reading) => this.readDeliveryLog(call, reading),
      }),
    ];
  }

  /** An entry about the delivery, made now. */
  entryOf(
    { id, envelopeId, registrationId, recordId }: Delivery,
    policy: DeliveryPolicy | undefined,
    kind: DeliveryLogEntry['kind'],
    message: string,
  ): DeliveryLogEntry {
    const endpoint = policy?.endpoint ?? recordId ?? registrationId;
    return { at: this.needs.clock.now(), kind, deliveryId: id, envelopeId, endpoint, message };
  }

  /** Keeps an entry with the change set that it tells of, and shows it in the log of the service. Source: extensions, Errors 3 */
  async logEntry(writing: Writing, entry: DeliveryLogEntry): Promise<void> {
    await writing.appendLogEntry(entry);
    const { envelopeId, message, at: _at, ...fields } = entry;
    this.needs.log.info({ ...fields, ...(envelopeId !== undefined && { correlationId: envelopeId }) }, message);
  }

  /** The last entries, oldest first; `envelopeId` chooses those of one call, `after` the first ones behind a sequence. Source: ledger log-access */
  private async readDeliveryLog(call: UserCall, reading: Reading): Promise<Answer> {
    const entries = await reading.logEntries(queryOf(call));
    const data = entries.map((entry) => logEntryOut(entry));
    return { status: 200, headers: { 'Cache-Control': 'no-store' }, body: { href: path, data } };
  }
}

function queryOf({ query }: UserCall): LogQuery {
  const envelopeId = query.get('envelopeId');
  const after = query.get('after');
  return {
    ...(after !== null && { after: Number.isSafeInteger(Number(after)) ? Number(after) : 0 }),
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
