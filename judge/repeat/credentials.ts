import { createHmac } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type Claims, decodePart, partsOf } from '../service/token.ts';
import { otherSignature } from '../files/bulk.ts';
import { printableUpTo } from '../describe.ts';
import { foreignKey, inOtherCase } from '../service/signature.ts';
import { jwt, type Part, type Secrets } from '../redact/redact.ts';

/** A secret that a reader has under the name of a variable. */
interface Held {
  readonly variable: string;
  readonly value: string;
}

type Algorithm = 'sha256' | 'sha384' | 'sha512';

const algorithms: readonly Algorithm[] = ['sha512', 'sha256', 'sha384'];

const longestText = 16_000;

const encode = "openssl base64 -A | tr '+/' '-_' | tr -d '='";

const bareSignature = /(?<![\w-])[\w-]{86}(?![\w-])/g;

interface Grounds {
  readonly secrets: Secrets;
  /** Variables that a reader has. */
  readonly known: ReadonlySet<string>;
  /** Tokens of identities, which have three parts. */
  readonly tokens: readonly Held[];
  /** What signs tokens and requests for bulk uploads, in Base64. */
  readonly keys: readonly Held[];
  /** Paths of bulk uploads, over which requests are signed. */
  readonly paths: readonly string[];
}

/** Tokens that a case made of tokens and keys, as variables with a line of a shell that makes each of them again. */
export class Credentials {
  readonly #of: Grounds;
  readonly #made = new Map<string, string>();
  readonly #lines: Record<string, string> = {};

  constructor(grounds: Grounds) {
    this.#of = grounds;
  }

  /** How a reader gets each of them: name -> a line of a shell. */
  get lines(): Readonly<Record<string, string>> {
    return this.#lines;
  }

  /** Without any secret, as texts up to so many characters. */
  shown<T>(value: T): T {
    return this.#of.secrets.redactAll(value, printableUpTo(longestText));
  }

  redact(text: string): string {
    return this.#of.secrets.redact(text);
  }

  /** The secrets of a text as variables; all as it is where one of them is nothing that a reader has. */
  parts(text: string): readonly Part[] {
    // one that the case made has a name that tells nobody what it is
    const parts = this.#cut(text, bareSignature)
      .flatMap((part) => ('text' in part ? this.#of.secrets.parts(part.text) : [part]))
      .flatMap((part) => ('text' in part ? this.#cut(part.text, jwt) : [part]));
    const isKnown = (part: Part): boolean =>
      'text' in part || this.#of.known.has(part.variable) || part.variable in this.#lines;
    return parts.every(isKnown) ? parts : [{ text }];
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
    const { tokens, paths, secrets } = this.#of;
    const isSignature = !token.includes('.') && secrets.nameOf(token) === otherSignature;
    const commands = token.includes('.')
      ? tokens.map((one) => this.#recipe(token, one))
      : paths.map((path) => (isSignature ? this.#signed(path, quoted(path), token) : undefined));
    const recipes = commands.filter((recipe) => recipe !== undefined);
    const [made] = recipes.toSorted((one, other) => one.length - other.length);
    if (made === undefined) return undefined;
    const variable = `MADE_TOKEN_${this.#made.size + 1}`;
    this.#made.set(token, variable);
    this.#lines[variable] = `${variable}=$(${made})`;
    return variable;
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
      this.#signed(`${header}.${payload}`, '"$head.$body"', signature) ??
      this.#borrowed(signature);
    if (end === undefined) return undefined;
    return `head=$(${head}); body=$(${body}); end=$(${end}); printf %s "$head.$body.$end"`;
  }

  /** @param printed the text that is signed, as a word of the shell */
  #signed(text: string, printed: string, signature: string): string | undefined {
    const hex = "od -An -v -tx1 | tr -d ' \\n'";
    const own = this.#of.keys.flatMap(({ variable, value }) => [
      [Buffer.from(value, 'base64'), `$(printf %s "$${variable}" | openssl base64 -d -A | ${hex})`] as const,
      [Buffer.from(value), `$(printf %s "$${variable}" | ${hex})`] as const,
    ]);
    // zeros behind a key change nothing, and openssl takes no empty one
    const known = [[foreignKey, foreignKey.toString('hex')] as const, [Buffer.alloc(0), '00'] as const];
    for (const algorithm of algorithms)
      for (const [key, told] of [...known, ...own])
        if (createHmac(algorithm, key).update(text).digest('base64url') === signature)
          return `printf %s ${printed} | openssl dgst -${algorithm} -mac HMAC -macopt hexkey:${told} -binary | ${encode}`;
    return undefined;
  }

  /** That of the token of somebody else. */
  #borrowed(signature: string): string | undefined {
    const other = this.#of.tokens.find(({ value }) => partsOf(value)[2] === signature);
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
