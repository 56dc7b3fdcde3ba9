import type { Reply } from '../exchange.ts';
import type { EntriesOptions, Given, Owner, Port, Thing } from '../given.ts';
import type { BoundProfile } from '../profile.ts';
import type { Target } from '../target.ts';
import { entriesByPage, firstEntries, totalOf } from '../target/all-entries.ts';
import { isRecord } from '../target/entry.ts';
import { PreconditionFailed } from '../violation.ts';

/** Body of an object whose array port holds entries with these texts. */
export function bodyWithEntries(
  texts: readonly string[],
  options: EntriesOptions,
  given: Given,
  profile: BoundProfile,
): Record<string, unknown> {
  const { port } = profile;
  const { members = () => ({}), nested, second } = options;
  const inside = nested === undefined ? () => ({}) : (index: number) => nestedEntries(nested(index), given, port);
  const entries = texts.map((text, index) => given.entry(text, { ...members(index), ...inside(index) }));
  return {
    [port.member]: entries,
    ...(second !== undefined && secondEntries(second, given, profile)),
    ...options.body,
  };
}

function nestedEntries(count: number, given: Given, port: Port): Record<string, unknown> {
  const { nested } = port;
  if (nested === undefined)
    throw new Error('the case uses nested entries, which the profile lacks: its rule does not name the need');
  const items = Array.from({ length: count }, () => ({ ...nested.entry, [nested.text]: given.unique('nested') }));
  return { [nested.member]: items };
}

function secondEntries(count: number, given: Given, { secondPort }: BoundProfile): Record<string, unknown> {
  return {
    [secondPort.member]: Array.from({ length: count }, () => given.entry(given.unique('second'), {}, secondPort)),
  };
}

/**
 * Proves that the array holds the entries sent. Any of four signs is enough, because each of them is what some rule judges: the first
 * read shows them all, the page link counts them, the pages together or page 0 alone show them all.
 */
export async function proveEntries(
  service: Target,
  thing: Thing,
  port: Port,
  texts: readonly string[],
  read: Reply,
): Promise<Owner> {
  const owner = { ...thing, port, texts };
  if (totalOf(read, port) === texts.length || showsAll(firstEntries(read, port), owner)) return owner;
  if (showsAll(await entriesByPage(service, thing, port, read), owner)) return owner;
  if (showsAll(entriesOnPage(await service.page(thing, 0, { port })), owner)) return owner;
  throw new PreconditionFailed(
    `an object whose array ${port.member} holds the ${texts.length} entries it was created with`,
    read,
    [
      'paging.instance-read.short-array-complete',
      'paging.link.total-number',
      'paging.page.documented-route-served',
      'paging.pages.cover-array-once',
      'reading.body.data-is-object',
    ],
  );
}

/** Whether as many entries as were sent are there, with every text that was sent. */
function showsAll(entries: readonly unknown[], { port, texts, body }: Owner): boolean {
  const seen = new Set(textsIn(entries, port));
  return entries.length >= texts.length && textsIn(body[port.member], port).every((text) => seen.has(text));
}

function entriesOnPage({ status, json }: Reply): readonly unknown[] {
  const data = status === 200 && isRecord(json) ? json['data'] : undefined;
  return Array.isArray(data) ? data : [];
}

function textsIn(entries: unknown, port: Port): readonly string[] {
  if (!Array.isArray(entries)) return [];
  return entries.flatMap((entry: unknown) =>
    isRecord(entry) && typeof entry[port.text] === 'string' ? [String(entry[port.text])] : [],
  );
}
