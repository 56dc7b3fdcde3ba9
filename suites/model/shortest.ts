/** A list that fails, and the place of the item at which it failed. */
export interface Failing<T> {
  readonly items: readonly T[];
}

/**
 * The list with every item left out without which it still fails: no single one of those that are left can go.
 * @param fails tells for a list whether it fails; asked at most `mostTries` times
 */
export async function shortest<T>(items: readonly T[], fails: (items: readonly T[]) => Promise<boolean>, mostTries: number): Promise<readonly T[]> {
  let left = items;
  let tries = 0;
  for (let size = Math.max(1, left.length >> 1); size >= 1 && tries < mostTries; ) {
    const before = left.length;
    for (let at = left.length - size; at >= 0 && tries < mostTries; at -= size) {
      const candidate = left.toSpliced(at, size);
      tries += 1;
      if (await fails(candidate)) left = candidate;
    }
    if (left.length === before || size > left.length) size = size === 1 && left.length === before ? 0 : Math.max(size >> 1, 1);
  }
  return left;
}
