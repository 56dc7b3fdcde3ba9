/** RFC 3339 text, in UTC with milliseconds, of a wall time in ms since the epoch. */
export function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
