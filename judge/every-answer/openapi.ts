import { Validator } from '@seriousme/openapi-schema-validator';
import addFormats from 'ajv-formats';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { withoutSlash } from '../../contract/address.ts';
import { sentencesOf } from '../../contract/misfit.ts';
import type { SoftTypeProfile } from '../../contract/profile.ts';
import type { CaseContext } from '../case.ts';
import { describe } from '../describe.ts';
import type { Reply, RequestSpec } from '../exchange.ts';
import { isObject, jsonOf, pointer, valueAt } from '../json.ts';
import { decodeSegment } from '../service/requests.ts';
import { PreconditionFailed } from '../violation.ts';

export type Json = Readonly<Record<string, unknown>>;

/** The dynamic document with the answer it came in. */
interface Definition {
  readonly document: Json;
  readonly reply: Reply;
}

/** The document under the path as written or, where that is not served, below the API root. */
export async function fetchDefinition({ service, profile }: CaseContext, space?: string): Promise<Reply> {
  const request = service.requests.openApi();
  const path = space === undefined ? request.url : urlInSpace(request.url, space);
  const fetched = async (as: RequestSpec['as']): Promise<Reply> => {
    const written = await service.send({ ...request, url: path, as });
    return written.status === 200 ? written : service.send({ ...request, url: otherDefinitionUrl(path), as });
  };
  const reply = await fetched(space === undefined ? request.as : 'editor');
  // the editor need not have a role in another space
  const isForeign = reply.status === 403 && space !== undefined && profile.all.identities.outsider !== undefined;
  return isForeign ? fetched('outsider') : reply;
}

/** As fetchDefinition, parsed; where there is none the rule about its being served judges that. */
export async function definitionOf(context: CaseContext, space?: string): Promise<Definition> {
  const reply = await fetchDefinition(context, space);
  const document = reply.status === 200 ? parseDefinition(reply.text) : undefined;
  if (document === undefined)
    throw new PreconditionFailed('an OpenAPI document', reply, [
      'openapi.dynamic.is-served',
      'openapi.dynamic.valid-document',
    ]);
  return { document, reply };
}

/** The same path with the `api` prefix put before it or taken away. */
export function otherDefinitionUrl(url: string): string {
  return url.includes('/api/space/') ? url.replace('/api/space/', '/space/') : url.replace('/space/', '/api/space/');
}

export function urlInSpace(url: string, space: string): string {
  return url.replace(/\/space\/[^/]+\//, `/space/${encodeURIComponent(space)}/`);
}

/** A JSON or YAML text that holds an object, or undefined. */
export function parseDefinition(text: string): Json | undefined {
  if (text === last?.text) return last.document;
  // every JSON text is YAML as well, but is read many times faster as what it is
  const content = jsonOf(text) ?? yamlOf(text);
  const document = isObject(content) ? content : undefined;
  last = { text, document };
  return document;
}

/** Case after case is given the same one. */
let last: { readonly text: string; readonly document: Json | undefined } | undefined;

/** Longest YAML that is read, in characters: it takes a hundred times its room. */
const longestYaml = 4 * 1024 * 1024;

/** A key that stands there twice is another's matter: the parser would hold each against each other, for minutes. */
function yamlOf(text: string): unknown {
  if (text.length > longestYaml) return undefined;
  try {
    return parse(text, { maxAliasCount: 100, uniqueKeys: false });
  } catch {
    return undefined;
  }
}

/** It keeps the schemas that it has compiled, which takes longer than everything else about a document. */
const validator = new Validator();

/** What the published schema of the declared version finds wrong, in one line each. */
export async function structureErrors(document: Json): Promise<readonly string[]> {
  const declared = String(document['openapi'] ?? document['swagger'] ?? '');
  if (!/^(2\.0|3\.[012](\.|$))/.test(declared))
    return [`no known version of OpenAPI is declared, found ${JSON.stringify(declared)}`];
  const result = await validator.validate(structuredClone(document));
  return Array.isArray(result.errors) ? sentencesOf(result.errors.slice(0, 5), document, wording('the document')) : [];
}

/** Internal references that lead nowhere, be it from the schema that has an `$id` around them. Source: JSON Schema 2020-12, 8.2.1 */
export function danglingReferences(document: Json): readonly string[] {
  return referencesIn(document, document)
    .filter(({ reference, within }) =>
      [document, within].every(
        (whole) => reference.startsWith('#') && resolveReference(whole, reference) === undefined,
      ),
    )
    .map(({ reference }) => reference);
}

const operationNames = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** Ids that more than one operation has. Source: OpenAPI, Operation Object, operationId */
export function repeatedOperationIds(document: Json): readonly string[] {
  const ids = pathsOf(document)
    .flatMap(({ item }) => operationNames.map((method) => item[method]))
    .flatMap((operation) => (isObject(operation) ? (operation['operationId'] ?? []) : []))
    .map(String);
  return [...new Set(ids.filter((id, index) => ids.indexOf(id) < index))];
}

/** Placeholders of paths that an operation declares no parameter for, as `GET /a/{b}: b`. Source: OpenAPI, Path Templating */
export function undeclaredPlaceholders(document: Json): readonly string[] {
  return pathsOf(document).flatMap(({ template, item }) =>
    operationNames.flatMap((method) => {
      const operation = item[method];
      if (!isObject(operation)) return [];
      const declared = parametersOf(document, [item, operation]);
      // one that is written elsewhere may be any
      if (declared.some((parameter) => !isObject(parameter) || typeof parameter['name'] !== 'string')) return [];
      return template
        .matchAll(/\{([^}]+)\}/g)
        .map(([, name = '']) => name)
        .filter((name) => !declared.some((parameter) => isObject(parameter) && isPathParameter(parameter, name)))
        .map((name) => `${method.toUpperCase()} ${template}: ${name}`)
        .toArray();
    }),
  );
}

function parametersOf(document: Json, holders: readonly Json[]): readonly unknown[] {
  const all = holders.flatMap(({ parameters }) => (Array.isArray(parameters) ? parameters : []));
  return all.map((entry: unknown) => dereference(document, entry));
}

export function isPathParameter(parameter: Json, name: string): boolean {
  return parameter['in'] === 'path' && parameter['name'] === name;
}

const opaque = new Set(['example', 'examples', 'default', 'const', 'enum']);

/** Nobody knows what an extension of the document holds. */
function isOpaque(name: string): boolean {
  return opaque.has(name) || name.startsWith('x-');
}

interface Reference {
  readonly reference: string;
  /** The document, or the schema in it that has an `$id`. */
  readonly within: Json;
}

function referencesIn(value: unknown, around: Json, inNames = false): readonly Reference[] {
  if (Array.isArray(value)) return value.flatMap((item) => referencesIn(item, around));
  if (!isObject(value)) return [];
  const within = typeof value['$id'] === 'string' && !inNames ? value : around;
  return Object.entries(value).flatMap(([name, inner]) => {
    if (name === '$ref' && typeof inner === 'string' && !inNames) return [{ reference: inner, within }];
    return isOpaque(name) && !inNames ? [] : referencesIn(inner, within, name === 'properties' && !inNames);
  });
}

/** The value behind an internal reference, or undefined. */
function resolveReference(document: Json, reference: string): unknown {
  return valueAt(document, decodeSegment(reference));
}

/** The value with an internal reference at its top followed, however many there are in a row. */
export function dereference(document: Json, value: unknown, depth = 0): unknown {
  if (!isObject(value) || typeof value['$ref'] !== 'string' || depth > 20) return value;
  return dereference(document, resolveReference(document, value['$ref']), depth + 1);
}

/** An operation of the document that matches a concrete path. */
export interface Operation {
  readonly definition: Json;
  readonly template: string;
  /** Its own, and those of its path. */
  readonly parameters: readonly unknown[];
}

/** The operation whose path, with servers and path parameters expanded, matches this concrete path. Fixed segments win over parameters. */
export function operationFor(document: Json, method: string, path: string): Operation | undefined {
  const matching = pathsOf(document).filter(
    ({ pattern, item }) => pattern.test(asSpelt(path)) && isObject(item[method.toLowerCase()]),
  );
  matching.sort((a, b) => a.parameters - b.parameters);
  const [first] = matching;
  const definition = first?.item[method.toLowerCase()];
  if (first === undefined || !isObject(definition)) return undefined;
  return { definition, template: first.template, parameters: parametersOf(document, [first.item, definition]) };
}

interface PathItem {
  readonly template: string;
  readonly item: Json;
  readonly pattern: RegExp;
  readonly parameters: number;
}

/** A document is asked about many operations. */
const knownPaths = new WeakMap<Json, readonly PathItem[]>();

function pathsOf(document: Json): readonly PathItem[] {
  const paths = knownPaths.get(document) ?? readPaths(document);
  knownPaths.set(document, paths);
  return paths;
}

function readPaths(document: Json): readonly PathItem[] {
  return pathItemsOf(document).map(({ template, item }) => {
    const holders = [document, item, ...Object.values(item).filter(isObject)];
    const prefixes = new Set(holders.flatMap(serverPaths));
    // what a gateway adds may stand in the paths themselves
    const own = new Set([template, template.replace(/^.*?(?=\/api\/)/, '')]);
    const pattern = [...prefixes]
      .flatMap((prefix) => [...own].map((path) => patternOf(document, item, prefix + path)))
      .join('|');
    return { template, item, pattern: new RegExp(`^(?:${pattern})$`), parameters: template.split('{').length - 1 };
  });
}

/** What the document holds under each path. */
export function pathItemsOf(document: Json): readonly { readonly template: string; readonly item: Json }[] {
  return Object.entries(isObject(document['paths']) ? document['paths'] : {}).flatMap(([template, value]) => {
    const item = dereference(document, value);
    return isObject(item) ? [{ template, item }] : [];
  });
}

/**
 * Path prefixes of the servers (3.x) of the document, of a path or of an operation, or of basePath (2.0); none at all is always tried too,
 * and so is a leading `api`.
 */
function serverPaths(holder: Json): readonly string[] {
  const servers: readonly unknown[] = Array.isArray(holder['servers']) ? holder['servers'] : [];
  return ['', '/api', ...servers.map(pathOfServer), withoutSlash(String(holder['basePath'] ?? ''))];
}

/** Path of a server, whose scheme and host may be variables, or all that stands before the first slash. Source: OpenAPI, Server Object */
export function pathOfServer(server: unknown): string {
  const { url, variables } = isObject(server) ? server : {};
  const whole = String(url ?? '').replace(/^\{([^}]+)\}(?!:)/, (_all, name: string) =>
    String(valueAt(variables, `${pointer(name)}/default`) ?? ''),
  );
  return withoutSlash(whole.replace(/^[^/]*:\/\/[^/]*/, ''));
}

function patternOf(document: Json, item: Json, template: string): string {
  const methods = Object.values(item).filter(isObject);
  const parameters = parametersOf(document, [item, ...methods]);
  return template
    .split('/')
    .map((segment) =>
      /^\{[^}]+\}$/.test(segment) ? alternatives(document, parameters, segment.slice(1, -1)) : fixed(segment),
    )
    .join('/');
}

/** A parameter matches what its enum or const lists, or anything. */
function alternatives(document: Json, parameters: readonly unknown[], name: string): string {
  const parameter = parameters.find((entry) => isObject(entry) && entry['name'] === name);
  const schema = isObject(parameter) ? dereference(document, parameter['schema'] ?? parameter) : undefined;
  const values = isObject(schema) && Array.isArray(schema['enum']) ? schema['enum'] : [];
  const constant = isObject(schema) && schema['const'] !== undefined ? [schema['const']] : values;
  return constant.length === 0
    ? '[^/]+'
    : `(?:${constant.map((value) => fixed(encodeURIComponent(String(value)))).join('|')})`;
}

/** A path in one spelling: what need not be percent-encoded may be. */
function asSpelt(path: string): string {
  return path
    .split('/')
    .map((segment) => encodeURIComponent(decodeSegment(segment)))
    .join('/');
}

function fixed(segment: string): string {
  return /^softtype$/i.test(segment) ? '[sS]oft[tT]ype' : RegExp.escape(asSpelt(segment));
}

/** Whether the document lists create, edit and read routes of a SoftType by its own ids, not by a parameter that takes anything. */
export function missingRoutes(document: Json, space: string, type: SoftTypeProfile): readonly string[] {
  return routesOf(space, type)
    .filter(({ method, path }) => operationFor(document, method, path) === undefined)
    .map(({ method, path }) => `${method} ${path}`);
}

/** Whether the document lists a SoftType, by whichever of these routes: another rule asks for all of them. */
export function hasRoutes(document: Json, space: string, type: SoftTypeProfile): boolean {
  return routesOf(space, type).some(({ method, path }) => operationFor(document, method, path) !== undefined);
}

function routesOf(
  space: string,
  {
    definitionId,
    inputSchemaId,
    outputSchemaId,
  }: Pick<SoftTypeProfile, 'definitionId' | 'inputSchemaId' | 'outputSchemaId'>,
) {
  const [definition, input, output] = [definitionId, inputSchemaId, outputSchemaId].map(encodeURIComponent);
  const root = `/api/space/${encodeURIComponent(space)}/softtype`;
  return [
    { method: 'POST', path: `${root}/${definition}/${input}` },
    { method: 'PATCH', path: `${root}/${definition}/${input}/1` },
    { method: 'GET', path: `${root}/${definition}/${output}/1` },
  ] as const;
}

/** Whether every id would match: then the document speaks of definitions by a parameter only. */
export function matchesAnything(document: Json, space: string): boolean {
  const invented = {
    definitionId: 'no-such-definition',
    inputSchemaId: 'no-such-input',
    outputSchemaId: 'no-such-output',
  };
  return routesOf(space, invented).some(({ method, path }) => operationFor(document, method, path) !== undefined);
}

const documentId = 'https://document.example/openapi';

/** Schema of a JSON response of that status (or of its class, or `default`), or undefined where the document has none. */
export function responseSchema(document: Json, operation: Operation, status: number): unknown {
  const response = responseFor(document, operation, status);
  return isObject(response) ? jsonSchemaOf(document, response) : undefined;
}

export function responseFor(document: Json, operation: Operation, status: number): unknown {
  const responses = operation.definition['responses'];
  if (!isObject(responses)) return undefined;
  const found = responses[String(status)] ?? responses[`${Math.floor(status / 100)}XX`] ?? responses['default'];
  return dereference(document, found);
}

/** 2.0 has the body among the parameters. */
export function requestSchema(document: Json, { definition }: Operation): unknown {
  const parameters: readonly unknown[] = Array.isArray(definition['parameters']) ? definition['parameters'] : [];
  const body = [definition['requestBody'], ...parameters]
    .map((entry) => dereference(document, entry))
    .find((entry) => isObject(entry) && (entry['in'] ?? 'body') === 'body');
  return isObject(body) ? jsonSchemaOf(document, body) : undefined;
}

/** 3.x keeps schemas under a media type or a range of them, of which one that says JSON goes first, 2.0 beside it. */
function jsonSchemaOf(document: Json, holder: Json): unknown {
  const content = holder['content'];
  if (!isObject(content)) return holder['schema'];
  const of = (name: RegExp) => Object.keys(content).find((type) => name.test(type));
  const media = content[of(/json/i) ?? of(/^(?:application|\*)\/\*/) ?? ''];
  return isObject(media) ? dereference(document, media) && media['schema'] : undefined;
}

/** Whether values can be held against the schema: there is one, and it compiles. */
export function isUsable(document: Json, schema: unknown): boolean {
  return isObject(schema) && schemasOf(document).validatorOf(schema) !== 'unusable';
}

/** Where the value does not fit the schema, a sentence for each place with the keyword behind it; empty where it fits or where the schema cannot be compiled. */
export function misfits(document: Json, schema: unknown, value: unknown): readonly string[] {
  if (!isObject(schema)) return [];
  const validate = schemasOf(document).validatorOf(schema);
  if (validate === 'unusable' || validate(value)) return [];
  const errors = (validate.errors ?? []).slice(0, 5);
  return sentencesOf(errors, value, wording('the value')).map(
    (sentence, index) => `${sentence} (${errors[index]?.schemaPath})`,
  );
}

function wording(whole: string): Parameters<typeof sentencesOf>[2] {
  return { whole, show: (value) => describe(value, 80) };
}

function schemasOf(document: Json): Schemas {
  const schemas = known.get(document) ?? new Schemas(document);
  known.set(document, schemas);
  return schemas;
}

/** Compiled once: value after value is held against the same schemas. */
class Schemas {
  readonly #ajv = new Ajv2020({
    strict: false,
    ownProperties: true,
    allErrors: true,
    validateFormats: true,
    logger: false,
    code: { optimize: false },
  });
  readonly #validators = new Map<Json, ValidateFunction | 'unusable'>();
  readonly #isOld: boolean;
  readonly #hasIds: boolean;

  constructor(document: Json) {
    addFormats.default(this.#ajv);
    this.#isOld = document['swagger'] !== undefined;
    this.#hasIds = !this.#isOld && !String(document['openapi']).startsWith('3.0');
    try {
      this.#ajv.addSchema(this.#inTodaysWords(document), documentId);
    } catch {
      // without it no reference into the document can be followed, as where two of its schemas have one `$id`
    }
  }

  #inTodaysWords(schema: Json): Json {
    const known = withoutExamples(schema);
    const plain = this.#hasIds ? known : withoutIds(known);
    return asAnswered(this.#isOld ? ofOldVersion(plain) : plain);
  }

  validatorOf(schema: Json): ValidateFunction | 'unusable' {
    const validator = this.#validators.get(schema) ?? this.#compile(schema);
    this.#validators.set(schema, validator);
    return validator;
  }

  #compile(schema: Json): ValidateFunction | 'unusable' {
    try {
      return this.#ajv.compile(absolute(this.#inTodaysWords(schema)));
    } catch {
      return 'unusable';
    }
  }
}

const known = new WeakMap<Json, Schemas>();

/** Internal references made absolute, so that the schema can be compiled outside its document. */
function absolute(value: Json): Json {
  return mapped(value, (entry) =>
    typeof entry['$ref'] === 'string' && entry['$ref'].startsWith('#')
      ? { ...entry, $ref: documentId + entry['$ref'] }
      : entry,
  );
}

/** Schemas of 2.0 have no word for null, so that any member may be it, and say by a flag that a bound is no value itself. Source: OpenAPI 2.0, Schema Object */
function ofOldVersion(value: Json): Json {
  return mapped(value, ({ exclusiveMinimum, exclusiveMaximum, ...entry }) => ({
    ...entry,
    ...(typeof entry['type'] === 'string' && { nullable: true }),
    ...(Array.isArray(entry['enum']) && { enum: [...entry['enum'], null] }),
    ...(exclusiveMinimum !== undefined && typeof exclusiveMinimum !== 'boolean' && { exclusiveMinimum }),
    ...(exclusiveMaximum !== undefined && typeof exclusiveMaximum !== 'boolean' && { exclusiveMaximum }),
  }));
}

/** `nullable: true` of 3.0 in today's words, and nothing required that only requests have. Source: OpenAPI, Schema Object, writeOnly */
function asAnswered(value: Json): Json {
  return mapped(value, (entry) => {
    const { nullable, type, required, properties } = entry;
    const isSent = (name: unknown): boolean => isObject(properties) && isMarked(properties[String(name)], 'writeOnly');
    return {
      ...entry,
      ...(nullable === true && typeof type === 'string' && { type: [type, 'null'] }),
      ...(Array.isArray(required) && { required: required.filter((name) => !isSent(name)) }),
    };
  });
}

export function isMarked(schema: unknown, word: 'readOnly' | 'writeOnly'): boolean {
  return isObject(schema) && schema[word] === true;
}

/** The value without the members that only answers have (`readOnly`), or only requests (`writeOnly`). Source: OpenAPI, Schema Object */
export function withoutMarked(value: Json, document: Json, word: 'readOnly' | 'writeOnly'): Json {
  return mapped(value, (entry) => {
    const { properties, required } = entry;
    if (!isObject(properties)) return entry;
    const stays = ([, schema]: readonly [string, unknown]): boolean =>
      !isMarked(schema, word) && !isMarked(dereference(document, schema), word);
    const left = Object.fromEntries(Object.entries(properties).filter(stays));
    const isLeft = (name: unknown): boolean => String(name) in left || !(String(name) in properties);
    return { ...entry, properties: left, ...(Array.isArray(required) && { required: required.filter(isLeft) }) };
  });
}

/** Examples of objects with an `$id`, as items of a multi-create have one, are no schemas. */
const withoutExamples = (value: Json): Json => without(value, (word) => /^(?:examples?$|x-)/.test(word));

/** Before 3.1 `$id` is no word of schemas: two may have the same, and none changes what a reference leads to. */
const withoutIds = (value: Json): Json => without(value, (word) => word === '$id');

/** Without words of schemas; members and schemas that are named like one stay. */
function without(value: Json, isLeftOut: (word: string) => boolean, inNames = false): Json {
  const inner = (item: unknown, areNames: boolean): unknown => {
    if (Array.isArray(item)) return item.map((one) => inner(one, false));
    return isObject(item) ? without(item, isLeftOut, areNames) : item;
  };
  const members = Object.entries(value).filter(([name]) => inNames || !isLeftOut(name));
  return Object.fromEntries(
    members.map(([name, item]) => [name, inner(item, !inNames && (name === 'properties' || name === 'schemas'))]),
  );
}

function mapped(value: Json, change: (entry: Json) => Json): Json {
  const inner = (item: unknown): unknown => {
    if (Array.isArray(item)) return item.map(inner);
    return isObject(item) ? mapped(item, change) : item;
  };
  return change(Object.fromEntries(Object.entries(value).map(([name, item]) => [name, inner(item)])));
}
