import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConfiguration } from '../load-configuration.ts';
import { canonicalUrl } from '../http/route.ts';
import { routesOf } from '../areas.ts';
import { sample } from './auth-sample.fixture.ts';
import { createServer } from '../server.ts';

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
  test('is valid OpenAPI 3.1, its schemas are JSON Schema 2020-12', async () => {
    const document = await get(path);
    expect(document['openapi']).toMatch(/^3\.1\.\d+$/);
    expect((await new Validator().validate(document)).errors ?? []).toEqual([]);
    const compile = compilerOf(document);
    for (const name of Object.keys(schemasOf(document))) expect(() => compile(name)).not.toThrow();
  });

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

test('each space lists the SoftTypes of its own template, and only those', async () => {
  for (const space of configuration.spaces.values()) {
    const names = Object.keys(schemasOf(await get(`/space/${space.id}/SoftType/dynamic/softtype.openApi`)));
    for (const template of configuration.templates.values()) {
      for (const softType of template.softTypes.values()) {
        const own = space.template.softTypes.has(softType.id);
        expect(
          names.some((name) => name.startsWith(`${softType.id}.`)),
          `${softType.id} in ${space.id}`,
        ).toBe(own);
      }
    }
  }
});

test('what is created, read and paged fits the document', async () => {
  const document = await get('/api/space/main/softtype/dynamic/softtype.openApi');
  const files = Array.from({ length: 12 }, (_, at) => ({ name: `file ${at}`, revisions: [{ text: 'a' }] }));
  const body = { title: 'A', price: '10', label: 'b', keywords: ['k'], 'scale/~1': 'c', pageCount: 1, files };
  expect(failuresOf(document, 'Document.documentInput.create', body)).toEqual([]);
  const headers = { 'content-type': 'application/json' };
  const root = '/api/space/main/softtype';
  const created = await send(`${root}/Document/documentInput`, { method: 'POST', headers, body: JSON.stringify(body) });
  expect(created.status).toBe(201);
  const oid = created.headers.get('location')?.split('/').at(-1);
  const full = await get(`${root}/Document/documentFull/${oid}`);
  expect(failuresOf(document, 'Document.documentFull.instance', full)).toEqual([]);
  expect(failuresOf(document, 'Document.documentFull.instance', { ...full, version: '1' })).not.toEqual([]);
  const summary = await get(`${root}/Document/documentSummary/${oid}`);
  expect(failuresOf(document, 'Document.documentSummary.instance', summary)).toEqual([]);
  const page = await get(`${root}/page/Document/documentFull/files/${oid}/1`);
  expect(failuresOf(document, 'Document.documentFull.files.page', page)).toEqual([]);
  const problem = Object(await (await send(`${root}/nothing`)).json());
  expect(failuresOf(document, 'Problem', problem)).toEqual([]);
});

/** Compiles component schemas of the document. */
function compilerOf(document: Record<string, unknown>): (schema: string) => ReturnType<Ajv2020['compile']> {
  const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addKeyword('components');
  ajv.addSchema({ $id: 'document:', components: document['components'] });
  return (schema) => ajv.compile({ $ref: `document:#/components/schemas/${schema}` });
}

function failuresOf(document: Record<string, unknown>, schema: string, value: unknown): unknown[] {
  const validate = compilerOf(document)(schema);
  return validate(value) ? [] : (validate.errors ?? []);
}

function schemasOf(document: Record<string, unknown>): object {
  return Object(Object(document['components'])['schemas']);
}

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
