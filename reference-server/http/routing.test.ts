import { expect, test } from 'vitest';
import type { Route } from './route.ts';
import { Allowed, canonicalUrl, pathsOf, routerPath } from './route.ts';

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

test('templates become patterns of the router', () => {
  expect(routerPath('/api/space/{spaceId}/softtype/{objectId}')).toBe('/api/space/:spaceId/softtype/:objectId');
});

test('knows the methods of a path', () => {
  const allowed = new Allowed([
    route('GET', '/api/a/{id}'),
    route('PUT', '/api/a/{id}'),
    route('DELETE', '/api/a/b'),
    route('POST', '/space/{spaceId}/softtype'),
  ]);
  expect(allowed.methodsOf('/api/a/1?x=/')).toEqual(['GET', 'HEAD', 'PUT']);
  expect(allowed.methodsOf('/api/a/b')).toEqual(['GET', 'HEAD', 'PUT', 'DELETE']);
  expect(allowed.methodsOf('/api/space/main/SoftType')).toEqual(['POST']);
  expect(allowed.methodsOf('/api/a')).toEqual([]);
  expect(allowed.methodsOf('/api/a/1/2')).toEqual([]);
});
