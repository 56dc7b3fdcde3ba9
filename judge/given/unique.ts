import { createHash } from 'node:crypto';

/**
 * Makes texts that differ from each other and from those of other cases; the same seed, name and mark give the same ones.
 * @param mark of the run, so that nothing which an earlier one left has the name of something new
 */
export function uniqueTexts(seed: number, name: string, attempt: number, mark = ''): (prefix?: string) => string {
  const stem = createHash('sha256').update(`${seed} ${name} ${attempt}${mark}`).digest('hex').slice(0, 8);
  let count = 0;
  return (prefix = 'text') => {
    count += 1;
    return `${prefix}-${stem}-${count}`;
  };
}

/** The value with `{{unique}}` in each of its texts replaced by a fresh one. */
export function withUnique<T>(value: T, unique: () => string): T {
  return expanded(value, unique) as T;
}

function expanded(value: unknown, unique: () => string): unknown {
  if (typeof value === 'string') return value.replaceAll('{{unique}}', () => unique());
  if (Array.isArray(value)) return value.map((item: unknown) => expanded(item, unique));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, expanded(member, unique)]));
}
