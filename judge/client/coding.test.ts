import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { withoutCoding } from './client.ts';

const text = Buffer.from('[{"id":"a"}]');

function decoded(coding: string, bytes: Uint8Array): string {
  const headers = [['Content-Encoding', coding]] as const;
  return Buffer.from(withoutCoding({ status: 200, headers, bytes }).bytes).toString();
}

test.each([
  ['gzip', gzipSync(text)],
  ['GZIP', gzipSync(text)],
  ['deflate', deflateSync(text)],
  ['br', brotliCompressSync(text)],
  ['identity', text],
  ['deflate, gzip', gzipSync(deflateSync(text))],
])('what is coded as %s is read', (coding, bytes) => {
  expect(decoded(coding, bytes)).toBe(text.toString());
});

test.each([
  ['gzip', text],
  ['unheard-of', text],
])('what is no %s stays as it came', (coding, bytes) => {
  expect(decoded(coding, bytes)).toBe(text.toString());
});
