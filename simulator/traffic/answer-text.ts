/** Longest answer that is taken, in bytes; what comes beyond is an error of its own. */
export const mostBodyBytes = 64 * 1024 * 1024;

/** A body as journeys see it: text, or of a download one character a byte. */
export function textOf(pieces: readonly Buffer[], isBinary: boolean): string {
  const [first] = pieces;
  if (first === undefined) return '';
  return (pieces.length === 1 ? first : Buffer.concat(pieces)).toString(isBinary ? 'latin1' : 'utf8');
}
