import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { basePathOf } from '../../contract/address.ts';
import { headerNames } from '../../contract/names.ts';
import type { IdentityName } from '../../contract/profile.ts';
import { chunkFrame, chunkMediaType, contentOf } from './content.ts';
import type { EngineSetup } from './engine.ts';
import type { ChunkForm, GeneratedBody, HttpStep } from './step.ts';

export interface WireRequest {
  readonly method: HttpStep['method'];
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string | Uint8Array | Readable | undefined;
}

/** A path of a step as it stands in the request: after the prefix, or that of an address on the same host. */
export function pathOnWire(prefix: string, path: string): string {
  if (path.startsWith('/')) return prefix + path;
  const { pathname, search } = new URL(path);
  return pathname + search;
}

/** Where requests go. */
export interface Place {
  readonly prefix: string;
  /** Value of the Host header. */
  readonly host: string;
}

export function placeOf(baseUrl: string): Place {
  return { prefix: basePathOf(baseUrl), host: new URL(baseUrl).host };
}

/** From here on a generated body is streamed. */
const streamedFromBytes = 1024 * 1024;
const pieceBytes = 64 * 1024;

/** Adds credential, information filter and checksum. */
export function wireRequestOf(
  step: HttpStep,
  setup: Pick<EngineSetup, 'authorizationOf' | 'informationFilter'>,
): WireRequest {
  const authorization = authorizationFor(step.as, setup);
  const headers: Record<string, string> = {};
  if (authorization !== undefined) headers['Authorization'] = authorization;
  if (setup.informationFilter !== undefined) headers[headerNames.informationFilter] = setup.informationFilter;
  if (step.headers !== undefined) Object.assign(headers, step.headers);
  const { body } = step;
  if (body === undefined || typeof body === 'string') return { method: step.method, path: step.path, headers, body };
  const content = body.kind === 'chunk' ? body.content : body;
  headers['checksum'] = checksumOf(content);
  if (body.kind === 'chunk') headers['Content-Type'] = chunkMediaType;
  return {
    method: step.method,
    path: step.path,
    headers,
    body: body.kind === 'chunk' ? formOf(body) : streamOf(body, headers),
  };
}

/** The bytes of a step on a connection that stays, one a character where they are a text, and what follows them. @throws {TypeError} a path or header that cannot be sent */
export function packedRequestOf(
  step: HttpStep,
  setup: Parameters<typeof wireRequestOf>[1],
  { prefix, host }: Place,
): { readonly bytes: string | Buffer; readonly stream?: Readable } {
  const { method, path, headers, body } = wireRequestOf(step, setup);
  let head = `${method} ${sendable(pathOnWire(prefix, path))} HTTP/1.1\r\nHost: ${host}\r\nConnection: keep-alive\r\n`;
  for (const name in headers) head += lineOf(name, headers[name] ?? '');
  if (body === undefined) return { bytes: method === 'GET' ? `${head}\r\n` : `${head}Content-Length: 0\r\n\r\n` };
  if (typeof body === 'string') {
    const length = Buffer.byteLength(body);
    const start = `${head}Content-Length: ${length}\r\n\r\n`;
    // a text of ASCII goes out without being encoded, which is a third of the CPU of a request
    if (length === body.length) return { bytes: start + body };
    return { bytes: Buffer.concat([Buffer.from(start, 'latin1'), Buffer.from(body)]) };
  }
  if (body instanceof Readable) return { bytes: `${head}\r\n`, stream: body };
  return { bytes: Buffer.concat([Buffer.from(`${head}Content-Length: ${body.length}\r\n\r\n`, 'latin1'), body]) };
}

/** Lines with a credential: as long as all others together, and the same in thousands of requests. */
const knownLines = new Map<string, string>();
const mostKnown = 1000;

function lineOf(name: string, value: string): string {
  if (name !== 'Authorization') return `${name}: ${sendable(value)}\r\n`;
  const known = knownLines.get(value);
  if (known !== undefined) return known;
  if (knownLines.size >= mostKnown) knownLines.clear();
  const line = `${name}: ${sendable(value)}\r\n`;
  knownLines.set(value, line);
  return line;
}

/** Line ends would begin a header, or a request, of their own. */
function sendable(value: string): string {
  if (/[\r\n\0]/.test(value))
    throw new TypeError(
      `Expected a path or header value without line ends, found ${JSON.stringify(value.slice(0, 100))}.`,
    );
  return value;
}

/** Whose token a request carries; undefined of a credential of another kind, or of none. */
export function identityOf({ as = 'editor' }: Pick<HttpStep, 'as'>): IdentityName | undefined {
  return typeof as === 'string' ? as : undefined;
}

function authorizationFor(
  as: HttpStep['as'],
  { authorizationOf }: Pick<EngineSetup, 'authorizationOf'>,
): string | undefined {
  if (as === null) return undefined;
  if (typeof as !== 'object') return authorizationOf(as ?? 'editor');
  return 'basic' in as ? authorizationOf(as.basic) : `Bearer ${as.bearer}`;
}

function formOf(form: ChunkForm): Uint8Array {
  const [head, tail] = chunkFrame(form);
  return Buffer.concat([Buffer.from(head), contentOf(form.content), Buffer.from(tail)]);
}

function streamOf(body: GeneratedBody, headers: Record<string, string>): Uint8Array | Readable {
  if (body.length < streamedFromBytes) return contentOf(body);
  headers['Content-Length'] = String(body.length);
  return Readable.from(piecesOf(body), { objectMode: false });
}

function* piecesOf(body: GeneratedBody): Generator<Uint8Array> {
  const { length, from = 0 } = body;
  for (let at = 0; at < length; at += pieceBytes)
    yield contentOf({ ...body, from: from + at, length: Math.min(pieceBytes, length - at) });
}

/** Lower-case hex. Source: extensions, File routes, stream upload */
function checksumOf(body: GeneratedBody): string {
  const hash = createHash('md5');
  for (const piece of piecesOf(body)) hash.update(piece);
  return hash.digest('hex');
}

/** A body as journeys see it: text, or of a download one character a byte. */
export function textOf(pieces: readonly Buffer[], isBinary: boolean): string {
  const [first] = pieces;
  if (first === undefined) return '';
  return (pieces.length === 1 ? first : Buffer.concat(pieces)).toString(isBinary ? 'latin1' : 'utf8');
}
