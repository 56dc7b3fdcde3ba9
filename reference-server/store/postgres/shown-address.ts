/** The address without what may be secret in it; undefined where it is none, or where it cannot be told what is. */
export function shownAddress(url: string): string | undefined {
  const [, scheme, authority = '', path = ''] = /^(postgres(?:ql)?):\/\/([^/?#]*)([^?#]*)/.exec(url) ?? [];
  if (scheme === undefined || url.slice(scheme.length + 3 + authority.length).includes('@')) return undefined;
  const at = authority.lastIndexOf('@');
  const [user = ''] = authority.slice(0, Math.max(at, 0)).split(':', 1);
  return `${scheme}://${user === '' ? '' : `${user}@`}${authority.slice(at + 1)}${path}`;
}
