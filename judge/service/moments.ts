const minute = 60_000;
const zoned = /T.*(?:Z|[+-]\d\d:?\d\d)$/i;
/** A day with a time behind it, without a zone, to the second or below. */
const unzoned = /^\d{4,}-?\d\d-?\d\d[T ]\d\d:?\d\d(?::?\d\d(?:[.,]\d+)?)?$/i;

/**
 * The moment that a date in an answer shows, in whichever of the usual forms: RFC 3339 in the extended or the basic form of ISO 8601, with
 * the name of a zone behind it or with none, a count of seconds or of milliseconds, or the list of year, month, day and so on. Where a form
 * leaves it open which of several moments is meant, that of `near` if it is one of them. What is no such form is undefined.
 */
export function momentIn(seen: unknown, near: number): number | undefined {
  if (typeof seen === 'number') return seen * 1000 === near ? near : seen;
  if (Array.isArray(seen)) return nearest(momentOfList(seen), near);
  if (typeof seen !== 'string') return undefined;
  const text = seen.trim().replace(/\[[^\]]+\]$/, '');
  const extended = text
    .replace(/^(\d{4})(\d\d)(\d\d)(?=[T ]|$)/i, '$1-$2-$3')
    .replace(/([T ]\d\d)(\d\d)(\d\d)?(?=[^\d:]|$)/i, (_, hours: string, minutes: string, seconds = '00') =>
      [hours, minutes, seconds].join(':'),
    );
  if (unzoned.test(extended)) return nearest(Date.parse(`${extended.replace(' ', 'T').replace(',', '.')}Z`), near);
  const time = Date.parse(zoned.test(extended) ? extended.replace(',', '.') : text);
  return Number.isNaN(time) ? undefined : time;
}

/** A time without a zone is that of the service: off by no more than zones are, in steps of theirs. */
function nearest(time: number | undefined, near: number): number | undefined {
  if (time === undefined || Number.isNaN(time)) return undefined;
  const off = Math.abs(time - near);
  return off <= 14 * 60 * minute && off % (15 * minute) === 0 ? near : time;
}

function momentOfList(list: readonly unknown[]): number | undefined {
  if (list.length < 3 || list.length > 7 || !list.every((part) => Number.isInteger(part))) return undefined;
  const [year = 0, month = 0, day = 0, hours = 0, minutes = 0, seconds = 0, nanoseconds = 0] = list.map(Number);
  return (
    new Date(0).setUTCFullYear(year, month - 1, day) +
    ((hours * 60 + minutes) * 60 + seconds) * 1000 +
    nanoseconds / 1e6
  );
}
