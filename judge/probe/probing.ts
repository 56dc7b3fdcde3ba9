import { randomInt } from 'node:crypto';
import type { Booking } from '../bookings.ts';
import type { CaseContext } from '../case.ts';
import { openContext } from '../open-context.ts';
import type { LoadedProfile } from '../profile/load.ts';
import { CaseRecord } from '../record.ts';
import { cleanUp } from '../run/clean-up.ts';
import { booked, closeSession, openSession, type Session } from '../session.ts';

/** What came of acting on a deployment outside a run. */
export interface Probed<T> {
  readonly result: T;
  /** What was created and could not be deleted again. */
  readonly remains: readonly { readonly uri: string; readonly reason: string }[];
}

/** Longest clean-up, in ms. */
const cleanUpLimitMs = 30_000;

/**
 * Does some work on a deployment with the words that cases have, and deletes what it created.
 * @param known what the work found out about deleting what was booked before
 */
export async function probing<T>(
  loaded: LoadedProfile,
  work: (context: CaseContext, session: Session, record: CaseRecord) => Promise<T>,
  known: (result: T, booking: Booking, context: CaseContext) => Booking = (_result, booking) => booking,
): Promise<Probed<T>> {
  const session = openSession(loaded);
  const record = new CaseRecord(false);
  const context = openContext(session, { name: 'probe', seed: randomInt(2 ** 31), record });
  try {
    const result = await work(context, session, record);
    await record.end();
    const bookings = booked(session).map((booking) => known(result, booking, context));
    return { result, remains: await cleanUp(context.service, bookings, AbortSignal.timeout(cleanUpLimitMs)) };
  } finally {
    await record.end();
    await closeSession(session);
  }
}
