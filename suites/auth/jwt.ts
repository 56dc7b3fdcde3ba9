import { constantFrom, integer, record } from 'fast-check';
import { property, scenario, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import {
  alteredAt,
  bearing,
  decoded,
  editorToken,
  encoded,
  keyFor,
  keysOf,
  minted,
  partsOf,
  signatureOf,
} from './token.ts';

const hourSeconds = 3600;

export const jwtCases = {
  'auth.jwt.three-decodable-parts': scenario(async (context) => {
    const token = await provenToken(context);
    const { expect, notes } = context;
    expect(token.split('.').length, 'parts of the access token').toEqual(3);
    const [header, payload, signature] = partsOf(token);
    expect(decoded(header), 'first part of the access token, decoded').toBeAnObject();
    expect(decoded(payload), 'second part of the access token, decoded').toBeAnObject();
    expect(/^[A-Za-z0-9_-]*$/.test(signature), 'third part is base64url').toEqual(true);
    const claims = decoded(payload) ?? {};
    if (claims['exp'] !== undefined)
      expect(Number(claims['exp']), 'exp of a fresh token').toSatisfy(
        'a time in the future',
        (exp) => exp > nowSeconds(),
      );
    notes.observe('claims of the access token', Object.keys(claims).sort().join(', '));
    if (typeof claims['exp'] === 'number' && typeof claims['iat'] === 'number')
      notes.observe('exp minus iat', claims['exp'] - claims['iat']);
  }),

  'auth.jwt.header-names-hs512': scenario(async (context) => {
    const { expect, service, profile } = context;
    const second = profile.all.identities.secondEditor === undefined ? null : await service.token('secondEditor');
    for (const token of [await provenToken(context), ...(second === null ? [] : [second])]) {
      const [header, , signature] = partsOf(token);
      expect(decoded(header)?.['alg'], 'alg of the access token').toEqual('HS512');
      expect(Buffer.from(signature, 'base64url').length, 'bytes of the signature').toEqual(64);
    }
  }),

  'auth.jwt.signature-verifies': scenario(async (context) => {
    const [header, payload, signature] = partsOf(await provenToken(context));
    const standsOn = ['auth.jwt.three-decodable-parts', 'auth.jwt.header-names-hs512'] as const;
    context.given.present(
      decoded(header)?.['alg'] === 'HS512' ? header : undefined,
      'a token that names HS512',
      standsOn,
    );
    const signatures = keysOf(context).map((key) => signatureOf(`${header}.${payload}`, key));
    context
      .expect(
        signatures.includes(signature),
        'the signature is the HMAC SHA-512 of the first two parts under the disclosed key',
      )
      .toEqual(true);
    const foreign = signatureOf(`${header}.${payload}`, Buffer.alloc(64, 7));
    context.expect(signature, 'signature, compared with that under another key').notToEqual(foreign);
  }),

  'auth.jwt.tampered-refused': property(
    record({
      part: constantFrom('payload', 'signature', 'none', 'swapped', 'random'),
      place: integer({ min: 0, max: 1000 }),
    }),
    async (context, { part, place }) => {
      const { given, service, expect, profile } = context;
      const token = await decodableToken(context);
      const [header, payload, signature] = partsOf(token);
      const other = partsOf((await service.token('secondEditor').catch(() => null)) ?? '');
      const tampered = {
        payload: `${header}.${encoded({ ...decoded(payload), jti: `altered ${place}` })}.${signature}`,
        signature: `${header}.${payload}.${alteredAt(signature, place % (signature.length - 1))}`,
        none: `${header}.${payload}.`,
        swapped: `${header}.${payload}.${other[2] === '' || other[2] === signature ? 'AAAA' : other[2]}`,
        random: given.unique('random'),
      }[part];
      const thing = await given.object();
      const before = await service.snapshot(thing);
      expect(await service.read(thing, bearing(tampered))).notToSucceed();
      expect(await service.merge(thing, { [profile.scalars[0]]: given.unique() }, bearing(tampered))).notToSucceed();
      expect.unchanged(before, await service.snapshot(thing));
      given.succeeded(await service.read(thing, bearing(token)), 'the unaltered token works');
    },
    {
      always: (['payload', 'signature', 'none', 'swapped', 'random'] as const).map((part) => ({ part, place: 5 })),
      share: 0.5,
    },
  ),

  'auth.jwt.alg-none-refused': scenario(async (context) => {
    const { given, service, expect } = context;
    const token = await decodableToken(context);
    const [, payload, signature] = partsOf(token);
    const thing = await given.object();
    given.succeeded(await service.read(thing, bearing(token)), 'the token as issued works');
    for (const alg of ['none', 'None', 'NONE'])
      for (const end of ['', signature])
        expect(await service.read(thing, bearing(`${encoded({ alg, typ: 'JWT' })}.${payload}.${end}`))).notToSucceed();
  }),

  'auth.jwt.other-algorithm-refused': scenario(async (context) => {
    const { given, service, expect } = context;
    const token = await editorToken(context);
    const key = keyFor(context, token);
    const claims = decoded(partsOf(token)[1]) ?? {};
    const thing = await given.object();
    given.succeeded(
      await service.read(thing, bearing(minted(claims, key))),
      'a token minted like the issued one works',
    );
    for (const algorithm of ['HS256', 'HS384'] as const)
      expect(await service.read(thing, bearing(minted(claims, key, algorithm)))).notToSucceed();
    expect(await service.read(thing, bearing(minted(claims, Buffer.alloc(64, 7))))).notToSucceed();
  }),

  'auth.jwt.expired-refused': scenario(async (context) => {
    const { given, service, expect, notes, profile } = context;
    const token = await editorToken(context);
    const claims = decoded(partsOf(token)[1]) ?? {};
    const expiredBy = (seconds: number) =>
      minted({ ...claims, iat: nowSeconds() - 2 * hourSeconds, exp: nowSeconds() - seconds }, keyFor(context, token));
    const expired = profile.all.auth?.expiredToken ?? expiredBy(hourSeconds);
    const thing = await given.object();
    expect(await service.read(thing, bearing(expired))).notToSucceed();
    given.succeeded(await service.read(thing, bearing(token)), 'a fresh token of the same user works');
    if (profile.all.auth?.signingKey !== undefined)
      notes.observe('a token expired by 2 s', (await service.read(thing, bearing(expiredBy(2)))).status);
  }),

  'auth.refused-token.status-401': scenario(async (context) => {
    const { given, service, expect, notes } = context;
    const thing = await given.object();
    const token = await service.token('editor');
    const [header, payload] = partsOf(token ?? '..');
    const unusable = {
      garbage: bearing(given.unique('garbage')),
      'a tampered token': bearing(`${header}.${payload}.${'A'.repeat(86)}`),
      'another scheme': { as: null, headers: { Authorization: `Digest ${given.unique()}` } },
    };
    for (const [what, changes] of Object.entries(unusable)) {
      const reply = await service.read(thing, changes);
      notes.bound('unusableToken', `status of ${what}`, reply.status, reply);
      notes.observe(`WWW-Authenticate for ${what}`, reply.headers['www-authenticate'] ?? 'none', reply);
      if (reply.status >= 400) expect(reply).toAnswer(401);
    }
    if (token === null) return;
    notes.observe(
      'scheme name in lower case',
      (await service.read(thing, { as: null, headers: { Authorization: `bearer ${token}` } })).status,
    );
    const { url } = service.requests.read(thing);
    notes.observe(
      'token in the query',
      (await service.get(`${url}?access_token=${encodeURIComponent(token)}`, { as: null })).status,
    );
  }),
} satisfies SomeCasesOf<'auth'>;

/** The token of the editor, shown to be the one that opens the space. */
async function provenToken(context: CaseContext): Promise<string> {
  const token = await editorToken(context);
  const { given, service } = context;
  given.succeeded(await service.read(await given.object(), bearing(token)), 'the access token opens the space');
  return token;
}

/** The token of the editor, which is a JWT: where it is none, there is nothing to alter. */
async function decodableToken(context: CaseContext): Promise<string> {
  const token = await editorToken(context);
  const [header, payload] = partsOf(token);
  const decodable = decoded(header) !== undefined && decoded(payload) !== undefined;
  return context.given.present(decodable ? token : undefined, 'an access token that is a JWT', [
    'auth.jwt.three-decodable-parts',
  ]);
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}
