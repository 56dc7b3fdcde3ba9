import type { Profile } from '../../contract/profile.ts';
import type { FileArea, Raw } from './files.ts';

/** A path as it stands in a URL: each segment percent-encoded, unless it is ready. */
export function spelled(path: string, { raw = false }: Raw = {}): string {
  if (raw) return path;
  return path
    .split('/')
    .map((segment) => encodeURIComponent(segment.toWellFormed()))
    .join('/');
}

/** Path of a file, from the base URL on. Source: extensions, File routes, rows 3 and 4 */
export function filePath(area: FileArea, path: string, raw?: Raw): string {
  return `${area.path}/${spelled(path, raw)}`;
}

/** Path of a listing, from the base URL on: as the profile has it, else as the document names the route. Source: ledger dir-listing */
export function listingPath({ files }: Pick<Profile, 'files'>, area: FileArea, path: string): string {
  const base = area.path.replace(/\/file$/, '');
  if (files?.dir !== undefined) return files.dir.replaceAll('{area}', () => base).replaceAll('{path}', () => path);
  return path === '' ? `${base}/dir` : `${base}/dir/${path}`;
}
