import { headerNames } from '../../contract/names.ts';
import {
  changed,
  correlationId,
  informationFilter,
  jsonContent,
  objectId,
  problems,
  unchanged,
  version,
} from './components.ts';
import { parameterReference, type JsonObject } from './document.ts';

/** What an operation is about: its id begins with the action and ends with the names of what it acts on. */
export interface About {
  readonly tag: string;
  readonly action: string;
  readonly summary: string;
  readonly names: readonly string[];
}

const common = [informationFilter, correlationId];

/** GET of an instance. @param query parameters of configured filters */
export function readOperation(about: About, schema: JsonObject, query: readonly JsonObject[]): JsonObject {
  return {
    ...described(about),
    parameters: [objectId, ...query, ...common],
    responses: { 200: { description: 'The instance.', ...jsonContent(schema) }, ...problems(400, 401, 403, 404) },
  };
}

export function pageOperation(about: About, schema: JsonObject, query: readonly JsonObject[]): JsonObject {
  return {
    ...described(about),
    parameters: [objectId, parameterReference('pageNumber'), ...query, ...common],
    responses: {
      200: { description: 'Entries of the page.', ...jsonContent(schema) },
      ...problems(400, 401, 403, 404),
    },
  };
}

export function createOperation(about: About, schema: JsonObject): JsonObject {
  const created = {
    [headerNames.version]: { $ref: '#/components/headers/version' },
    Location: { $ref: '#/components/headers/location' },
  };
  return {
    ...described(about),
    parameters: common,
    requestBody: { required: true, ...jsonContent(schema) },
    responses: {
      201: { description: 'Created; the location is in the header.', headers: created },
      ...problems(400, 401, 403, 404, 415, 422),
    },
  };
}

/** PUT, merge PATCH or operations PATCH. */
export function editOperation(about: About, schema: JsonObject, mediaType: string): JsonObject {
  return {
    ...described(about),
    parameters: [objectId, version, ...common],
    requestBody: { required: true, ...jsonContent(schema, mediaType) },
    responses: { 204: changed, ...problems(400, 401, 403, 404, 409, 412, 415, 422, 423) },
  };
}

export function deleteOperation(about: About): JsonObject {
  return {
    ...described(about),
    parameters: [objectId, parameterReference('versionWhenGiven'), ...common],
    responses: { 204: { description: 'Deleted.' }, ...problems(400, 401, 403, 404, 409, 423) },
  };
}

/** PUT promote or demote. */
export function moveOperation(about: About): JsonObject {
  return {
    ...described(about),
    parameters: [objectId, parameterReference('processId'), parameterReference('levelId'), version, ...common],
    responses: { 204: changed, ...problems(400, 401, 403, 404, 409, 412, 422, 423) },
  };
}

/** Taking a lock. */
export function lockOperation(about: About): JsonObject {
  return {
    ...described(about),
    parameters: [objectId, ...common],
    responses: { 204: unchanged, ...problems(400, 401, 403, 404, 423) },
  };
}

/** Freeing one. */
export function unlockOperation(about: About): JsonObject {
  const freed = { description: 'Free.' };
  return {
    ...described(about),
    parameters: [objectId, ...common],
    responses: { 204: freed, ...problems(400, 401, 403, 404, 423) },
  };
}

function described({ tag, action, summary, names }: About): JsonObject {
  return { operationId: [action, ...names].join('.'), tags: [tag], summary };
}
