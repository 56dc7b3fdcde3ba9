import { type Arrival, chunkOf, headerOf, type ReadChunk } from '../arrival.ts';
import { decodeSegment } from '../../service/requests.ts';
import { checksumOf } from '../../service/signature.ts';
import type { StageAnswer } from '../stage-server.ts';

const noSuchFile: StageAnswer = { status: 404, body: { title: 'There is no such file' } };

/** The file areas of the service that the suite plays. Source: extensions, File routes */
export class PlayedFiles {
  /** By area and path. */
  readonly #files = new Map<string, Uint8Array>();
  /** How often each changed. */
  readonly #written = new Map<string, number>();

  /** Puts a file into the area of a space. */
  put(spaceId: string, path: string, bytes: Uint8Array): void {
    this.#write(keyOf(`/space/${spaceId}`, path), bytes);
  }

  /** Paths of all files of the area of a space. */
  pathsIn(spaceId: string): readonly string[] {
    return this.#pathsIn(`/space/${spaceId}`);
  }

  /** With a tag that holds for its own address alone. Source: core, Versioning 4 */
  download(arrival: Arrival): StageAnswer {
    const key = this.#keyOf(arrival);
    const bytes = this.#files.get(key);
    if (bytes === undefined) return noSuchFile;
    const headers = { ETag: `"${String(this.#written.get(key))}"` };
    const isKnown = headerOf(arrival, 'If-None-Match') === headers.ETag;
    return isKnown ? { status: 304, headers } : { status: 200, headers, body: bytes };
  }

  /** What lies in a directory and below it. Source: ledger dir-listing */
  list(arrival: Arrival): StageAnswer {
    const directory = pathBehind(arrival.path, '/fs/dir').replace(/\/$/, '');
    const below = directory === '' ? '' : `${directory}/`;
    const paths = this.#pathsIn(areaOf(arrival.path)).filter((path) => path.startsWith(below));
    return { status: 200, body: paths.map((path) => ({ path, name: path.slice(path.lastIndexOf('/') + 1) })) };
  }

  storeStream(arrival: Arrival): StageAnswer {
    const path = filePathOf(arrival);
    if (path === '' || path.endsWith('/')) return { status: 400, body: { title: 'This names no file' } };
    if (!isChecksumRight(arrival, arrival.bytes)) return wrongChecksum;
    if (this.#files.has(keyIn(arrival))) return { status: 409, body: { title: 'The file exists' } };
    this.#write(keyIn(arrival), arrival.bytes);
    return { status: 201, headers: { Location: arrival.path.replace('/stream/', '/') } };
  }

  /** What has come is there from the first chunk on. Source: extensions, File routes, chunk upload */
  storeChunk(arrival: Arrival): StageAnswer {
    const chunk = chunkOf(arrival);
    if (chunk === undefined || chunk.number < 1) return { status: 400, body: { title: 'This is no chunk' } };
    if (!isChecksumRight(arrival, chunk.bytes)) return wrongChecksum;
    const key = keyOf(areaOf(arrival.path), chunk.path);
    this.#write(key, withChunk(this.#files.get(key) ?? new Uint8Array(), chunk));
    return { status: 200 };
  }

  remove(arrival: Arrival): StageAnswer {
    return this.#files.delete(this.#keyOf(arrival)) ? { status: 204 } : noSuchFile;
  }

  #write(key: string, bytes: Uint8Array): void {
    const before = this.#files.get(key);
    this.#files.set(key, bytes);
    if (before !== undefined && before !== bytes && Buffer.from(before).equals(bytes)) return;
    this.#written.set(key, (this.#written.get(key) ?? 0) + 1);
  }

  /** What is asked for. A chunk may have named it alone, of a file that goes beside the input. Source: extensions, External task links, row uploadFile */
  #keyOf(arrival: Arrival): string {
    const key = keyIn(arrival);
    const alone = keyOf(areaOf(arrival.path), filePathOf(arrival).replace(/^.*\//, ''));
    const beside = this.#files.has(key) ? undefined : this.#files.get(alone);
    return beside !== undefined && madeOfChunks.has(beside) ? alone : key;
  }

  #pathsIn(area: string): readonly string[] {
    const start = keyOf(area, '');
    return [...this.#files.keys()].filter((key) => key.startsWith(start)).map((key) => key.slice(start.length));
  }
}

const wrongChecksum: StageAnswer = { status: 400, body: { title: 'The checksum does not fit' } };

/** Path below the file area, decoded. */
export function filePathOf({ path, kind }: Pick<Arrival, 'path' | 'kind'>): string {
  return pathBehind(path, kind === 'upload' ? '/fs/file/stream' : '/fs/file');
}

function pathBehind(path: string, mark: string): string {
  const encoded = path.slice(path.indexOf(mark) + mark.length).replace(/^\//, '');
  return encoded.split('/').map(decodeSegment).join('/');
}

/** The part of a path that tells the area, without what a link has before it. */
function areaOf(path: string): string {
  return /\/(?:collection|space\/[^/]+(?:\/user|\/participant\/[^/]+)?)(?=\/fs\/)/.exec(path)?.[0] ?? '';
}

function keyIn(arrival: Arrival): string {
  return keyOf(areaOf(arrival.path), filePathOf(arrival));
}

function keyOf(area: string, path: string): string {
  return `${area} ${path}`;
}

/** Whether the checksum header is that of the bytes. */
function isChecksumRight(arrival: Arrival, bytes: Uint8Array): boolean {
  return headerOf(arrival, 'checksum') === checksumOf(bytes);
}

/** Chunks may come in any order, and again. */
function withChunk(known: Uint8Array, { number, bytes, texts }: ReadChunk): Uint8Array {
  const told = (name: string): number => Number(texts.get(`resumable${name}`) ?? NaN);
  const place = number === 1 ? 0 : (number - 1) * told('ChunkSize') || known.byteLength;
  const end = place + bytes.byteLength;
  const length = Math.max(end, told('TotalSize') || (number === 1 ? 0 : known.byteLength));
  const file = madeOfChunks.has(known) && known.byteLength === length ? known : new Uint8Array(length);
  if (file !== known) file.set(known.subarray(0, length));
  file.set(bytes, place);
  madeOfChunks.add(file);
  return file;
}

/** Nobody else holds their bytes, so that the next chunk may be written into them. */
const madeOfChunks = new WeakSet<Uint8Array>();
