/** An OpenAPI 3.1 document, or a JSON object inside one. */
export type JsonObject = { readonly [member: string]: unknown };

/** Paths of a document: path template -> path item. */
export type Paths = Readonly<Record<string, JsonObject>>;

const openApiVersion = '3.1.0';

/** Of the documents, not of the API, which has no version of its own. */
const documentVersion = '1.0.0';

/** The frame around paths. @param components used by them; every reference of the paths points in there */
export function documentOf(title: string, description: string, paths: Paths, components: JsonObject): JsonObject {
  return {
    openapi: openApiVersion,
    info: { title, description, version: documentVersion },
    servers: [{ url: '/', description: 'This server' }],
    security: [{ bearer: [] }, { basic: [] }],
    paths,
    components,
  };
}

export function schemaReference(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}

export function parameterReference(name: string): JsonObject {
  return { $ref: `#/components/parameters/${name}` };
}

/** A name that OpenAPI allows for a component, another one for every other text. */
export function componentName(...parts: readonly string[]): string {
  return parts
    .map((part) => part.replace(/[^A-Za-z0-9-]/g, (character) => `_${character.codePointAt(0)?.toString(16)}_`))
    .join('.');
}

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
