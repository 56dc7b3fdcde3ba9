import type { Profile } from '../../contract/profile.ts';

/** An address that is absolute, names another host by the same scheme (`//host/…`), or stands from the base URL on. */
export function absoluteUrl(profile: Pick<Profile, 'baseUrl'>, url: string): string {
  if (/^https?:\/\//i.test(url)) return url;
  if (url.startsWith('//') && URL.canParse(url, profile.baseUrl)) return new URL(url, profile.baseUrl).href;
  const base = profile.baseUrl.replace(/\/+$/, '');
  return url.startsWith('/') ? base + url : `${base}/${url}`;
}
