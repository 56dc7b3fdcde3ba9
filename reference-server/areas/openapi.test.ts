import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import type { SoftType, Space } from '../configuration.ts';
import { sampleCall, sampleService } from './reading-sample.fixture.ts';
import type { JsonObject } from './openapi/document.ts';
import { mergeJsonSchema } from './openapi/soft-types.ts';
import { staticCategories, staticDocument } from './openapi/static.ts';

const service = sampleService();
const { space } = sampleCall({});
const documents = new Map([
  ['dynamic', service.openApi.dynamicDocument(space)],
  ...staticCategories.map((category) => [category, staticDocument(category) ?? {}] as const),
]);

test.each([...documents.keys()])('the %s document is valid OpenAPI 3.1', async (name) => {
  const result = await new Validator().validate({ ...documents.get(name) });
  expect(result.errors ?? []).toEqual([]);
  expect(result.valid).toBe(true);
});

test.each([...documents.keys()])('every reference of the %s document resolves', (name) => {
  const document = documents.get(name) ?? {};
  const references = [...referencesOf(document)];
  expect(references.length).toBeGreaterThan(5);
  for (const reference of references) expect(resolve(document, reference), reference).toBeDefined();
});

test.each([...documents.keys()])('path parameters and operation ids of the %s document fit', (name) => {
  const document = documents.get(name) ?? {};
  const ids = operationsIn(document).map(({ operation }) => operation['operationId']);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { path, item, operation } of operationsIn(document)) {
    const parameters = [item['parameters'] ?? [], operation['parameters'] ?? []]
      .flat()
      .map((parameter) => resolved(document, parameter));
    const inPath = parameters
      .filter((parameter) => parameter['in'] === 'path')
      .map((parameter) => `{${parameter['name']}}`);
    expect(inPath.toSorted(), path).toEqual((path.match(/\{\w+\}/g) ?? []).toSorted());
  }
});

test('an input and an output schema of one id, and ids that need escaping, keep all their operations', async () => {
  const view = { id: 'a/b c', names: new Map([['ä~/', 'ä~/']]) };
  const odd: SoftType = {
    id: 'Ödd',
    members: new Map([['ä~/', { kind: 'entries', mandatory: false, members: new Map() }]]),
    inputs: new Map([[view.id, view]]),
    outputs: new Map([[view.id, view]]),
  };
  const other: Space = {
    ...space,
    id: 'a b',
    template: { ...space.template, softTypes: new Map([[odd.id, odd]]), filters: new Map() },
  };
  const document = service.openApi.dynamicDocument(other);
  expect((await new Validator().validate({ ...document })).errors ?? []).toEqual([]);
  for (const reference of referencesOf(document)) expect(resolve(document, reference), reference).toBeDefined();
  const item = operationsIn(document).filter(
    ({ path }) => path === '/api/space/a%20b/softtype/%C3%96dd/a%2Fb%20c/{objectId}',
  );
  expect(item.map(({ method }) => method).toSorted()).toEqual(['get', 'patch', 'put']);
});

test('the text of a space is sent with its ETag and not again', async () => {
  const first = await service.openApi.readDynamicOpenApi(sampleCall({}));
  expect(first).toMatchObject({ status: 200, headers: { 'Content-Type': 'application/json' } });
  const ifNoneMatch = { 'if-none-match': first.headers?.['ETag'] };
  expect(await service.openApi.readDynamicOpenApi(sampleCall({ headers: ifNoneMatch }))).toMatchObject({
    status: 304,
  });
});

test.each(['', 'other', 'constructor', 'toString'])('there is no static document "%s"', async (category) => {
  await expect(service.openApi.readStaticOpenApi(sampleCall({ params: { category } }))).rejects.toMatchObject({
    status: 404,
  });
});

test('a merge takes any part, at any depth, and null for what is not mandatory', () => {
  const complete = {
    type: 'object',
    properties: {
      title: { type: 'string' },
      size: { type: 'object', properties: { width: { type: 'string' } }, required: ['width'] },
    },
    required: ['title'],
    additionalProperties: false,
  };
  const accepts = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(mergeJsonSchema(complete));
  for (const part of [{}, { title: 'a' }, { size: null }, { size: {} }, { size: { width: 'a' } }])
    expect(accepts(part), JSON.stringify(part)).toBe(true);
  for (const part of [{ title: null }, { other: 1 }, { size: { width: null } }, { size: 'a' }])
    expect(accepts(part), JSON.stringify(part)).toBe(false);
});

interface Found {
  readonly path: string;
  readonly method: string;
  readonly item: JsonObject;
  readonly operation: JsonObject;
}

function operationsIn(document: JsonObject): Found[] {
  return Object.entries(objectOf(document['paths'])).flatMap(([path, item]) =>
    Object.entries(objectOf(item))
      .filter(([method]) => method !== 'parameters')
      .map(([method, operation]) => ({ path, method, item: objectOf(item), operation: objectOf(operation) })),
  );
}

function* referencesOf(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  if ('$ref' in value && typeof value.$ref === 'string') yield value.$ref;
  for (const child of Object.values(value)) yield* referencesOf(child);
}

function resolved(document: JsonObject, value: unknown): JsonObject {
  const [reference] = objectOf(value)['$ref'] === undefined ? [] : referencesOf(value);
  return objectOf(reference === undefined ? value : resolve(document, reference));
}

function resolve(document: JsonObject, reference: string): unknown {
  const tokens = reference
    .replace(/^#\//, '')
    .split('/')
    .map((token) => decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~'));
  return tokens.reduce<unknown>((place, token) => objectOf(place)[token], document);
}

function objectOf(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null ? (value as JsonObject) : {};
}
