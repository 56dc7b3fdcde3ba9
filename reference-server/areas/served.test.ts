import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConfiguration } from '../load-configuration.ts';
import { canonicalUrl } from '../http/router.ts';
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
