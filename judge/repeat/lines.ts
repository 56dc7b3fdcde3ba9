import { headerIn, type Headers } from '../exchange.ts';
import { jsonOf, pointer as pointerTo, valueAt } from '../json.ts';
import type { Capture } from './repetition.ts';

/** Of an answer, what lines and captures are taken from. */
export interface Told {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Of all that were sent at that moment, where it was played. */
  readonly statuses?: readonly number[];
  /** All of the body, where it is known. */
  readonly bytes?: Uint8Array;
}

const token = /"(?:[^"\\]|\\.)*"|[[\]{},:]|[^[\]{},:"\s]+/g;

/** What differs each time, or by the way of the answer and not by the service. */
const passing: ReadonlySet<string> = new Set([
  'date',
  'content-length',
  'connection',
  'keep-alive',
  'transfer-encoding',
]);

/**
 * An answer as lines that a shell can compare: `name: value` for a header, its name in lower case, and of a JSON body `pointer = value`
 * for each scalar, as it is written, and for the beginning of each object and array.
 */
export function linesOf({ headers, text, bytes }: Told): readonly string[] {
  if (isJson(text)) return [...headerLines(headers), ...bodyLines(text)];
  const body = bytes ?? (text === '' ? new Uint8Array() : undefined);
  return [...headerLines(headers), ...(body === undefined ? [] : [`cksum: ${cksum(body)}`])];
}

export function isOfBody(line: string): boolean {
  return /^(?:\/|cksum: | = )/.test(line);
}

/** Whether lines say nothing of the body, because not all of its bytes are known. */
export function lacksBody({ text, bytes }: Told): boolean {
  return bytes === undefined && text !== '' && !isJson(text);
}

function isJson(text: string): boolean {
  return /^\s*[{[]/.test(text);
}

/** What the POSIX command of that name prints: checksum and length. */
function cksum(bytes: Uint8Array): string {
  let crc = 0;
  const add = (byte: number): void => {
    crc ^= byte << 24;
    for (let bit = 0; bit < 8; bit += 1) crc = crc < 0 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
  };
  for (const byte of bytes) add(byte);
  for (let length = bytes.byteLength; length > 0; length = Math.floor(length / 256)) add(length % 256);
  return `${~crc >>> 0} ${bytes.byteLength}`;
}

function headerLines(headers: Told['headers']): readonly string[] {
  return headers
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => !passing.has(name))
    .map(([name, value]) => `${name}: ${value}`);
}

/** As the script does it: a walk over the tokens. */
function bodyLines(text: string): readonly string[] {
  const lines: string[] = [];
  const open: string[] = [];
  let path: string[] = [];
  let isKey = false;
  for (const [found] of plain(text).matchAll(token)) {
    const kind = open.at(-1);
    if (found === '{' || found === '[') {
      lines.push(`${pointerTo(...path)} = ${found}`);
      open.push(found);
      isKey = found === '{';
      if (found === '[') path.push('0');
    } else if (found === '}' || found === ']') {
      if (!(found === '}' && isKey)) path.pop();
      open.pop();
      isKey = false;
    } else if (found === ',') {
      const last = path.pop();
      if (kind === '[') path.push(String(Number(last) + 1));
      else isKey = true;
    } else if (isKey) {
      if (found === ':') continue;
      path = [...path, found.slice(1, -1)];
      isKey = false;
    } else if (found !== ':') lines.push(`${pointerTo(...path)} = ${found}`);
  }
  return lines;
}

const escapes = /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u[\da-fA-F]{4}|\\./g;

/** With no more escapes than JSON asks for. */
function plain(text: string): string {
  return text.replaceAll(escapes, (found) => {
    if (found === '\\/') return '/';
    const told = found.startsWith('\\u') ? jsonOf(`"${found}"`) : undefined;
    return typeof told === 'string' && !/[\u0000-\u001f"\\\p{Cs}]/u.test(told) ? told : found;
  });
}

const between = /["/?&=#]/;

/** The pieces of a value that may be ids. */
export function piecesOf(value: string): readonly string[] {
  return value.split(between);
}

/** What a capture takes from an answer; undefined where it is not there. */
export function taken(
  { header, pointer, piece, stem, filled }: Omit<Capture, 'variable'>,
  told: Told,
  json: unknown,
): string | undefined {
  const whole = header === undefined ? scalarText(valueAt(json, pointer ?? '')) : headerIn(told.headers, header);
  if (stem === true) return whole?.split('{', 1)[0];
  if (filled !== undefined) return whole?.replace(/\{[^}]*\}/, filled);
  const value = piece === undefined ? whole : piecesOf(whole ?? '').at(-piece);
  return value === '' ? undefined : value;
}

function scalarText(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}
