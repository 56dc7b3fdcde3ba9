import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Secrets } from '../redact/redact.ts';
import { inOtherCase } from '../service/signature.ts';
import { alterAt, encodePart, mintToken, partsOf, remintToken } from '../service/token.ts';
import { Credentials } from './credentials.ts';

const key = Buffer.from('a key that nobody may read, of some length');
const claims = { sub: 'edda', iat: 1_800_000_000, exp: 1_800_003_600, jti: 'one' };
const token = mintToken(claims, key);

const ways: Readonly<Record<string, (place: number) => string>> = {
  'claims under the old signature': (place) => {
    const [header, , signature] = partsOf(token);
    return `${header}.${encodePart({ ...claims, jti: `altered ${place}` })}.${signature}`;
  },
  'an end earlier': (place) => remintToken(token, key, 'HS512', { exp: claims.exp - 1 - place }),
  'another algorithm': () => remintToken(token, key, 'HS256'),
  'another key': () => remintToken(token, Buffer.alloc(64, 7), 'HS512'),
  'no algorithm': () => `${encodePart({ alg: 'none', typ: 'JWT' })}.${partsOf(token)[1]}.`,
  'one letter changed': (place) => {
    const [header, payload, signature] = partsOf(token);
    return `${header}.${payload}.${alterAt(signature, place % (signature.length - 1))}`;
  },
  'letters of the other case': () => {
    const [header, payload, signature] = partsOf(token);
    return `${header}.${payload}.${inOtherCase(signature)}`;
  },
};

test.each(Object.entries(ways))('a token with %s is made again by a shell', (_what, make) => {
  fc.assert(
    fc.property(fc.nat({ max: 1000 }), (place) => {
      const made = make(place);
      const { parts, lines } = told(made);
      expect(parts).toEqual([{ text: 'Bearer ' }, { variable: 'MADE_TOKEN_1' }]);
      const script = `${lines['MADE_TOKEN_1']}; printf %s "$MADE_TOKEN_1"`;
      const env = { PATH: process.env['PATH'], EDITOR_TOKEN: token, SIGNING_KEY: key.toString('base64') };
      expect(execFileSync('/bin/sh', ['-c', script], { env }).toString()).toBe(made);
      for (const secret of [token, made, key.toString('base64'), ...partsOf(token).slice(1)])
        expect(Object.values(lines).join()).not.toContain(secret);
    }),
    { numRuns: 4 },
  );
});

test('a token that is made of none that is known stays as it is', () => {
  const foreign = mintToken({ iss: 'elsewhere' }, Buffer.from('unknown'));
  expect(told(foreign)).toEqual({ parts: [{ text: `Bearer ${foreign}` }], lines: {} });
});

function told(made: string) {
  const secrets = new Secrets();
  secrets.add('EDITOR_TOKEN', token);
  const credentials = new Credentials({
    secrets,
    known: new Set(['EDITOR_TOKEN']),
    tokens: [{ variable: 'EDITOR_TOKEN', value: token }],
    keys: [{ variable: 'SIGNING_KEY', value: key.toString('base64') }],
    paths: [],
  });
  return { parts: credentials.parts(`Bearer ${made}`), lines: credentials.lines };
}
