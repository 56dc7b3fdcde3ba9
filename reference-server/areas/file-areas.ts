import { Area } from '../area.ts';
import type { User } from '../configuration.ts';
import type { Answer, Call } from '../http/call.ts';
import { Refusal } from '../http/refusal.ts';
import type { AdmittedCall } from '../http/route.ts';
import {
  type FileArea,
  type FileInfo,
  type FilePlace,
  type FileStore,
  NoRoom,
  PlaceTaken,
} from '../ports/file-store.ts';
import type { Reading, Store } from '../ports/store.ts';
import type { Auth, Credentials } from './auth.ts';
import { type Tokens, missingToken } from './tokens.ts';

export type AreaKind = FileArea['kind'];

/** A call on a file area that its sender may use. */
export type AreaCall = AdmittedCall<FileArea>;

/** Source: extensions, File areas */
export const areaPaths: Readonly<Record<AreaKind, string>> = {
  collection: '/api/collection/fs',
  space: '/api/space/{spaceId}/fs',
  user: '/api/space/{spaceId}/user/fs',
  participant: '/api/space/{spaceId}/participant/{participantId}/fs',
};

/** Longest name of a file or a directory, in bytes of UTF-8. Source: ledger file-name-rules */
export const nameLimitBytes = 255;

/** Longest path below an area, in bytes of UTF-8, slashes included, and the most names in it. Source: ledger file-name-rules */
export const pathLimitBytes = 1024;

export const depthLimit = 32;

/** What is known of a file beyond its bytes. */
export interface FileRecord {
  /** Media type as given at the upload. */
  readonly type: string;
  /** Lower-case hex; unknown of a file that came in chunks. */
  readonly md5?: string;
  /** Chunks of it are still to come. */
  readonly growing?: true;
}

const recordKind = 'file';

export const unknownType = 'application/octet-stream';

const header = 'checksum';

/** MD5 as lower-case hexadecimal without separators. Source: extensions, File routes, stream upload; ledger checksum-notation */
const md5Form = /^[0-9a-f]{32}$/;

/** What is known of an upload under way. */
export interface Progress {
  readonly totalSize: number;
  readonly chunkSize: number;
  readonly totalChunks: number;
  readonly type: string;
  /** Numbers of the chunks that came, as ranges [first, last] in order, no two of them touching. */
  readonly received: readonly NumberRange[];
}

type NumberRange = readonly [first: number, last: number];

const uploadKind = 'upload';

interface Needs {
  readonly fileStore: FileStore;
  readonly store: Store;
  readonly auth: Auth;
  readonly tokens: Tokens;
}

/** Areas of files: who may use them, and what stands where. */
export class FileAreas extends Area<Needs> {
  private readonly turns = new Map<string, Promise<unknown>>();

  /** The area that a request is about, when its sender may use it. @throws {Refusal} 401, 403, 404 */
  async openArea(call: Call, kind: AreaKind): Promise<FileArea> {
    const user = await this.authenticateFile(call);
    const area = this.fileAreaOf(call, user, kind);
    this.authorizeArea(user, area, call);
    return area;
  }

  /** As on other routes, but a token in the query opens as well. Source: extensions, Authentication 1. @throws {Refusal} 401 */
  async authenticateFile(call: Call): Promise<User> {
    const credentials = this.fileCredentialsOf(call);
    if (credentials === undefined) throw missingToken();
    const user = await this.needs.auth.userOfCredentials(credentials);
    if (user !== undefined) return user;
    throw this.needs.tokens.unusableToken('The credentials are those of no user; get a token from the token endpoint.');
  }

  /** Those of the header, or of the query where there is no header. */
  fileCredentialsOf(call: Call): Credentials | undefined {
    return this.needs.auth.credentialsOf(call.headers) ?? this.queryCredentialsOf(call);
  }

  /** The query token of a download. Source: ledger file-token-query-scope */
  queryCredentialsOf(call: Call): Credentials | undefined {
    const token = call.method === 'GET' ? call.query.get('token') : null;
    return token === null ? undefined : { scheme: 'bearer', token };
  }

  /** @throws {Refusal} 404 for a space that does not exist */
  fileAreaOf(call: Call, user: User, kind: AreaKind): FileArea {
    if (kind === 'collection') return collectionArea();
    if (kind === 'space') return this.spaceArea(call);
    return kind === 'user' ? this.userArea(call, user) : this.participantArea(call);
  }

  spaceArea(call: Call): FileArea {
    return { kind: 'space', spaceId: this.needs.auth.spaceOf(call).id };
  }

  /** Of whoever asks: the path names no user. Source: extensions, File areas, row User */
  private userArea(call: Call, user: User): FileArea {
    return { kind: 'user', spaceId: this.needs.auth.spaceOf(call).id, userName: user.name };
  }

  participantArea(call: Call): FileArea {
    return {
      kind: 'participant',
      spaceId: this.needs.auth.spaceOf(call).id,
      participantId: call.params['participantId'] ?? '',
    };
  }

  /** @throws {Refusal} 403 */
  private authorizeArea(user: User, area: FileArea, call: Call): void {
    if (this.mayUseArea(user, area, call)) return;
    throw new Refusal(403, `${user.name} has no role that opens this ${area.kind} area.`);
  }

  /** Source: ledger file-area-roles */
  mayUseArea(user: User, area: FileArea, call: Call): boolean {
    if (area.kind === 'collection') return this.needs.auth.mayAdministrate(user);
    const space = this.needs.auth.spaceOf(call);
    if (area.kind === 'participant') return space.participants.get(area.participantId)?.has(user.name) ?? false;
    return this.needs.auth.rolesOf(user, space).length > 0;
  }

  /** 201 with the path that the file can be read at. Source: ledger file-success-statuses */
  createdFile(place: FilePlace): Answer {
    return { status: 201, headers: { Location: fileHref(place) } };
  }

  /** Names of the path that segments of a URL stand for. @throws {Refusal} 400 */
  filePathOf(rest: readonly string[]): readonly string[] {
    const names = rest.map((segment) => this.decodedSegment(segment));
    this.assertPath(names);
    return names;
  }

  /** A segment as a name: percent-decoded once, and UTF-8. @throws {Refusal} 400 */
  decodedSegment(segment: string): string {
    if (segment.includes('#')) throw makeRefusal('a number sign as %23', segment);
    try {
      return decodeURIComponent(segment);
    } catch {
      throw makeRefusal('valid percent-encoding of UTF-8', segment);
    }
  }

  /** Names of a path that is written as text, with or without a slash before it; nothing in it is decoded. Source: ledger chunk-name-precedence. @throws {Refusal} 400 */
  relativePathOf(path: string): readonly string[] {
    const names = path.replace(/^\//, '').split('/');
    this.assertPath(names);
    return names;
  }

  /** Lets a path pass that stays below its area and that any disk can keep. Source: ledger file-name-rules. @throws {Refusal} 400 */
  assertPath(names: readonly string[]): void {
    for (const name of names) assertName(name);
    const [first = ''] = names;
    if (/^[A-Za-z]:/.test(first)) throw makeRefusal('a path below the area and no drive', first);
    if (names.length > depthLimit)
      throw new Refusal(400, `Expected a path of at most ${depthLimit} names, found ${names.length}.`);
    const bytes = Buffer.byteLength(names.join('/'));
    if (bytes > pathLimitBytes)
      throw new Refusal(400, `Expected a path of at most ${pathLimitBytes} bytes, found ${bytes}.`);
  }

  async keepFileRecord(place: FilePlace, stamp: string, record: FileRecord): Promise<void> {
    const text = JSON.stringify(record);
    await this.needs.store.change((writing) => writing.putDocument(recordKind, recordId(place, stamp), text));
  }

  async forgetFileRecord(place: FilePlace, stamp: string): Promise<void> {
    await this.needs.store.change((writing) => writing.deleteDocument(recordKind, recordId(place, stamp)));
  }

  /** Of a file that came by another way nothing is known. */
  async fileRecordOf(place: FilePlace, stamp: string): Promise<FileRecord | undefined> {
    const text = await this.needs.store.read((reading) => reading.document(recordKind, recordId(place, stamp)));
    if (text !== undefined) return JSON.parse(text) as FileRecord;
    const underWay = await this.uploadUnderWay(place);
    return underWay && { type: underWay.type, growing: true };
  }

  /** Work on one place, one after another. Work on other places goes on beside it. */
  async inTurn<T>(place: FilePlace, work: () => Promise<T>): Promise<T> {
    const { turns } = this;
    const id = placeId(place);
    const before = turns.get(id) ?? Promise.resolve();
    const own = before.then(work, work);
    turns.set(id, own);
    try {
      return await own;
    } finally {
      if (turns.get(id) === own) turns.delete(id);
    }
  }

  /** What a write that failed is answered with: a refusal where the reason is one for the client. */
  refusalOf(place: FilePlace, error: unknown): unknown {
    if (error instanceof PlaceTaken) return this.placeTaken(place);
    return error instanceof NoRoom ? noRoom(place, error) : error;
  }

  /** What the content has to have as MD5. Source: ledger checksum-mismatch-status, chunk-checksum-enforcement. @throws {Refusal} 400 */
  expectedChecksum(call: Call): string | undefined {
    const given = call.headers[header];
    if (given === undefined) throw missingChecksum();
    if (!md5Form.test(given)) throw malformedChecksum(given);
    return given;
  }

  /** Lets content pass that has the MD5 it should have, or of which none is known. @throws {Refusal} 400 */
  assertChecksum(expected: string | undefined, md5: string): void {
    if (expected === undefined || this.checksumMatches(expected, md5)) return;
    throw new Refusal(400, `Expected content with the MD5 ${expected}, found some with ${md5}; send it again.`, {
      pointer: header,
    });
  }

  checksumMatches(expected: string, md5: string): boolean {
    return expected === md5;
  }

  /** The upload under way at a place. What is left of one whose file is gone, or made way for a whole one, counts no more. */
  async uploadUnderWay(place: FilePlace): Promise<Progress | undefined> {
    const info = await this.needs.fileStore.describe(place);
    return info?.kind === 'file' ? this.uploadInto(place, info) : undefined;
  }

  /** The upload that goes into the file; undefined for a whole one. */
  async uploadInto(place: FilePlace, { fileId, stamp }: FileInfo): Promise<Progress | undefined> {
    const { store } = this.needs;
    const text = await store.read(async (reading) => {
      const isWhole = await hasRecord(reading, place, stamp);
      return isWhole ? undefined : reading.document(uploadKind, this.uploadIdOf(place, fileId));
    });
    return text === undefined ? undefined : progressFrom(text);
  }

  /** Kept before anybody sees the file: one of which this is not known would pass for a whole one. */
  async keepBegun(place: FilePlace, { fileId }: FileInfo, progress: Progress): Promise<void> {
    const id = this.uploadIdOf(place, fileId);
    await this.needs.store.change((writing) => writing.putDocument(uploadKind, id, JSON.stringify(progress)));
  }

  /** Adds to what is kept now, which other hosts may have added to. Undefined when the upload was forgotten meanwhile. */
  async keepChunk(
    place: FilePlace,
    { fileId }: FileInfo,
    add: (progress: Progress) => Progress,
  ): Promise<Progress | undefined> {
    const id = this.uploadIdOf(place, fileId);
    return this.needs.store.change(async (writing) => {
      const text = await writing.document(uploadKind, id);
      if (text === undefined) return undefined;
      const progress = add(progressFrom(text));
      await writing.putDocument(uploadKind, id, JSON.stringify(progress));
      return progress;
    });
  }

  async forgetUpload(place: FilePlace, { fileId }: FileInfo): Promise<void> {
    const id = this.uploadIdOf(place, fileId);
    await this.needs.store.change((writing) => writing.deleteDocument(uploadKind, id));
  }

  /** Source: ledger file-exists-status */
  placeTaken({ segments }: FilePlace): Refusal {
    return new Refusal(
      409,
      `At ${segments.join('/')} a file or a directory is in the way; delete it or take another path.`,
    );
  }

  /** What tells uploads apart. Of those that begin at one place at once, on several hosts, one alone gives the place its file. */
  uploadIdOf(place: FilePlace, fileId: string): string {
    return `${placeId(place)}?${fileId}`;
  }
}

export function collectionArea(): FileArea {
  return { kind: 'collection' };
}

function fileHref({ area, segments }: FilePlace): string {
  return [`${basePath(area)}/file`, ...segments.map(encodeURIComponent)].join('/');
}

function basePath(area: FileArea): string {
  const ids: Readonly<Record<string, string>> = { ...area };
  return areaPaths[area.kind].replaceAll(/\{(\w+)\}/g, (_whole, name: string) => encodeURIComponent(ids[name] ?? ''));
}

/** @throws {Refusal} 400 */
function assertName(name: string): void {
  if (name === '') throw new Refusal(400, 'Expected a name between the slashes of the path, found none.');
  if (name === '.' || name === '..') throw makeRefusal('names and no dot segments', name);
  if (/[\0/\\]/.test(name)) throw makeRefusal('a name without NUL, slash and backslash', name);
  const bytes = Buffer.byteLength(name);
  if (bytes > nameLimitBytes)
    throw new Refusal(400, `Expected names of at most ${nameLimitBytes} bytes, found one of ${bytes}.`);
}

function makeRefusal(expected: string, found: string): Refusal {
  return new Refusal(
    400,
    `Expected ${expected} in the path of a file, found ${JSON.stringify(found.slice(0, nameLimitBytes))}.`,
  );
}

/** One text per place, whatever is in its names. */
function placeId({ area, segments }: FilePlace): string {
  const owner = Object.values(area).map(encodeURIComponent).join(',');
  return `${owner}/${segments.map(encodeURIComponent).join('/')}`;
}

/** Told by the stamp too, so that what was known of an earlier file at the place counts for it alone. */
function recordId(place: FilePlace, stamp: string): string {
  return `${placeId(place)}?${stamp}`;
}

/** Whether something is kept of the file that has this stamp, so that it is a whole one. */
async function hasRecord(reading: Reading, place: FilePlace, stamp: string): Promise<boolean> {
  return (await reading.document(recordKind, recordId(place, stamp))) !== undefined;
}

/** Source: RFC 4918 section 11.5 */
function noRoom({ segments }: FilePlace, cause: Error): Refusal {
  const detail = `The disk of the server has no room for ${segments.join('/')}, of which nothing of this request was kept; delete files, then send it again.`;
  return Object.assign(new Refusal(507, detail), { cause });
}

/** Bytes of a body as they come. What is left when the reader stops stays on the connection. @throws {Refusal} 400 broken off; 413 longer than the limit */
export async function* incoming(call: Call, limitBytes: number): AsyncGenerator<Uint8Array> {
  assertLength(call, limitBytes);
  if (call.stream === undefined) return;
  let size = 0;
  try {
    for await (const bytes of call.stream.iterator({ destroyOnReturn: false })) {
      size += bytes.length;
      if (size > limitBytes) throw tooLong(limitBytes);
      yield bytes;
    }
  } catch (error) {
    throw error instanceof Refusal ? error : brokenOff(error);
  }
}

function brokenOff(cause: unknown): Refusal {
  return Object.assign(new Refusal(400, 'The body ended before all of it had come; send it again.'), { cause });
}

/** @throws {Refusal} 413 */
export function assertLength(call: Call, limitBytes: number): void {
  if (Number(call.headers['content-length'] ?? 0) > limitBytes) throw tooLong(limitBytes);
}

function tooLong(limitBytes: number): Refusal {
  return new Refusal(413, `Expected a body of at most ${limitBytes} bytes; send a longer file in chunks.`);
}

function missingChecksum(): Refusal {
  return new Refusal(400, 'Expected the header checksum with the MD5 of the content in lower-case hex, found none.', {
    pointer: header,
  });
}

function malformedChecksum(given: string): Refusal {
  const detail = `Expected a checksum of 32 digits in lower-case hex without separators, found ${JSON.stringify(given.slice(0, 80))}.`;
  return new Refusal(400, detail, { pointer: header });
}

/** With one more chunk; one that came before changes nothing. */
export function withChunk(progress: Progress, number: number): Progress {
  const before = progress.received.filter(([, last]) => last < number - 1);
  const after = progress.received.filter(([first]) => first > number + 1);
  const touching = progress.received.filter(([first, last]) => first <= number + 1 && last >= number - 1);
  const first = Math.min(number, ...touching.map(([first]) => first));
  const last = Math.max(number, ...touching.map(([, last]) => last));
  return { ...progress, received: [...before, [first, last], ...after] };
}

/** Whether every chunk came. */
export function uploadComplete({ received, totalChunks }: Progress): boolean {
  const [range, ...more] = received;
  return range !== undefined && more.length === 0 && range[0] === 1 && range[1] === totalChunks;
}

function progressFrom(text: string): Progress {
  return JSON.parse(text) as Progress;
}
