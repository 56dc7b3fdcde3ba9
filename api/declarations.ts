import { catalogue } from '../suites/catalogue.ts';
import { aliases, rulesFormerly } from '../contract/aliases.ts';
import type { Declaration } from '../contract/profile/declaration.ts';
import type { Profile } from '../contract/profile.ts';
import type { ExpiredEntry, RunHeader } from '../judge/outcome.ts';
import { matches } from '../judge/run/glob.ts';

type Declared = Pick<RunHeader, 'notSupported' | 'knownFailures' | 'split' | 'expired'>;

/**
 * What the profile declares on the day of that moment (UTC, as 2027-01-31T12:00:00Z or the day alone): its reasons in words, and apart from them the entries whose last day is over.
 * A pattern under knownFailures stands for each rule that it names, so that everything it names has to fail.
 */
export function declaredOn(
  moment: string,
  { notSupported = {}, knownFailures = {}, identities }: Pick<Profile, 'notSupported' | 'knownFailures' | 'identities'>,
): Declared {
  const day = moment.slice(0, 'YYYY-MM-DD'.length);
  const expired = [...expiredIn('notSupported', notSupported, day), ...expiredIn('knownFailures', knownFailures, day)];
  const split = splitIn(Object.keys(knownFailures));
  return {
    notSupported: { ...narrowRoles(identities), ...ofToday(holding(notSupported, day)) },
    knownFailures: ruleByRule(holding(knownFailures, day), new Set(Object.keys(knownFailures))),
    ...(Object.keys(split).length > 0 && { split }),
    ...(expired.length > 0 && { expired }),
  };
}

/** Entries under former ids as entries under those of today, which win where both are there. */
function ofToday(entries: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const former = Object.entries(entries).flatMap(([entry, reason]) =>
    (rulesFormerly(entry) ?? []).map((rule) => [rule, `${reason} (by ${entry})`] as const),
  );
  const own = Object.entries(entries).filter(([entry]) => rulesFormerly(entry) === undefined);
  return Object.fromEntries([...former, ...own]);
}

/** The rules into which a rule was split that an entry names, each with the id of before. */
function splitIn(entries: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    entries.flatMap((entry) => {
      const rules = rulesFormerly(entry) ?? [];
      return rules.length > 1 ? rules.filter((rule) => !entries.includes(rule)).map((rule) => [rule, entry]) : [];
    }),
  );
}

/** A profile that states the methods of a role has said what the role does not offer. */
function narrowRoles(identities: Profile['identities']): Readonly<Record<string, string>> {
  const narrow = Object.entries(identities).filter(([, identity]) => identity.methods !== undefined);
  if (narrow.length === 0) return {};
  return {
    'role-methods': `${narrow.map(([name]) => `identities.${name}.methods`).join(' and ')} name all that there are`,
  };
}

/** @param stated entries of their own, which count before every pattern, even when they are over */
function ruleByRule(
  entries: Readonly<Record<string, string>>,
  stated: ReadonlySet<string>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(entries).flatMap(([entry, reason], index) => {
      if (!standsForOthers(entry)) return [[entry, reason]];
      const before = Object.keys(entries).slice(0, index);
      return rulesNamedBy(entry)
        .filter((rule) => !stated.has(rule) && !before.some((other) => matches(other, rule)))
        .map((rule) => [rule, `${reason} (by ${entry})`]);
    }),
  );
}

/** The rules that an entry of knownFailures is about; what is only observed cannot fail, and is none of a pattern's. */
export function rulesNamedBy(entry: string): readonly string[] {
  if (!entry.includes('*')) return rulesFormerly(entry) ?? [entry];
  const former = new Set<string>(Object.keys(aliases).flatMap((id) => (matches(entry, id) ? (aliases[id] ?? []) : [])));
  return catalogue.all
    .filter(({ id, level }) => level !== 'observe' && (matches(entry, id) || former.has(id)))
    .map(({ id }) => id);
}

/** Whether an entry is a pattern or an id of before, and no rule of today. */
export function standsForOthers(entry: string): boolean {
  return entry.includes('*') || rulesFormerly(entry) !== undefined;
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
