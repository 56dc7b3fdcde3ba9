import { jsonOf } from './json.ts';

const deepest = 6;

/** A JSON value as short text for a message: at most `limit` characters, deep parts left out. */
export function describe(value: unknown, limit = 400): string {
  if (value === undefined) return 'nothing';
  const text = written(value, 0, limit);
  return text.length > limit ? `${text.slice(0, limit)}… (${text.length > limit * 2 ? 'much ' : ''}longer)` : text;
}

/** The body of an answer as short text: JSON as JSON, anything else in quotes. */
export function describeBody(body: string, limit: number): string {
  const value = jsonOf(body);
  return describe(typeof value === 'object' && value !== null ? value : body, limit);
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
  const names = Object.keys(value);
  return listed(
    names,
    '{',
    '}',
    depth,
    budget,
    (name): unknown => Reflect.get(value, name),
    (name) => `${JSON.stringify(name)}: `,
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

// C0, C1, line separators, marks that change the direction of text, zero-width characters and halves of surrogate pairs.
const unprintable =
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** The text with everything escaped that a terminal or a page would act upon. */
export function toPlainText(text: string): string {
  return text.replaceAll(
    unprintable,
    (character) => short[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** At most `limit` characters; a cut is marked. */
export function cutText(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit)}… (cut; ${text.length} characters)`;
}

/** Makes texts printable and cuts them to that many characters. */
export function printableUpTo(limit: number): (text: string) => string {
  return (text) => cutText(toPlainText(text), limit);
}
