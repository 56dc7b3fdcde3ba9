import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test, afterAll, beforeAll, describe } from 'vitest';
import type { SoftType, Space } from '../configuration.ts';
import { sampleCall, sampleService } from './reading-sample.fixture.ts';
import type { JsonObject } from './openapi/document.ts';
import { mergeJsonSchema } from './openapi/soft-types.ts';
import { staticCategories, staticDocument } from './openapi/static.ts';
import { loadConfiguration } from '../load-configuration.ts';
import { canonicalUrl } from '../http/router.ts';
import { routesOf } from '../areas.ts';
import { sample } from './auth-sample.fixture.ts';
import { createServer } from '../server.ts';

const service = sampleService();
const { space } = sampleCall({});
const documents = new Map([
  ['dynamic', service.openApi.dynamicDocument(space)],
  ...staticCategories.map((category) => [category, staticDocument(category) ?? {}] as const),
]);

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

test('/docs is the Swagger UI over the documents of the server, which it names without holding them', async () => {
  const pages = new Map(
    sampleService()
      .openApi.docsPages()
      .map((page) => [page.path, page]),
  );
  const contentAt = async (path: string): Promise<string> => String(await pages.get(path)?.contentOf());
  expect(pages.get('/docs')?.type).toContain('text/html');
  expect(await contentAt('/docs')).toContain('<!doctype html>');
  const script = await contentAt('/docs/static/swagger-initializer.js');
  const dynamic = '/space/main/SoftType/dynamic/softtype.openApi';
  for (const url of [dynamic, '/api/openApi/system', '/api/openApi/collection', '/api/openApi/space'])
    expect(script).toContain(url);
  expect(script).not.toContain('documentInput');
  for (const asset of ['swagger-ui-bundle.js', 'swagger-ui.css'])
    expect((await contentAt(`/docs/static/${asset}`)).length).toBeGreaterThan(1000);
  expect(pages.has('/docs/static/index.html')).toBe(false);
});

const configuration = loadConfiguration();
const server = createServer();
beforeAll(async () => void (await server.listen()));
afterAll(() => server.close());

const credentials = {
  authorization: `Bearer ${configuration.users.get('edda')?.pat}`,
  'svc-informationfilter': 'e30=',
};

function send(path: string, request: RequestInit = {}): Promise<Response> {
  return fetch(server.url + path, { ...request, headers: { ...credentials, ...request.headers } });
}

async function get(path: string): Promise<Record<string, unknown>> {
  const response = await send(path);
  expect(response.status, path).toBe(200);
  return Object(await response.json());
}

const dynamic = [...configuration.spaces.keys()].map((id) => `/space/${id}/SoftType/dynamic/softtype.openApi`);
const fixed = ['/api/openApi/system', '/api/openApi/collection', '/api/openApi/space'];

describe.each([...dynamic, ...fixed])('%s', (path) => {
  test('describes routes that exist', async () => {
    const known = new Set(
      routesOf(sample().service).map((route) => `${route.method} ${anonymous(canonicalUrl(route.path))}`),
    );
    const described = operationsOf(await get(path));
    expect(described.length).toBeGreaterThan(1);
    for (const operation of described)
      expect(
        [...known].some((route) => covers(route, operation)),
        operation,
      ).toBe(true);
  });
});

function operationsOf(document: Record<string, unknown>): string[] {
  return Object.entries(Object(document['paths'])).flatMap(([path, item]) =>
    Object.keys(Object(item))
      .filter((method) => method !== 'parameters')
      .map((method) => `${method.toUpperCase()} ${anonymous(canonicalUrl(path))}`),
  );
}

function anonymous(path: string): string {
  return path.replaceAll(/\{\w+\*?\}/g, '{}');
}

/** Whether a route serves an operation: its placeholders may stand for fixed segments. */
function covers(route: string, operation: string): boolean {
  const places = operation.split('/');
  const segments = route.split('/');
  return (
    segments.length === places.length && segments.every((segment, at) => segment === '{}' || segment === places[at])
  );
}
