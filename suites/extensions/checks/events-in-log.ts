import type { CaseContext } from '../../../judge/case.ts';
import type { Reply } from '../../../judge/exchange.ts';
import { holdsWhole } from '../../../judge/extension/call.ts';
import type { Triggered } from '../../../judge/extension/triggers.ts';
import type { Sent } from './delivery-attempts.ts';

/** What is logged is shown within it, in ms. */
const loggedWithinMs = 500;

/** Looks at the log for what is told of calls that have just ended, one after the other: time must not go on meanwhile. */
const mostLooks = 20;

/** What became of an event that a user deletes. */
export interface Deleted {
  readonly reply: Reply;
  /** Entries about it that have come into the log since; undefined where no log is read, or where it does not name events. */
  readonly added?: number | undefined;
}

/** Entries of the log about a deleted event and about one beside it, as texts. */
export interface Logged {
  readonly own: readonly string[];
  readonly other: readonly string[];
}

type AboutTwo = Readonly<Record<keyof Logged, Pick<Sent, 'event'>>>;

/** Nothing where the profile binds no log. */
async function readLog({ triggers }: CaseContext, about: AboutTwo): Promise<Logged | undefined> {
  const log = await triggers.log();
  if (log === undefined) return undefined;
  return { own: textsAbout(log, about.own.event), other: textsAbout(log, about.other.event) };
}

/** As it tells of so many failures at least: one of which it told only later would pass for the deletion. */
export async function readLogAfter(
  context: CaseContext,
  failures: number,
  about: AboutTwo,
): Promise<Logged | undefined> {
  let found = await readLog(context, about);
  for (let looks = 1; looks < mostLooks && found !== undefined && found.own.length < failures; looks += 1)
    found = await readLog(context, about);
  return found;
}

/** An entry may name the record that was called, and what is told of a user's deletion the event alone. */
function textsAbout({ json }: Reply, { id, marker }: Sent['event']): readonly string[] {
  return entriesNaming(json, [id, marker]).map((entry) => JSON.stringify(entry));
}

/** Deletes an event, and tells later how many entries about it have come since. */
export async function deleteLogged(
  { triggers, clock }: CaseContext,
  event: Sent['event'],
): Promise<{ readonly reply: Reply; added(): Promise<number | undefined> }> {
  const log = await triggers.log();
  const before = log && textsAbout(log, event);
  const reply = await triggers.deleteEvent(event);
  const added = async (): Promise<number | undefined> => {
    const after = await triggers.log();
    if (before === undefined || after === undefined) return undefined;
    return textsAbout(after, event).filter((entry) => !before.includes(entry)).length;
  };
  return { reply, added: () => clock.look(loggedWithinMs, added, (count) => count === undefined || count > 0) };
}

/**
 * Entries that a deletion has left in a log that names what it tells of: it showed the failures before, shows them still, and shows a later
 * one of another event. How a log is read is not said, nor whether deletions stand in the one that tells of calls. Source: ledger log-access
 */
export async function entriesOfDeletion(
  context: CaseContext,
  about: AboutTwo,
  before: Logged | undefined,
): Promise<number | undefined> {
  if (before === undefined) return undefined;
  const added = (after: Logged, which: keyof Logged): readonly string[] =>
    after[which].filter((entry) => !before[which].includes(entry));
  const after = await context.clock.look(
    loggedWithinMs,
    () => readLog(context, about),
    (now) => now === undefined || added(now, 'own').length > 0,
  );
  if (after === undefined) return undefined;
  const isTelling =
    before.own.length > 0 && before.own.every((entry) => after.own.includes(entry)) && added(after, 'other').length > 0;
  context.notes.observe('the log names the events that it tells of', isTelling);
  if (!isTelling) return undefined;
  return added(after, 'own').length;
}

/** The entries about the event, as their kinds where they name one. */
export function entriesAbout(log: unknown, { id, marker }: Triggered): string {
  const entries = entriesNaming(log, [id, marker]);
  if (entries.length === 0) return 'none';
  return entries.map((entry) => String(Reflect.get(Object(entry), 'kind') ?? 'of no kind')).join(', ');
}

/** The entries in which one of the texts stands. */
function entriesNaming(log: unknown, texts: readonly (string | undefined)[]): readonly unknown[] {
  return entriesIn(log).filter((entry) =>
    texts.some((text) => text !== undefined && holdsWhole(JSON.stringify(entry), text)),
  );
}

/** A list, at the root or in one of the members. */
function entriesIn(log: unknown): readonly unknown[] {
  if (Array.isArray(log)) return log;
  return Object.values(Object(log)).find((value) => Array.isArray(value)) ?? [];
}
