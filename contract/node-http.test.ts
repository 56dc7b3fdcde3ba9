import { expect, test } from 'vitest';
import { originForm } from './node-http.ts';

test.each([
  ['/path?query', '/path?query'],
  ['http://host:80/path?query', '/path?query'],
  ['HTTPS://[::1]:80/path', '/path'],
  ['http://host', '/'],
  ['http://host?query', '/?query'],
  ['/http://host/path', '/http://host/path'],
  ['*', '*'],
  [undefined, '/'],
])('the target %s is %s', (target, path) => {
  expect(originForm(target)).toBe(path);
});
