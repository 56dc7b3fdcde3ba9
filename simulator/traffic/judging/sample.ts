/** Chooses a share of texts, the same ones in every run. */
export function sampler(ratio: number): (key: string) => boolean {
  if (ratio >= 1) return () => true;
  const limit = ratio * 2 ** 32;
  return (key) => hashOf(key) < limit;
}

/** FNV-1a with a last mixing, so that near texts fall far apart. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}
