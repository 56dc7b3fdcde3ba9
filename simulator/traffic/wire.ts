import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { headerNames } from '../../contract/names.ts';
import { chunkFrame, chunkMediaType, contentOf } from './content.ts';
import type { EngineSetup } from './engine.ts';
import type { ChunkForm, GeneratedBody, HttpStep } from './step.ts';

/** A step as it goes out. */
export interface WireRequest {
  readonly method: HttpStep['method'];
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string | Uint8Array | Readable | undefined;
}

/** What stands before a path that counts from the base URL on: the path of the base URL, without a slash at its end. */
export function pathPrefixOf(baseUrl: string): string {
  return new URL(baseUrl).pathname.replace(/\/$/, '');
}

/** From here on a generated body is streamed. */
const streamedFromBytes = 1024 * 1024;
const pieceBytes = 64 * 1024;

/** Adds credential, information filter and checksum. */
export function wireRequestOf(step: HttpStep, setup: Pick<EngineSetup, 'authorizationOf' | 'informationFilter'>): WireRequest {
  const authorization = authorizationFor(step.as, setup);
  const headers: Record<string, string> = {
    ...(authorization !== undefined && { Authorization: authorization }),
    ...(setup.informationFilter !== undefined && { [headerNames.informationFilter]: setup.informationFilter }),
    ...step.headers,
  };
  const { body } = step;
  if (body === undefined || typeof body === 'string') return { method: step.method, path: step.path, headers, body };
  const content = body.kind === 'chunk' ? body.content : body;
  headers['checksum'] = checksumOf(content);
  if (body.kind === 'chunk') headers['Content-Type'] = chunkMediaType;
  return { method: step.method, path: step.path, headers, body: body.kind === 'chunk' ? formOf(body) : streamOf(body, headers) };
}

function authorizationFor(as: HttpStep['as'], { authorizationOf }: Pick<EngineSetup, 'authorizationOf'>): string | undefined {
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
  for (let at = 0; at < length; at += pieceBytes) yield contentOf({ ...body, from: from + at, length: Math.min(pieceBytes, length - at) });
}

/** Lower-case hex. Source: extensions, File routes, stream upload */
function checksumOf(body: GeneratedBody): string {
  const hash = createHash('md5');
  for (const piece of piecesOf(body)) hash.update(piece);
  return hash.digest('hex');
}
