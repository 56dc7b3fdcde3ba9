import fc from 'fast-check';
import { expect, test } from 'vitest';
import vectors from '../../fixtures/vectors/pointer.json' with { type: 'json' };
import { pointerBelow } from '../http/json-text.ts';
import { sample } from './auth-sample.fixture.ts';

const { operations } = sample().service;

const token = fc.string({ unit: fc.constantFrom('~', '/', '0', '1', 'a', '-', ' ', 'é', '%') });

test.each(vectors.vectors)('reads $text', ({ text, tokens }) => {
  expect(operations.pointerTokens(text) ?? null).toEqual(tokens);
});

test('reads back the tokens that a pointer was made of', () => {
  fc.assert(
    fc.property(fc.array(token), (tokens) => {
      expect(operations.pointerTokens(tokens.reduce((path, name) => pointerBelow(path, name), ''))).toEqual(tokens);
    }),
  );
});

test('tells different tokens apart', () => {
  fc.assert(
    fc.property(token, token, (left, right) => {
      expect(pointerBelow('', left) === pointerBelow('', right)).toBe(left === right);
    }),
  );
});
