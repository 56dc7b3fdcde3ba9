import { expect, test } from 'vitest';
import { holdsWhole, tells } from './call.ts';

test.each([
  ['"event-1"', true],
  ['event-1', true],
  ['"event-12" and "event-1"', true],
  ['"event-12"', false],
  ['"anevent-1"', false],
  ['nothing', false],
])('a marker in %s', (text, isThere) => {
  expect(holdsWhole(text, 'event-1')).toBe(isThere);
});

test.each([
  [String.raw`{"id":"a\/b\u00e9"}`, 'a/bé', true],
  [String.raw`{"id":"a\/b\u00e9c"}`, 'a/bé', false],
  [String.raw`{"body":"one\r\ntwo"}`, 'one\r\ntwo', true],
  ['no JSON: a/bé', 'a/bé', true],
  [String.raw`no JSON: a\/b`, 'a/b', false],
])('a call with %s', (text, marker, isThere) => {
  const json: unknown = text.startsWith('{') ? JSON.parse(text) : undefined;
  expect(tells({ text, json }, marker)).toBe(isThere);
});
