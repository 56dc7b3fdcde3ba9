import { type Arrival, chunkOf, headerOf, type ReadChunk } from './arrival.ts';
import type { StageAnswer } from './stage-server.ts';
import { headerNames } from '../../contract/names.ts';
import type { Reply } from '../exchange.ts';
import { isObject } from '../json.ts';
import { checksumOf, signatureOver } from '../signature.ts';
import { decodeSegment } from '../requests.ts';
import { withoutSlash } from '../../contract/address.ts';

/** What an installation keeps. */
export interface Holdings {
  /** Bytes by path below the file area of the space. */
  readonly files: Map<string, Uint8Array>;
  /** Objects that were created or edited, with their version. */
  readonly objects: Map<string, number>;
  /** Members of the objects that can be read, by their id; undefined where any id can. */
  readonly known: Readonly<Record<string, unknown>> | undefined;
  /** Which version of an object whoever speaks for a call was told. */
  readonly told: Told[];
  readonly edits: Edit[];
  /** Refuses edits of another version than the object has. */
  isStrict: boolean;
}

interface Told {
  readonly oid: string;
  readonly version: number;
  readonly callId: string | undefined;
}

/** An edit of an object, by itself or in a batch. */
export interface Edit {
  readonly method: string;
  readonly path: string;
  readonly isInBatch: boolean;
  /** Of the call whose token it carried. */
  readonly callId: string | undefined;
  /** As it was sent; undefined where none was. */
  readonly version: string | undefined;
  /** Versions of the object that were told before: since that call was told of it, where it was. */
  readonly told: readonly number[];
  readonly seen: Reply;
}

/** A plausible answer to a request that is allowed. */
export function answerTo(arrival: Arrival, holdings: Holdings): StageAnswer {
  switch (arrival.kind) {
    case 'progress':
      return arrival.method === 'PUT' ? { status: 204 } : { status: 405, headers: { Allow: 'PUT' } };
    case 'status':
    case 'acquire':
      return { status: 204 };
    case 'directory':
      return { status: 200, body: [...holdings.files.keys()].map((path) => ({ path })) };
    case 'download':
      return downloaded(arrival, holdings);
    case 'upload':
      return stored(arrival, holdings);
    case 'chunk':
      return chunkStored(arrival, holdings);
    case 'deletion':
      return deleted(arrival, holdings);
    case 'keyed':
      return { status: 200, body: {} };
    case 'object':
      return objectAnswer(arrival, holdings);
    case 'other':
      return { status: 404, body: { title: 'Not found' } };
  }
}

/** Path below the file area, decodeSegment. */
export function filePathOf({ path, kind }: Pick<Arrival, 'path' | 'kind'>): string {
  const mark = kind === 'upload' ? '/fs/file/stream/' : '/fs/file/';
  const encoded = path.slice(path.indexOf(mark) + mark.length);
  return encoded.split('/').map(decodeSegment).join('/');
}

/** Whether the checksum header is that of the bytes. */
export function isChecksumRight(arrival: Arrival, bytes: Uint8Array): boolean {
  return headerOf(arrival, 'checksum') === checksumOf(bytes);
}

function downloaded(arrival: Arrival, { files }: Holdings): StageAnswer {
  const bytes = files.get(filePathOf(arrival));
  return bytes === undefined ? { status: 404, body: { title: 'There is no such file' } } : { status: 200, body: bytes };
}

function stored(arrival: Arrival, { files }: Holdings): StageAnswer {
  const path = filePathOf(arrival);
  if (path === '' || path.endsWith('/')) return { status: 400, body: { title: 'This names no file' } };
  if (!isChecksumRight(arrival, arrival.bytes)) return { status: 400, body: { title: 'The checksum does not fit' } };
  if (files.has(path)) return { status: 409, body: { title: 'The file exists' } };
  files.set(path, arrival.bytes);
  return { status: 201, headers: { Location: arrival.path.replace('/stream/', '/') } };
}

function chunkStored(arrival: Arrival, { files }: Holdings): StageAnswer {
  const chunk = chunkOf(arrival);
  if (chunk === undefined) return { status: 400, body: { title: 'This is no chunk' } };
  if (!isChecksumRight(arrival, chunk.bytes)) return { status: 400, body: { title: 'The checksum does not fit' } };
  files.set(chunk.path, withChunk(files.get(chunk.path) ?? new Uint8Array(), chunk));
  return { status: 200 };
}

/** Chunks may come in any order, and again. */
function withChunk(known: Uint8Array, { number, bytes, texts }: ReadChunk): Uint8Array {
  const told = (name: string): number => Number(texts.get(`resumable${name}`) ?? NaN);
  const place = number === 1 ? 0 : (number - 1) * told('ChunkSize') || known.byteLength;
  const end = place + bytes.byteLength;
  const length = Math.max(end, told('TotalSize') || (number === 1 ? 0 : known.byteLength));
  const file = new Uint8Array(length);
  file.set(known.subarray(0, length));
  file.set(bytes, place);
  return file;
}

/** So that a result can take the place of an input. */
function deleted(arrival: Arrival, { files }: Holdings): StageAnswer {
  return files.delete(filePathOf(arrival))
    ? { status: 204 }
    : { status: 404, body: { title: 'There is no such file' } };
}

/** As the SoftType routes and the batch route answer, without any model behind them. */
function objectAnswer(arrival: Arrival, holdings: Holdings): StageAnswer {
  const { method, path, json } = arrival;
  const own = { method, path, version: headerOf(arrival, headerNames.version), isInBatch: false };
  if (method !== 'POST' || !Array.isArray(json)) return oneAnswer(own, arrival, holdings);
  const isBatch = /\/batch\/?$/.test(path);
  const answers = (json as readonly unknown[]).map((item) => {
    const operation = isBatch ? operationOf(item) : own;
    return { operation, answer: oneAnswer(operation, arrival, holdings) };
  });
  const isRefused = answers.some(({ answer }) => answer.status >= 400);
  return {
    status: isRefused ? 500 : 200,
    body: answers.map(({ operation, answer }) => resultOf(operation, answer)),
  };
}

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly version: string | undefined;
  readonly isInBatch: boolean;
}

/** Source: core, Batch operation */
function operationOf(item: unknown): Operation {
  const { method, href, headers } = isObject(item) ? item : {};
  const path = typeof href === 'string' ? href.replace(/^https?:\/\/[^/]*/i, '').replace(/\?.*$/s, '') : '';
  const [, version] =
    Object.entries(isObject(headers) ? headers : {}).find(
      ([name]) => name.toLowerCase() === headerNames.version.toLowerCase(),
    ) ?? [];
  return {
    method: typeof method === 'string' ? method.toUpperCase() : 'GET',
    path,
    version: version === undefined ? undefined : String(version),
    isInBatch: true,
  };
}

/** Source: core, Batch result */
function resultOf({ method, path }: Operation, { status, headers = {}, body }: StageAnswer): object {
  if (method === 'GET' || status >= 400) return { statusCode: status, body };
  const version = headers['Svc-UOIVersion'];
  const written = { href: headers['Location'] ?? path, ...(version !== undefined && { version: Number(version) }) };
  return { statusCode: status, body: written };
}

function oneAnswer(operation: Operation, { callId, seen }: Arrival, holdings: Holdings): StageAnswer {
  const { method, path } = operation;
  const { objects, known, told, edits } = holdings;
  const oid = method === 'POST' ? `${objects.size + 1}`.padStart(8, '0') : oidOf(path);
  const isEdit = method === 'PUT' || method === 'PATCH';
  if (isEdit) edits.push({ ...operation, callId, seen, told: versionsTold(holdings, oid, callId) });
  const isKnown = known === undefined || objects.has(oid) || Object.hasOwn(known, oid);
  if (method !== 'POST' && !isKnown) return { status: 404, body: { title: 'There is no such object' } };
  if (isEdit && holdings.isStrict && Number(operation.version) !== (objects.get(oid) ?? 1))
    return { status: 409, body: { title: 'The version is another' } };
  const version = method === 'POST' ? 1 : (objects.get(oid) ?? 1) + (method === 'GET' ? 0 : 1);
  objects.set(oid, version);
  told.push({ oid, version, callId });
  const headers = { 'Svc-UOIVersion': String(version) };
  if (method === 'POST')
    return { status: 201, headers: { ...headers, Location: `${path}/${oid}` }, body: { $oid: oid, version } };
  if (method === 'DELETE') return { status: 204 };
  if (method !== 'GET') return { status: 204, headers };
  if (isPage(path)) return { status: 200, body: { href: path, data: [], version } };
  const members = isObject(known?.[oid]) ? known[oid] : {};
  for (const own of [members['$version'], members['$$version']])
    if (typeof own === 'number') told.push({ oid, version: own, callId });
  const data = { $version: version, $oid: oid, $softType: 'Object', ...members };
  return { status: 200, headers, body: { href: path, data, version, links: [], schema: {} } };
}

function versionsTold({ told }: Holdings, oid: string, callId: string | undefined): readonly number[] {
  const ofObject = told.filter((one) => one.oid === oid);
  const first = ofObject.findIndex((one) => one.callId === callId);
  // calls may share what they learn
  return [...new Set(ofObject.slice(Math.max(0, first)).map(({ version }) => version))];
}

/** Id of the object that a route is about. Source: core, Endpoint table */
function oidOf(path: string): string {
  const segments = withoutSlash(path).split('/').map(decodeSegment);
  const action = segments.indexOf('maturityAction');
  return (action === -1 ? segments.at(isPage(path) ? -2 : -1) : segments[action + 2]) ?? '';
}

function isPage(path: string): boolean {
  return path.includes('/softtype/page/');
}

/** Whether a request is signed over its path with one of the keys. */
export function isSignedWith(arrival: Arrival, keys: Iterable<string>): boolean {
  return [...keys].some((key) => arrival.token?.text === signatureOver(key, arrival.path));
}
