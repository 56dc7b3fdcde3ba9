import type { Need } from '../../contract/needs.ts';
import type { Draw } from '../case/draw.ts';
import type { IdentityName, Profile } from '../../contract/profile.ts';
import type { Bookings } from '../case/bookings.ts';
import { carriedOut, followed, takenIn } from '../every-answer/final-answer.ts';
import { isSuccess, type Changes, type Reply, type RequestSpec } from '../exchange.ts';
import { bytesOfChunk, type Chunk, chunkCount, chunkForm, generatedBytes } from './bodies.ts';
import type { BoundProfile } from '../profile.ts';
import { absoluteUrl, basicAuthorization, withChanges } from '../service/requests.ts';
import { checksumOf } from '../service/signature.ts';
import type { Target } from '../service/target.ts';
import { KeyMissing, PreconditionFailed, Undecidable, UnfitProfile } from '../violation.ts';

/** In the order of the document. Source: extensions, File areas */
export type AreaName = 'collection' | 'space' | 'user' | 'participant';

/** A file area of the service under test. */
export interface FileArea {
  readonly name: AreaName;
  /** Documented base path with ids filled in, from the base URL on: `/api/space/main/fs/file`. */
  readonly path: string;
  /** Identity of the profile that may use it; the sender of every request unless changed. */
  readonly as: IdentityName;
}

export interface UploadChanges extends Changes {
  /** Value of the `checksum` header; the right one unless given, null for none. */
  readonly checksum?: string | null;
  /** `application/octet-stream` unless given, null for none. */
  readonly contentType?: string | null;
}

interface DownloadChanges extends Changes {
  /** `query` sends the token of the sender as query parameter `token` and no Authorization header; a text is sent there as it is. */
  readonly token?: 'query' | { readonly text: string };
}

/** The file routes as documented. A path is written with slashes; each segment of it is percent-encoded, unless `raw` says that it is ready. */
export interface Files {
  /** The areas that the profile declares. */
  readonly areas: readonly FileArea[];
  /** The first of them. */
  readonly any: FileArea;
  area(name: AreaName): FileArea;
  /** The user area as another identity sees it. */
  userArea(as: IdentityName): FileArea;
  /** Needs `second-participant`: the area of that participant, used by the second editor. */
  readonly secondParticipant: FileArea;
  /** Needs `second-space`: the space area there, used by the editor. */
  readonly secondSpace: FileArea;

  uploadRequest(area: FileArea, path: string, bytes: Uint8Array, changes?: UploadChanges & Raw): RequestSpec;
  chunkRequest(area: FileArea, chunk: Chunk, changes?: UploadChanges): RequestSpec;
  downloadRequest(area: FileArea, path: string, changes?: Changes & Raw): RequestSpec;
  removeRequest(area: FileArea, path: string, changes?: Changes & Raw): RequestSpec;

  upload(area: FileArea, path: string, bytes: Uint8Array, changes?: UploadChanges & Raw): Promise<Reply>;
  chunk(area: FileArea, chunk: Chunk, changes?: UploadChanges): Promise<Reply>;
  /** Every chunk, one after another until one is refused; the replies so far. */
  chunks(area: FileArea, upload: Omit<Chunk, 'number'>): Promise<readonly Reply[]>;
  download(area: FileArea, path: string, changes?: DownloadChanges & Raw): Promise<Reply>;
  remove(area: FileArea, path: string, changes?: Changes & Raw): Promise<Reply>;
  /** GET of the listing, by routes.dir of the profile or `…/fs/dir/{path}`. */
  directory(area: FileArea, path?: string, changes?: Changes & Raw): Promise<Reply>;
  /** Lower-case hex of the MD5 of the bytes, as the judge computes it. */
  checksumOf(bytes: Uint8Array): string;
  /** Changes that send Basic with user name and personal access token of the identity, or with another secret. @throws {Inconclusive} the profile lacks them */
  basic(as: IdentityName, secret?: string): Pick<Changes, 'as' | 'headers'>;
}

/** How a path is spelled. */
interface Raw {
  /** The path is put into the URL as it stands. */
  readonly raw?: boolean;
}

/** A file that the case uploaded. */
export interface GivenFile {
  readonly area: FileArea;
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** What `given` offers for files. A failure in here is never a `fail` of the rule. */
export interface MakesFiles {
  /** A path that no other case uses: a unique directory with a file in it, or just a unique name at the root of the area. */
  filePath(options?: { readonly root?: boolean; readonly name?: string }): string;
  /** Bytes of that length that no other case uses, the same for the same seed. */
  bytes(length: number): Uint8Array;
  /** A file uploaded by stream and booked for clean-up; of any area, with a path and bytes of its own unless given. */
  file(options?: {
    readonly area?: FileArea;
    readonly path?: string;
    readonly bytes?: Uint8Array;
    readonly contentType?: string;
  }): Promise<GivenFile>;
  /** Books a file that the case made otherwise than by `upload`, `chunk` and `chunks`, which book what they make. */
  bookFile(area: FileArea, path: string): void;
}

interface FileRequests extends Pick<Files, 'uploadRequest' | 'chunkRequest' | 'downloadRequest' | 'removeRequest'> {
  directoryRequest(area: FileArea, path: string, changes?: Partial<RequestSpec> & Raw): RequestSpec;
}

const octets = 'application/octet-stream';

const names: readonly AreaName[] = ['collection', 'space', 'user', 'participant'];

interface FilesParts {
  readonly draw: Draw;
  readonly service: Target;
  readonly profile: BoundProfile;
  readonly bookings: FileBookings;
}

/** The file routes; what is uploaded is booked. Source: extensions, File areas, File routes */
export function openFiles({ service, profile, bookings, draw }: FilesParts): Files {
  const areas = areasOf(profile.all, draw);
  const { directoryRequest, ...requests } = fileRequests(profile);
  const files: Files = {
    areas: areas.areas,
    get any() {
      return areas.any;
    },
    area: (name) => areas.area(name),
    userArea: (as) => areas.userArea(as),
    get secondParticipant() {
      return areas.secondParticipant;
    },
    get secondSpace() {
      return areas.secondSpace;
    },
    ...requests,
    upload: async (area, path, bytes, changes) => {
      const reply = await service.send(requests.uploadRequest(area, path, bytes, changes));
      if (!isRefused(reply)) bookings.book(area, path, changes);
      return takenIn(reply, () => files.download(area, path, { raw: changes?.raw ?? false }));
    },
    chunk: async (area, chunk, changes) => {
      const reply = await service.send(requests.chunkRequest(area, chunk, changes));
      if (!isRefused(reply)) bookings.book(area, targetOf(chunk));
      return reply;
    },
    chunks: (area, upload) => chunksInTurn(files, area, upload),
    download: async (area, path, { token, ...changes } = {}) => {
      const request = requests.downloadRequest(area, path, changes);
      return followed(service, token === undefined ? request : await withQueryToken(service, request, token));
    },
    remove: async (area, path, changes) => {
      const sent = await service.send(requests.removeRequest(area, path, changes));
      const reply = await carriedOut(sent, () => files.download(area, path));
      if (isSuccess(reply.status)) bookings.drop(area, path, changes);
      return reply;
    },
    directory: (area, path = '', changes) => service.send(directoryRequest(area, path, changes)),
    checksumOf,
    basic: (as, secret) => basic(profile, as, secret),
  };
  return files;
}

async function chunksInTurn(files: Files, area: FileArea, upload: Omit<Chunk, 'number'>): Promise<readonly Reply[]> {
  const replies: Reply[] = [];
  for (let number = 1; number <= chunkCount(upload); number += 1) {
    const reply = await files.chunk(area, { ...upload, number });
    replies.push(reply);
    if (!isSuccess(reply.status)) break;
  }
  return replies;
}

/** A refusal that leaves nothing behind; after a 5xx something may be there. */
function isRefused({ status }: Reply): boolean {
  return !isSuccess(status) && status < 500;
}

/** Where the parts say that the file goes. */
function targetOf({ path, parts }: Chunk): string {
  return (parts?.['resumableRelativePath'] ?? path).replace(/^\/+/, '');
}

/** The request with the token as query parameter and without Authorization header. Source: extensions, File routes, row 3 */
async function withQueryToken(
  service: Target,
  request: RequestSpec,
  token: NonNullable<DownloadChanges['token']>,
): Promise<RequestSpec> {
  const text = token === 'query' ? await tokenOf(service, request) : token.text;
  const joint = request.url.includes('?') ? '&' : '?';
  return { ...request, url: `${request.url}${joint}token=${encodeURIComponent(text)}`, as: null };
}

async function tokenOf(service: Target, { as }: RequestSpec): Promise<string> {
  const token = as === null ? null : await service.token(as);
  if (token === null) throw new UnfitProfile(`a token of ${as ?? 'nobody'} to put into the query`);
  return token;
}

/** Source: extensions, Authentication 1. @throws {Undecidable} the profile lacks user name or personal access token */
function basic(profile: BoundProfile, as: IdentityName, secret?: string): Pick<Changes, 'as' | 'headers'> {
  const { username, pat } = profile.all.identities[as] ?? {};
  const password = secret ?? pat;
  if (username === undefined || password === undefined)
    throw new Undecidable(
      `The case uses Basic, for which the profile lacks something: add identities.${as}.username and identities.${as}.pat.`,
    );
  return { as: null, headers: { Authorization: basicAuthorization(username, password) } };
}

/** The file areas of a profile. Source: extensions, File areas */
function areasOf(
  profile: Profile,
  draw: Draw,
): Pick<Files, 'areas' | 'any' | 'area' | 'userArea' | 'secondParticipant' | 'secondSpace'> {
  const declared = profile.files?.areas ?? {};
  const areas = names.flatMap((name) => {
    const as = declared[name]?.as;
    const isWhole = name !== 'participant' || profile.participant !== undefined;
    return as === undefined || !isWhole ? [] : [areaOf(profile, name, as)];
  });
  const [first, ...others] = areas;
  const any = first && draw([first, ...others]);
  return {
    areas,
    get any() {
      return bound(any, 'files.areas', 'file-area-any');
    },
    area: (name) =>
      bound(
        areas.find((area) => area.name === name),
        `files.areas.${name}`,
        `file-area-${name}`,
      ),
    userArea: (as) => areaOf(profile, 'user', as),
    get secondParticipant() {
      const { id, as } = bound(profile.files?.secondParticipant, 'files.secondParticipant', 'second-participant');
      return areaOf({ ...profile, participant: id }, 'participant', as);
    },
    get secondSpace() {
      const { space, as = 'editor' } = bound(profile.secondSpace, 'secondSpace', 'second-space');
      return areaOf({ ...profile, space }, 'space', as);
    },
  };
}

function areaOf(profile: Pick<Profile, 'space' | 'participant'>, name: AreaName, as: IdentityName): FileArea {
  return { name, path: pathOf(profile, name), as };
}

function pathOf({ space, participant }: Pick<Profile, 'space' | 'participant'>, name: AreaName): string {
  const inSpace = `/api/space/${encodeURIComponent(space)}`;
  if (name === 'collection') return '/api/collection/fs/file';
  if (name === 'space') return `${inSpace}/fs/file`;
  if (name === 'user') return `${inSpace}/user/fs/file`;
  return `${inSpace}/participant/${encodeURIComponent(bound(participant, 'participant', 'file-area-participant'))}/fs/file`;
}

function bound<T>(value: T | undefined, key: string, need: Need): T {
  if (value === undefined) throw new KeyMissing(key, need);
  return value;
}

/** Makes requests of the file routes without sending them. Source: extensions, File routes; ledger dir-listing */
function fileRequests({ all }: BoundProfile): FileRequests {
  const by = (method: string, area: FileArea, path: string): RequestSpec => ({
    method,
    url: absoluteUrl(all, path),
    as: area.as,
    unbooked: true,
  });
  return {
    uploadRequest: (area, path, bytes, changes = {}) => {
      const request = by('POST', area, `${area.path}/stream/${encodePath(path, changes)}`);
      return uploading({ ...request, body: bytes }, bytes, octets, changes);
    },
    chunkRequest: (area, chunk, changes = {}) => {
      const { contentType, body } = chunkForm(chunk);
      return uploading({ ...by('POST', area, area.path), body }, bytesOfChunk(chunk), contentType, changes);
    },
    downloadRequest: (area, path, changes = {}) => plainly(by('GET', area, filePath(area, path, changes)), changes),
    removeRequest: (area, path, changes = {}) => plainly(by('DELETE', area, filePath(area, path, changes)), changes),
    directoryRequest: (area, path, changes = {}) =>
      plainly(by('GET', area, listingPath(all, area, encodePath(path, changes))), changes),
  };
}

/** Source: extensions, File routes, stream upload, chunk upload */
function uploading(
  request: RequestSpec,
  bytes: Uint8Array,
  type: string,
  uploadChanges: UploadChanges & Raw,
): RequestSpec {
  const { checksum = checksumOf(bytes), contentType = type, raw: _raw, ...changes } = uploadChanges;
  return withChanges({ ...request, headers: { 'Content-Type': contentType, checksum } }, changes);
}

function plainly(request: RequestSpec, { raw: _raw, ...changes }: Partial<RequestSpec> & Raw): RequestSpec {
  return withChanges(request, changes);
}

interface GivenFilesParts {
  readonly files: Files;
  readonly bookings: FileBookings;
  readonly unique: (prefix?: string) => string;
}

const usualLength = 300;

/** Words that make files. */
export function openGivenFiles({ files, bookings, unique }: GivenFilesParts): MakesFiles {
  const given: MakesFiles = {
    filePath: ({ root = false, name } = {}) =>
      root ? (name ?? `${unique('file')}.bin`) : `${unique('dir')}/${name ?? `${unique('file')}.bin`}`,
    bytes: (length) => generatedBytes(unique('bytes'), length),
    file: async ({ area = files.any, path = given.filePath(), bytes = given.bytes(usualLength), contentType } = {}) => {
      const reply = await files.upload(area, path, bytes, contentType === undefined ? {} : { contentType });
      assertUploaded(reply);
      return { area, path, bytes };
    },
    bookFile: (area, path) => bookings.book(area, path),
  };
  return given;
}

function assertUploaded(reply: Reply): void {
  if (isSuccess(reply.status)) return;
  throw new PreconditionFailed('a file to be uploaded by stream', reply, [
    'files.stream.checksum-correct-accepted',
    'files.stream.nested-directories-created',
    'files.stream.root-without-subdirectory',
  ]);
}

/** Notes which files there are to delete in the end. */
interface FileBookings {
  book(area: FileArea, path: string, raw?: Raw): void;
  drop(area: FileArea, path: string, raw?: Raw): void;
}

/** @param madeBy on whose behalf files are booked */
export function fileBookings(bookings: Bookings, profile: BoundProfile, madeBy: string): FileBookings {
  const uriOf = (area: FileArea, path: string, raw?: Raw): string =>
    absoluteUrl(profile.all, filePath(area, path, raw));
  return {
    book: (area, path, raw) => {
      const uri = uriOf(area, path, raw);
      const read = { method: 'GET', url: uri, as: area.as };
      bookings.book({ uri, madeBy, read, remove: { ...read, method: 'DELETE' }, isEvidence: true });
    },
    drop: (area, path, raw) => bookings.drop(uriOf(area, path, raw), area.as),
  };
}

/** A path as it stands in a URL: each segment percent-encoded, unless it is ready. */
function encodePath(path: string, { raw = false }: Raw = {}): string {
  if (raw) return path;
  return path
    .split('/')
    .map((segment) => encodeURIComponent(segment.toWellFormed()))
    .join('/');
}

/** Path of a file, from the base URL on. Source: extensions, File routes, rows 3 and 4 */
function filePath(area: FileArea, path: string, raw?: Raw): string {
  return `${area.path}/${encodePath(path, raw)}`;
}

/** Path of a listing, from the base URL on: as the profile has it, else as the document names the route. Source: ledger dir-listing */
function listingPath({ files }: Pick<Profile, 'files'>, area: FileArea, path: string): string {
  const base = area.path.replace(/\/file$/, '');
  if (files?.dir !== undefined) return files.dir.replaceAll('{area}', () => base).replaceAll('{path}', () => path);
  return path === '' ? `${base}/dir` : `${base}/dir/${path}`;
}
