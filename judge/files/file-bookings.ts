import type { Bookings } from '../bookings.ts';
import type { BoundProfile } from '../profile.ts';
import { absoluteUrl } from '../requests/absolute-url.ts';
import type { FileArea, Raw } from './files.ts';
import { filePath } from './paths.ts';

/** Notes which files there are to delete in the end. */
export interface FileBookings {
  book(area: FileArea, path: string, raw?: Raw): void;
  /** The file is gone. */
  drop(area: FileArea, path: string, raw?: Raw): void;
}

/** @param madeBy on whose behalf files are booked */
export function fileBookings(bookings: Bookings, profile: BoundProfile, madeBy: string): FileBookings {
  const uriOf = (area: FileArea, path: string, raw?: Raw): string =>
    absoluteUrl(profile.all, filePath(area, path, raw));
  return {
    book: (area, path, raw) => {
      const uri = uriOf(area, path, raw);
      const read = { method: 'GET', url: uri, as: area.as };
      bookings.book({ uri, madeBy, read, remove: { ...read, method: 'DELETE' }, isEvidence: true });
    },
    drop: (area, path, raw) => bookings.drop(uriOf(area, path, raw), area.as),
  };
}
