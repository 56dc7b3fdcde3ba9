import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deepestNesting, JsonTextError, parseJsonText } from './json-text.ts';

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

/** Texts near JSON: a valid one with a piece taken out or put in. */
const nearJson = fc
  .tuple(
    fc.json(),
    fc.nat(),
    fc.nat(3),
    fc.constantFrom(
      '',
      ',',
      '}',
      ']',
      '"',
      '\\',
      ':',
      '{',
      '-',
      '01',
      '1.',
      '\u0000',
      'é',
      '\n',
      ' ',
      'nul',
      '\\u12',
      '//',
    ),
  )
  .map(([text, at, length, put]) => {
    const place = at % (text.length + 1);
    return text.slice(0, place) + put + text.slice(place + length);
  });

test('takes exactly the texts that are JSON, as JSON.parse does', () => {
  fc.assert(
    fc.property(nearJson, (text) => {
      let expected: { value: unknown } | undefined;
      try {
        expected = { value: JSON.parse(text) };
      } catch {
        expected = undefined;
      }
      if (expected) expect(parseJsonText(text)).toEqual(expected.value);
      else expect(() => parseJsonText(text)).toThrow(/^Expected (?!at most).* at line \d+, column \d+\.$/);
    }),
    { numRuns: 2000 },
  );
});

test('names a place up to which the text could still have become JSON', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 4 }), fc.nat(), (text, at) => {
      const place = at % text.length;
      const broken = `${text.slice(0, place)}\u0000${text.slice(place)}`;
      const error = errorOf(broken);
      expect(error.line).toBe(1);
      expect(error.column).toBeLessThanOrEqual(place + 1);
    }),
  );
});

test.each([
  ['', 1, 1],
  ['{"a":}', 1, 6],
  ['{"a": 1,\n "b" 2}', 2, 6],
  ['[1, 2', 1, 6],
  ['{} x', 1, 4],
  ['{"a":1,}', 1, 8],
  ["{'a':1}", 1, 2],
  ['\n\n  nope', 3, 3],
])('%j is wrong at line %d, column %d', (text, line, column) => {
  expect(errorOf(text)).toMatchObject({ line, column });
});

test('reads the deepest nesting and refuses one level more, at its place', () => {
  expect(parseJsonText(nested(deepestNesting))).toBeInstanceOf(Array);
  expect(errorOf(nested(deepestNesting + 1))).toMatchObject({
    column: deepestNesting + 1,
    message: expect.stringContaining('64 levels'),
  });
  expect(errorOf(nested(1_000_000)).column).toBe(deepestNesting + 1);
  expect(errorOf('{"a":'.repeat(100_000)).message).toContain('64 levels');
});

test('keeps members whose names mean something to JavaScript as plain members', () => {
  const value = parseJsonText('{"__proto__": {"polluted": true}, "constructor": 1}');
  expect(Object.keys(value as object)).toEqual(['__proto__', 'constructor']);
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});

function errorOf(text: string): JsonTextError {
  try {
    parseJsonText(text);
  } catch (error) {
    if (error instanceof JsonTextError) return error;
    throw error;
  }
  throw new Error(`${text} was taken`);
}
