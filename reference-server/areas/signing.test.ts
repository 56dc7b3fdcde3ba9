import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sample } from './auth-sample.fixture.ts';
import { signatureText } from './signing.ts';
import { joinedUrl, withParameter } from './callees.ts';
import vectorsFile from '../../fixtures/vectors/signature.json' with { type: 'json' };

const { service } = sample();
const { signing } = service;

test.each(vectorsFile.vectors)('$note: $path', ({ key, path, base64, signature }) => {
  expect(signing.signPath(key, path)).toBe(signature);
  expect(signatureText(Buffer.from(base64, 'base64'))).toBe(signature);
});

test('the vectors hold padded digests with each of the characters to replace, and one with none', () => {
  const texts = vectorsFile.vectors.map(({ base64 }) => base64);
  expect(texts.every((text) => text.endsWith('=='))).toBe(true);
  for (const form of [/\+/, /\//, /^[^+/]+$/]) expect(texts.some((text) => form.test(text))).toBe(true);
});

test('text and MAC lead to each other, in 86 characters that a URL takes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 64, maxLength: 64 }), (mac) => {
      const text = signatureText(Buffer.from(mac));
      expect(text).toMatch(/^[A-Za-z0-9_-]{86}$/);
      expect(Buffer.from(text, 'base64url')).toEqual(Buffer.from(mac));
    }),
  );
});

describe('what is signed of a URL', () => {
  test.each([
    ['http://host:8080/svc/extension', '/svc/extension'],
    ['http://host', '/'],
    ['https://host/base/t?access_token=a.b.c', '/base/t'],
    ['http://host/a%20b/%C3%A9?x=/y#z', '/a%20b/%C3%A9'],
    ['http://host/a b/é', '/a%20b/%C3%A9'],
  ])('%s: %s', (url, path) => expect(signing.signedPath(url)).toBe(path));

  test('is the path that the joined URL has on its request line, whatever the route', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 30 }), (route) => {
        const url = joinedUrl('http://host:81/base', route);
        const [line = ''] = url.slice('http://host:81'.length).split('?', 1);
        expect(signing.signedPath(url)).toBe(line);
        expect(signing.signedPath(`${url.split('?', 1)[0]}?access_token=t`)).toBe(line);
      }),
    );
  });
});

describe('host and route', () => {
  test.each([
    ['http://h:1', 'a/b', 'http://h:1/a/b'],
    ['http://h:1', '/a/b', 'http://h:1/a/b'],
    ['http://h:1/', '/a/b', 'http://h:1/a/b'],
    ['http://h:1//', '//a', 'http://h:1/a'],
    ['http://h:1/base', 'a', 'http://h:1/base/a'],
    ['http://h:1/base/', '/a', 'http://h:1/base/a'],
    ['http://h:1', 'a?x=1', 'http://h:1/a?x=1'],
    ['http://h:1', 'a b/é', 'http://h:1/a%20b/%C3%A9'],
    ['http://h:1', 'a%2Fb', 'http://h:1/a%2Fb'],
    ['http://h:1', 'a#b', 'http://h:1/a'],
    ['http://h:1', '', 'http://h:1/'],
  ])('%s and %s are %s', (base, route, url) => expect(joinedUrl(base, route)).toBe(url));

  test('never lead to another host, and never change when read again', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('http://h:1', 'http://h:1/', 'http://h:1/base/'),
        fc.string({ unit: 'grapheme' }),
        (base, route) => {
          const url = joinedUrl(base, route);
          expect(new URL(url).origin).toBe('http://h:1');
          expect(new URL(url).href).toBe(url);
        },
      ),
    );
  });
});

describe('one more parameter', () => {
  test.each([
    ['http://h/a', 'http://h/a?t=v'],
    ['http://h/a?', 'http://h/a?t=v'],
    ['http://h/a?x=1&b=x%20y&a=2', 'http://h/a?x=1&b=x%20y&a=2&t=v'],
    ['http://h/a?x=1&', 'http://h/a?x=1&t=v'],
    ['http://h/a#f', 'http://h/a?t=v'],
    ['http://h/a?x=1#f?g', 'http://h/a?x=1&t=v'],
    ['http://h/a?x=?', 'http://h/a?x=?t=v'],
  ])('behind %s is %s', (url, expected) => expect(withParameter(url, 't', 'v')).toBe(expected));

  test('comes last, and those before it stay', () => {
    const word = fc.string({ unit: 'grapheme', minLength: 1 }).map(encodeURIComponent);
    const pairs = fc.array(fc.tuple(word, word));
    fc.assert(
      fc.property(pairs, fc.string({ unit: 'grapheme' }), (query, value) => {
        const before = query.map(([name, text]) => `${name}=${text}`).join('&');
        const url = withParameter(`http://h/a${before === '' ? '' : `?${before}`}`, 'access_token', value);
        expect(url.startsWith(`http://h/a?${before}`)).toBe(true);
        expect([...new URL(url).searchParams].at(-1)).toEqual(['access_token', value]);
        expect([...new URL(url).searchParams]).toHaveLength(query.length + 1);
      }),
    );
  });
});
