import { jsonOf } from '../../contract/json.ts';

/** Beyond it a body stands as it came; of a longer one little is shown anyway. */
const longest = 50_000;
const lineWidth = 64;
/** Below that there are more blanks than text. */
const deepest = 40;

/** What stands behind a body that was recorded in part. */
const cutMark = /… \(cut; \d+ (?:bytes|characters)\)$/;
const token = /"(?:[^"\\]|\\.)*"?|[[\]{},:]|[^[\]{},:"\s]+/gs;
const scalar = /^(?:".*|-?\d[\d.eE+-]*|true|false|null)$/s;

/** A scalar as it is written, or what stands in brackets, which are open where the text was cut off. */
type Value = string | Bracketed;
interface Bracketed {
  readonly bracket: '{' | '[';
  readonly items: readonly Item[];
  readonly isOpen: boolean;
}
interface Item {
  /** With the colon behind it, where the text goes so far. */
  readonly name?: string;
  /** undefined where the text was cut off before it. */
  readonly value: Value | undefined;
}

const closing = { '{': '}', '[': ']' } as const;

/** JSON as people set it, each text and number as it came, with what fits a line on one, also where its end was cut off; any other text as it is. */
export function laidOut(body: string): string {
  if (body.length > longest || !/^\s*[[{]/.test(body)) return body;
  const [mark = ''] = cutMark.exec(body) ?? [];
  if (mark === '' && jsonOf(body) === undefined) return body;
  const tokens = body.slice(0, body.length - mark.length).matchAll(token);
  try {
    const value = valueOf({ next: () => tokens.next().value?.[0] }, 0);
    return value === undefined ? body : `${written(value, '')}${mark}`;
  } catch (error) {
    if (error instanceof NoJson) return body;
    throw error;
  }
}

/** Not JSON as far as it goes, or deeper than anybody would read it. */
class NoJson extends Error {}

interface Tokens {
  readonly next: () => string | undefined;
}

/** The value that begins there; undefined at the end. @throws {NoJson} */
function valueOf(tokens: Tokens, depth: number, first = tokens.next()): Value | undefined {
  if (first === undefined) return undefined;
  if (first !== '{' && first !== '[') {
    if (!scalar.test(first)) throw new NoJson();
    return first;
  }
  if (depth === deepest) throw new NoJson();
  const items: Item[] = [];
  const close = closing[first];
  for (let next = tokens.next(); next !== close || items.length > 0; next = tokens.next()) {
    const item = next === undefined ? undefined : itemOf(tokens, depth, { bracket: first, next });
    if (item !== undefined) items.push(item);
    const end = isCut(item?.value) ? undefined : tokens.next();
    if (end === close) break;
    if (end === undefined) return { bracket: first, items, isOpen: true };
    if (end !== ',') throw new NoJson();
  }
  return { bracket: first, items, isOpen: false };
}

function itemOf(
  tokens: Tokens,
  depth: number,
  { bracket, next }: { readonly bracket: '{' | '['; readonly next: string },
): Item {
  if (bracket === '[') return { value: valueOf(tokens, depth + 1, next) };
  const colon = next.startsWith('"') ? tokens.next() : '';
  if (colon !== undefined && colon !== ':') throw new NoJson();
  return colon === undefined
    ? { name: next, value: undefined }
    : { name: `${next}:`, value: valueOf(tokens, depth + 1) };
}

function isCut(value: Value | undefined): boolean {
  return value === undefined || (typeof value !== 'string' && value.isOpen);
}

function written(value: Value, indent: string): string {
  if (typeof value === 'string') return value;
  const { bracket, items, isOpen } = value;
  const flat = flatText(value);
  if (!isOpen && indent.length + flat.length <= lineWidth) return flat;
  const inner = `${indent}  `;
  const lines = items.map(({ name, value: item }) => {
    const text = item === undefined ? undefined : written(item, inner);
    return inner + [name, text].filter((part) => part !== undefined).join(' ');
  });
  return `${bracket}\n${lines.join(',\n')}${isOpen ? '' : `\n${indent}${closing[bracket]}`}`;
}

function flatText(value: Value | undefined): string {
  if (value === undefined || typeof value === 'string') return value ?? '';
  const items = value.items.map(({ name, value: item }) => `${name ?? ''}${flatText(item)}`);
  return `${value.bracket}${items.join(',')}${closing[value.bracket]}`;
}
