const deepest = 6;

/** A JSON value as short text for a message: at most `limit` characters, deep parts left out. */
export function describe(value: unknown, limit = 400): string {
  if (value === undefined) return 'nothing';
  const text = written(value, 0, limit);
  return text.length > limit ? `${text.slice(0, limit)}… (${text.length > limit * 2 ? 'much ' : ''}longer)` : text;
}

function written(value: unknown, depth: number, budget: number): string {
  if (typeof value === 'string') return JSON.stringify(value.length > budget ? `${value.slice(0, budget)}…` : value);
  if (typeof value !== 'object' || value === null) return typeof value === 'symbol' ? value.toString() : String(value);
  if (value instanceof Uint8Array) return `${value.byteLength} bytes`;
  if (depth >= deepest) return Array.isArray(value) ? '[…]' : '{…}';
  return Array.isArray(value)
    ? listed(value, '[', ']', depth, budget, (item) => item)
    : objectWritten(value, depth, budget);
}

function objectWritten(value: object, depth: number, budget: number): string {
  return listed(
    Object.entries(value),
    '{',
    '}',
    depth,
    budget,
    ([, member]) => member,
    ([name]) => `${JSON.stringify(name)}: `,
  );
}

function listed<T>(
  items: readonly T[],
  open: string,
  close: string,
  depth: number,
  budget: number,
  valueOf: (item: T) => unknown,
  nameOf: (item: T) => string = () => '',
): string {
  let text = open;
  for (const [index, item] of items.entries()) {
    if (text.length > budget) return `${text}, … ${items.length - index} more${close}`;
    text += `${index === 0 ? '' : ', '}${nameOf(item)}${written(valueOf(item), depth + 1, budget - text.length)}`;
  }
  return text + close;
}
