/**
 * The list with every item left out without which it still fails, so that no single one of those left can go.
 * @param fails whether a list fails; a search that lasts too long ends when it says no
 */
export async function findShortest<T>(
  items: readonly T[],
  fails: (items: readonly T[]) => Promise<boolean>,
): Promise<readonly T[]> {
  let left = items;
  let size = Math.max(1, items.length >> 1);
  for (;;) {
    const less = await leavingOut(left, size, fails);
    if (less.length === left.length && size === 1) return left;
    if (less.length === left.length) size >>= 1;
    left = less;
  }
}

/** Tries to go without each run of `size` items, the last ones first: what happens late is most often needless. */
async function leavingOut<T>(
  items: readonly T[],
  size: number,
  fails: (items: readonly T[]) => Promise<boolean>,
): Promise<readonly T[]> {
  let left = items;
  for (let at = left.length - size; at >= 0; at -= size) {
    const candidate = left.toSpliced(at, size);
    if (await fails(candidate)) left = candidate;
  }
  return left;
}

/** The value after every change under which it still fails. */
export async function findSimplest<T>(
  value: T,
  changes: readonly ((value: T) => T)[],
  fails: (value: T) => Promise<boolean>,
): Promise<T> {
  let simple = value;
  for (const change of changes) {
    const candidate = change(simple);
    if (await fails(candidate)) simple = candidate;
  }
  return simple;
}
