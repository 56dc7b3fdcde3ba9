import { headerNames, mediaTypes } from '../../../contract/names.ts';
import { linkSchema, problemSchema } from '../../../contract/wire.ts';
import { type JsonObject, parameterReference, schemaReference } from './document.ts';

export const securitySchemes: JsonObject = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'Access token (HS512) or personal access token.',
  },
  basic: { type: 'http', scheme: 'basic', description: 'User name, with a personal access token as password.' },
};

const pathParameter = (name: string, schema: JsonObject, description: string) => ({
  name,
  in: 'path',
  required: true,
  schema,
  description,
});

const header = (name: string, required: boolean, schema: JsonObject, description: string) => ({
  name,
  in: 'header',
  required,
  schema,
  description,
});

export const parameters: JsonObject = {
  spaceId: pathParameter('spaceId', { type: 'string' }, 'Id of a space.'),
  objectId: pathParameter('objectId', { type: 'string' }, 'The $oid of the instance.'),
  processId: pathParameter('processId', { type: 'string' }, 'Id of a maturity process.'),
  levelId: pathParameter('levelId', { type: 'string' }, 'Id of a level of that process.'),
  pageNumber: pathParameter('pageNumber', { type: 'integer', minimum: 0 }, 'Page of the array, the first one being 0.'),
  informationFilter: header(
    headerNames.informationFilter,
    true,
    {
      type: 'string',
      minLength: 4,
      pattern: '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$',
      contentEncoding: 'base64',
      contentMediaType: mediaTypes.json,
      contentSchema: { type: 'object' },
    },
    'Base64 of the JSON object that describes the view.',
  ),
  version: header(headerNames.version, true, { type: 'integer', minimum: 1 }, 'The version the client last read.'),
  versionWhenGiven: header(
    headerNames.version,
    false,
    { type: 'integer', minimum: 1 },
    'Compared with the version of the instance when given.',
  ),
  correlationId: header(
    headerNames.correlationId,
    false,
    { type: 'string' },
    'Unique per request; stands in every log line of it.',
  ),
  ifNoneMatch: header('If-None-Match', false, { type: 'string' }, 'ETag of the representation that the client holds.'),
};

export const headers: JsonObject = {
  version: { description: 'The new system version.', required: true, schema: { type: 'integer', minimum: 1 } },
  location: {
    description: 'URI of the created instance.',
    required: true,
    schema: { type: 'string', format: 'uri-reference' },
  },
  etag: { description: 'Tag of the representation.', required: true, schema: { type: 'string' } },
};

const titles = {
  400: 'Malformed request',
  401: 'No usable credentials',
  403: 'No access',
  404: 'Not found',
  409: 'Another version on the server',
  412: 'Version header missing',
  415: 'Media type not accepted',
  422: 'Content that the model does not admit',
  423: 'Locked by somebody else',
} as const;

export const responses: JsonObject = {
  ...Object.fromEntries(
    Object.entries(titles).map(([status, description]) => [`problem${status}`, problemResponse(description)]),
  ),
  notModified: {
    description: 'The client holds the current representation.',
    headers: { ETag: { $ref: '#/components/headers/etag' } },
  },
};

/** The list of an operations PATCH. Source: core, Patch operation */
const patchOperationsSchema: JsonObject = {
  type: 'array',
  items: {
    type: 'object',
    required: ['op', 'path'],
    properties: {
      op: { enum: ['add', 'replace', 'remove'] },
      path: {
        type: 'string',
        description: 'JSON Pointer into the first input schema; entries are addressed by $entryId.',
      },
      value: { description: 'Value to apply; absent for remove.' },
    },
    oneOf: [
      { properties: { op: { enum: ['add', 'replace'] } }, required: ['value'] },
      { properties: { op: { const: 'remove' } }, not: { required: ['value'] } },
    ],
  },
};

export const schemas: JsonObject = { Problem: problemSchema, Link: linkSchema, PatchOperations: patchOperationsSchema };

/** 204 with the new version. */
export const changed: JsonObject = {
  description: 'Done; no content.',
  headers: { [headerNames.version]: { $ref: '#/components/headers/version' } },
};

/** 204 with the version that the object has had before. */
export const unchanged: JsonObject = { ...changed, description: 'Done; the version is the one from before.' };

export const objectId = parameterReference('objectId');

export const informationFilter = parameterReference('informationFilter');

export const correlationId = parameterReference('correlationId');

export const version = parameterReference('version');

function problemResponse(description: string): JsonObject {
  return { description, content: { [mediaTypes.problem]: { schema: schemaReference('Problem') } } };
}

/** Members of `responses` of an operation. */
export function problems(...statuses: readonly (keyof typeof titles)[]): JsonObject {
  return Object.fromEntries(
    statuses.map((status) => [`${status}`, { $ref: `#/components/responses/problem${status}` }]),
  );
}

export function jsonContent(schema: object, mediaType: string = mediaTypes.json): JsonObject {
  return { content: { [mediaType]: { schema } } };
}
