const looseTilde = /~(?![01])/;

/**
 * The reference tokens of a JSON Pointer, decoded; undefined where the text is no JSON Pointer.
 * Source: RFC 6901, sections 3 and 4.
 */
export function pointerTokens(path: string): readonly string[] | undefined {
  if (path === '') return [];
  if (!path.startsWith('/') || looseTilde.test(path)) return undefined;
  return path.slice(1).split('/').map(decodedToken);
}

/** The order matters: `~01` is a tilde followed by 1, not a slash. */
function decodedToken(token: string): string {
  return token.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** The pointer to a member, or to the item at a position, of what `pointer` names. */
export function pointerBelow(pointer: string, name: string | number): string {
  return `${pointer}/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
