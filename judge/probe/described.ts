import { basePathOf, withoutSlash } from '../../contract/address.ts';
import type { Profile } from '../../contract/profile.ts';
import { isObject, memberIn } from '../json.ts';
import {
  dereference,
  type Json,
  pathItemsOf,
  pathOfServer,
  requestSchema,
  responseSchema,
  withoutMarked,
} from '../every-answer/openapi.ts';
import { decodeSegment } from '../service/requests.ts';

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

/** Every operation of a document, its path with that of its first server, and without that of the base URL, wherever it stands. */
export function operationsOf(document: Json, baseUrl: string): readonly DescribedOperation[] {
  const base = basePathOf(baseUrl);
  return pathItemsOf(document).flatMap(({ template, item }) =>
    Object.entries(item).flatMap(([method, definition]) => {
      if (!methods.has(method) || !isObject(definition)) return [];
      const whole = prefixOf(document, [definition, item, document]) + template;
      const path = base !== '' && whole.startsWith(`${base}/`) ? whole.slice(base.length) : whole;
      return [{ document, method: method.toUpperCase(), path, definition }];
    }),
  );
}

/** Path that servers (3.x) of the first that names some, or basePath (2.0), put before a template. */
function prefixOf(document: Json, holders: readonly Json[]): string {
  const [server] = holders.flatMap(({ servers }): readonly unknown[] => (Array.isArray(servers) ? servers : []));
  return server === undefined ? withoutSlash(String(document['basePath'] ?? '')) : pathOfServer(server);
}

const createPath = /\/space\/([^/]+)\/softtype\/([^/{}]+)\/([^/{}]+)$/i;

const readPath = /\/space\/([^/]+)\/softtype\/([^/{}]+)\/([^/{}]+)\/\{[^/]+\}$/i;

/** The SoftTypes whose ids stand in the paths of the documents, with the schemas to write and to read them. */
export function typesIn(operations: readonly DescribedOperation[]): readonly DescribedType[] {
  const inputs = found(as(operations, 'readOnly'), 'POST', createPath, bodySchema);
  const outputs = found(as(operations, 'writeOnly'), 'GET', readPath, ({ document, definition }) =>
    dataSchema(document, definition),
  );
  return [...inputs].map(([definitionId, schemas]) => ({
    definitionId,
    inputs: schemas,
    outputs: outputs.get(definitionId) ?? [],
  }));
}

/** The operations without what the other side alone may say: a body holds nothing that is `readOnly`, an answer nothing that is `writeOnly`. */
function as(operations: readonly DescribedOperation[], word: 'readOnly' | 'writeOnly'): readonly DescribedOperation[] {
  const left = new Map<Json, Json>();
  return operations.map((operation) => {
    const { document, definition } = operation;
    const rest = left.get(document) ?? withoutMarked(document, document, word);
    left.set(document, rest);
    return { ...operation, document: rest, definition: withoutMarked(definition, document, word) };
  });
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
    const schema = { id: decodeSegment(id), document, shape: shapeOf(document, schemaOf(operation)) };
    byType.set(decodeSegment(type), [...(byType.get(decodeSegment(type)) ?? []), schema]);
  }
  return byType;
}

/** 3.x keeps the body apart, 2.0 among the parameters. */
function bodySchema({ document, definition }: DescribedOperation): unknown {
  const parameters: readonly unknown[] = Array.isArray(definition['parameters']) ? definition['parameters'] : [];
  const body = parameters
    .map((each) => dereference(document, each))
    .find((each) => isObject(each) && each['in'] === 'body');
  return requestSchema(document, { definition, template: '', parameters: [] }) ?? memberIn(body, 'schema');
}

function dataSchema(document: Json, definition: Json): unknown {
  const answer = shapeOf(document, responseSchema(document, { definition, template: '', parameters: [] }, 200));
  return membersOf(document, answer).get('data');
}

const longestUniqueText = 40;

/** So many alternatives inside each other are followed. */
const mostSteps = 10;

/** The schema behind references and behind an alternative of null; an empty one where it says several things at once. */
export function shapeOf(document: Json, schema: unknown, step = 0): Json {
  const found = dereference(document, schema);
  if (!isObject(found) || step > mostSteps) return {};
  const alternatives = found['anyOf'] ?? found['oneOf'];
  if (!Array.isArray(alternatives)) return found;
  const others = alternatives
    .map((each) => dereference(document, each))
    .filter((each) => isObject(each) && each['type'] !== 'null');
  return others.length === 1 ? shapeOf(document, others[0], step + 1) : {};
}

/** The type that is no null; a text that is none where the schema does not say. */
export function typeOf(shape: Json): string {
  const { type } = shape;
  const names: readonly unknown[] = Array.isArray(type) ? type.filter((name) => name !== 'null') : [type];
  return names.length === 1 ? String(names[0]) : 'several';
}

/** Members of an object schema, without those of the system. */
export function membersOf(document: Json, shape: Json): ReadonlyMap<string, Json> {
  const properties = isObject(shape['properties']) ? shape['properties'] : {};
  const own = Object.entries(properties).filter(([name, schema]) => !name.startsWith('$') && isObject(schema));
  return new Map(own.map(([name, schema]) => [name, shapeOf(document, schema)]));
}

export function requiredOf(shape: Json): readonly string[] {
  const names: readonly unknown[] = Array.isArray(shape['required']) ? shape['required'] : [];
  return names.map(String).filter((name) => !name.startsWith('$'));
}

/** Whether any text will do, as long as those that the suite makes. */
export function isPlainText(shape: Json | undefined): boolean {
  if (shape === undefined || typeOf(shape) !== 'string') return false;
  if (['enum', 'const', 'format', 'pattern'].some((word) => word in shape)) return false;
  return typeof shape['maxLength'] !== 'number' || shape['maxLength'] >= longestUniqueText;
}

export function entryOf(document: Json, shape: Json): Json | undefined {
  return typeOf(shape) === 'array' ? shapeOf(document, shape['items']) : undefined;
}

/** Routes of the ledger of silences that the documents of the deployment show. Nothing is sent. */
export function routesIn(operations: readonly DescribedOperation[], space: string): NonNullable<Profile['routes']> {
  const at = (method: string, pattern: RegExp): string | undefined => {
    const found = operations.find((each) => each.method === method && pattern.test(each.path));
    return found === undefined ? undefined : templateOf(found.path, space);
  };
  const put = at('PUT', /\/softtype\/[^/]+\/[^/]+\/\{[^/]+\}$/i);
  const remove = at('DELETE', /\/softtype\/\{[^/]+\}$/i) ?? at('DELETE', /\/softtype\/[^/]+\/[^/]+\/\{[^/]+\}$/i);
  const demote = at('PUT', /\/demote\/\{[^/]+\}\/[^/]+\/[^/]+$/i);
  const multiCreate = at('POST', /\/space\/[^/]+\/softtype$/i);
  const instanceListing = listing(operations, space);
  const [lockTake, lockFree] = [at('POST', /\/lock\/\{[^/]+\}$/i), at('DELETE', /\/lock\/\{[^/]+\}$/i)];
  return {
    ...(put && { softTypePut: put }),
    ...(remove && { softTypeDelete: remove }),
    ...(demote && { demote }),
    ...(multiCreate && { multiCreate }),
    ...(instanceListing && { instanceListing }),
    ...(lockTake &&
      lockFree && { lockTake: { method: 'POST', path: lockTake }, lockFree: { method: 'DELETE', path: lockFree } }),
  };
}

/** A GET of the instances of a definition that takes a text to look for. */
function listing(operations: readonly DescribedOperation[], space: string): string | undefined {
  for (const { document, method, path, definition } of operations) {
    if (method !== 'GET' || !/\/instances?\/[^/]+$/i.test(path)) continue;
    const parameters: readonly unknown[] = Array.isArray(definition['parameters']) ? definition['parameters'] : [];
    const names = parameters.map((each) => dereference(document, each)).filter(isObject);
    if (names.some((each) => each['in'] === 'query' && each['name'] === 'text'))
      return `${templateOf(path, space).replace(/\/[^/]+$/, '/{definitionId}')}?text={text}`;
  }
  return undefined;
}

/** The path with the names that the profile gives its parts. */
function templateOf(path: string, space: string): string {
  const segments = path.split('/');
  const root = segments.findIndex((part) => /^softtype$/i.test(part));
  const last = segments.length - 1;
  const action = segments.findIndex((part) => /^demote$/i.test(part));
  return segments
    .map((part, index) => {
      if (index > 0 && segments[index - 1] === 'space' && (decodeSegment(part) === space || part.startsWith('{')))
        return '{spaceId}';
      if (action >= 0 && index > action) return ['{objectId}', '{processId}', '{levelId}'][index - action - 1] ?? part;
      if (/^\{[^}]+\}$/.test(part) && index === last) return '{objectId}';
      if (root < 0 || index <= root) return part;
      return ['{definitionId}', '{inputSchemaId}'][index - root - 1] ?? part;
    })
    .join('/');
}
