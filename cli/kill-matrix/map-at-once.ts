/** Maps in order of the items, at most `width` at a time. */
export async function mapAtOnce<T, R>(
  items: readonly T[],
  width: number,
  map: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results = new Map<number, R>();
  const open = [...items.entries()];
  const worker = async (): Promise<void> => {
    for (let next = open.shift(); next !== undefined; next = open.shift()) results.set(next[0], await map(next[1]));
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker));
  return [...results].toSorted(([one], [other]) => one - other).map(([, result]) => result);
}
