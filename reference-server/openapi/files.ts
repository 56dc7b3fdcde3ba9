import { areaPaths, type AreaKind } from '../files/areas.ts';
import { jsonContent, correlationId, problems } from './components.ts';
import { parameterReference, type JsonObject, type Paths } from './document.ts';

const text = { type: 'string' };
const bytes = { 'application/octet-stream': { schema: {} } };
const pathNote =
  'Subdirectories and name with slashes between them, each percent-encoded; more segments than one, which OpenAPI cannot tell.';

/** Routes of the file areas. @param kinds areas of the document that they go into */
export function filePaths(...kinds: readonly AreaKind[]): Paths {
  return Object.assign({}, ...kinds.map(pathsOfArea));
}

function pathsOfArea(kind: AreaKind): Paths {
  const base = areaPaths[kind];
  const parameters = parametersOf(kind);
  const deep = [...parameters, inPath('path', pathNote)];
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
    ...described(kind, 'upload', 'File', 'Upload a file whose content is the body'),
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
    resumableFilename: text,
    resumableRelativePath: text,
    file: { type: 'string', contentMediaType: 'application/octet-stream' },
  };
  const form = { type: 'object', required: Object.keys(properties), properties };
  return {
    ...described(kind, 'upload', 'Chunk', 'Upload a chunk of a file'),
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
    ...described(kind, 'download', 'File', 'Download a file'),
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
    ...described(kind, 'delete', 'File', 'Delete a file, or what came of it so far'),
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
    ...described(kind, 'list', what, 'List what is in a directory'),
    parameters: [correlationId],
    responses: {
      200: { description: 'Entries in the order of their names.', ...jsonContent(listing) },
      ...problems(400, 401, 403, 404),
    },
  };
}

function described(kind: AreaKind, action: string, what: string, summary: string): JsonObject {
  const area = kind.charAt(0).toUpperCase() + kind.slice(1);
  return { operationId: `${action}${area}${what}`, tags: ['files'], summary };
}

function inPath(name: string, description: string): JsonObject {
  return { name, in: 'path', required: true, schema: text, description };
}

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
