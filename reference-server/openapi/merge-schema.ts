import type { JsonSchema } from '../soft-type/json-schema.ts';

/**
 * What a merge PATCH takes where a PUT takes `complete`: any part of it, at any depth of objects; null removes what is
 * not mandatory. Source: RFC 7386
 */
export function mergeJsonSchema(complete: JsonSchema): JsonSchema {
  const { properties, required, ...rest } = complete;
  if (!isSchema(properties)) return complete;
  const mandatory = Array.isArray(required) ? required : [];
  const members = Object.entries(properties).map(([name, schema]) => [
    name,
    memberSchema(schema, mandatory.includes(name)),
  ]);
  return { ...rest, properties: Object.fromEntries(members) };
}

function memberSchema(schema: unknown, mandatory: boolean): unknown {
  const merged = isSchema(schema) ? mergeJsonSchema(schema) : schema;
  return mandatory ? merged : { anyOf: [merged, { type: 'null' }] };
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
