import { closest } from 'fastest-levenshtein';

/** A command line that cannot be carried out: ends with exit code 2 and its message. */
export class UsageError extends Error {
  readonly code = 'USAGE';
}

/** Says what was found and which known name comes nearest: one that contains it before one that is spelled alike. */
export function unknownName(kind: string, found: string, known: readonly string[]): string {
  const nearest = known.find((name) => name.includes(found)) ?? closest(found, known);
  return `Unknown ${kind} "${found}"; the nearest is "${nearest}".`;
}
