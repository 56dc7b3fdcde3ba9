/** Deepest nesting of arrays and objects in a body. */
export const deepestNesting = 64;

/** A text that is no JSON, or one nested deeper than is read. Line and column count from 1. */
export class JsonTextError extends Error {
  readonly code = 'JSON_TEXT';
  readonly line: number;
  readonly column: number;

  constructor(complaint: string, text: string, offset: number) {
    const before = text.slice(0, offset).split('\n');
    const line = before.length;
    const column = (before.at(-1) ?? '').length + 1;
    super(`${complaint} at line ${line}, column ${column}.`);
    this.line = line;
    this.column = column;
  }
}

const blank = /[ \t\n\r]*/y;

const scalar =
  /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;

const string = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;

class Scan {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** Offset behind the value that starts here. */
  value(offset: number, depth: number): number {
    const opening = this.#text[offset];
    if (opening !== '{' && opening !== '[') return this.#take(scalar, offset, 'Expected a JSON value');
    if (depth === deepestNesting)
      throw new JsonTextError(
        `Expected at most ${deepestNesting} levels of arrays and objects, found one more`,
        this.#text,
        offset,
      );
    return this.#items(opening === '{', skip(blank, this.#text, offset + 1), depth + 1);
  }

  #items(inObject: boolean, first: number, depth: number): number {
    const closing = inObject ? '}' : ']';
    if (this.#text[first] === closing) return first + 1;
    for (let offset = first; ; offset = skip(blank, this.#text, offset + 1)) {
      const start = inObject ? this.#name(offset) : offset;
      offset = skip(blank, this.#text, this.value(start, depth));
      if (this.#text[offset] === closing) return offset + 1;
      if (this.#text[offset] !== ',') throw new JsonTextError(`Expected , or ${closing}`, this.#text, offset);
    }
  }

  #name(offset: number): number {
    const colon = skip(blank, this.#text, this.#take(string, offset, 'Expected the name of a member in double quotes'));
    if (this.#text[colon] !== ':') throw new JsonTextError('Expected a colon', this.#text, colon);
    return skip(blank, this.#text, colon + 1);
  }

  #take(pattern: RegExp, offset: number, complaint: string): number {
    const end = skip(pattern, this.#text, offset);
    if (end === offset) throw new JsonTextError(complaint, this.#text, offset);
    return end;
  }
}

export const looseTilde = /~(?![01])/;

/** The JSON value of a text. @throws {JsonTextError} */
export function parseJsonText(text: string): unknown {
  const value = parseText(text);
  if (value === undefined || nests(value, deepestNesting)) throw complaintOf(text);
  return value;
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Whether a value is nested deeper than that; looks no further than one level beyond. */
function nests(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((inner) => nests(inner, levels - 1));
}

/** JSON.parse does not tell the place of every error, so a refused text is read once more, slowly, up to the first thing that cannot stand there. */
function complaintOf(text: string): JsonTextError {
  const offset = skip(blank, text, 0);
  const end = new Scan(text).value(offset, 0);
  const rest = skip(blank, text, end);
  return rest < text.length
    ? new JsonTextError('Expected the end of the text', text, rest)
    : new JsonTextError('Expected a JSON value', text, offset);
}

/** Offset behind what the sticky pattern matches here; the same offset when it does not match. */
function skip(pattern: RegExp, text: string, offset: number): number {
  pattern.lastIndex = offset;
  return pattern.test(text) ? pattern.lastIndex : offset;
}

/** The order matters: `~01` is a tilde followed by 1, not a slash. */
export function decodedToken(token: string): string {
  return token.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** The pointer to a member, or to the item at a position, of what `pointer` names. */
export function pointerBelow(pointer: string, name: string | number): string {
  return `${pointer}/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
