import type { Port } from '../given.ts';
import type { Entry } from '../target.ts';

/** An entry reduced to its known members, nested entries likewise. */
export function entryOf(raw: unknown, known: readonly string[], port?: Pick<Port, 'nested'>): Entry {
  const source = isRecord(raw) ? raw : {};
  return {
    entryId: String(source['$entryId'] ?? ''),
    members: { ...picked(source, known), ...nestedOf(source, port) },
  };
}

/** Nested entries as read, at most as many as the first read shows: known members and `$entryId` as text. */
function nestedOf(source: Readonly<Record<string, unknown>>, port?: Pick<Port, 'nested'>): Record<string, unknown> {
  const nested = port?.nested;
  const items = nested === undefined ? undefined : source[nested.member];
  if (nested === undefined || !Array.isArray(items) || items.length === 0) return {};
  return {
    [nested.member]: items.map((item: unknown) => nestedEntryOf(item, [...Object.keys(nested.entry), nested.text])),
  };
}

function nestedEntryOf(raw: unknown, known: readonly string[]): Readonly<Record<string, unknown>> {
  const { entryId, members } = entryOf(raw, known);
  return { $entryId: entryId, ...members };
}

/** The own members of these names. */
export function picked(source: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.filter((name) => Object.hasOwn(source, name)).map((name) => [name, source[name]]));
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An integer, also where it is written as text: how it is written is judged by rules of their own. */
export function plainInteger(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(number) ? Number(number) : undefined;
}
