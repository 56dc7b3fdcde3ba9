import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { joinedUrl, withParameter } from './callees.ts';

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
