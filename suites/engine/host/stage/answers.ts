import { checksumOf, signatureOver } from '../signature.ts';
import { headerOf, type Arrival } from './arrival.ts';
import { chunkOf } from './chunk.ts';
import type { StageAnswer } from './server.ts';

/** What an installation keeps. */
export interface Holdings {
  /** Bytes by path below the file area of the space. */
  readonly files: Map<string, Uint8Array>;
  /** Objects that were created or edited, with their version. */
  readonly objects: Map<string, number>;
}

/** A plausible answer to a request that is allowed. */
export function answerTo(arrival: Arrival, holdings: Holdings): StageAnswer {
  switch (arrival.kind) {
    case 'status':
    case 'progress':
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
    case 'keyed':
      return { status: 200, body: {} };
    case 'object':
      return objectAnswer(arrival, holdings);
    case 'other':
      return { status: 404, body: { title: 'Not found' } };
  }
}

/** Path below the file area, decoded. */
export function filePathOf({ path, kind }: Pick<Arrival, 'path' | 'kind'>): string {
  const mark = kind === 'upload' ? '/fs/file/stream/' : '/fs/file/';
  const encoded = path.slice(path.indexOf(mark) + mark.length);
  return encoded.split('/').map(decoded).join('/');
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
  if (!isChecksumRight(arrival, arrival.bytes)) return { status: 400, body: { title: 'The checksum does not fit' } };
  if (files.has(path)) return { status: 409, body: { title: 'The file exists' } };
  files.set(path, arrival.bytes);
  return { status: 201, headers: { Location: arrival.path.replace('/stream/', '/') } };
}

function chunkStored(arrival: Arrival, { files }: Holdings): StageAnswer {
  const chunk = chunkOf(arrival);
  if (chunk === undefined) return { status: 400, body: { title: 'This is no chunk' } };
  if (!isChecksumRight(arrival, chunk.bytes)) return { status: 400, body: { title: 'The checksum does not fit' } };
  files.set(
    chunk.path,
    Buffer.concat([...(chunk.number > 1 ? [files.get(chunk.path) ?? new Uint8Array()] : []), chunk.bytes]),
  );
  return { status: 200 };
}

/** As the SoftType routes answer, without any model behind it. */
function objectAnswer({ method, path, json }: Arrival, { objects }: Holdings): StageAnswer {
  if (method === 'POST' && Array.isArray(json)) return { status: 200, body: json.map(() => ({ statusCode: 200 })) };
  const oid = method === 'POST' ? `${objects.size + 1}`.padStart(8, '0') : (path.split('/').at(-1) ?? '');
  const version = (objects.get(oid) ?? 0) + (method === 'GET' ? 0 : 1);
  objects.set(oid, version);
  const headers = { 'Svc-UOIVersion': String(version) };
  if (method === 'POST')
    return { status: 201, headers: { ...headers, Location: `${path}/${oid}` }, body: { $oid: oid, version } };
  if (method === 'DELETE') return { status: 204 };
  return { status: 200, headers, body: { version, data: { $oid: oid }, schema: {} } };
}

/** Whether a request is signed over its path with one of the keys. */
export function isSignedWith(arrival: Arrival, keys: Iterable<string>): boolean {
  return [...keys].some((key) => arrival.token?.text === signatureOver(key, arrival.path));
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
