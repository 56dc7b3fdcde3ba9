import type { IdentityName, Profile } from '../../contract/profile.ts';
import type { Changes, Reply, RequestSpec } from '../exchange.ts';
import { bytesOfChunk, chunkCount, chunkForm } from './chunk.ts';
import type { FileBookings } from './file-bookings.ts';
import type { AreaName, Chunk, DownloadChanges, FileArea, Files, Raw, UploadChanges } from './files.ts';
import { filePath, listingPath, spelled } from './paths.ts';
import { checksumOf } from '../host/signature.ts';
import type { BoundProfile } from '../profile.ts';
import { absoluteUrl } from '../requests/absolute-url.ts';
import { changed } from '../requests/prepare.ts';
import type { Target } from '../target.ts';
import { Inconclusive, PreconditionFailed } from '../violation.ts';

interface FileRequests extends Pick<Files, 'uploadRequest' | 'chunkRequest' | 'downloadRequest' | 'removeRequest'> {
  directoryRequest(area: FileArea, path: string, changes?: Partial<RequestSpec> & Raw): RequestSpec;
}

const octets = 'application/octet-stream';

const names: readonly AreaName[] = ['collection', 'space', 'user', 'participant'];

export interface FilesParts {
  readonly service: Target;
  readonly profile: BoundProfile;
  readonly bookings: FileBookings;
}

/** The file routes; what is uploaded is booked. Source: extensions, File areas, File routes */
export function openFiles({ service, profile, bookings }: FilesParts): Files {
  const areas = areasOf(profile.all);
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
      return reply;
    },
    chunk: async (area, chunk, changes) => {
      const reply = await service.send(requests.chunkRequest(area, chunk, changes));
      if (!isRefused(reply)) bookings.book(area, targetOf(chunk));
      return reply;
    },
    chunks: (area, upload) => chunksInTurn(files, area, upload),
    download: async (area, path, { token, ...changes } = {}) => {
      const request = requests.downloadRequest(area, path, changes);
      return service.send(token === undefined ? request : await withQueryToken(service, request, token));
    },
    remove: async (area, path, changes) => {
      const reply = await service.send(requests.removeRequest(area, path, changes));
      if (reply.status < 300) bookings.drop(area, path, changes);
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
    if (reply.status >= 300) break;
  }
  return replies;
}

/** A refusal that leaves nothing behind; after a 5xx something may be there. */
function isRefused({ status }: Reply): boolean {
  return status >= 300 && status < 500;
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
  if (token === null) throw new PreconditionFailed(`a token of ${as ?? 'nobody'} to put into the query`);
  return token;
}

/** Source: extensions, Authentication 1. @throws {Inconclusive} the profile lacks user name or personal access token */
function basic(profile: BoundProfile, as: IdentityName, secret?: string): Pick<Changes, 'as' | 'headers'> {
  const { username, pat } = profile.all.identities[as] ?? {};
  const password = secret ?? pat;
  if (username === undefined || password === undefined)
    throw new Inconclusive(
      `The case uses Basic, for which the profile lacks something: add identities.${as}.username and identities.${as}.pat.`,
    );
  return { as: null, headers: { Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` } };
}

/** The file areas of a profile. Source: extensions, File areas */
function areasOf(
  profile: Profile,
): Pick<Files, 'areas' | 'any' | 'area' | 'userArea' | 'secondParticipant' | 'secondSpace'> {
  const declared = profile.files?.areas ?? {};
  const areas = names.flatMap((name) => {
    const as = declared[name]?.as;
    const isWhole = name !== 'participant' || profile.participant !== undefined;
    return as === undefined || !isWhole ? [] : [areaOf(profile, name, as)];
  });
  return {
    areas,
    get any() {
      return bound(areas[0], 'files.areas');
    },
    area: (name) =>
      bound(
        areas.find((area) => area.name === name),
        `files.areas.${name}`,
      ),
    userArea: (as) => areaOf(profile, 'user', as),
    get secondParticipant() {
      const { id, as } = bound(profile.files?.secondParticipant, 'files.secondParticipant');
      return areaOf({ ...profile, participant: id }, 'participant', as);
    },
    get secondSpace() {
      const { space } = bound(profile.secondSpace, 'secondSpace');
      return areaOf({ ...profile, space }, 'space', 'editor');
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
  return `${inSpace}/participant/${encodeURIComponent(bound(participant, 'participant'))}/fs/file`;
}

function bound<T>(value: T | undefined, key: string): T {
  if (value === undefined) throw new Inconclusive(`The case uses ${key}, which the profile does not have: add it.`);
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
      const request = by('POST', area, `${area.path}/stream/${spelled(path, changes)}`);
      return uploading({ ...request, body: bytes }, bytes, octets, changes);
    },
    chunkRequest: (area, chunk, changes = {}) => {
      const { contentType, body } = chunkForm(chunk);
      return uploading({ ...by('POST', area, area.path), body }, bytesOfChunk(chunk), contentType, changes);
    },
    downloadRequest: (area, path, changes = {}) => plainly(by('GET', area, filePath(area, path, changes)), changes),
    removeRequest: (area, path, changes = {}) => plainly(by('DELETE', area, filePath(area, path, changes)), changes),
    directoryRequest: (area, path, changes = {}) =>
      plainly(by('GET', area, listingPath(all, area, spelled(path, changes))), changes),
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
  return changed({ ...request, headers: { 'Content-Type': contentType, checksum } }, changes);
}

function plainly(request: RequestSpec, { raw: _raw, ...changes }: Partial<RequestSpec> & Raw): RequestSpec {
  return changed(request, changes);
}
