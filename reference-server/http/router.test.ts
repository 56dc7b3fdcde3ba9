import { expect, test } from 'vitest';
import type { Route } from './route.ts';
import { Router, canonicalUrl, pathsOf, restOf } from './router.ts';

const route = (method: Route['method'], path: string): Route => ({
  method,
  path,
  access: 'public',
  effect: 'read',
  needs: {},
  handle: async () => ({ status: 200 }),
});

test.each([
  ['/api/space/main/SoftType/x', '/api/space/main/softtype/x'],
  ['/space/main/SoftType', '/space/main/softtype'],
  ['/space/main/SoftType?a=/SoftType/', '/space/main/softtype?a=/SoftType/'],
  ['/api/space/SoftType/SoftType/SoftType', '/api/space/SoftType/softtype/SoftType'],
  ['/api/space/main/SOFTTYPE/x', '/api/space/main/SOFTTYPE/x'],
  ['/api/space/main/SoftTypes/x', '/api/space/main/SoftTypes/x'],
  ['/api/SoftType', '/api/SoftType'],
])('%s is %s', (url, canonical) => expect(canonicalUrl(url)).toBe(canonical));

test('a route written without /api has both paths, one written with it has one', () => {
  expect(pathsOf(route('POST', '/space/{spaceId}/SoftType'))).toEqual([
    '/space/{spaceId}/softtype',
    '/api/space/{spaceId}/softtype',
  ]);
  expect(pathsOf(route('POST', '/api/space/{spaceId}/batch'))).toEqual(['/api/space/{spaceId}/batch']);
  expect(pathsOf(route('POST', '/auth/token'))).toEqual(['/auth/token']);
});

function routerOf(...places: readonly (readonly [Route['method'], string])[]): Router<string> {
  const router = new Router<string>();
  for (const [method, path] of places) router.add(method, path, `${method} ${path}`);
  return router;
}

test('knows the methods of a path', () => {
  const router = routerOf(
    ['GET', '/api/a/{id}'],
    ['PUT', '/api/a/{id}'],
    ['DELETE', '/api/a/b'],
    ['POST', '/space/{spaceId}/softtype'],
  );
  expect(router.methodsOf('/api/a/1?x=/')).toEqual(['GET', 'HEAD', 'PUT']);
  expect(router.methodsOf('/api/a/b')).toEqual(['GET', 'HEAD', 'PUT', 'DELETE']);
  expect(router.methodsOf('/space/main/SoftType')).toEqual(['POST']);
  expect(router.methodsOf('/api/a')).toEqual([]);
  expect(router.methodsOf('/api/a/1/2')).toEqual([]);
  expect(router.methodsOf('/api/%zz')).toBeUndefined();
});

test('finds what a template spells before what it names, and what it names before the rest', () => {
  const router = routerOf(
    ['GET', '/a/{rest*}'],
    ['GET', '/a/{id}/c'],
    ['GET', '/a/b'],
    ['PUT', '/a/{id}'],
    ['GET', '/a/b/c/d'],
  );
  const found = (method: string, url: string): unknown => router.find(method, url)?.place;
  expect(found('GET', '/a/b')).toBe('GET /a/b');
  expect(found('HEAD', '/a/b')).toBe('GET /a/b');
  expect(found('PUT', '/a/b')).toBe('PUT /a/{id}');
  expect(found('GET', '/a/b/c')).toBe('GET /a/{id}/c');
  expect(found('GET', '/a/b/d')).toBe('GET /a/{rest*}');
  expect(found('GET', '/a/')).toBe('GET /a/{rest*}');
  expect(found('GET', '/a')).toBeUndefined();
  expect(found('DELETE', '/a/b')).toBeUndefined();
});

test('decodes what a template names, once and segment by segment', () => {
  const router = routerOf(['GET', '/a/{one}/b/{other}'], ['GET', '/r/{id}/{rest*}']);
  const params = (url: string): unknown => router.find('GET', url)?.params;
  expect(params('/a/%c3%a9%2F/%62/x%2525?one=2')).toEqual({ one: '\u00e9/', other: 'x%25' });
  expect(params('http://host:1/a/__proto__/b/2#c')).toEqual({ one: '__proto__', other: '2' });
  expect(params('/a/1/b/')).toBeUndefined();
  expect(params('/a/1%2fb%2f2')).toBeUndefined();
  expect(params('/a/{one}/b/{other}')).toEqual({ one: '{one}', other: '{other}' });
  expect(params('/r/%31/%zz/%2e')).toEqual({ id: '1' });
  expect(params('/r/%zz/x')).toBeUndefined();
  expect(restOf('/r/{id}/{rest*}', '/r/%31/%zz/%2e?x=/y')).toEqual(['%zz', '%2e']);
  expect(restOf('/a/{one}/b', '/a/1/b')).toBeUndefined();
});

test('of several at one place the first counts', () => {
  const router = new Router<number>();
  router.add('GET', '/a/{id}', 1);
  router.add('GET', '/a/{name}', 2);
  expect(router.find('GET', '/a/x')).toEqual({ place: 1, params: { id: 'x' } });
});
