import { createHmac } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type Claims, decodePart, partsOf } from '../service/token.ts';
import { otherSignature } from '../files/bulk.ts';
import { printableUpTo } from '../describe.ts';
import { inOtherCase } from '../service/signature.ts';
import { jwt, type Part, type Secrets } from '../redact/redact.ts';

/** A secret that a reader has under the name of a variable. */
interface Held {
  readonly variable: string;
  readonly value: string;
}

/** What signs requests for bulk uploads. */
interface Signing {
  /** The right key, in Base64. */
  readonly key: Held;
  readonly paths: readonly string[];
}

type Algorithm = 'sha256' | 'sha384' | 'sha512';

const algorithms: readonly Algorithm[] = ['sha512', 'sha256', 'sha384'];

/** A key that nobody has, in the place of the right one. */
const foreignKey = Buffer.alloc(64, 7);

const longestText = 16_000;

const encode = "openssl base64 -A | tr '+/' '-_' | tr -d '='";

const bareSignature = /(?<![\w-])[\w-]{86}(?![\w-])/g;

/** Tokens that a case made of tokens and keys, as variables with a line of a shell that makes each of them again. */
export class Credentials {
  readonly #secrets: Secrets;
  readonly #tokens: readonly Held[];
  readonly #key: Held | undefined;
  readonly #signing: Signing | undefined;
  readonly #made = new Map<string, string>();
  readonly #lines: Record<string, string> = {};

  /** @param held secrets that are tokens of an identity @param key that signs tokens, where it is known */
  constructor(secrets: Secrets, held: readonly Held[], key: Held | undefined, signing?: Signing) {
    this.#signing = signing;
    this.#secrets = secrets;
    this.#tokens = held.filter(({ value }) => value.split('.').length === 3);
    this.#key = key;
  }

  /** How a reader gets each of them: name -> a line of a shell. */
  get lines(): Readonly<Record<string, string>> {
    return this.#lines;
  }

  /** Without any secret, as texts up to so many characters. */
  shown<T>(value: T): T {
    return this.#secrets.redactAll(value, printableUpTo(longestText));
  }

  redact(text: string): string {
    return this.#secrets.redact(text);
  }

  parts(text: string): readonly Part[] {
    // one that the case made has a name that tells nobody what it is
    return this.#cut(text, bareSignature)
      .flatMap((part) => ('text' in part ? this.#secrets.parts(part.text) : [part]))
      .flatMap((part) => ('text' in part ? this.#cut(part.text, jwt) : [part]));
  }

  #cut(text: string, pattern: RegExp): readonly Part[] {
    const parts: Part[] = [];
    let done = 0;
    for (const { 0: found, index } of text.matchAll(pattern)) {
      const variable = this.#variableOf(found);
      if (variable === undefined) continue;
      if (index > done) parts.push({ text: text.slice(done, index) });
      parts.push({ variable });
      done = index + found.length;
    }
    return done < text.length || parts.length === 0 ? [...parts, { text: text.slice(done) }] : parts;
  }

  #variableOf(token: string): string | undefined {
    const known = this.#made.get(token);
    if (known !== undefined) return known;
    const recipes = token.includes('.')
      ? this.#tokens.map((one) => this.#recipe(token, one)).filter((recipe) => recipe !== undefined)
      : this.#signatures(token);
    const [made] = recipes.toSorted((one, other) => one.length - other.length);
    if (made === undefined) return undefined;
    const variable = `MADE_TOKEN_${this.#made.size + 1}`;
    this.#made.set(token, variable);
    this.#lines[variable] = `${variable}=$(${made})`;
    return variable;
  }

  /** Commands that print a signature under the text of the key. */
  #signatures(signature: string): readonly string[] {
    if (this.#signing === undefined || this.#secrets.nameOf(signature) !== otherSignature) return [];
    const { key, paths } = this.#signing;
    const isMade = (path: string): boolean =>
      createHmac('sha512', Buffer.from(key.value)).update(path).digest('base64url') === signature;
    const hex = `$(printf %s "$${key.variable}" | od -An -v -tx1 | tr -d ' \\n')`;
    return paths
      .filter(isMade)
      .map(
        (path) =>
          `printf %s ${quoted(path)} | openssl dgst -sha512 -mac HMAC -macopt hexkey:${hex} -binary | ${encode}`,
      );
  }

  /** Commands that print the token, made of another one. */
  #recipe(token: string, { variable, value }: Held): string | undefined {
    const [header, payload, signature] = partsOf(token);
    const [ownHeader, ownPayload, ownSignature] = partsOf(value);
    const part = (number: number): string => `printf %s "$${variable}" | cut -d. -f${number}`;
    const head = header === ownHeader ? part(1) : `printf %s ${quoted(textOf(header))} | ${encode}`;
    const body = payload === ownPayload ? part(2) : editedClaims(payload, ownPayload, part(2));
    if (body === undefined) return undefined;
    const end =
      spoilt(signature, ownSignature, part(3)) ??
      this.#signed(`${header}.${payload}`, signature) ??
      this.#borrowed(signature);
    if (end === undefined) return undefined;
    return `head=$(${head}); body=$(${body}); end=$(${end}); printf %s "$head.$body.$end"`;
  }

  #signed(signed: string, signature: string): string | undefined {
    const { variable = '', value = '' } = this.#key ?? {};
    const hex = "od -An -v -tx1 | tr -d ' \\n'";
    const keys: readonly (readonly [Buffer, string])[] = [
      [foreignKey, foreignKey.toString('hex')],
      [Buffer.from(value, 'base64'), `$(printf %s "$${variable}" | openssl base64 -d -A | ${hex})`],
      [Buffer.from(value), `$(printf %s "$${variable}" | ${hex})`],
    ];
    for (const algorithm of algorithms)
      for (const [key, told] of keys) {
        if (key.byteLength === 0 || createHmac(algorithm, key).update(signed).digest('base64url') !== signature)
          continue;
        return `printf %s "$head.$body" | openssl dgst -${algorithm} -mac HMAC -macopt hexkey:${told} -binary | ${encode}`;
      }
    return undefined;
  }

  /** That of the token of somebody else. */
  #borrowed(signature: string): string | undefined {
    const other = this.#tokens.find(({ value }) => partsOf(value)[2] === signature);
    return other && `printf %s "$${other.variable}" | cut -d. -f3`;
  }
}

/** The signature as it was spoilt, made of the right one. */
function spoilt(signature: string, own: string, command: string): string | undefined {
  if (signature === own) return command;
  if (signature.length < 8) return `printf %s ${quoted(signature)}`;
  if (signature === inOtherCase(own)) return `${command} | sed 's/.$/ &/; h; s/ .*//; y/${letters}/; G; s/\\n.* //'`;
  const changed = [...signature].flatMap((letter, index) => (letter === own[index] ? [] : [index]));
  const [at = 0] = changed;
  if (signature.length !== own.length || changed.length !== 1) return undefined;
  const before = `\\(.\\{${at}\\}\\)`;
  return `${command} | sed 's/^${before}[^A]/\\1A/; t; s/^${before}A/\\1B/'`;
}

const alphabet = 'abcdefghijklmnopqrstuvwxyz';
const letters = `${alphabet}${alphabet.toUpperCase()}/${alphabet.toUpperCase()}${alphabet}`;

/** The claims of another token with those members changed that differ; times stay as far apart. */
function editedClaims(payload: string, own: string, command: string): string | undefined {
  const [claims, ownClaims] = [decodePart(payload), decodePart(own)];
  if (claims === undefined || ownClaims === undefined) return undefined;
  const edits = Object.entries(claims).map(([name, value]) => editOf(name, value, ownClaims));
  const isWhole = Object.keys(ownClaims).every((name) => name in claims);
  if (!isWhole || edits.includes(undefined)) return undefined;
  const decoded = `{ ${command} | tr '_-' '/+'; printf ===; } | tr -d '\\n' | base64 -d 2>/dev/null`;
  return [`claims=$(${decoded})`, ...edits.filter((edit) => edit !== ''), `printf %s "$claims" | ${encode}`].join('; ');
}

/** '' where nothing is to be done; undefined where it cannot be. */
function editOf(name: string, value: unknown, own: Claims): string | undefined {
  if (isDeepStrictEqual(value, own[name])) return '';
  if (!/^\w+$/.test(name) || !isPlain(value)) return undefined;
  const sed = (script: string): string => `claims=$(printf %s "$claims" | sed ${script})`;
  const before = own[name];
  if (before === undefined) return sed(quoted(`s/}$/,"${name}":${JSON.stringify(value)}}/`));
  if (typeof before === 'string') return sed(quoted(`s/"${name}":"[^"]*"/"${name}":${JSON.stringify(value)}/`));
  if (typeof before !== 'number' || typeof value !== 'number') return undefined;
  const then = `$(printf %s "$claims" | sed 's/.*"${name}":\\([0-9]*\\).*/\\1/')`;
  return sed(`"s/\\"${name}\\":[0-9]*/\\"${name}\\":$((${then} + ${value - before}))/"`);
}

function isPlain(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'string' && /^[\w .:-]*$/.test(value));
}

function textOf(part: string): string {
  return Buffer.from(part, 'base64url').toString();
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
