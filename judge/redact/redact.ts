import { inflateSync, gunzipSync } from 'node:zlib';
import { replacedIn, seenThrough, type SeenThrough, unquoted } from './seen-through.ts';

/** Of shorter secrets the spellings count only where they stand as words of their own: they are parts of others by chance. */
const shortestInside = 6;

/** Length of the text by whose first characters a place is looked up. */
const beginning = 4;

const wordCharacter = /[\p{L}\p{N}]/u;

/** What may stand before a place in the spelling of something else: `%3A`, `\u003a`, `\x3a`, `\n`. */
const escapeBefore = /(?:(?:%|\\u00|\\x)([0-9a-f]{2})|\\u[0-9a-f]{4}|\\[bfnrtv0])$/i;

const longestEscape = 6;

/** Part of a text: as it stands, or the name of the variable that stands for it. */
export type Part = { readonly text: string } | { readonly variable: string };

/** Tried at the first of several beginnings in one word: behind each of them the rest of a long word would be gone through anew. */
export const jwt = /(?<!eyJ[\w-]*?)eyJ[\w-]{5,}\.[\w-]{4,}\.[\w-]*/g;
/** What may be the Base64 or the hexadecimal digits of something, in lines where it is long. */
const encodedRun = /[A-Za-z0-9+/_-]{8,}(?:(?:\r?\n|(?:\\r)?\\n)[ \t]*[A-Za-z0-9+/_-]+)*/g;
const encodedLine = /[A-Za-z0-9+/_-]{8,}/g;
const lineEnd = /\n|\\n/;
/** Of so many, each is looked at alone too. */
const mostLines = 64;
const hexDigits = /[0-9a-f]{8,}/gi;
/** `70:61:35`, `7061 3535` and `0x70, 0x61`, as dumps of bytes have it. */
const hexPairs = /(?:0x)?[0-9a-f]{2}(?:[0-9a-f]{2})?(?:[:, -]{1,2}(?:0x)?[0-9a-f]{2}(?:[0-9a-f]{2})?){2,}/gi;
/** The same where nothing is glued to it, so that words behind it stay. */
const hexPairsAlone = new RegExp(String.raw`\b${hexPairs.source}\b`, 'gi');
/** `112, 97, 53`, as JSON has bytes, and `112 97 53`. */
const decimalBytes = /\d{1,3}(?:(?:,\s{0,9}|\s{1,9})\d{1,3}){3,}/g;
/** `01110000 01100001`. */
const bits = /[01]{8}(?:[, _]{0,2}[01]{8}){3,}/g;
const base32Run = /[A-Z2-7]{10,}/g;
export const base32Alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
/** What stands before the mark of a cut, as far as a secret may reach back. */
const cutOff = /(\S{8,200})…/g;
/** Less of a secret tells nobody what it is. */
const shortestCut = 8;
const isAscii = /^[\0-\x7f]*$/;
const mostInflated = 1 << 16;
const lineEnds = /\s|\\[rn]/g;
/** What is decoded by chance is no text. */
const isText = /^[\t\n\r\x20-\x7e]+$/;
const basic = /\bBasic\s+([A-Za-z0-9+/_-]{2,}={0,2})/gi;
const queryToken = /([?&;](?:access_token|refresh_token|id_token|token)=)(?!\$)[\w.~+/%-]{8,}/gi;
const bearer = /\b(Bearer)\s+(\S+)/gi;
// A secret with one character changed still holds one of its halves.
const shortestHalf = 8;

const learned = new Map<string, string>();
let told: [variable: string, secret: string][] = [];

/** Takes note of a secret for whoever lets something out of this thread, or starts it. */
export function learn(variable: string, secret: string): void {
  if (secret === '' || learned.has(secret)) return;
  learned.set(secret, variable);
  told.push([variable, secret]);
}

/** Every secret that any registry of this thread has come to know since this was called last. */
export function learnedSince(): readonly (readonly [variable: string, secret: string])[] {
  const since = told;
  told = [];
  return since;
}

/** Begins as a thread does that knows nothing. */
export function forgetLearned(): void {
  learned.clear();
  told = [];
}

/** Another secret, and how one is made of it. */
interface Origin {
  readonly of: string;
  readonly make: (secret: string) => string;
}

/** Every secret of a run and the variables that stand for them in whatever leaves it. */
export class Secrets {
  readonly #spellings = new Spellings();
  /** Secrets as they are, which is all that a command line can be put together of. */
  readonly #own = new Spellings();
  readonly #plain = new Map<string, string>();
  readonly #hidden = new Set<string>();
  readonly #halves = new Map<string, string>();
  readonly #origins = new Map<string, Origin>();

  /** A first name stays. */
  add(variable: string, secret: string): void {
    if (secret === '' || this.#plain.has(secret)) return;
    this.#plain.set(secret, variable);
    learn(variable, secret);
    this.#own.know(secret, variable, secret.length < shortestInside);
    this.hide(variable, secret);
    const middle = Math.floor(secret.length / 2);
    if (middle >= shortestHalf)
      for (const half of [secret.slice(0, middle), secret.slice(middle)]) this.#halves.set(half, variable);
  }

  /** Adds what is made of a secret that was added, and tells as much as that one. */
  addMadeOf(of: string, variable: string, make: (secret: string) => string): void {
    const made = make(of);
    if (made === of) return;
    this.add(variable, made);
    this.#origins.set(made, { of, make });
  }

  /** What the secret is made of, where it is made of another one. */
  originOf(secret: string): Origin | undefined {
    return this.#origins.get(secret);
  }

  /** Takes it out of texts as well, but knows no variable by which a request could be told again: of what a played run is never given. */
  hide(variable: string, secret: string): void {
    if (secret === '') return;
    learn(variable, secret);
    this.#hidden.add(secret);
    const isShort = secret.length < shortestInside;
    for (const form of new Set([...spellingsOf(secret), ...bytewise(secret), seenThrough(secret)?.text ?? secret]))
      this.#spellings.know(form, variable, isShort);
    if (!isShort) this.#spellings.know([...secret].toReversed().join(''), variable, isShort);
  }

  /** Every secret that is known, those as well for which no request names a variable. */
  all(): Iterable<string> {
    return new Set([...this.#plain.keys(), ...this.#hidden]);
  }

  /** The variable that stands for exactly this. */
  nameOf(secret: string): string | undefined {
    return this.#plain.get(secret);
  }

  /** The text with every secret replaced by `$NAME`. */
  redact(text: string): string {
    const known = this.#spellings.isEmpty() ? text : this.#withoutKnown(text);
    return known.replaceAll(jwt, '$$JWT').replaceAll(queryToken, '$1$$QUERY_TOKEN');
  }

  #withoutKnown(text: string): string {
    const plain = this.#replaced(text.replaceAll(basic, (all: string, pair: string) => this.#basic(all, pair)));
    const through = this.#seen(plain, seenThrough);
    const seen = through.includes('=') ? this.#seen(through, unquoted) : through;
    const known = dumps.reduce(
      (text, { pattern, read }) => text.replaceAll(pattern, (dump) => this.#decoded(dump, read(dump))),
      this.decoded(seen),
    );
    return known.replaceAll(bearer, (all: string, scheme: string, token: string) => {
      const altered = this.#alteredIn(token);
      return altered === undefined ? all : `${scheme} ${altered}`;
    });
  }

  /**
   * The value with every text in it redacted and passed through `finish`; for our own data, which is never deep.
   * @param isOurs whether a member of that name holds nothing but words of the suite, which stay
   */
  redactAll<T>(value: T, finish: (text: string) => string, isOurs = (_member: string) => false): T {
    return this.#walk(value, finish, isOurs) as T;
  }

  /** The text as it stands, cut at the secrets in it. Only secrets in their own spelling count. */
  parts(text: string): readonly Part[] {
    const parts: Part[] = [];
    let done = 0;
    for (const { at, form, variable } of this.#own.in(text)) {
      if (at > done) parts.push({ text: text.slice(done, at) });
      parts.push({ variable });
      done = at + form.length;
    }
    return done === 0 || done < text.length ? [...parts, { text: text.slice(done) }] : parts;
  }

  #replaced(text: string): string {
    return this.#whole(text).replaceAll(cutOff, (all: string, before: string) => {
      const cut = this.#spellings.cutAtEnd(before);
      return cut === undefined ? all : `${before.slice(0, cut.at)}$${cut.variable}…`;
    });
  }

  #whole(text: string): string {
    return replacedIn(text, this.#spellings.in(text), variableOf);
  }

  /** Replaces what is a secret once percent signs, escapes and characters without width are out of the way. */
  #seen(text: string, see: (text: string) => SeenThrough | undefined): string {
    const seen = see(text);
    return seen === undefined ? text : replacedIn(text, this.#spellings.in(seen.text), variableOf, seen);
  }

  /** The text with something in the place of what is the Base64 of a secret, in one line or several. */
  decoded(text: string): string {
    return text.replaceAll(encodedRun, (run) => {
      const decoded = this.#decoded(run);
      const lines = decoded === run ? run.split(lineEnd).length : 1;
      return lines > 1 && lines <= mostLines ? run.replaceAll(encodedLine, (line) => this.#decoded(line)) : decoded;
    });
  }

  /** What stands for a run of letters and digits that is the encoding of a text with a secret in it. */
  #decoded(run: string, once: readonly string[] = textsIn(run.replaceAll(lineEnds, ''))): string {
    const twice = once.flatMap((text) => (text.match(encodedLine) ?? []).flatMap(textsIn));
    const variable = [...once, ...twice].map((text) => this.#firstIn(text)).find((name) => name !== undefined);
    return variable === undefined ? run : `encoded($${variable})`;
  }

  /** The variable of the first secret in what was decoded; short ones turn up by chance in what is no text. */
  #firstIn(decoded: string): string | undefined {
    const text = seenThrough(decoded)?.text ?? decoded;
    for (const { form, variable } of this.#spellings.in(text))
      if (form.length >= shortestInside || isText.test(text)) return variable;
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

  #walk(value: unknown, finish: (text: string) => string, isOurs: (member: string) => boolean): unknown {
    if (typeof value === 'string') return finish(this.redact(value));
    if (Array.isArray(value)) return value.map((item: unknown) => this.#walk(item, finish, isOurs));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, isOurs(name) ? member : this.#walk(member, finish, isOurs)]),
    );
  }
}

/** What the digits may say, wherever in them it begins: as hexadecimal ones, as Base64. */
function textsIn(digits: string): readonly string[] {
  return textsOf(
    ...(digits.match(hexDigits) ?? []).flatMap((run) => [Buffer.from(run, 'hex'), Buffer.from(run.slice(1), 'hex')]),
    ...[0, 1, 2, 3].map((shift) => Buffer.from(digits.slice(shift), 'base64')),
  );
}

/** How bytes are written down, one after the other. */
const dumps: readonly { readonly pattern: RegExp; readonly read: (dump: string) => readonly string[] }[] = [
  { pattern: bits, read: (dump) => textsOf(bytesOfBits(dump.replaceAll(/[^01]/g, ''))) },
  { pattern: base32Run, read: base32Texts },
  { pattern: hexPairsAlone, read: hexTexts },
  { pattern: hexPairs, read: hexTexts },
  { pattern: decimalBytes, read: decimalTexts },
];

/** Digits of something else may stand straight before the first and behind the last. */
function decimalTexts(dump: string): readonly string[] {
  const all = dump.split(/\D+/).map(Number);
  const [first = 0, last = 0] = [all[0], all.at(-1)];
  const bytes = Buffer.from(all);
  return [first, first % 100, first % 10].flatMap((begin) =>
    [last, Math.floor(last / 10)].flatMap((end) => {
      bytes[0] = begin;
      bytes[bytes.length - 1] = end;
      return textsOf(bytes);
    }),
  );
}

function hexTexts(dump: string): readonly string[] {
  return textsOf(Buffer.from(dump.replaceAll(/0x|[^0-9a-f]/gi, ''), 'hex'));
}

/** Bytes as letters, each byte one. */
function textsOf(...readings: readonly Buffer[]): readonly string[] {
  return readings.map((bytes) => inflated(bytes).toString('latin1'));
}

function bytesOfBits(digits: string): Buffer {
  return Buffer.from((digits.match(/.{8}/g) ?? []).map((eight) => Number.parseInt(eight, 2)));
}

/** Wherever in the run it begins. Source: RFC 4648, section 6. */
function base32Texts(run: string): readonly string[] {
  const digits = [...run].map((digit) => base32Alphabet.indexOf(digit).toString(2).padStart(5, '0')).join('');
  return textsOf(...Array.from({ length: 8 }, (_, shift) => bytesOfBits(digits.slice(shift))));
}

const gzipMagic = Buffer.from([0x1f, 0x8b, 8]);

/** What gzip or deflate made of it, or the bytes themselves. */
function inflated(bytes: Buffer): Buffer {
  const gzip = bytes.indexOf(gzipMagic);
  try {
    if (gzip >= 0) return gunzipSync(bytes.subarray(gzip), { maxOutputLength: mostInflated });
    if (bytes[0] === 0x78) return inflateSync(bytes, { maxOutputLength: mostInflated });
  } catch {
    // it only looked like that
  }
  return bytes;
}

/** Every spelling under which a secret travels: in JSON, in a URL, in a form, in HTML, as Base64, in other letters, byte by byte in a form; in that order, and some of them alike. */
export function spellingsOf(secret: string): readonly string[] {
  const base64 = Buffer.from(secret).toString('base64');
  const json = JSON.stringify(secret).slice(1, -1);
  const percent = encodeURIComponent(secret.toWellFormed());
  const form = new URLSearchParams({ '': secret }).toString().slice(1);
  return [
    secret,
    json,
    json.replaceAll(/[^\x20-\x7e]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`),
    json.replaceAll('/', '\\/'),
    percent,
    percent.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    form,
    html(secret, '&#39;'),
    html(secret, '&#x27;'),
    base64,
    base64.replaceAll('=', ''),
    Buffer.from(secret).toString('base64url'),
    secret.toLowerCase(),
    secret.toUpperCase(),
    percentEncoded(secret),
  ];
}

/** How a secret with letters beyond ASCII reads where each of its bytes is taken for a letter, with those that nobody sees and without. */
function bytewise(secret: string): readonly string[] {
  if (isAscii.test(secret)) return [];
  const composed = [secret, secret.normalize('NFC'), secret.normalize('NFD')];
  const written = [...composed, secret.toLowerCase(), secret.toUpperCase()];
  const read = [
    ...written.map((text) => Buffer.from(text)),
    Buffer.from(secret, 'utf16le'),
    Buffer.from(secret, 'utf16le').swap16(),
  ].map((bytes) => bytes.toString('latin1'));
  return [...composed, ...read, ...read.map((text) => seenThrough(text)?.text ?? text)];
}

/** Every byte of the text as a form may write it. */
export function percentEncoded(text: string): string {
  return Buffer.from(text).toString('hex').toUpperCase().replaceAll(/../g, '%$&');
}

function html(secret: string, apostrophe: string): string {
  return secret
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", apostrophe);
}

/** Where a text holds a spelling of a secret. */
interface Found {
  readonly at: number;
  readonly form: string;
  readonly variable: string;
}

function variableOf({ variable }: Found): string {
  return `$${variable}`;
}

/** Spellings of secrets, and the variables that stand for them. A run comes to know thousands, and its texts are short: so each place of a text is looked up, and no pattern is made of them. */
class Spellings {
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

  isEmpty(): boolean {
    return this.#variables.size === 0;
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

  /** Where the text ends in the middle of one. */
  cutAtEnd(text: string): { readonly at: number; readonly variable: string } | undefined {
    for (let at = 0; at <= text.length - shortestCut; at += 1) {
      const rest = text.slice(at);
      const form = this.#long.get(rest.slice(0, beginning))?.find((one) => one.startsWith(rest));
      if (form !== undefined) return { at, variable: this.#variables.get(form) ?? 'SECRET' };
    }
    return undefined;
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
