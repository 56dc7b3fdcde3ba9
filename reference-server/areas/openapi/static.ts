import { mediaTypes, permissionNames } from '../../../contract/names.ts';
import { tokenSchema } from '../../../contract/wire.ts';
import { acquirePath } from '../api-keys.ts';
import { bulkPath } from '../bulk-upload.ts';
import { type AreaKind, areaPaths } from '../file-areas.ts';
import { jobsPath, taskStatuses } from '../jobs.ts';
import * as shared from './components.ts';
import { correlationId, jsonContent, problems } from './components.ts';
import {
  type JsonObject,
  type Paths,
  documentOf,
  instanceSchemaOf,
  parameterReference,
  schemaReference,
} from './document.ts';
import { deleteOperation, lockOperation, moveOperation, readOperation, unlockOperation } from './operations.ts';

const documents: Readonly<Record<string, () => JsonObject>> = {
  system: systemDocument,
  collection: collectionDocument,
  space: spaceDocument,
};

export const staticCategories = Object.keys(documents);

const text = { type: 'string' };

/** What a file or a directory may be called: a segment of the path. */
const fileName = { type: 'string', pattern: String.raw`^(?![A-Za-z]:)[^\u0000/\\]+$`, not: { enum: ['.', '..'] } };

const relativePath = { type: 'string', pattern: String.raw`^[^\u0000\\]*[^\u0000/\\]$` };

const anyObject = { type: 'object' };

const form = {
  type: 'object',
  required: ['grant_type'],
  properties: {
    grant_type: text,
    username: text,
    password: text,
    scope: { const: 'All' },
    subject_token: text,
    subject_token_type: text,
  },
};

const tokenOperation = {
  operationId: 'grantToken',
  tags: ['system'],
  summary: 'Get an access token by password or by id token',
  security: [{ client: [] }],
  requestBody: { required: true, ...shared.jsonContent(form, mediaTypes.form) },
  responses: {
    200: { description: 'An access token.', ...shared.jsonContent(tokenSchema) },
    400: {
      description: 'No token for this request (RFC 6749 section 5.2).',
      ...shared.jsonContent(schemaReference('GrantError')),
    },
    401: { description: 'Unknown client.', ...shared.jsonContent(schemaReference('GrantError')) },
  },
};

const profileOperation = {
  operationId: 'putProfile',
  tags: ['collection'],
  summary: 'Replace the own profile',
  parameters: [shared.correlationId],
  requestBody: { required: true, ...shared.jsonContent(schemaReference('Profile')) },
  responses: { 204: { description: 'Replaced.' }, ...shared.problems(400, 401, 403, 415, 422) },
};

const bytes = { 'application/octet-stream': { schema: {} } };

const pathNote =
  'Subdirectories and name with slashes between them, each percent-encoded; more segments than one, which OpenAPI cannot tell.';

const checksum = {
  name: 'checksum',
  in: 'header',
  required: true,
  schema: { type: 'string', pattern: '^[0-9a-f]{32}$' },
  description: 'MD5 of the file, or of the chunk.',
};

const stored = {
  description: 'The file is whole; its path is in the header.',
  headers: { Location: { $ref: '#/components/headers/location' } },
};

const tooLong = { description: 'Longer than is taken in one piece.' };

const flag = { type: 'boolean', default: false };

/** A bearer that is no token. Source: extensions, Authentication 2 and 3 */
const signatureScheme: JsonObject = {
  signature: {
    type: 'http',
    scheme: 'bearer',
    description: 'HMAC SHA512 of the path under an API key, as URL-safe Base64 without padding.',
  },
};

const acquire = {
  operationId: 'acquireAccessToken',
  tags: ['collection'],
  summary: 'Have API keys brought to the configured callback',
  security: [{ signature: [] }, { bearer: [] }],
  parameters: [correlationId],
  requestBody: {
    required: true,
    ...jsonContent({
      type: 'object',
      required: ['tokenCallback', 'permissions'],
      properties: {
        tokenCallback: text,
        permissions: { type: 'array', minItems: 1, items: { enum: permissionNames } },
      },
    }),
  },
  responses: {
    204: { description: 'The callback has them.' },
    502: { description: 'The callback did not take them; nothing was issued.' },
    ...problems(400, 401, 403, 404, 415, 422),
  },
};

const readJob = {
  operationId: 'readJob',
  tags: ['space'],
  summary: 'Read a data-exchange job',
  parameters: [correlationId],
  responses: { 200: { description: 'The job.', ...jsonContent({ type: 'object' }) }, ...problems(401, 403, 404) },
};

const reportStatus = {
  operationId: 'reportTaskStatus',
  tags: ['space'],
  summary: 'Report how a task ended',
  parameters: [correlationId],
  requestBody: {
    required: false,
    ...jsonContent({ type: 'object', properties: { outputFilePath: text, logFilePath: text } }),
  },
  responses: { 204: { description: 'The job has ended.' }, ...problems(400, 401, 403, 404, 409, 415, 422) },
};

const reportProgress = {
  operationId: 'reportTaskProgress',
  tags: ['space'],
  summary: 'Report what a task is at',
  parameters: [correlationId],
  requestBody: {
    required: true,
    ...jsonContent({ type: 'object', required: ['message'], properties: { message: text } }),
  },
  responses: { 204: { description: 'The job shows it.' }, ...problems(400, 401, 403, 404, 409, 415, 422) },
};

/** Definitions that hold for every template, by category; undefined for others. Source: core, What the service does */
export function staticDocument(category: string): JsonObject | undefined {
  return Object.hasOwn(documents, category) ? documents[category]?.() : undefined;
}

function systemDocument(): JsonObject {
  const category = {
    name: 'category',
    in: 'path',
    required: true,
    schema: { enum: staticCategories },
    description: 'Category of the definitions.',
  };
  const client = { client: { type: 'http', scheme: 'basic', description: 'Client id and client secret.' } };
  const paths = {
    '/auth/token': { post: tokenOperation },
    '/api/openApi/{category}': {
      get: tagged('system', 'readDefinitions', 'Read static OpenAPI definitions', anyObject, [category]),
    },
  };
  return documentOf('System', 'Tokens and definitions.', paths, {
    ...components(),
    securitySchemes: { ...shared.securitySchemes, ...client },
  });
}

function collectionDocument(): JsonObject {
  const paths = {
    '/api/collection/template': {
      get: tagged(
        'collection',
        'readTemplates',
        'List the space templates',
        listOf({ softTypes: { type: 'array', items: text } }),
      ),
    },
    '/api/collection/space': { get: tagged('collection', 'readSpaces', 'List the spaces', listOf({ template: text })) },
    '/api/collection/health': {
      get: tagged('collection', 'readHealth', 'Read the health of the collection', named({ status: text })),
    },
    '/api/collection/user/profile': {
      get: tagged('collection', 'readProfile', 'Read the own profile', named({ displayName: text })),
      put: profileOperation,
    },
    ...keyPaths(),
    ...filePaths('collection'),
  };
  return documentOf('Collection', 'For Collection Administrators, and for those who hold keys.', paths, {
    ...components(),
    securitySchemes: { ...shared.securitySchemes, ...signatureScheme },
  });
}

function spaceDocument(): JsonObject {
  const about = { tag: 'space', names: ['instance'] };
  const dynamic = tagged(
    'space',
    'readDynamicDefinitions',
    'Read the OpenAPI definitions of the SoftTypes of a space',
    anyObject,
  );
  const parametersOfPath = [parameterReference('spaceId')];
  const paths: Paths = {
    '/space/{spaceId}/SoftType/dynamic/softtype.openApi': { parameters: parametersOfPath, get: dynamic },
    '/api/space/{spaceId}/softtype/{objectId}': {
      parameters: parametersOfPath,
      get: readOperation({ ...about, action: 'read', summary: 'Read an instance' }, schemaReference('Instance'), []),
      delete: deleteOperation({ ...about, action: 'delete', summary: 'Delete an instance' }),
    },
    '/api/space/{spaceId}/maturityAction/promote/{objectId}/{processId}/{levelId}': {
      parameters: parametersOfPath,
      put: moveOperation({ ...about, action: 'promote', summary: 'Move one level of an instance to its next state' }),
    },
    '/api/space/{spaceId}/maturityAction/demote/{objectId}/{processId}/{levelId}': {
      parameters: parametersOfPath,
      put: moveOperation({
        ...about,
        action: 'demote',
        summary: 'Move one level of an instance back to the state before',
      }),
    },
    '/api/space/{spaceId}/lock/{objectId}': {
      parameters: parametersOfPath,
      post: lockOperation({ ...about, action: 'lock', summary: 'Lock an instance against the writes of others' }),
      delete: unlockOperation({ ...about, action: 'unlock', summary: 'Free an instance' }),
    },
    ...jobPaths(),
    ...filePaths('space', 'user', 'participant'),
  };
  return documentOf(
    'Space',
    'What every space has, whatever its template; the rest is in the dynamic definitions.',
    paths,
    components(),
  );
}

/** A GET with an ETag. */
function tagged(
  tag: string,
  operationId: string,
  summary: string,
  schema: JsonObject,
  parameters: readonly JsonObject[] = [],
): JsonObject {
  return {
    operationId,
    tags: [tag],
    summary,
    parameters: [...parameters, parameterReference('ifNoneMatch'), shared.correlationId],
    responses: {
      200: {
        description: 'The current representation.',
        headers: { ETag: { $ref: '#/components/headers/etag' } },
        ...shared.jsonContent(schema),
      },
      304: { $ref: '#/components/responses/notModified' },
      ...shared.problems(401, 403, 404),
    },
  };
}

function named(members: JsonObject): JsonObject {
  const properties = { id: text, name: text, ...members };
  return { type: 'object', required: Object.keys(properties), properties };
}

function listOf(members: JsonObject): JsonObject {
  return {
    type: 'object',
    required: ['href', 'data'],
    properties: { href: text, data: { type: 'array', items: named(members) } },
  };
}

function components(): JsonObject {
  const { parameters, headers, responses, securitySchemes } = shared;
  const profile = {
    type: 'object',
    required: ['displayName'],
    properties: { displayName: { type: 'string', minLength: 1, maxLength: 200 } },
    additionalProperties: false,
  };
  const grantError = { type: 'object', required: ['error'], properties: { error: text, error_description: text } };
  const schemas = {
    ...shared.schemas,
    Instance: instanceSchemaOf(anyObject),
    Profile: profile,
    GrantError: grantError,
  };
  return { schemas, parameters, headers, responses, securitySchemes };
}

/** Routes of the file areas. @param kinds areas of the document that they go into */
function filePaths(...kinds: readonly AreaKind[]): Paths {
  return Object.assign({}, ...kinds.map(pathsOfArea));
}

function pathsOfArea(kind: AreaKind): Paths {
  const base = areaPaths[kind];
  const parameters = parametersOf(kind);
  const deep = [...parameters, { ...inPath('path', pathNote), schema: fileName }];
  return {
    [`${base}/file/stream/{path}`]: { parameters: deep, post: uploadStream(kind) },
    [`${base}/file`]: { parameters, post: uploadChunk(kind) },
    [`${base}/file/{path}`]: { parameters: deep, get: download(kind), delete: remove(kind) },
    [`${base}/dir`]: { parameters, get: list(kind, 'Area') },
    [`${base}/dir/{path}`]: { parameters: deep, get: list(kind, 'Directory') },
  };
}

function parametersOf(kind: AreaKind): readonly JsonObject[] {
  if (kind === 'collection') return [];
  const space = parameterReference('spaceId');
  return kind === 'participant' ? [space, inPath('participantId', 'Id of a participant of the space.')] : [space];
}

function uploadStream(kind: AreaKind): JsonObject {
  return {
    ...describeOperation(kind, 'upload', 'File', 'Upload a file whose content is the body'),
    parameters: [checksum, correlationId],
    requestBody: { required: true, content: bytes },
    responses: { 201: stored, ...problems(400, 401, 403, 404, 409), 413: tooLong },
  };
}

function uploadChunk(kind: AreaKind): JsonObject {
  const integer = { type: 'integer', minimum: 0 };
  const properties = {
    resumableTotalSize: integer,
    resumableChunkNumber: { type: 'integer', minimum: 1 },
    resumableChunkSize: { type: 'integer', minimum: 1 },
    resumableCurrentChunkSize: integer,
    resumableTotalChunks: { type: 'integer', minimum: 1 },
    resumableType: text,
    resumableFilename: fileName,
    resumableRelativePath: relativePath,
    file: { type: 'string', contentMediaType: 'application/octet-stream' },
  };
  const form = { type: 'object', required: Object.keys(properties), properties };
  return {
    ...describeOperation(kind, 'upload', 'Chunk', 'Upload a chunk of a file'),
    parameters: [checksum, correlationId],
    requestBody: { required: true, ...jsonContent(form, 'multipart/form-data') },
    responses: {
      200: { description: 'Chunks are missing still.' },
      201: stored,
      ...problems(400, 401, 403, 404, 409, 415),
      413: tooLong,
    },
  };
}

function download(kind: AreaKind): JsonObject {
  const token = {
    name: 'token',
    in: 'query',
    schema: text,
    description: 'Access token, in place of the Authorization header.',
  };
  const range = { name: 'Range', in: 'header', schema: text, description: 'One range of bytes.' };
  return {
    ...describeOperation(kind, 'download', 'File', 'Download a file'),
    parameters: [token, range, parameterReference('ifNoneMatch'), correlationId],
    responses: {
      200: { description: 'The content, in the type it was uploaded with.', content: bytes },
      206: { description: 'The range.', content: bytes },
      304: { $ref: '#/components/responses/notModified' },
      ...problems(400, 401, 403, 404),
      416: { description: 'The range begins behind the end of the file.' },
    },
  };
}

function remove(kind: AreaKind): JsonObject {
  return {
    ...describeOperation(kind, 'delete', 'File', 'Delete a file, or what came of it so far'),
    parameters: [correlationId],
    responses: { 204: { description: 'Deleted.' }, ...problems(400, 401, 403, 404, 409) },
  };
}

function list(kind: AreaKind, what: 'Area' | 'Directory'): JsonObject {
  const properties = {
    name: text,
    type: { enum: ['file', 'directory'] },
    size: { type: 'integer' },
    modified: { type: 'string', format: 'date-time' },
  };
  const entry = { type: 'object', required: ['name', 'type', 'modified'], properties };
  const listing = {
    type: 'object',
    required: ['href', 'data'],
    properties: { href: text, data: { type: 'array', items: entry } },
  };
  return {
    ...describeOperation(kind, 'list', what, 'List what is in a directory'),
    parameters: [correlationId],
    responses: {
      200: { description: 'Entries in the order of their names.', ...jsonContent(listing) },
      ...problems(400, 401, 403, 404),
    },
  };
}

function describeOperation(kind: AreaKind, action: string, what: string, summary: string): JsonObject {
  const area = kind.charAt(0).toUpperCase() + kind.slice(1);
  return { operationId: `${action}${area}${what}`, tags: ['files'], summary };
}

function inPath(name: string, description: string): JsonObject {
  return { name, in: 'path', required: true, schema: text, description };
}

/** Acquiring API keys, and bulk upload on its three levels. */
function keyPaths(): Paths {
  return {
    [acquirePath]: {
      parameters: [inPath('extensionId', 'Id of a metadata record, of an extension or of a trusted endpoint.')],
      post: acquire,
    },
    [bulkPath]: { post: bulkUpload('collection') },
    [`${bulkPath}/{spaceId}`]: { parameters: [parameterReference('spaceId')], post: bulkUpload('space') },
    [`${bulkPath}/{spaceId}/{participantId}`]: {
      parameters: [parameterReference('spaceId'), inPath('participantId', 'Id of a participant of the space.')],
      post: bulkUpload('participant'),
    },
  };
}

/** Data-exchange jobs, and what their tasks report. */
function jobPaths(): Paths {
  const parameters = [parameterReference('spaceId'), inPath('jobId', 'Id of a job.')];
  const status = { ...inPath('status', 'How the task ended.'), schema: { enum: taskStatuses } };
  return {
    [`${jobsPath}/{jobId}`]: { parameters, get: readJob },
    [`${jobsPath}/{jobId}/status/{status}`]: { parameters: [...parameters, status], put: reportStatus },
    [`${jobsPath}/{jobId}/progress`]: { parameters, put: reportProgress },
  };
}

function bulkUpload(level: string): JsonObject {
  const properties = {
    sourceDirectory: text,
    writeLog: { type: 'boolean' },
    targetDirectory: { ...text, default: '/' },
    replaceFiles: flag,
    deleteFilesAfterUpload: flag,
  };
  return {
    operationId: `bulkUpload.${level}`,
    tags: ['collection'],
    summary: `Copy a directory of the host into the file area of a ${level}`,
    security: [{ signature: [] }],
    parameters: [correlationId],
    requestBody: {
      required: true,
      ...jsonContent({ type: 'object', required: ['sourceDirectory', 'writeLog'], properties }),
    },
    responses: {
      200: { description: 'What became of each file; some may have failed.', ...jsonContent({ type: 'object' }) },
      ...problems(400, 401, 404, 415),
    },
  };
}
