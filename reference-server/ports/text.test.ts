import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { shownAddress } from './postgres-session.ts';
import { spelled, unspelled } from './postgres-session.ts';

describe('texts', () => {
  const texts = fc.string({ unit: fc.constantFrom('\0', '\u0001', '\u0002', 'a') });

  test('come back as they were, hold no U+0000 and keep their order', () => {
    fc.assert(
      fc.property(texts, texts, (one, other) => {
        expect(unspelled(spelled(one))).toBe(one);
        expect(spelled(one)).not.toContain('\0');
        expect(spelled(one) < spelled(other)).toBe(one < other);
      }),
    );
  });
});

test.each([
  ['postgres://user:secret@host:5432/db?sslmode=require&password=secret', 'postgres://user@host:5432/db'],
  ['postgresql://host/db', 'postgresql://host/db'],
  ['postgres://user:secr@et@host/db', 'postgres://user@host/db'],
  ['postgres://user:sec/ret@host/db', undefined],
  ['postgres:user:secret@host', undefined],
])('of the address %s is shown %s', (url, shown) => {
  expect(shownAddress(url)).toBe(shown);
});
