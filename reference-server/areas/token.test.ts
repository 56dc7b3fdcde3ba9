import { rightAreas } from '../areas.ts';
import { breaks } from '../../variants/breaks.ts';
import * as fc from 'fast-check';
import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Areas } from '../areas.ts';
import { bearer, sample } from './auth-sample.fixture.ts';
import { VerifiedTokens } from './tokens.ts';

const alphabet = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~+/='];

async function tokenOf(service: Areas, name: string): Promise<string> {
  const user = service.configuration.users.get(name);
  if (user === undefined) throw new Error(`no user ${name}`);
  return service.tokens.issueToken(user);
}

/** A token by the book, independent of the library under test. */
function mint(header: object, claims: object, key: Buffer, hash?: string): string {
  const parts = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
  const signature = hash === undefined ? '' : createHmac(hash, key).update(parts.join('.')).digest('base64url');
  return [...parts, signature].join('.');
}

const refusal = (status: number) => expect.objectContaining({ status });

describe('an access token', () => {
  test('opens for its user and is HMAC SHA-512 of its first two parts', async () => {
    const { service, configuration, time } = sample();
    const token = await tokenOf(service, 'editor');
    expect(await service.auth.authenticate(bearer(token))).toBe(configuration.users.get('editor'));
    const [header = '', payload = '', signature] = token.split('.');
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({ alg: 'HS512', typ: 'JWT' });
    const iat = Math.floor(time.nowMs / 1000);
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toEqual({
      sub: 'editor',
      iat,
      exp: iat + 3600,
      jti: expect.any(String),
    });
    expect(signature).toBe(
      createHmac('sha512', configuration.auth.signingKey).update(`${header}.${payload}`).digest('base64url'),
    );
  });

  test('is refused with any one character changed, left out or put in', async () => {
    const { service } = sample();
    const token = await tokenOf(service, 'editor');
    await service.auth.authenticate(bearer(token));
    const at = fc.nat(token.length - 1);
    const edit = fc.oneof(fc.constantFrom(...alphabet), fc.constant(''));
    await fc.assert(
      fc.asyncProperty(at, edit, fc.boolean(), async (position, character, insert) => {
        const altered = token.slice(0, position) + character + token.slice(insert ? position : position + 1);
        fc.pre(altered !== token);
        await expect(service.auth.authenticate(bearer(altered))).rejects.toEqual(refusal(401));
      }),
      { numRuns: 500 },
    );
  });

  test('is refused when its signature is spelled otherwise: every last character but the right one', async () => {
    const { service } = sample();
    const token = await tokenOf(service, 'editor');
    const others = alphabet.filter((character) => character !== token.at(-1));
    const answers = others.map((character) => service.auth.authenticate(bearer(token.slice(0, -1) + character)));
    for (const { status } of await Promise.allSettled(answers)) expect(status).toBe('rejected');
  });

  test('is refused under every other algorithm and every other key', async () => {
    const { service, configuration, time } = sample();
    const key = configuration.auth.signingKey;
    const claims = { sub: 'editor', exp: Math.floor(time.nowMs / 1000) + 60 };
    const signature = mint({ alg: 'HS512' }, claims, key, 'sha512').split('.')[2] ?? '';
    const confused = [
      ...['none', 'None', 'NONE', 'nOnE', ''].flatMap((alg) => [
        mint({ alg }, claims, key),
        mint({ alg }, claims, key) + signature,
        mint({ alg }, claims, key, 'sha512'),
      ]),
      mint({ alg: 'HS256' }, claims, key, 'sha256'),
      mint({ alg: 'HS384' }, claims, key, 'sha384'),
      mint({ alg: 'RS256' }, claims, key, 'sha256'),
      mint({ alg: 'RS256' }, claims, key, 'sha512'),
      mint({ alg: 'HS512' }, claims, Buffer.alloc(64, 'c'), 'sha512'),
      mint({ alg: 'HS512' }, claims, configuration.auth.idTokenKey, 'sha512'),
      mint({}, claims, key, 'sha512'),
      mint({ alg: 'HS512', crit: ['x'], x: 1 }, claims, key, 'sha512'),
    ];
    for (const token of confused)
      await expect(service.auth.authenticate(bearer(token)), token).rejects.toEqual(refusal(401));
    const right = mint({ alg: 'HS512' }, claims, key, 'sha512');
    await expect(service.auth.authenticate(bearer(right))).resolves.toMatchObject({ name: 'editor' });
  });

  test.each([
    {},
    { sub: 'editor' },
    { exp: 9e9 },
    { sub: 1, exp: 9e9 },
    { sub: 'editor', exp: '9000000000' },
    { sub: 'editor', exp: null },
    [],
    'text',
  ])('is refused with the claims %j', async (claims) => {
    const { service, configuration } = sample();
    const token = mint({ alg: 'HS512' }, claims as object, configuration.auth.signingKey, 'sha512');
    await expect(service.auth.authenticate(bearer(token))).rejects.toEqual(refusal(401));
  });

  test('works until the millisecond before its expiry and not from there on, remembered or not', async () => {
    const { service, time } = sample();
    const used = await tokenOf(service, 'editor');
    const unused = await tokenOf(service, 'reader');
    const expiryMs = (Math.floor(time.nowMs / 1000) + 3600) * 1000;
    time.nowMs = expiryMs - 1;
    await expect(service.auth.authenticate(bearer(used))).resolves.toMatchObject({ name: 'editor' });
    for (const nowMs of [expiryMs, expiryMs + 1000]) {
      time.nowMs = nowMs;
      for (const token of [used, unused])
        await expect(service.auth.authenticate(bearer(token))).rejects.toEqual(refusal(401));
    }
  });

  test('of a user who no longer exists is refused, although it was accepted before', async () => {
    const { service, configuration } = sample();
    const token = await tokenOf(service, 'editor');
    await service.auth.authenticate(bearer(token));
    configuration.users.delete('editor');
    await expect(service.auth.authenticate(bearer(token))).rejects.toEqual(refusal(401));
    await expect(service.auth.authenticate(bearer('svcpat-editor'))).rejects.toEqual(refusal(401));
  });

  test('is not remembered by another server that trusts more', async () => {
    const strict = sample();
    const gullible = sample(
      breaks('tokens', 'verifySignature', () => async () => ({ sub: 'editor', exp: 9e9 }))(rightAreas),
    );
    const token = mint({ alg: 'HS512' }, { sub: 'editor', exp: 9e9 }, Buffer.alloc(64), 'sha512');
    await gullible.service.auth.authenticate(bearer(token));
    await expect(strict.service.auth.authenticate(bearer(token))).rejects.toEqual(refusal(401));
  });
});

test('remembered tokens stay within their bound, the most recently used ones stay', () => {
  const names = fc.array(fc.constantFrom(...'abcdefgh'), { maxLength: 60 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), names, (capacity, uses) => {
      const tokens = new VerifiedTokens(capacity);
      const recent: string[] = [];
      for (const token of uses) {
        const known = tokens.get(token);
        expect(known !== undefined).toBe(recent.includes(token));
        if (known === undefined) tokens.add(token, { sub: token, exp: 1 });
        recent.splice(0, recent.length, ...[token, ...recent.filter((other) => other !== token)].slice(0, capacity));
        expect(tokens.size).toBe(recent.length);
      }
    }),
  );
});

test('prints what a verification costs', async () => {
  const { service, configuration } = sample();
  const user = configuration.users.get('editor');
  if (user === undefined) throw new Error('no editor');
  const tokens = await Promise.all(Array.from({ length: 2000 }, () => service.tokens.issueToken(user)));
  const [first = ''] = tokens;
  const fresh = await microseconds(tokens.length, (turn) => service.auth.authenticate(bearer(tokens[turn] ?? '')));
  const repeated = await microseconds(20_000, () => service.auth.authenticate(bearer(first)));
  process.stdout.write(`authenticate: ${fresh.toFixed(1)} us for a fresh token, ${repeated.toFixed(2)} us repeated\n`);
  expect(repeated).toBeGreaterThan(0);
});

async function microseconds(turns: number, work: (turn: number) => Promise<unknown>): Promise<number> {
  const start = performance.now();
  for (let turn = 0; turn < turns; turn += 1) await work(turn);
  return ((performance.now() - start) * 1000) / turns;
}
