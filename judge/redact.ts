import { seenThrough } from './redact/seen-through.ts';

/** Part of a text: as it stands, or the name of the variable that stands for it. */
export type Part = { readonly text: string } | { readonly variable: string };

// A shorter one is no secret, and would take single letters out of every text.
const shortestSecret = 4;
/** Four characters turn up by chance in what is decoded. */
const shortestDecoded = 6;
const jwt = /eyJ[\w-]{5,}\.[\w-]{4,}\.[\w-]*/g;
/** What may be the Base64 or the hexadecimal digits of something. */
const encodedRun = /[A-Za-z0-9+/_-]{8,}/g;
const hexRun = /^[0-9a-f]+$/i;
/** Longer ones are the contents of files. */
const longestRun = 8192;
const basic = /\bBasic\s+([A-Za-z0-9+/_-]{4,}={0,2})/gi;
const queryToken = /([?&;](?:access_token|refresh_token|id_token|token)=)(?!\$)[\w.~+/%-]{8,}/gi;
const bearer = /\b(Bearer)\s+(\S+)/gi;
// A secret with one character changed still holds one of its halves.
const shortestHalf = 8;

/** Every secret of a run and the variables that stand for them in whatever leaves it. */
export class Secrets {
  readonly #variables = new Map<string, string>();
  /** Every spelling by its first characters, the longest first: one secret may hold another. */
  readonly #spellings = new Map<string, string[]>();
  readonly #plain = new Map<string, string>();
  readonly #halves = new Map<string, string>();

  /** A first name stays. */
  add(variable: string, secret: string): void {
    if (secret.length < shortestSecret || this.#plain.has(secret)) return;
    this.#plain.set(secret, variable);
    for (const form of new Set(spellingsOf(secret))) this.#know(form, variable);
    const middle = Math.floor(secret.length / 2);
    if (middle >= shortestHalf)
      for (const half of [secret.slice(0, middle), secret.slice(middle)]) this.#halves.set(half, variable);
  }

  /** Every secret that is known, with the variable that stands for it. */
  known(): Iterable<readonly [secret: string, variable: string]> {
    return this.#plain;
  }

  /** The variable that stands for exactly this. */
  nameOf(secret: string): string | undefined {
    return this.#plain.get(secret);
  }

  /** The text with every secret replaced by `$NAME`. */
  redact(text: string): string {
    const plain = this.#replaced(text.replaceAll(basic, (all: string, pair: string) => this.#basic(all, pair)));
    const known = this.#unwrapped(plain).replaceAll(encodedRun, (run) => this.#decoded(run));
    const credentials = known.replaceAll(bearer, (all: string, scheme: string, token: string) => {
      const altered = this.#alteredIn(token);
      return altered === undefined ? all : `${scheme} ${altered}`;
    });
    return credentials.replaceAll(jwt, '$$JWT').replaceAll(queryToken, '$1$$QUERY_TOKEN');
  }

  /** The value with every text in it redacted and passed through `finish`; for our own data, which is never deep. */
  redactAll<T>(value: T, finish: (text: string) => string): T {
    return this.#walk(value, finish) as T;
  }

  /** The text as it stands, cut at the secrets in it. Only secrets in their own spelling count. */
  parts(text: string): readonly Part[] {
    if (this.#plain.size === 0) return [{ text }];
    const pattern = alternation(this.#plain.keys());
    return text
      .split(new RegExp(`(${pattern})`))
      .filter((part) => part !== '')
      .map((part) => {
        const variable = this.#plain.get(part);
        return variable === undefined ? { text: part } : { variable };
      });
  }

  #know(form: string, variable: string): void {
    if (this.#variables.has(form)) return;
    this.#variables.set(form, variable);
    const beginning = form.slice(0, shortestSecret);
    const alike = [...(this.#spellings.get(beginning) ?? []), form];
    this.#spellings.set(
      beginning,
      alike.toSorted((one, other) => other.length - one.length),
    );
  }

  /** A run comes to know thousands of spellings, and its texts are short: so each place of a text is looked up, and no pattern is made of them. */
  #replaced(text: string): string {
    let replaced = '';
    let done = 0;
    for (let at = 0; at + shortestSecret <= text.length; at += 1) {
      const form = this.#spellings
        .get(text.slice(at, at + shortestSecret))
        ?.find((spelling) => text.startsWith(spelling, at));
      if (form === undefined) continue;
      replaced += `${text.slice(done, at)}$${this.#variables.get(form) ?? 'SECRET'}`;
      done = at + form.length;
      at = done - 1;
    }
    return done === 0 ? text : replaced + text.slice(done);
  }

  /** Replaces what is a secret once percent signs, escapes and characters without width are out of the way. */
  #unwrapped(text: string): string {
    const seen = seenThrough(text);
    if (seen === undefined) return text;
    let unwrapped = '';
    let done = 0;
    for (let at = 0; at + shortestSecret <= seen.text.length; at += 1) {
      const form = this.#spellings
        .get(seen.text.slice(at, at + shortestSecret))
        ?.find((spelling) => seen.text.startsWith(spelling, at));
      if (form === undefined) continue;
      const [from = 0, until = text.length] = [seen.starts[at], seen.starts[at + form.length]];
      unwrapped += `${text.slice(done, from)}$${this.#variables.get(form) ?? 'SECRET'}`;
      done = until;
      at += form.length - 1;
    }
    return done === 0 ? text : unwrapped + text.slice(done);
  }

  /** What stands for a run of letters and digits that is the encoding of a text with a secret in it. */
  #decoded(run: string): string {
    if (run.length > longestRun) return run;
    const texts = [
      ...(hexRun.test(run) ? [Buffer.from(run, 'hex')] : []),
      ...[0, 1, 2, 3].map((shift) => Buffer.from(run.slice(shift), 'base64')),
    ];
    const variable = texts.map((bytes) => this.#firstIn(bytes.toString())).find((name) => name !== undefined);
    return variable === undefined ? run : `encoded($${variable})`;
  }

  /** The variable of the first secret in the text; short ones turn up by chance in what is decoded. */
  #firstIn(text: string): string | undefined {
    for (let at = 0; at + shortestDecoded <= text.length; at += 1) {
      const form = this.#spellings
        .get(text.slice(at, at + shortestSecret))
        ?.find((spelling) => spelling.length >= shortestDecoded && text.startsWith(spelling, at));
      if (form !== undefined) return this.#variables.get(form);
    }
    return undefined;
  }

  #basic(all: string, pair: string): string {
    const decoded = Buffer.from(pair, 'base64').toString();
    const redacted = this.#replaced(decoded);
    if (redacted !== decoded) return `Basic base64(${redacted})`;
    const altered = this.#alteredIn(decoded);
    return altered === undefined ? all : `Basic ${altered}`;
  }

  /** What stands for a credential that a case made by changing a secret a little. */
  #alteredIn(credential: string): string | undefined {
    const half = [...this.#halves.keys()].find((part) => credential.includes(part));
    return half === undefined ? undefined : `$ALTERED_${this.#halves.get(half)}`;
  }

  #walk(value: unknown, finish: (text: string) => string): unknown {
    if (typeof value === 'string') return finish(this.redact(value));
    if (Array.isArray(value)) return value.map((item: unknown) => this.#walk(item, finish));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, this.#walk(member, finish)]));
  }
}

/** Longest first: one secret may hold another. */
function alternation(texts: Iterable<string>): string {
  return [...texts]
    .toSorted((a, b) => b.length - a.length)
    .map(escaped)
    .join('|');
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** Every spelling under which a secret travels: in JSON, in a URL, in a form, in HTML, as Base64; in that order, and some of them alike. */
export function spellingsOf(secret: string): readonly string[] {
  const base64 = Buffer.from(secret).toString('base64');
  const json = JSON.stringify(secret).slice(1, -1);
  const percent = encodeURIComponent(secret.toWellFormed());
  const form = new URLSearchParams({ '': secret }).toString().slice(1);
  return [
    secret,
    json,
    json.replaceAll(/[^\x20-\x7e]/g, unicodeEscape),
    json.replaceAll('/', '\\/'),
    percent,
    percent.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    form,
    html(secret, '&#39;'),
    html(secret, '&#x27;'),
    base64,
    base64.replaceAll('=', ''),
    Buffer.from(secret).toString('base64url'),
  ];
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function html(secret: string, apostrophe: string): string {
  return secret
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", apostrophe);
}
