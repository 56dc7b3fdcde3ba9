import { mediaTypes } from '../../contract/names.ts';
import { tokenSchema } from '../../contract/wire.ts';
import * as shared from './components.ts';
import { documentOf, parameterReference, schemaReference, type JsonObject, type Paths } from './document.ts';
import { filePaths } from './files.ts';
import { deleteOperation, lockOperation, moveOperation, readOperation, unlockOperation } from './operations.ts';
import { jobPaths, keyPaths, signatureScheme } from './outside.ts';
import { instanceSchemaOf } from './responses.ts';

const documents: Readonly<Record<string, () => JsonObject>> = {
  system: systemDocument,
  collection: collectionDocument,
  space: spaceDocument,
};
export const staticCategories = Object.keys(documents);

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

const text = { type: 'string' };
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
