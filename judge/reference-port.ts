import type { SoftTypeProfile } from '../contract/profile.ts';
import { isObject } from './json.ts';

/** The member of a body that holds these references, in the form of the port; none where a port for one holds none. */
export function membersWith(
  reference: Pick<NonNullable<SoftTypeProfile['reference']>, 'port' | 'single'> | undefined,
  entries: readonly unknown[],
): Readonly<Record<string, unknown>> {
  const { port = '', single = false } = reference ?? {};
  if (!single) return { [port]: entries };
  return entries.length === 0 ? {} : { [port]: entries[0] };
}

/** What a reference port shows, whether it holds one entry or an array. */
export function referencesIn(shown: unknown): readonly unknown[] {
  if (Array.isArray(shown)) return shown;
  return isObject(shown) ? [shown] : [];
}
