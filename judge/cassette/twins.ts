import { createHmac, randomBytes } from 'node:crypto';
import { base32Alphabet, jwt, percentEncoded, type Secrets, spellingsOf } from '../redact/redact.ts';
import { withTexts } from '../json.ts';
import { mayBeWrapped, replacedIn, seenThrough } from '../redact/seen-through.ts';

const tokenStart = 'eyJ';
const basic = /^Basic +([A-Za-z0-9+/_-]{4,}={0,2})$/i;
/** A shorter text is no key, though its letters may be Base64. */
const shortestKey = 24;
/** Length of the text by whose first characters a place is looked up. */
const beginning = 4;
/** Encodings of shorter ones turn up by chance. */
const shortestEncoded = 6;
/** Halves of shorter secrets may be words that stand elsewhere as well. */
const shortestHalf = 12;
/** Base64 in lines, which no spelling can be looked up in. It is tried where letters begin alone: from each of them on takes hours for a long word. */
const folded = /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{8,}(?:(?:\r?\n|(?:\\r)?\\n)[ \t]*[A-Za-z0-9+/_-]+)+/g;
/** How Base64 and hexadecimal digits of gzip begin. */
const zipped = /(?:H4sI|1f8b08)[A-Za-z0-9+/_-]{8,}/g;
const lineEnds = ['\n', '\\n'];
const hashes = ['sha256', 'sha384', 'sha512'] as const;

interface Found {
  readonly at: number;
  readonly form: string;
  readonly twin: string;
}

/**
 * Puts something of the same form in the place of every secret: the same for the same one, and nobody can tell one from the other. What a
 * known key has signed is signed anew with what stands for the key, so that a signature holds after that exactly where it held before.
 */
export class Twins {
  readonly #chance = randomBytes(32);
  readonly #twins = new Map<string, string>();
  readonly #spellings = new Map<string, string[]>();
  /** By a hash of the first characters of every spelling: whether a text may hold one there. */
  readonly #mayBegin = new Uint32Array(mostHashes / bitsOfWord);
  readonly #forms = new Map<string, string>();
  readonly #signing: (readonly [key: Buffer, twin: Buffer])[] = [];
  readonly #tokens = new Map<string, string>();
  readonly #texts = new Map<string, string>();
  readonly #secrets: Secrets;

  /**
   * @param keys what was drawn by the suite, in Base64, with what is drawn when the run is played
   * @param signing those of them, and of the secrets, that sign tokens
   */
  constructor(secrets: Secrets, keys: ReadonlyMap<string, string>, signing: readonly string[]) {
    this.#secrets = secrets;
    for (const [key, twin] of keys) this.#add(key, twin);
    for (const secret of secrets.all())
      if (!isToken(secret)) this.#add(secret, keys.get(secret) ?? this.#madeOfOther(secret) ?? this.#disguised(secret));
    for (const key of signing) {
      const twin = this.of(key);
      this.#signing.push([Buffer.from(key, 'base64'), Buffer.from(twin, 'base64')]);
      this.#signing.push([Buffer.from(key), Buffer.from(twin)]);
    }
    for (const secret of secrets.all()) if (isToken(secret)) this.#add(secret, this.#token(secret));
  }

  /** What stands for a secret or a key; itself where it is none. */
  of(secret: string): string {
    return this.#twins.get(secret) ?? secret;
  }

  /** The text with something else in the place of every secret. */
  text(text: string): string {
    const replaced = this.#unfolded(this.#unwrapped(this.#replaced(text)));
    return replaced.includes(tokenStart) ? replaced.replaceAll(jwt, (token) => this.#token(token)) : replaced;
  }

  /** Texts that come again and again. */
  often(text: string): string {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    const safe = this.text(text);
    this.#texts.set(text, safe);
    return safe;
  }

  /** Value of a header with a credential: a credential that is no known one is none of what the cassette may hold either. */
  credential(value: string): string {
    const known = this.#texts.get(value);
    if (known !== undefined) return known;
    const safe = this.#credential(value);
    this.#texts.set(value, safe);
    return safe;
  }

  /** Lets one signature stand for another one, whatever stood for it before. */
  sign(signature: string, twin: string): void {
    this.#twins.set(signature, twin);
    this.#forms.delete(signature);
    this.#know(signature, twin);
  }

  /** Every string in it with something else in the place of every secret; for our own data, which is never deep. */
  all<T>(value: T): T {
    return withTexts(value, (text) => this.text(text));
  }

  /** A case that is played makes it of what stands for the other one. */
  #madeOfOther(secret: string): string | undefined {
    const origin = this.#secrets.originOf(secret);
    const twin = origin && this.#twins.get(origin.of);
    return twin === undefined ? undefined : origin?.make(twin);
  }

  #credential(value: string): string {
    const pair = basic.exec(value)?.[1];
    if (pair !== undefined) {
      const decoded = Buffer.from(pair, 'base64').toString();
      const safe = this.#replaced(decoded);
      return `Basic ${Buffer.from(safe === decoded ? disguise(decoded, this.#chance) : safe).toString('base64')}`;
    }
    const safe = this.text(value);
    if (safe !== value) return safe;
    return value.replace(/\S+$/, (credential) => disguise(credential, this.#chance));
  }

  #add(secret: string, twin: string): void {
    if (this.#twins.has(secret)) return;
    this.#twins.set(secret, twin);
    const spelled = spellingsOf(twin);
    spellingsOf(secret).forEach((form, index) => this.#know(form, spelled[index] ?? twin));
    const encoded = encodingsOf(twin);
    if (secret.length >= shortestEncoded && twin.length === secret.length)
      encodingsOf(secret).forEach((form, index) => this.#know(form, encoded[index] ?? twin));
    const middle = Math.floor(secret.length / 2);
    if (middle < shortestHalf || twin.length !== secret.length) return;
    this.#know(secret.slice(0, middle), twin.slice(0, middle));
    this.#know(secret.slice(middle), twin.slice(middle));
  }

  #know(form: string, twin: string): void {
    if (this.#forms.has(form) || form.length < beginning) return;
    this.#forms.set(form, twin);
    const hash = hashOf(windowAt(form));
    this.#mayBegin[hash >>> 5] = (this.#mayBegin[hash >>> 5] ?? 0) | (1 << (hash & 31));
    const first = form.slice(0, beginning);
    const alike = this.#spellings.get(first);
    if (alike === undefined) this.#spellings.set(first, [form]);
    else alike.splice(placeFor(form, alike), 0, form);
  }

  #replaced(text: string): string {
    return replacedIn(text, this.#found(text), twinOf);
  }

  /** The same for secrets that show once percent signs, escapes and characters without width are out of the way. */
  #unwrapped(text: string): string {
    const seen = mayBeWrapped(text) ? seenThrough(text) : undefined;
    if (seen === undefined) return text;
    const tokens = seen.text.includes(tokenStart)
      ? [...seen.text.matchAll(jwt)].map(({ 0: form, index: at }) => ({ at, form, twin: this.#token(form) }))
      : [];
    const found = [...this.#found(seen.text), ...tokens].toSorted((one, other) => one.at - other.at);
    return replacedIn(text, found, twinOf, seen);
  }

  /** The same for secrets in lines of Base64, and in what was compressed before. */
  #unfolded(text: string): string {
    const known = text.replaceAll(zipped, (run) => this.#secrets.decoded(run));
    if (!lineEnds.some((end) => known.includes(end))) return known;
    return known.replaceAll(folded, (run) => this.#secrets.decoded(run));
  }

  /** Where the text holds a secret. */
  #found(text: string): readonly Found[] {
    const found: Found[] = [];
    const mayBegin = this.#mayBegin;
    let done = 0;
    let window = 0;
    for (let end = 0; end < text.length; end += 1) {
      window = shifted(window, text.charCodeAt(end));
      const hash = hashOf(window);
      if (((mayBegin[hash >>> 5] ?? 0) & (1 << (hash & 31))) === 0) continue;
      const at = end + 1 - beginning;
      if (at < done) continue;
      const form = this.#spellings
        .get(text.slice(at, at + beginning))
        ?.find((spelling) => text.startsWith(spelling, at));
      if (form === undefined) continue;
      found.push({ at, form, twin: this.#forms.get(form) ?? '' });
      done = at + form.length;
    }
    return found;
  }

  /** Claims stay, since cases look at them; the signature is that of the key's twin, or nobody's. */
  #token(token: string): string {
    const known = this.#tokens.get(token);
    if (known !== undefined) return known;
    const [header = '', payload = '', signature = ''] = token.split('.');
    const content = `${header}.${payload}`;
    const safe = `${content}.${this.#signedAnew(content, signature) ?? disguise(signature, this.#chance)}`;
    this.#tokens.set(token, safe);
    // what stands for one already stays
    this.#tokens.set(safe, safe);
    return safe;
  }

  #signedAnew(content: string, signature: string): string | undefined {
    const hash = hashes.find((name) => lengthOf(name) === signature.length);
    if (hash === undefined) return undefined;
    const sign = (key: Buffer): string => createHmac(hash, key).update(content).digest('base64url');
    const pair = this.#signing.find(([key]) => sign(key) === signature);
    return pair === undefined ? undefined : sign(pair[1]);
  }

  #disguised(secret: string): string {
    const bytes = Buffer.from(secret, 'base64');
    if (secret.length < shortestKey || bytes.toString('base64') !== secret) return disguise(secret, this.#chance);
    return bytesLike(bytes.length, secret, this.#chance).toString('base64');
  }
}

function twinOf({ twin }: Found): string {
  return twin;
}

/** The longest stand first. */
function placeFor(form: string, alike: readonly string[]): number {
  const place = alike.findIndex((other) => other.length < form.length);
  return place === -1 ? alike.length : place;
}

/**
 * What of a secret stands in the Base64, at each of the three places where it may begin, and in the hexadecimal digits of a text that holds it,
 * also where that was encoded before; and it byte by byte.
 */
function encodingsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  const digits = bytes.toString('hex');
  const before = [percentEncoded(secret), encodeURIComponent(secret.toWellFormed()), digits, bytes.toString('base64')];
  return [
    ...[bytes, Buffer.from(secret, 'utf16le')].flatMap(encodingsOfBytes),
    ...before.flatMap((text) => base64Of(Buffer.from(text))),
    [...secret].toReversed().join(''),
    percentEncoded(secret).replaceAll('%', '='),
    digits.replaceAll(/..(?=.)/g, '$&, 0x'),
    ...[', ', ',', ' '].map((between) => [...bytes].join(between)),
    bytes.toString('latin1'),
    secret.normalize('NFD'),
    ...[' ', ''].map((between) => [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join(between)),
    [...bytes].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join(''),
    base32Of(bytes),
  ];
}

/** As far as it is the same whatever stands behind. Source: RFC 4648, section 6. */
function base32Of(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{5}/g) ?? []).map((five) => base32Alphabet.charAt(Number.parseInt(five, 2))).join('');
}

function base64Of(bytes: Buffer): readonly string[] {
  return [0, 1, 2].map((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    // letters at both ends hold bits of what stands beside it
    return text.slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + bytes.length) * 8) / 6));
  });
}

function encodingsOfBytes(bytes: Buffer): readonly string[] {
  const base64 = base64Of(bytes);
  const hex = bytes.toString('hex');
  const dumps = [':', ' ', '-'].map((between) => hex.replaceAll(/..(?=.)/g, `$&${between}`));
  const digits = [hex, ...dumps];
  return [
    ...base64,
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
    ...digits,
    ...digits.map((text) => text.toUpperCase()),
  ];
}

/** Whether it carries claims, which stay. */
function isToken(secret: string): boolean {
  return new RegExp(`^${jwt.source}$`).test(secret);
}

function lengthOf(hash: (typeof hashes)[number]): number {
  return Math.ceil((Number(hash.slice('sha'.length)) * 4) / (8 * 3));
}

const kinds = ['abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', '0123456789'];

/** A text of the same length with letters for letters and digits for digits. */
function disguise(text: string, chance: Uint8Array): string {
  const bytes = bytesLike(text.length, text, chance);
  return [...text]
    .map((character, index) => {
      const kind = kinds.find((letters) => letters.includes(character));
      return kind === undefined ? character : (kind[(bytes[index] ?? 0) % kind.length] ?? character);
    })
    .join('');
}

function bytesLike(size: number, text: string, chance: Uint8Array): Buffer {
  const blocks = Array.from({ length: Math.ceil(size / 64) }, (_block, index) =>
    createHmac('sha512', chance).update(`${index} ${text}`).digest(),
  );
  return Buffer.concat(blocks, size);
}

const mostHashes = 2 ** 20;
const bitsOfWord = 32;

/** The last characters of a text, by their lower bytes, with one more behind them. */
function shifted(window: number, code: number): number {
  return (window << 8) | (code & 0xff);
}

/** Those that a text begins with. */
function windowAt(text: string): number {
  let window = 0;
  for (let at = 0; at < beginning; at += 1) window = shifted(window, text.charCodeAt(at));
  return window;
}

function hashOf(window: number): number {
  return Math.imul(window, 0x9e37_79b1) >>> 12;
}
