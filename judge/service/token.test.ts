import { expect, test } from 'vitest';
import type { Call } from '../extension/call.ts';
import { mintToken, tokensInQuery } from './token.ts';

const key = Buffer.alloc(64, 7);
const own = mintToken({ sub: 'edda', iat: 1000, exp: 4600, jti: 'a' }, key);
const heldIn = (value: string) =>
  tokensInQuery({ query: [['t', value]], envelope: { accessToken: own } } as unknown as Call).length;

test.each([
  ['the token of the envelope', own, 1],
  ['one of the same user, issued a minute later', mintToken({ sub: 'edda', iat: 1060, exp: 4660, jti: 'b' }, key), 1],
  ['one of somebody else', mintToken({ sub: 'emil', iat: 1000, exp: 4600 }, key), 0],
  ['one that lives longer', mintToken({ sub: 'edda', iat: 1000, exp: 8200 }, key), 0],
  ['one with another claim', mintToken({ sub: 'edda', scope: 'x', iat: 1000, exp: 4600 }, key), 0],
  ['what is no token', 'own', 0],
  ['nothing', '', 0],
])('a call with %s in its query', (_what, value, count) => expect(heldIn(value)).toBe(count));

test('an envelope without a token has none in the query', () => {
  expect(tokensInQuery({ query: [['t', '']], envelope: {} } as unknown as Call)).toEqual([]);
});
