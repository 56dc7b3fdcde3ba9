import { isObject } from '../answer.ts';
import { dereferenced, type Json } from '../openapi/document.ts';
import { requestSchema, responseSchema } from '../openapi/schema.ts';
import { membersOf, shapeOf } from './shape.ts';

/** An operation of an OpenAPI document. */
export interface DescribedOperation {
  readonly document: Json;
  /** In capitals. */
  readonly method: string;
  /** Path template from the base URL on. */
  readonly path: string;
  readonly definition: Json;
}

/** A schema of a definition, by the id that stands in paths. */
export interface DescribedSchema {
  readonly id: string;
  readonly document: Json;
  readonly shape: Json;
}

/** What an OpenAPI document says of one SoftType. */
export interface DescribedType {
  readonly definitionId: string;
  readonly inputs: readonly DescribedSchema[];
  readonly outputs: readonly DescribedSchema[];
}

const methods = new Set(['get', 'put', 'post', 'patch', 'delete']);

/** Every operation of a document, its path with that of the first server. */
export function operationsOf(document: Json, baseUrl: string): readonly DescribedOperation[] {
  const paths = isObject(document['paths']) ? document['paths'] : {};
  const prefix = prefixOf(document, baseUrl);
  return Object.entries(paths).flatMap(([template, value]) => {
    const item = dereferenced(document, value);
    return Object.entries(isObject(item) ? item : {}).flatMap(([method, definition]) =>
      methods.has(method) && isObject(definition)
        ? [{ document, method: method.toUpperCase(), path: prefix + template, definition }]
        : [],
    );
  });
}

/** Path that servers (3.x) or basePath (2.0) put before every template, without that of the base URL. */
function prefixOf(document: Json, baseUrl: string): string {
  const servers: readonly unknown[] = Array.isArray(document['servers']) ? document['servers'] : [];
  const url = isObject(servers[0]) ? servers[0]['url'] : document['basePath'];
  const path = String(url ?? '')
    .replace(/^[a-z]+:\/\/[^/]*/i, '')
    .replace(/\/+$/, '');
  const base = new URL(baseUrl).pathname.replace(/\/+$/, '');
  return base !== '' && (path === base || path.startsWith(`${base}/`)) ? path.slice(base.length) : path;
}

const createPath = /\/space\/([^/]+)\/softtype\/([^/{}]+)\/([^/{}]+)$/i;
const readPath = /\/space\/([^/]+)\/softtype\/([^/{}]+)\/([^/{}]+)\/\{[^/]+\}$/i;

/** The SoftTypes whose ids stand in the paths of the documents, with the schemas to write and to read them. */
export function typesIn(operations: readonly DescribedOperation[]): readonly DescribedType[] {
  const inputs = found(operations, 'POST', createPath, bodySchema);
  const outputs = found(operations, 'GET', readPath, ({ document, definition }) => dataSchema(document, definition));
  return [...inputs].map(([definitionId, schemas]) => ({
    definitionId,
    inputs: schemas,
    outputs: outputs.get(definitionId) ?? [],
  }));
}

function found(
  operations: readonly DescribedOperation[],
  method: string,
  pattern: RegExp,
  schemaOf: (operation: DescribedOperation) => unknown,
): ReadonlyMap<string, readonly DescribedSchema[]> {
  const byType = new Map<string, DescribedSchema[]>();
  for (const operation of operations.filter((each) => each.method === method)) {
    const [, , type, id] = pattern.exec(operation.path) ?? [];
    if (type === undefined || id === undefined || type.toLowerCase() === 'page') continue;
    const { document } = operation;
    const schema = { id: decoded(id), document, shape: shapeOf(document, schemaOf(operation)) };
    byType.set(decoded(type), [...(byType.get(decoded(type)) ?? []), schema]);
  }
  return byType;
}

/** 3.x keeps the body apart, 2.0 among the parameters. */
function bodySchema({ document, definition }: DescribedOperation): unknown {
  const parameters: readonly unknown[] = Array.isArray(definition['parameters']) ? definition['parameters'] : [];
  const body = parameters
    .map((each) => dereferenced(document, each))
    .find((each) => isObject(each) && each['in'] === 'body');
  return requestSchema(document, { definition, template: '' }) ?? (isObject(body) ? body['schema'] : undefined);
}

function dataSchema(document: Json, definition: Json): unknown {
  const answer = shapeOf(document, responseSchema(document, { definition, template: '' }, 200));
  return membersOf(document, answer).get('data');
}

export function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
