import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { boolean, constant, constantFrom, double, integer, record, string, type Arbitrary } from 'fast-check';
import { isObject } from '../answer.ts';
import { dereferenced, type Json } from './document.ts';
import type { Operation } from './operations.ts';

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
  return dereferenced(document, found);
}

/** Schema of the JSON request body, or undefined. */
export function requestSchema(document: Json, operation: Operation): unknown {
  const body = dereferenced(document, operation.definition['requestBody']);
  return isObject(body) ? jsonSchemaOf(document, body) : undefined;
}

/** 3.x keeps schemas under a media type, 2.0 beside it. */
function jsonSchemaOf(document: Json, holder: Json): unknown {
  const content = holder['content'];
  if (!isObject(content)) return holder['schema'];
  const media = Object.entries(content).find(([type]) => /json/i.test(type))?.[1];
  return isObject(media) ? dereferenced(document, media) && media['schema'] : undefined;
}

/** Where the value does not fit the schema, as `pointer message`; empty where it fits or where the schema cannot be compiled. */
export function misfits(document: Json, schema: unknown, value: unknown): readonly string[] {
  if (!isObject(schema)) return [];
  const schemas = known.get(document) ?? new Schemas(document);
  known.set(document, schemas);
  const validate = schemas.validatorOf(schema);
  if (validate === 'unusable' || validate(value)) return [];
  return (validate.errors ?? [])
    .slice(0, 5)
    .map((error) => `${error.instancePath} ${error.message ?? ''} (${error.schemaPath})`);
}

/** Compiled once: value after value is held against the same schemas. */
class Schemas {
  readonly #ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    validateFormats: true,
    logger: false,
    code: { optimize: false },
  });
  readonly #validators = new Map<Json, ValidateFunction | 'unusable'>();

  constructor(document: Json) {
    addFormats.default(this.#ajv);
    this.#ajv.addSchema(nullable({ ...document, $id: documentId }), documentId);
  }

  validatorOf(schema: Json): ValidateFunction | 'unusable' {
    const validator = this.#validators.get(schema) ?? this.#compile(schema);
    this.#validators.set(schema, validator);
    return validator;
  }

  #compile(schema: Json): ValidateFunction | 'unusable' {
    try {
      return this.#ajv.compile(absolute(nullable(schema)));
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

/** `nullable: true` of 3.0 in today's words. */
function nullable(value: Json): Json {
  return mapped(value, (entry) =>
    entry['nullable'] === true && typeof entry['type'] === 'string'
      ? { ...entry, type: [entry['type'], 'null'] }
      : entry,
  );
}

function mapped(value: Json, change: (entry: Json) => Json): Json {
  const inner = (item: unknown): unknown => {
    if (Array.isArray(item)) return item.map(inner);
    return isObject(item) ? mapped(item, change) : item;
  };
  return change(Object.fromEntries(Object.entries(value).map(([name, item]) => [name, inner(item)])));
}

/** Small values that the schema allows; undefined where it says more than this generator understands. */
export function arbitraryOf(document: Json, given: unknown): Arbitrary<unknown> | undefined {
  const schema = dereferenced(document, given);
  if (!isObject(schema) || ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'pattern', 'format'].some((word) => word in schema))
    return undefined;
  if (schema['const'] !== undefined) return constant(schema['const']);
  if (Array.isArray(schema['enum'])) return constantFrom(...schema['enum']);
  const type: unknown = Array.isArray(schema['type']) ? schema['type'].find((name) => name !== 'null') : schema['type'];
  if (type === 'object') return objectOf(document, schema);
  return scalarOf(String(type), schema);
}

function scalarOf(type: string, schema: Json): Arbitrary<unknown> | undefined {
  const limit = (name: string, otherwise: number) => (typeof schema[name] === 'number' ? schema[name] : otherwise);
  if (type === 'string')
    return string({
      unit: 'grapheme',
      minLength: limit('minLength', 1),
      maxLength: Math.max(limit('minLength', 1), Math.min(20, limit('maxLength', 20))),
    });
  if (type === 'integer')
    return integer({ min: limit('minimum', 0), max: limit('maximum', Math.max(1000, limit('minimum', 0))) });
  if (type === 'number')
    return double({
      min: limit('minimum', 0),
      max: limit('maximum', Math.max(1000, limit('minimum', 0))),
      noNaN: true,
    });
  return type === 'boolean' ? boolean() : undefined;
}

/** Required members always, optional ones that are understood now and then. */
function objectOf(document: Json, schema: Json): Arbitrary<unknown> | undefined {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? schema['required'].map(String) : [];
  const members = Object.entries(properties)
    .filter(([name]) => !name.startsWith('$'))
    .map(([name, inner]) => [name, arbitraryOf(document, inner)] as const);
  const known = members.filter((member): member is [string, Arbitrary<unknown>] => member[1] !== undefined);
  const names = known.map(([name]) => name);
  if (!required.filter((name) => !name.startsWith('$')).every((name) => names.includes(name))) return undefined;
  return record(Object.fromEntries(known), { requiredKeys: names.filter((name) => required.includes(name)) });
}
