import { schemaReference, type JsonObject } from './document.ts';

/** Read response around data. Source: core, SoftType read response */
export function instanceSchemaOf(data: JsonObject): JsonObject {
  return {
    type: 'object',
    required: ['href', 'data', 'version', 'links', 'schema'],
    properties: {
      href: { type: 'string' },
      data,
      version: { type: 'integer', minimum: 1 },
      links: { type: 'array', items: schemaReference('Link') },
      schema: { type: 'object' },
    },
  };
}

/** Page response around entries. Source: core, Page response */
export function pageSchemaOf(entry: JsonObject): JsonObject {
  return {
    type: 'object',
    required: ['href', 'data', 'version'],
    properties: {
      href: { type: 'string' },
      data: { type: 'array', items: entry },
      version: { type: 'integer', minimum: 1 },
    },
  };
}
