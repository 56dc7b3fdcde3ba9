/** An address or a path without the slashes at its end: to go on from, or to compare with others. */
export function withoutSlash(address = ''): string {
  return address.replace(/\/+$/, '');
}

/** What stands in the path of an address before what counts from it on; empty where it names no path. */
export function basePathOf(url: string): string {
  return withoutSlash(new URL(url).pathname);
}
