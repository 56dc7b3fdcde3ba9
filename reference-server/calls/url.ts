/**
 * The URL of a route below a host, the two joined by one slash, as a request line has it: encoded, dot segments resolved.
 * Source: extensions, Calls to extensions; ledger endpoint-joining
 * @param base an absolute URL without query
 */
export function joinedUrl(base: string, route: string): string {
  const url = new URL(`${base.replace(/\/+$/, '')}/${route.replace(/^\/+/, '')}`);
  url.hash = '';
  return url.href;
}

/**
 * The URL with one more parameter behind the query that it has, which stays as it is; without its fragment.
 * Source: extensions, Registered trusted external endpoint; ledger endpoint-body-and-query
 */
export function withParameter(url: string, name: string, value: string): string {
  const [bare = ''] = url.split('#', 1);
  return `${bare}${separatorAfter(bare)}${name}=${encodeURIComponent(value)}`;
}

function separatorAfter(url: string): string {
  if (!url.includes('?')) return '?';
  return /[?&]$/.test(url) ? '' : '&';
}
