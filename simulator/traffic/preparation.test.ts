import { describe, expect, test } from 'vitest';
import { createHmac } from 'node:crypto';
import { expiredTokenFrom } from './preparation.ts';

const key = Buffer.from('a key of the deployment');
const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

const signed = (claims: object, alg: string, digest: string): string => {
  const text = `${encoded({ alg, typ: 'JWT' })}.${encoded(claims)}`;
  return `${text}.${createHmac(digest, key).update(text).digest('base64url')}`;
};

const fresh = signed({ sub: 'edda', exp: 4_102_444_800 }, 'HS512', 'sha512');

describe('an expired token', () => {
  test.each([
    ['Base64', { signingKey: key.toString('base64'), signingKeyForm: 'base64' }],
    ['text', { signingKey: key.toString(), signingKeyForm: 'text' }],
    ['a form that is not told', { signingKey: key.toString() }],
  ] as const)('is the fresh one in all but its times, the key as %s', (_form, auth) => {
    const [header = '', payload = '', signature] = expiredTokenFrom({ auth }, fresh)?.split('.') ?? [];
    expect(header).toBe(fresh.split('.')[0]);
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { readonly exp: number };
    expect(claims).toMatchObject({ sub: 'edda' });
    expect(claims.exp).toBeLessThan(Date.now() / 1000);
    expect(signature).toBe(createHmac('sha512', key).update(`${header}.${payload}`).digest('base64url'));
  });

  test('is that of the profile, where there is one', () => {
    expect(expiredTokenFrom({ auth: { expiredToken: 'an.old.one', signingKey: 'x' } }, fresh)).toBe('an.old.one');
  });

  test.each<[string, Parameters<typeof expiredTokenFrom>]>([
    ['without a key', [{ auth: {} }, fresh]],
    ['without authentication', [{}, fresh]],
    ['for another key', [{ auth: { signingKey: 'another' } }, fresh]],
    ['for a token that is no JWT', [{ auth: { signingKey: key.toString() } }, 'opaque']],
    ['for no token', [{ auth: { signingKey: key.toString() } }, null]],
    [
      'for an algorithm without a shared key',
      [{ auth: { signingKey: key.toString() } }, signed({}, 'RS256', 'sha256')],
    ],
  ])('cannot be made %s', (_what, given) => expect(expiredTokenFrom(...given)).toBeUndefined());
});
