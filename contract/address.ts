/** An address or a path without the slashes at its end: to go on from, or to compare with others. */
export function withoutSlash(address = ''): string {
  return address.replace(/\/+$/, '');
}

/** Whether an address on the host of a base URL lacks the path of that. */
export function lacksBasePath(url: string, baseUrl: string): boolean {
  const base = basePathOf(baseUrl);
  const { origin, pathname } = new URL(url, baseUrl);
  return origin === new URL(baseUrl).origin && !`${pathname}/`.startsWith(`${base}/`);
}

/** What stands in the path of an address before what counts from it on; empty where it names no path. */
export function basePathOf(url: string): string {
  return withoutSlash(new URL(url).pathname);
}
