import { headerNames } from '../../../contract/names.ts';
import type { Filter } from '../../configuration.ts';
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
import { type JsonObject, parameterReference } from './document.ts';

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
    ...describeOperation(about),
    parameters: [objectId, ...query, ...common],
    responses: { 200: { description: 'The instance.', ...jsonContent(schema) }, ...problems(400, 401, 403, 404) },
  };
}

export function pageOperation(about: About, schema: JsonObject, query: readonly JsonObject[]): JsonObject {
  return {
    ...describeOperation(about),
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
    ...describeOperation(about),
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
    ...describeOperation(about),
    parameters: [objectId, version, ...common],
    requestBody: { required: true, ...jsonContent(schema, mediaType) },
    responses: { 204: changed, ...problems(400, 401, 403, 404, 409, 412, 415, 422, 423) },
  };
}

export function deleteOperation(about: About): JsonObject {
  return {
    ...describeOperation(about),
    parameters: [objectId, parameterReference('versionWhenGiven'), ...common],
    responses: { 204: { description: 'Deleted.' }, ...problems(400, 401, 403, 404, 409, 423) },
  };
}

/** PUT promote or demote. */
export function moveOperation(about: About): JsonObject {
  return {
    ...describeOperation(about),
    parameters: [objectId, parameterReference('processId'), parameterReference('levelId'), version, ...common],
    responses: { 204: changed, ...problems(400, 401, 403, 404, 409, 412, 422, 423) },
  };
}

export function lockOperation(about: About): JsonObject {
  return {
    ...describeOperation(about),
    parameters: [objectId, ...common],
    responses: { 204: unchanged, ...problems(400, 401, 403, 404, 423) },
  };
}

export function unlockOperation(about: About): JsonObject {
  const freed = { description: 'Free.' };
  return {
    ...describeOperation(about),
    parameters: [objectId, ...common],
    responses: { 204: freed, ...problems(400, 401, 403, 404, 423) },
  };
}

function describeOperation({ tag, action, summary, names }: About): JsonObject {
  return { operationId: [action, ...names].join('.'), tags: [tag], summary };
}

/** The filter id, and a value for each filter that leaves its own blank. Source: core, Server side paging 5 */
export function filterParameters(name: string, filters: readonly Filter[]): readonly JsonObject[] {
  if (filters.length === 0) return [];
  const ids = filters.map(({ id }) => id);
  const blank = filters.filter((filter) => filter.equals === undefined);
  return [queryParameter(name, { enum: ids }, 'A configured filter.'), ...blank.map(valueParameter)];
}

function valueParameter({ id, groupId, criteriaPort }: Filter): JsonObject {
  return queryParameter(`${groupId}.${criteriaPort}`, { type: 'string' }, `Value for the filter ${id}.`);
}

function queryParameter(name: string, schema: JsonObject, description: string): JsonObject {
  return { name, in: 'query', required: false, schema, description };
}
