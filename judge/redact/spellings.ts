/** Where a text holds a spelling of a secret. */
interface Found {
  readonly at: number;
  readonly form: string;
  readonly variable: string;
}

/** Of shorter secrets the spellings count only where they stand as words of their own: they are parts of others by chance. */
export const shortestInside = 6;
/** Length of the text by whose first characters a place is looked up. */
const beginning = 4;
const wordCharacter = /[\p{L}\p{N}]/u;
/** What may stand before a place in the spelling of something else: `%3A`, `\u003a`, `\x3a`, `\n`. */
const escapeBefore = /(?:(?:%|\\u00|\\x)([0-9a-f]{2})|\\u[0-9a-f]{4}|\\[bfnrtv0])$/i;
const longestEscape = 6;

/** Spellings of secrets, and the variables that stand for them. A run comes to know thousands, and its texts are short: so each place of a text is looked up, and no pattern is made of them. */
export class Spellings {
  readonly #variables = new Map<string, string>();
  /** By their first characters, the longest first: one secret may hold another. */
  readonly #long = new Map<string, string[]>();
  /** Those of short secrets, by their first character, the longest first. */
  readonly #words = new Map<string, string[]>();

  /** A first name stays. @param isShort the secret is: it counts as a word only */
  know(form: string, variable: string, isShort: boolean): void {
    if (form === '' || this.#variables.has(form)) return;
    this.#variables.set(form, variable);
    const forms = isShort ? this.#words : this.#long;
    const first = form.slice(0, isShort ? 1 : beginning);
    const alike = [...(forms.get(first) ?? []), form];
    forms.set(
      first,
      alike.toSorted((one, other) => other.length - one.length),
    );
  }

  /** The places in the text that hold one, none inside of another. */
  *in(text: string): Generator<Found, void, undefined> {
    for (let at = 0; at < text.length; at += 1) {
      const form = this.#longAt(text, at) ?? this.#wordAt(text, at);
      if (form === undefined) continue;
      yield { at, form, variable: this.#variables.get(form) ?? 'SECRET' };
      at += form.length - 1;
    }
  }

  #longAt(text: string, at: number): string | undefined {
    return this.#long.get(text.slice(at, at + beginning))?.find((form) => text.startsWith(form, at));
  }

  #wordAt(text: string, at: number): string | undefined {
    const likely = this.#words.size === 0 ? undefined : this.#words.get(text.charAt(at));
    return likely?.find(
      (form) => text.startsWith(form, at) && isEdge(text, at, form.charAt(0)) && isEnd(text, at + form.length, form),
    );
  }
}

/** Whether a word that begins so may begin there. */
function isEdge(text: string, at: number, first: string): boolean {
  if (at === 0 || !wordCharacter.test(first) || !wordCharacter.test(text.charAt(at - 1))) return true;
  const escape = escapeBefore.exec(text.slice(Math.max(0, at - longestEscape), at));
  return escape !== null && !wordCharacter.test(String.fromCharCode(Number.parseInt(escape[1] ?? '0', 16)));
}

function isEnd(text: string, at: number, form: string): boolean {
  return at >= text.length || !wordCharacter.test(form.slice(-1)) || !wordCharacter.test(text.charAt(at));
}
