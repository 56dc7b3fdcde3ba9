import type { Profile } from '../../contract/profile.ts';
import type { BulkLevel } from './bulk.ts';

export const bulkLevels: readonly BulkLevel[] = ['collection', 'space', 'participant'];

/** Paths of the bulk upload routes, as they are signed; that of the participant where the profile has one. Source: extensions, File routes, rows 5 to 7 */
export function bulkPaths({ bulk, space, participant }: Profile): Readonly<Record<BulkLevel, string | undefined>> {
  const root = `${bulk?.routePrefix ?? ''}/admin/fileupload`;
  const inSpace = `${root}/${encodeURIComponent(space)}`;
  return {
    collection: root,
    space: inSpace,
    participant: participant === undefined ? undefined : `${inSpace}/${encodeURIComponent(participant)}`,
  };
}

/** Name of the variable that stands for the signature over one of them. */
export function bulkSignature(level: BulkLevel): string {
  return `BULK_SIGNATURE_${level.toUpperCase()}`;
}
