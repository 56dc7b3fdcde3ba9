import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sample } from './auth-sample.fixture.ts';
import { signatureText } from './signing.ts';
import { joinedUrl } from './callees.ts';
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

  test('goes out as bearer', () => {
    const [vector] = vectorsFile.vectors;
    const headers = signing.signatureHeaders(vector?.key ?? '', `http://host${vector?.path}?a=1`);
    expect(headers).toEqual({ Authorization: `Bearer ${vector?.signature}` });
  });
});
