import type { Declaration } from '../../contract/profile/declaration.ts';
import type { Profile } from '../../contract/profile.ts';
import type { ExpiredEntry, RunHeader } from '../../suites/engine/outcome.ts';

type Declared = Pick<RunHeader, 'notSupported' | 'knownFailures' | 'expired'>;

/** What the profile declares on that day (UTC, as 2027-01-31): its reasons in words, and apart from them the entries whose last day is over. */
export function declaredOn(
  day: string,
  { notSupported = {}, knownFailures = {} }: Pick<Profile, 'notSupported' | 'knownFailures'>,
): Declared {
  const expired = [...expiredIn('notSupported', notSupported, day), ...expiredIn('knownFailures', knownFailures, day)];
  return {
    notSupported: holding(notSupported, day),
    knownFailures: holding(knownFailures, day),
    ...(expired.length > 0 && { expired }),
  };
}

function holding(entries: Readonly<Record<string, Declaration>>, day: string): Readonly<Record<string, string>> {
  const kept = Object.entries(entries).filter(([, entry]) => !isOver(entry, day));
  return Object.fromEntries(kept.map(([name, entry]) => [name, wordsOf(entry)]));
}

function expiredIn(
  list: ExpiredEntry['list'],
  entries: Readonly<Record<string, Declaration>>,
  day: string,
): ExpiredEntry[] {
  return Object.entries(entries).flatMap(([name, entry]) =>
    isOver(entry, day) ? [{ list, entry: name, reason: entry.reason, until: entry.until }] : [],
  );
}

function isOver(entry: Declaration, day: string): entry is { readonly reason: string; readonly until: string } {
  return typeof entry !== 'string' && entry.until !== undefined && entry.until < day;
}

function wordsOf(entry: Declaration): string {
  if (typeof entry === 'string') return entry;
  return entry.until === undefined ? entry.reason : `${entry.reason} (until ${entry.until})`;
}
