import type { Filter } from '../configuration.ts';
import type { JsonObject } from './document.ts';

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
