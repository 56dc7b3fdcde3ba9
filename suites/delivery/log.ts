import { schedule, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import { holdsWhole } from '../../judge/extension/call.ts';
import type { Triggered } from '../../judge/extension/extension.ts';
import { limitedTo } from './rate.ts';
import { always, first, sentTo } from './words.ts';

/** The log says what became of a delivery within it, in ms. */
const afterMs = 6000;

export const logCases = {
  'delivery.log.entries': schedule(10, async (context) => {
    const { clock, notes, triggers } = context;
    const events = await documentedEvents(context);
    await clock.pass(afterMs);
    const log = await triggers.log();
    if (log === undefined) notes.observe('route of the log', 'none named in the profile');
    else {
      notes.observe('status of the log', log.status, log);
      for (const [name, event] of Object.entries(events))
        notes.observe(`entries about ${name}`, told(log.json, event), log);
    }
  }),
} satisfies SomeCasesOf<'delivery'>;

/** One event for each kind of entry. Source: extensions, Errors 3; Events 3 */
async function documentedEvents(context: CaseContext): Promise<Readonly<Record<string, Triggered>>> {
  const { triggers, profile } = context;
  const limited = await limitedTo(context, 1);
  await limited.call({ about: await triggers.event(limited) });
  const excess = await triggers.event(limited);
  const transient = await sentTo(context, first({ status: 503 }));
  const endless = await sentTo(context, first({ status: 503 }), { record: { retryForever: true } });
  const timeout = await sentTo(context, always({ never: true }), { record: { requestTimeout: 1 } });
  const removed = await sentTo(context, always({ status: 404 }));
  const cancelled = await triggers.event(limited);
  if (profile.all.routes?.eventDelete !== undefined) await triggers.deleteEvent(cancelled);
  return {
    'an event beyond the rate limit': excess,
    'a transient error': transient.event,
    'a transient error that is retried for ever': endless.event,
    'a timeout': timeout.event,
    'an event that fails for good': removed.event,
    'an event that a user deletes': cancelled,
  };
}

/** The entries in which the id of the event stands, as their kinds where they name one. */
function told(log: unknown, { id, marker }: Triggered): string {
  const entries = entriesIn(log).filter((entry) =>
    [id, marker].some((text) => text !== undefined && holdsWhole(JSON.stringify(entry), text)),
  );
  if (entries.length === 0) return 'none';
  return entries.map((entry) => String(Reflect.get(Object(entry), 'kind') ?? 'of no kind')).join(', ');
}

/** A list, at the root or in one of the members. */
function entriesIn(log: unknown): readonly unknown[] {
  if (Array.isArray(log)) return log;
  return Object.values(Object(log)).find((value) => Array.isArray(value)) ?? [];
}
