export interface Found<F> {
  readonly index: number;
  readonly found: F;
}

/**
 * Looks at values in order, `width` at a time, and at none after one was found. Of those found, the first in order: the same one each time.
 * What a look throws is thrown when all under way have ended, unless one of them found something.
 */
export async function firstFound<T, F>(
  values: readonly T[],
  width: number,
  look: (value: T) => Promise<F | undefined>,
): Promise<Found<F> | undefined> {
  const found: Found<F>[] = [];
  const obstacles: unknown[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < values.length && found.length + obstacles.length === 0) {
      const index = next;
      next += 1;
      const seen = await look(values[index] as T);
      if (seen !== undefined) found.push({ index, found: seen });
    }
  };
  const guarded = (): Promise<void> => lane().catch((error: unknown) => void obstacles.push(error));
  await Promise.all(Array.from({ length: width }, guarded));
  if (found.length === 0 && obstacles.length > 0) throw obstacles[0];
  return found.toSorted((one, other) => one.index - other.index)[0];
}
