import { headerNames } from '../names.ts';
import { routes } from '../routes.ts';

/** A code of the documents; `success` and `refusal` where they show that there is an answer of that kind and no code. */
export type CoveredStatus = number | 'success' | 'refusal';

/** A route of the documents, and what they say may come and go on it. */
export interface CoveredRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Template of the path, `{...}` for one segment or more at its end; absent where the documents withhold it. */
  readonly path?: string;
  /** Place in the profile that binds the path where they withhold it, or may have it otherwise. */
  readonly boundBy?: string;
  readonly statuses: readonly CoveredStatus[];
  /** Media types of the request, as `contentKinds` names them. */
  readonly sends: readonly ContentKind[];
  /** Headers of the documents that a request may carry or leave out. */
  readonly asks: readonly string[];
  /** Headers of the documents that an answer carries. */
  readonly gives: readonly string[];
}

/** Kinds of content of a request: those that the documents name, `file` for the content of one, `none` without a body. */
const contentKinds = ['none', 'json', 'operations', 'form', 'multipart', 'file'] as const;
export type ContentKind = (typeof contentKinds)[number];

/**
 * Who asks: nobody sends no credential, a stranger one that no identity of the profile holds, such as a forged or an impersonating token;
 * a key is an API key, or a signature made with one.
 */
export const callers = [
  'nobody',
  'stranger',
  'key',
  'editor',
  'secondEditor',
  'reader',
  'outsider',
  'noRole',
  'administrator',
  'spaceAdministrator',
] as const;
export type Caller = (typeof callers)[number];

/** Headers of the documents beside those of `headerNames`, as they are told here. */
const { version, informationFilter, correlationId } = headerNames;
const checksum = 'checksum';
const ifNoneMatch = 'If-None-Match';
const location = 'Location';
const etag = 'ETag';

const asksOfSpace = [informationFilter, correlationId];
const refused = [401, 403] as const;
const found = [...refused, 404] as const;
const compared = [...found, 409, 412] as const;

const read = (path: string): CoveredRoute => ({
  method: 'GET',
  path,
  statuses: [200, ...found],
  sends: ['none'],
  asks: asksOfSpace,
  gives: [],
});

/** Guarded by the version, and tells the new one. */
const edit = (
  method: 'PUT' | 'PATCH',
  place: Pick<CoveredRoute, 'path' | 'boundBy'>,
  success: CoveredStatus = 'success',
): CoveredRoute => ({
  method,
  ...place,
  statuses: [success, ...compared],
  sends: ['json'],
  asks: [version, ...asksOfSpace],
  gives: [version],
});

/** Of an object, without a body. */
const bare = (method: 'POST' | 'DELETE', boundBy: string): CoveredRoute => ({
  method,
  boundBy,
  statuses: ['success', ...found],
  sends: ['none'],
  asks: asksOfSpace,
  gives: [],
});

const areas = {
  collection: '/api/collection/fs/file',
  space: '/api/space/{spaceId}/fs/file',
  user: '/api/space/{spaceId}/user/fs/file',
  participant: '/api/space/{spaceId}/participant/{participantId}/fs/file',
} as const;

const ofFile = { statuses: ['success', ...refused, 'refusal'], asks: [], gives: [] } as const;
const upload = (area: string): CoveredRoute => ({
  ...ofFile,
  method: 'POST',
  path: `${area}/stream/{...}`,
  sends: ['file'],
  asks: [checksum],
});
const chunk = (area: string): CoveredRoute => ({
  ...ofFile,
  method: 'POST',
  path: area,
  sends: ['multipart'],
  asks: [checksum],
});
const download = (area: string): CoveredRoute => ({ ...ofFile, method: 'GET', path: `${area}/{...}`, sends: ['none'] });
const removal = (area: string): CoveredRoute => ({ ...download(area), method: 'DELETE' });
const listing = (area: string): CoveredRoute => ({
  ...ofFile,
  method: 'GET',
  path: `${area.replace(/file$/, 'dir')}/{...}`,
  statuses: ['success', ...refused],
  sends: ['none'],
});

const bulk = (path: string): CoveredRoute => ({
  method: 'POST',
  path,
  statuses: ['success', ...refused, 'refusal'],
  sends: ['json'],
  asks: [],
  gives: [],
});

const registration = (path: string): CoveredRoute => ({ ...bulk(path), asks: [correlationId] });

/** Every route of the documents, in their order. */
export const coveredRoutes = {
  instanceShort: read(routes.instanceShort),
  instanceLong: read(routes.instanceLong),
  page: read(routes.page),
  create: {
    method: 'POST',
    path: routes.create,
    statuses: [201, ...found],
    sends: ['json'],
    asks: asksOfSpace,
    gives: [location, version],
  },
  put: edit('PUT', { boundBy: 'routes.softTypePut' }),
  merge: edit('PATCH', { path: routes.merge }, 204),
  operations: {
    ...edit('PATCH', { path: routes.operations }),
    statuses: ['success', ...compared, 'refusal'],
    sends: ['operations'],
  },
  delete: bare('DELETE', 'routes.softTypeDelete'),
  multiCreate: {
    method: 'POST',
    path: routes.multiCreate,
    boundBy: 'routes.multiCreate',
    statuses: ['success', ...refused, 'refusal'],
    sends: ['json'],
    asks: asksOfSpace,
    gives: [version],
  },
  batch: {
    method: 'POST',
    path: routes.batch,
    statuses: [200, ...refused, 500],
    sends: ['json'],
    asks: asksOfSpace,
    gives: [],
  },
  promote: { ...edit('PUT', { path: routes.promote }, 204), sends: ['none'] },
  demote: { ...edit('PUT', { boundBy: 'routes.demote' }), sends: ['none'] },
  lockTake: bare('POST', 'routes.lockTake'),
  lockFree: bare('DELETE', 'routes.lockFree'),
  openApiDynamic: {
    method: 'GET',
    path: routes.openApiDynamic,
    boundBy: 'routes.openApiDynamic',
    statuses: [200, ...refused],
    sends: ['none'],
    asks: [correlationId],
    gives: [],
  },
  openApiStatic: {
    method: 'GET',
    boundBy: 'routes.openApiStatic',
    statuses: [200],
    sends: ['none'],
    asks: [correlationId],
    gives: [],
  },
  collectionRead: {
    method: 'GET',
    boundBy: 'collection.reads',
    statuses: [200, 304, ...refused],
    sends: ['none'],
    asks: [ifNoneMatch, correlationId],
    gives: [etag],
  },
  collectionWrite: {
    method: 'PUT',
    boundBy: 'collection.writes',
    statuses: ['success', ...refused],
    sends: ['json'],
    asks: [correlationId],
    gives: [],
  },
  grant: {
    method: 'POST',
    boundBy: 'auth.tokenUrl',
    statuses: [200, 'refusal'],
    sends: ['form'],
    asks: [],
    gives: [],
  },
  collectionUpload: upload(areas.collection),
  collectionChunk: chunk(areas.collection),
  collectionDownload: download(areas.collection),
  collectionDelete: removal(areas.collection),
  collectionDirectory: listing(areas.collection),
  spaceUpload: upload(areas.space),
  spaceChunk: chunk(areas.space),
  spaceDownload: download(areas.space),
  spaceDelete: removal(areas.space),
  spaceDirectory: listing(areas.space),
  userUpload: upload(areas.user),
  userChunk: chunk(areas.user),
  userDownload: download(areas.user),
  userDelete: removal(areas.user),
  userDirectory: listing(areas.user),
  participantUpload: upload(areas.participant),
  participantChunk: chunk(areas.participant),
  participantDownload: download(areas.participant),
  participantDelete: removal(areas.participant),
  participantDirectory: listing(areas.participant),
  bulkCollection: bulk('/admin/fileupload'),
  bulkSpace: bulk('/admin/fileupload/{spaceId}'),
  bulkParticipant: bulk('/admin/fileupload/{spaceId}/{participantId}'),
  registerEndpoint: registration('/api/admin/externalEndpoint'),
  registerTrusted: registration('/api/admin/trustedExternalEndpoint'),
  registerExtension: registration('/api/admin/svcExtension'),
  acquireKeys: {
    ...bulk('/api/collection/externalExtension/acquireAccessToken/{extensionId}'),
    asks: [correlationId],
  },
  taskStatus: {
    ...bulk('/api/space/{spaceId}/dx/{jobOid}/status/{status}'),
    method: 'PUT',
    sends: ['none', 'json'],
    asks: asksOfSpace,
  },
  taskProgress: { ...bulk('/api/space/{spaceId}/dx/{jobOid}/progress'), method: 'PUT', asks: asksOfSpace },
} as const satisfies Readonly<Record<string, CoveredRoute>>;

export type CoveredRouteName = keyof typeof coveredRoutes;
