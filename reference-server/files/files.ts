import type { Route } from '../route.ts';
import type { Answer, Call, Service } from '../service.ts';
import {
  areaPaths,
  authenticateFile,
  authorizeArea,
  collectionArea,
  fileAreaOf,
  fileCredentialsOf,
  mayUseArea,
  openArea,
  participantArea,
  queryCredentialsOf,
  spaceArea,
  userArea,
  type AreaKind,
} from './areas.ts';
import { assertChecksum, checksumMatches, expectedChecksum, malformedChecksum, missingChecksum } from './checksum.ts';
import { chunkBehaviours } from './chunk/chunk.ts';
import { directoryPlaceOf, directoryEntries, listDirectory } from './directory.ts';
import { contentOf, downloadFile, downloadHeaders, filePlaceOf, missingFile } from './download.ts';
import { fileRecordOf, forgetFileRecord, keepFileRecord } from './kept.ts';
import { createdFile } from './location.ts';
import { assertName, assertPath, decodedSegment, filePathOf, relativePathOf } from './names.ts';
import { byteRangeOf } from './range.ts';
import { deleteFile, removeFile } from './remove.ts';
import {
  assertPlaceFree,
  placeTaken,
  storeStream,
  streamLimitOf,
  streamPlaceOf,
  uploadStream,
} from './stream-upload.ts';
import { inTurn } from './turns.ts';

export const filesBehaviours = {
  openArea,
  authenticateFile,
  fileCredentialsOf,
  queryCredentialsOf,
  fileAreaOf,
  collectionArea,
  spaceArea,
  userArea,
  participantArea,
  authorizeArea,
  mayUseArea,
  filePathOf,
  decodedSegment,
  relativePathOf,
  assertPath,
  assertName,
  expectedChecksum,
  missingChecksum,
  malformedChecksum,
  assertChecksum,
  checksumMatches,
  uploadStream,
  streamPlaceOf,
  streamLimitOf,
  assertPlaceFree,
  placeTaken,
  storeStream,
  createdFile,
  keepFileRecord,
  forgetFileRecord,
  fileRecordOf,
  downloadFile,
  filePlaceOf,
  missingFile,
  downloadHeaders,
  byteRangeOf,
  contentOf,
  removeFile,
  deleteFile,
  inTurn,
  listDirectory,
  directoryPlaceOf,
  directoryEntries,
  ...chunkBehaviours,
};

const kinds: readonly AreaKind[] = ['collection', 'space', 'user', 'participant'];

/** Who may use an area is not decided by the kernel: a query token opens downloads, and roles count in their own way. */
export const filesRoutes: readonly Route[] = kinds.flatMap(routesOf);

function routesOf(kind: AreaKind): readonly Route[] {
  const base = areaPaths[kind];
  return [
    route('POST', `${base}/file/stream/{path*}`, (service, call) =>
      service.behaviours.uploadStream(service, call, kind),
    ),
    route('POST', `${base}/file`, (service, call) => service.behaviours.uploadChunk(service, call, kind)),
    route('GET', `${base}/file/{path*}`, (service, call) => service.behaviours.downloadFile(service, call, kind)),
    route('DELETE', `${base}/file/{path*}`, (service, call) => service.behaviours.removeFile(service, call, kind)),
    route('GET', `${base}/dir`, (service, call) => service.behaviours.listDirectory(service, call, kind)),
    route('GET', `${base}/dir/{path*}`, (service, call) => service.behaviours.listDirectory(service, call, kind)),
  ];
}

/** What files take as body is read as it comes. */
function route(
  method: Route['method'],
  path: string,
  handle: (service: Service, call: Call) => Promise<Answer>,
): Route {
  return { method, path, access: 'public', effect: 'outside', handle, ...(method === 'POST' && { streams: true }) };
}
