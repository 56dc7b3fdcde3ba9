import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isOfService, requestFrom } from './requests.ts';

test.each<readonly [boolean, url: string, baseUrl: string, allowHosts: readonly string[]]>([
  [true, 'https://service.example/x', 'https://SERVICE.example:443/root', []],
  [false, 'https://service.example:8443/x', 'https://service.example', []],
  [false, 'https://public.example/x', 'https://service.example', []],
  [true, 'https://public.example/x', 'https://service.example', ['Public.example']],
  [true, 'https://public.example/x', 'http://service.example', ['public.example:443']],
  [true, 'http://public.example/x', 'http://service.example', ['public.example']],
  [false, 'http://public.example/x', 'https://service.example', ['public.example']],
  [false, 'http://service.example/x', 'https://service.example', ['service.example']],
  [false, 'https://public.example.evil.example/x', 'https://service.example', ['public.example']],
  [false, 'https://public.example@evil.example/x', 'https://service.example', ['public.example']],
  [false, 'https://public.example:8443/x', 'https://service.example', ['public.example']],
  [true, 'http://[::1]:8080/x', 'http://service.example', ['[::1]:8080']],
])('whether it is %s that %s is the service of %s, with %j allowed', (isOwn, url, baseUrl, allowHosts) => {
  expect(isOfService(url, { baseUrl, allowHosts: [...allowHosts] })).toBe(isOwn);
});

test.each<readonly [boolean, url: string, baseUrl: string, baseAddress: string]>([
  [true, 'https://public.example/x', 'http://service.example', 'https://public.example/root'],
  [true, 'http://public.example/x', 'http://service.example', 'http://public.example'],
  [false, 'http://public.example/x', 'https://service.example', 'http://public.example'],
  [false, 'https://other.example/x', 'https://service.example', 'https://public.example'],
])('whether it is %s that %s is the service of %s, whose base address is %s', (isOwn, url, baseUrl, baseAddress) => {
  expect(isOfService(url, { baseUrl, baseAddress })).toBe(isOwn);
});

const template = {
  method: 'POST',
  path: '/api/space/{{spaceId}}/x?c={{id}}',
  headers: { 'X-Id': 'a {{id}}' },
  body: { whole: '{{value}}', mixed: '<{{id}}>', list: ['{{value}}', '{{absent}}'], gone: '{{absent}}', kept: null },
};

test('a whole placeholder becomes any JSON value, an absent one leaves nothing behind', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string({ unit: 'binary' }), (value, id) => {
      const request = requestFrom(template, { spaceId: 'main', value, id });
      expect(request.body).toEqual({ whole: value, mixed: `<${id}>`, list: [value], kept: null });
      expect(request.url).toBe(`/api/space/main/x?c=${encodeURIComponent(id.toWellFormed())}`);
      expect(request.headers).toEqual({ 'X-Id': `a ${id}` });
    }),
  );
});

test.each([
  ['JSON like any other value', undefined, JSON.stringify('{ "b": 1.50 }')],
  ['JSON where the template says so', 'application/vnd.own+json', JSON.stringify('{ "b": 1.50 }')],
  ['as it is where the template names another type', 'text/plain', '{ "b": 1.50 }'],
])('a text that is the whole body is sent %s', (_what, type, expected) => {
  const headers = type === undefined ? {} : { 'content-type': type };
  const request = requestFrom(
    { method: 'POST', path: '/x', headers, body: '{{payload}}' },
    { payload: '{ "b": 1.50 }' },
  );
  expect(request.body).toBe(expected);
});

test('a path that asks for what is not known says so', () => {
  expect(() => requestFrom(template, { id: 'x', value: 1 })).toThrow('{{spaceId}}');
});
