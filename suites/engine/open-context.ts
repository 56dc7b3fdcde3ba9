import type { CaseContext } from './case.ts';
import { callFrom } from './extension/call.ts';
import { openExtensions } from './extension/open-extensions.ts';
import { openRegistrations } from './extension/registrations.ts';
import { openTriggers } from './extension/open-triggers.ts';
import { openExpect } from './expect/open-expect.ts';
import { openGiven } from './given/open-given.ts';
import { uniqueTexts } from './given/unique.ts';
import { openNotes } from './notes/open-notes.ts';
import type { CaseRecord } from './record.ts';
import type { Session } from './session.ts';
import { openTarget } from './target/open-target.ts';
import { Post } from './target/post.ts';
import { openClock } from './time/clock.ts';

export interface ContextOptions {
  /** Rule, or part of the run, on whose behalf requests are sent and objects are booked. */
  readonly name: string;
  readonly seed: number;
  readonly record: CaseRecord;
  /** Ends every request under way. */
  readonly signal?: AbortSignal;
  /** 0, or 1 when a case is run once more. */
  readonly attempt?: number;
}

/** What a case is given: everything it sends is recorded in `record`. */
export function openContext(
  session: Session,
  { name, seed, record, signal, attempt = 0 }: ContextOptions,
): CaseContext {
  const { profile, bookings, listeners } = session;
  const service = openTarget(new Post(session, record, name, signal));
  const unique = uniqueTexts(seed, name, attempt);
  const clock = openClock(session.time, record, signal);
  const registrations = openRegistrations({ service, profile, bookings, madeBy: name });
  const extensions = openExtensions({ listeners, registrations, profile, clock, record, unique });
  return {
    service,
    given: openGiven({ service, profile, bookings, unique, extensions }),
    registrations,
    triggers: openTriggers({ service, profile, unique }),
    clock,
    trace: async () => (await listeners.trace()).map(callFrom),
    expect: openExpect(record),
    notes: openNotes(record, profile.all),
    profile,
  };
}
