import { rightAreas } from '../areas.ts';
import { replaces } from '../../variants/breaks.ts';
import * as fc from 'fast-check';
import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Areas } from '../areas.ts';
import { bearer, sample } from './auth-sample.fixture.ts';
import { VerifiedTokens } from './tokens.ts';

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

  test('that names an issuer or an audience is meant for others, under whatever key', async () => {
    const { service } = sample();
    const claims = { sub: 'editor', exp: 9e9, jti: 'a' };
    await expect(service.auth.authenticate(bearer(await service.tokens.signClaims(claims)))).resolves.toBeDefined();
    for (const more of [{ iss: 'https://elsewhere.example' }, { aud: 'billing' }, { aud: [] }])
      await expect(
        service.auth.authenticate(bearer(await service.tokens.signClaims({ ...claims, ...more }))),
      ).rejects.toEqual(refusal(401));
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
      replaces('tokens', 'verifySignature', async () => ({ sub: 'editor', exp: 9e9 }))(rightAreas),
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
