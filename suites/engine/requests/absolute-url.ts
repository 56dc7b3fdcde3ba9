import type { Profile } from '../../../contract/profile.ts';

/** An address that is absolute or stands from the base URL on. */
export function absoluteUrl(profile: Pick<Profile, 'baseUrl'>, url: string): string {
  if (/^https?:\/\//i.test(url)) return url;
  const base = profile.baseUrl.replace(/\/+$/, '');
  return url.startsWith('/') ? base + url : `${base}/${url}`;
}
