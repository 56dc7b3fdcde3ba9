import { mediaTypes } from '../../contract/names.ts';
import type { WireRequest } from '../client/wire.ts';
import { piecesOf, recipeOf } from '../files/bodies.ts';
import { signatureCommand } from '../service/signature.ts';
import { toPlainText } from '../describe.ts';
import { headerIn, type Headers, headersIn } from '../exchange.ts';
import type { Part, Secrets } from '../redact/redact.ts';

const longestInlineBytes = 16_384;

const longestBodyBytes = 65_536;

/** What knows the texts that stand as variables in a line. */
export type Hiding = Pick<Secrets, 'parts' | 'redact'>;

/** A line for a POSIX shell that sends the request again. Secrets stand as variables, see `variablesOf`. */
export function curlLine(request: WireRequest, secrets: Hiding): string {
  if (request.arrived === true) return `# the host sent: ${secrets.redact(`${request.method} ${request.url}`)}`;
  const line = requestLine(request, secrets);
  return request.signedPath !== undefined && line.includes('SIGNATURE}')
    ? `SIGNATURE=$(${signatureCommand(request.signedPath, 'EXTENSION_API_KEY')}); ${line}`
    : line;
}

function requestLine(request: WireRequest, secrets: Hiding): string {
  const words = ['curl', '--include', '--silent', '--path-as-is', '--globoff', ...methodWords(request)];
  for (const [name, value] of request.headers) words.push(...headerWords(name, value, secrets));
  if (request.body !== undefined && headerIn(request.headers, 'content-type') === undefined)
    words.push('--header', "'Content-Type:'");
  const pipe = pipeOf(request.body, secrets);
  const body = pipe === undefined ? bodyWords(request, secrets) : ['--data-binary', '@-'];
  const line = [...words, ...body, quoted(secrets.parts(request.url))].join(' ');
  return pipe === undefined ? line : `${pipe} | ${line}`;
}

/** Undefined where the body stands in the line, where it is too long for any, or where it would tell a secret in a spelling of its own. */
function pipeOf(body: Uint8Array | undefined, secrets: Hiding): string | undefined {
  if (body === undefined || inArguments(body)) return undefined;
  const text = Buffer.from(body).toString('latin1');
  return secrets.redact(text) === text ? bodyPipe(body) : undefined;
}

function methodWords({ method }: WireRequest): readonly string[] {
  return method === 'HEAD' ? ['--head'] : ['--request', method];
}

function headerWords(name: string, value: string, secrets: Hiding): readonly string[] {
  const user = /^authorization$/i.test(name) ? basicUser(value, secrets) : undefined;
  if (user !== undefined) return ['--user', user];
  if (value === '') return ['--header', quoted([{ text: `${name};` }])];
  return ['--header', quoted([{ text: `${name}: ` }, ...credentialParts(value, secrets)])];
}

/** A Basic credential made of a known secret is written as user and variable. */
function basicUser(value: string, secrets: Hiding): string | undefined {
  const [, pair] = /^Basic ([A-Za-z0-9+/]+={0,2})$/i.exec(value) ?? [];
  if (pair === undefined) return undefined;
  const parts = secrets.parts(Buffer.from(pair, 'base64').toString());
  return parts.some((part) => 'variable' in part) ? quoted(parts) : undefined;
}

/** A token that the suite made or altered cannot be had by others and is secret as well. */
function credentialParts(value: string, secrets: Hiding) {
  const parts = secrets.parts(value);
  return parts.map((part) =>
    'text' in part && secrets.redact(part.text) !== part.text ? { text: secrets.redact(part.text) } : part,
  );
}

function bodyWords({ body, headers }: WireRequest, secrets: Hiding): readonly string[] {
  if (body === undefined) return [];
  if (!inArguments(body)) return ['--data-binary', `@body-of-${body.byteLength}-bytes`];
  const text = new TextDecoder().decode(body);
  const parts = secrets.parts(text);
  if (isForm(headers) && secrets.redact(text) !== text) return formWords(text, secrets);
  return ['--data-raw', quoted(parts.map((part) => ('text' in part ? { text: secrets.redact(part.text) } : part)))];
}

/** Whether that is the content of a form, which a command names field by field. */
export function isForm(headers: Headers): boolean {
  return headersIn(headers, 'content-type').some((type) => type.startsWith(mediaTypes.form));
}

function formWords(text: string, secrets: Hiding): readonly string[] {
  return [...new URLSearchParams(text)].flatMap(([name, value]) => [
    '--data-urlencode',
    quoted([{ text: `${name}=` }, ...secrets.parts(value)]),
  ]);
}

/** Whether a body can stand in a command line as it is: text without control characters. */
function inArguments(body: Uint8Array): boolean {
  if (body.byteLength > longestBodyBytes) return false;
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(body);
  return toPlainText(text) === text && Buffer.from(text).equals(body);
}

/** The shortest command for a POSIX shell that prints these very bytes; undefined for so many that none is short. */
export function bodyPipe(bytes: Uint8Array): string | undefined {
  const commands = [inline(bytes), recipeOf(bytes), inPieces(bytes)].filter((command) => command !== undefined);
  return commands.toSorted((a, b) => a.length - b.length)[0];
}

function inline(bytes: Uint8Array): string | undefined {
  if (bytes.byteLength > longestInlineBytes) return undefined;
  const escaped = `printf ${printfFormat(bytes)}`;
  const base64 = `printf %s ${Buffer.from(bytes).toString('base64')} | base64 -d`;
  return escaped.length <= base64.length ? escaped : base64;
}

/** A form, of which some part may be generated. */
function inPieces(bytes: Uint8Array): string | undefined {
  const commands = piecesOf(bytes)?.map((piece) => recipeOf(piece) ?? inline(piece));
  if (commands === undefined || commands.includes(undefined)) return undefined;
  return `{ ${commands.join('; ')}; }`;
}

const harmless = /^[\w :;=,./+%@?#~-]*$/;

/** Parts as one word of a POSIX shell, in which the variables expand. */
export function quoted(parts: readonly Part[]): string {
  const texts = parts.flatMap((part) => ('text' in part ? [part.text] : []));
  if (texts.length === parts.length) return single(texts.join(''));
  if (texts.every((text) => harmless.test(text)))
    return `"${parts.map((part) => ('text' in part ? part.text : `\${${part.variable}}`)).join('')}"`;
  return parts.map((part) => ('text' in part ? single(part.text) : `"$${part.variable}"`)).join('');
}

function single(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Bytes as the format of printf, for those that cannot stand in a command line. */
function printfFormat(bytes: Uint8Array): string {
  return `'${[...bytes].map(printfByte).join('')}'`;
}

function printfByte(byte: number): string {
  const character = String.fromCharCode(byte);
  if (character === '%') return '%%';
  return /[\w :;=,./+@?#~{}[\]()"<>|&!*^$]/.test(character) ? character : `\\${byte.toString(8).padStart(3, '0')}`;
}
