/** Cuts a list into pieces of those lengths; the last length holds for the rest. */
export function portionsOf<T>(items: readonly T[], lengths: readonly number[]): readonly (readonly T[])[] {
  const portions: (readonly T[])[] = [];
  let from = 0;
  while (from < items.length) {
    const length = lengths[Math.min(portions.length, lengths.length - 1)] ?? items.length;
    portions.push(items.slice(from, from + length));
    from += length;
  }
  return portions;
}
