import type { Reply } from '../exchange.ts';
import type { EntriesOptions, Given, Owner, Port, Thing } from '../given.ts';
import type { BoundProfile } from '../profile.ts';
import type { Target } from '../target.ts';
import { allEntries, firstEntries, totalOf } from '../target/all-entries.ts';
import { isRecord } from '../target/entry.ts';
import { PreconditionFailed } from '../violation.ts';

/** Body of an object whose array port holds entries with these texts. */
export function bodyWithEntries(texts: readonly string[], options: EntriesOptions, given: Given, profile: BoundProfile): Record<string, unknown> {
  const { port } = profile;
  const { members = () => ({}), nested, second } = options;
  const inside = nested === undefined ? () => ({}) : (index: number) => nestedEntries(nested(index), given, port);
  const entries = texts.map((text, index) => given.entry(text, { ...members(index), ...inside(index) }));
  return { [port.member]: entries, ...(second !== undefined && secondEntries(second, given, profile)), ...options.body };
}

function nestedEntries(count: number, given: Given, port: Port): Record<string, unknown> {
  const { nested } = port;
  if (nested === undefined) throw new Error('the case uses nested entries, which the profile lacks: its rule does not name the need');
  const items = Array.from({ length: count }, () => ({ ...nested.entry, [nested.text]: given.unique('nested') }));
  return { [nested.member]: items };
}

function secondEntries(count: number, given: Given, { secondPort }: BoundProfile): Record<string, unknown> {
  return { [secondPort.member]: Array.from({ length: count }, () => given.entry(given.unique('second'), {}, secondPort)) };
}

/**
 * Proves that the array holds the entries sent. Any of three signs is enough, because each of them is what some rule judges: the first
 * read shows them all, the page link counts them, or the pages together show them all.
 */
export async function proveEntries(service: Target, thing: Thing, port: Port, texts: readonly string[], read: Reply): Promise<Owner> {
  const first = firstEntries(read, port);
  const isProved = shown(first, port, texts) === texts.length || totalOf(read, port) === texts.length;
  if (!isProved && shown(await allEntries(service, thing, port, read), port, texts) !== texts.length) {
    throw new PreconditionFailed(`an object whose array ${port.member} holds the ${texts.length} entries it was created with`, read, [
      'paging.instance-read.short-array-complete',
      'paging.link.total-number',
      'paging.page.documented-route-served',
      'paging.pages.cover-array-once',
    ]);
  }
  return { ...thing, port, texts };
}

function shown(entries: readonly unknown[], port: Port, texts: readonly string[]): number {
  const seen = new Set(entries.map((entry) => (isRecord(entry) ? entry[port.text] : undefined)));
  return texts.filter((text) => seen.has(text)).length;
}
