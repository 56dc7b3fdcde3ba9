const rfc3339 =
  /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt](?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** RFC 3339 text, in UTC with milliseconds, of a wall time in ms since the epoch. */
export function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/** Whether a value is the text of a time that exists. Source: RFC 3339 section 5.6 */
export function isRfc3339(value: unknown): value is string {
  if (typeof value !== 'string') return false;
  const [, year, month, day] = rfc3339.exec(value) ?? [];
  return day !== undefined && Number(day) <= daysOf(Number(year), Number(month));
}

/** Days of a month, which counts from 1: day 0 of the next month is its last. */
function daysOf(year: number, month: number): number {
  return new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();
}
