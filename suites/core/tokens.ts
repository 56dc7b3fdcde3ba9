import { basicAuthorization } from '../../judge/service/requests.ts';
import { constantFrom, integer, record } from 'fast-check';
import { mediaTypes } from '../../contract/names.ts';
import { memberOf } from '../../judge/service/answers.ts';
import { type CaseContext, property, scenario } from '../../judge/case.ts';
import { isSuccess, type Reply } from '../../judge/exchange.ts';
import { type Case, rules } from '../../judge/rule.ts';
import { isGranted } from '../../judge/service/roles.ts';
import { enterSecondSpace } from '../../judge/service/second-space.ts';
import { foreignKey, inOtherCase } from '../../judge/service/signature.ts';
import {
  alterAt,
  assumeBearable,
  withBearer,
  decodePart,
  expiredBy,
  expiredLike,
  secondsAt,
  encodePart,
  keyFor,
  keysOf,
  partsOf,
  remintToken,
  signatureOf,
  withLastingToken,
} from '../../judge/service/token.ts';
import { withOtherCase, withoutEnd } from '../../judge/redact/profile-secrets.ts';
import { expectManyGrants, expectNoToken, expectTokenForEach, formFields, grant, grantRequest } from './grants.ts';
import { expectEachRouteClosed } from './checks/each-route.ts';
import { expectEveryWriteOpen } from './checks/writes-by-token.ts';

const waysToTamper = ['payload', 'signature', 'cut', 'letters', 'none', 'longer', 'swapped', 'random'] as const;

/** The character of a signature with which an altered one is tried at all routes. */
const everywhereAt = 40;

export const tokenRules = rules('auth', {
  'auth.jwt.three-decodable-parts': {
    source: 'core: Authentication 2',
    statement:
      'The access token is a JWT: three base64url parts joined by dots, of which the first two decode to JSON objects.',
    fault: 'issues an opaque token',
    needs: ['jwt'],
    test: scenario(async (context) => {
      const { token, shown } = await proven(context);
      const { expect, notes } = context;
      expect(token.split('.').length, 'parts of the access token').toEqual(3);
      const [header, payload, signature] = partsOf(token);
      expect(decodePart(header), 'first part of the access token, decoded').toBeAnObject();
      expect(decodePart(payload), 'second part of the access token, decoded').toBeAnObject();
      const foreign = signature.replaceAll(/[A-Za-z0-9_-]/g, '');
      expect(foreign, 'characters of the third part that are none of base64url').toEqual('');
      const claims = decodePart(payload) ?? {};
      if (claims['exp'] !== undefined)
        expect(Number(claims['exp']), 'exp of a fresh token').toSatisfy(
          'a time in the future',
          (exp) => exp > secondsAt(claims, shown),
        );
      notes.observe('claims of the access token', Object.keys(claims).sort().join(', '));
      if (typeof claims['exp'] === 'number' && typeof claims['iat'] === 'number')
        notes.observe('exp minus iat', claims['exp'] - claims['iat']);
    }),
  },
  'auth.jwt.header-names-hs512': {
    source: 'core: Authentication 2',
    statement:
      'The token header names the algorithm HMAC with SHA-512, `alg` = `HS512`, also of a token that an id token was exchanged for.',
    fault: 'signs with HS256',
    needs: ['jwt'],
    after: ['auth.jwt.three-decodable-parts'],
    test: scenario(async (context) => {
      const { expect, service, profile } = context;
      // what is no grant may be a personal access token, which has a form of its own
      const second = isGranted(profile.all, 'secondEditor') ? await service.token('secondEditor') : null;
      for (const token of [await provenToken(context), ...(second === null ? [] : [second])]) {
        const [header, , signature] = partsOf(token);
        expect(decodePart(header)?.['alg'], 'alg of the access token').toEqual('HS512');
        expect(Buffer.from(signature, 'base64url').length, 'bytes of the signature').toEqual(64);
      }
      const exchanged = await exchangedToken(context);
      if (exchanged !== undefined)
        expect(
          decodePart(partsOf(exchanged)[0])?.['alg'],
          'alg of the token that an id token was exchanged for',
        ).toEqual('HS512');
    }),
  },
  'auth.jwt.signature-verifies': {
    source: 'core: Authentication 2',
    statement: 'The signature of the token is the HMAC SHA-512 of its first two parts under the symmetric key.',
    fault: 'signs the payload without the header part',
    needs: ['jwt', 'signing-key'],
    after: ['auth.jwt.three-decodable-parts'],
    test: scenario(async (context) => {
      const [header, payload, signature] = partsOf(await provenToken(context));
      const standsOn = ['auth.jwt.three-decodable-parts', 'auth.jwt.header-names-hs512'] as const;
      context.given.present(
        decodePart(header)?.['alg'] === 'HS512' ? header : undefined,
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
      const foreign = signatureOf(`${header}.${payload}`, foreignKey);
      context.expect(signature, 'signature, compared with that under another key').notToEqual(foreign);
    }),
  },
  'auth.jwt.tampered-refused': {
    source: 'core: Authentication 2 and 6',
    statement: 'A token whose claims or signature were altered is not accepted.',
    fault: 'decodes the token without verifying the signature',
    needs: ['soft-type', 'text-member', 'jwt'],
    test: property(
      record({
        part: constantFrom(...waysToTamper),
        place: integer({ min: 0, max: 1000 }),
      }),
      async (context, { part, place }) =>
        void (await withLastingToken(
          context,
          async (token) => {
            const { given, service, expect, profile } = context;
            const [header, payload, signature] = partsOf(assumeDecodable(context, token));
            const other = partsOf((await service.token('secondEditor').catch(() => null)) ?? '');
            const tampered = {
              payload: `${header}.${encodePart({ ...decodePart(payload), jti: `altered ${place}` })}.${signature}`,
              signature: `${header}.${payload}.${alterAt(signature, place % (signature.length - 1))}`,
              cut: `${header}.${payload}.${signature.slice(0, place % (signature.length - 1))}`,
              letters: `${header}.${payload}.${inOtherCase(signature)}`,
              none: `${header}.${payload}.`,
              longer: `${header}.${payload}.${signature}AAAA`,
              swapped: `${header}.${payload}.${other[2] === '' || other[2] === signature ? 'AAAA' : other[2]}`,
              random: given.unique('random'),
            }[part];
            const thing = await given.object();
            const before = await service.snapshot(thing);
            expect(await service.read(thing, withBearer(tampered))).notToSucceed();
            expect(
              await service.merge(thing, { [profile.textMember]: given.unique() }, withBearer(tampered)),
            ).notToSucceed();
            expect.unchanged(before, await service.snapshot(thing));
            if (part === 'signature' && place === everywhereAt)
              await expectEachRouteClosed(context, withBearer(tampered));
            return service.read(thing, withBearer(token));
          },
          'the unaltered token works',
        )),
      {
        always: [
          ...waysToTamper.map((part) => ({ part, place: 5 })),
          // behind what a column of some length, or half of a digest, holds
          ...[everywhereAt, 60, 83].map((place) => ({ part: 'signature' as const, place })),
          ...[43, 64, 84].map((place) => ({ part: 'cut' as const, place })),
        ],
        share: 0.5,
      },
    ),
  },
  'auth.jwt.alg-none-refused': {
    source: 'core: Authentication 2',
    statement: 'A token that declares no algorithm (`none` in any letter case) is not accepted.',
    fault: 'takes the algorithm from the token header',
    needs: ['soft-type', 'jwt'],
    test: onLastingToken('the token as issued works', async (context, token) => {
      const { given, service, expect } = context;
      const [, payload, signature] = partsOf(assumeDecodable(context, token));
      const thing = await given.object();
      for (const alg of ['none', 'None', 'NONE'])
        for (const end of ['', signature])
          expect(
            await service.read(thing, withBearer(`${encodePart({ alg, typ: 'JWT' })}.${payload}.${end}`)),
          ).notToSucceed();
      return service.read(thing, withBearer(token));
    }),
  },
  'auth.jwt.other-algorithm-refused': {
    source: 'core: Authentication 2 (HMAC SHA512)',
    statement:
      'A token under a foreign key is not accepted, nor is one rightly signed with the shared key but under HS256 or HS384, where the profile discloses it.',
    fault: 'accepts every HMAC variant',
    needs: ['soft-type', 'jwt'],
    test: onLastingToken('the issued token works, or one minted like it', async (context, token) => {
      const { given, service, expect, notes, profile } = context;
      const thing = await given.object();
      for (const algorithm of ['HS512', 'HS256', 'HS384'] as const)
        expect(await service.read(thing, withBearer(remintToken(token, foreignKey, algorithm)))).notToSucceed();
      const isDisclosed = profile.all.auth?.signingKey !== undefined;
      notes.observe('other algorithms were tried under the shared key', isDisclosed);
      if (!isDisclosed) return service.read(thing, withBearer(token));
      const key = keyFor(context, token);
      for (const algorithm of ['HS256', 'HS384'] as const)
        expect(await service.read(thing, withBearer(remintToken(token, key, algorithm)))).notToSucceed();
      return service.read(thing, withBearer(remintToken(token, key, 'HS512')));
    }),
  },
  'auth.jwt.expired-refused': {
    source: 'core: Authentication 1 and 6 (a JWT; its expiry claim)',
    statement: 'A token whose `exp` has passed is not accepted.',
    fault: 'ignores exp',
    needs: ['soft-type', 'expired-token'],
    test: onLastingToken('a fresh token of the same user works', async (context, token) => {
      const { given, service, expect, notes, profile } = context;
      const thing = await given.object();
      const fresh = await service.read(thing, withBearer(token));
      const old = given.present(expiredLike(context, token, fresh), 'an expired token', [
        'auth.jwt.signature-verifies',
      ]);
      expect(await service.read(thing, withBearer(old))).notToSucceed();
      await expectEachRouteClosed(context, withBearer(old));
      const control = await service.read(thing, withBearer(token));
      if (profile.all.auth?.signingKey !== undefined && isSuccess(control.status))
        notes.observe(
          'a token expired by 2 s',
          (await service.read(thing, withBearer(expiredBy(context, token, 2, fresh)))).status,
        );
      return control;
    }),
  },
  'auth.refused-token.status-401': {
    level: 'should',
    source: 'core: Errors 401 (unauthorized, typically no access token)',
    statement:
      'An unusable token (garbage, tampered, of another scheme, expired where the profile has one or the key to mint one) is answered with 401 rather than 403, 400 or 500.',
    fault: 'answers 403 to a garbage token',
    needs: ['soft-type'],
    test: scenario(async (context) => {
      const { given, service, expect, notes, profile } = context;
      const thing = await given.object();
      const token = await service.token('editor');
      const [header, payload] = partsOf(token ?? '..');
      const unusable = {
        garbage: withBearer(given.unique('garbage')),
        'a tampered token': withBearer(`${header}.${payload}.${'A'.repeat(86)}`),
        'another scheme': { as: null, headers: { Authorization: `Digest ${given.unique()}` } },
        ...(await expiredRequest(context, await service.read(thing))),
      };
      for (const [what, changes] of Object.entries(unusable)) {
        const reply = await service.read(thing, changes);
        notes.bound('unusableToken', `status of ${what}`, reply.status, reply);
        notes.observe(`WWW-Authenticate for ${what}`, reply.headers['www-authenticate'] ?? 'none', reply);
        // the status that the profile states is asserted by that
        if (reply.status >= 400 && profile.all.expect?.unusableToken === undefined) expect(reply).toAnswer(401);
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
  },
  'auth.grant.returns-access-token': {
    source: 'core: Authentication 3',
    statement:
      'A form POST to the token endpoint with Basic client credentials, `grant_type` password, user name, password and `scope` All returns JSON with a string `access_token` that opens the space; the answer to another user who gets one holds one as well, whatever that user may do.',
    fault: 'returns the token under the name token',
    needs: ['soft-type', 'password-grant'],
    after: ['reading.instance.short-route-served'],
    test: scenario(async (context) => {
      const { given, service, expect, notes } = context;
      const granted = async (): Promise<{ readonly reply: Reply; readonly token: string }> => {
        const reply = await grant(context);
        expect(reply).toSucceed();
        expect(reply.headers['content-type'], 'Content-Type of the token response', reply).toSatisfy(
          'a JSON media type',
          (type) => /json/i.test(type ?? ''),
        );
        expect(memberOf(reply, 'access_token'), 'access_token', reply).toBeAString();
        return { reply, token: String(memberOf(reply, 'access_token')) };
      };
      const { reply, token } = await granted();
      const thing = await given.object();
      let read = await service.read(thing, withBearer(token));
      // a grant to another case may have ended the token, which nothing forbids
      for (let again = 0; read.status === 401 && again < 9; again += 1)
        read = await service.read(thing, withBearer((await granted()).token));
      expect(read).toAnswer(200);
      for (const [what, changes] of [
        ['a form in percent-encoding, its last field first', { escaped: formFields, isReversed: true }],
        ...formFields.map((name) => [`a form with its ${name} in percent-encoding`, { escaped: [name] }] as const),
        ['a client that takes forms too', { accept: `${mediaTypes.form}, ${mediaTypes.json}` }],
      ] as const) {
        const other = await grant(context, changes);
        expect(other).toSucceed();
        expect(memberOf(other, 'access_token'), `access_token for ${what}`, other).toBeAString();
      }
      await expectManyGrants(context);
      await expectTokenForEach(context);
      notes.observe(
        'members of the token response',
        Object.keys(reply.json ?? {})
          .sort()
          .join(', '),
        reply,
      );
      notes.observe('Cache-Control of the token response', reply.headers['cache-control'] ?? 'none', reply);
    }),
  },
  'auth.grant.wrong-user-yields-no-token': {
    source: 'core: Authentication 3',
    statement:
      'A wrong password, be it that of another user, one that only begins like the right one, or one with a letter in the other case, or an unknown user yields no token.',
    fault: 'checks only that the user exists',
    needs: ['password-grant'],
    after: ['auth.grant.returns-access-token'],
    test: scenario(async (context) => {
      const { given, profile } = context;
      const { editor, secondEditor, reader } = profile.all.identities;
      const others = [secondEditor?.password, reader?.password].filter((one) => one !== editor.password);
      const inCase = withOtherCase(editor.password ?? '');
      const shorter = withoutEnd(editor.password ?? '');
      const wrong = {
        // that of somebody else, where there is one
        'a wrong password': { password: others.find((one) => one !== undefined) ?? given.unique('wrong') },
        'an empty password': { password: '' },
        'no password': { password: undefined },
        'an unknown user': { username: given.unique('nobody') },
        ...(inCase !== editor.password && {
          'the right password with a letter in the other case': { password: inCase },
        }),
        // some ways to keep passwords look at their first letters alone
        'the right password with more behind it': { password: `${editor.password}${given.unique('more')}` },
        ...(shorter !== editor.password && { 'the right password without its end': { password: shorter } }),
      };
      const restoring = [
        'an empty password',
        'an unknown user',
        'the right password with more behind it',
        'the right password without its end',
      ];
      for (const [what, fields] of Object.entries(wrong)) {
        expectNoToken(context, what, await grant(context, { fields }));
        // never three in a row: a name may be locked for a while, for all cases; nor more than needed: a grant may end the tokens before
        if (!restoring.includes(what)) continue;
        given.succeeded(await grant(context), 'the right password gets a token', ['auth.grant.returns-access-token']);
      }
    }),
  },
  'auth.grant.wrong-client-yields-no-token': {
    source: 'core: Authentication 3',
    statement:
      'A wrong or missing client secret, an unknown client or a missing Basic header yields no token, even with the right user and password.',
    fault: 'the client credentials are not checked',
    needs: ['password-grant'],
    after: ['auth.grant.returns-access-token'],
    test: scenario(async (context) => {
      const { given, notes, profile } = context;
      const { clientId = '', clientSecret = '' } = profile.all.auth ?? {};
      const inCase = withOtherCase(clientSecret);
      const shorter = withoutEnd(clientSecret);
      const restoring = [
        'no client authentication',
        'the right client secret with more behind it',
        'the right client secret without its end',
        'the right client secret with a letter in the other case',
      ];
      const wrong = {
        'a wrong client secret': basicAuthorization(clientId, given.unique('wrong')),
        'an unknown client': basicAuthorization(given.unique('nobody'), clientSecret),
        'no client authentication': null,
        // a client may have no secret, or be known by either
        ...(clientSecret !== '' &&
          clientSecret !== clientId && {
            'no client secret': basicAuthorization(clientId, ''),
            'the client id in place of the secret': basicAuthorization(clientId, clientId),
            'the right client secret with more behind it': basicAuthorization(
              clientId,
              `${clientSecret}${given.unique('more')}`,
            ),
          }),
        ...(shorter !== clientSecret && {
          'the right client secret without its end': basicAuthorization(clientId, shorter),
        }),
        ...(inCase !== clientSecret && {
          'the right client secret with a letter in the other case': basicAuthorization(clientId, inCase),
        }),
      };
      for (const [what, authorization] of Object.entries(wrong)) {
        expectNoToken(context, what, await grant(context, { authorization }));
        // never many in a row: a client may be locked for a while
        if (!restoring.includes(what)) continue;
        given.succeeded(await grant(context), 'the right client gets a token', ['auth.grant.returns-access-token']);
      }
      const inForm = await grant(context, {
        authorization: null,
        fields: { client_id: clientId, client_secret: clientSecret },
      });
      notes.observe('client credentials in the form', inForm.status, inForm);
    }),
  },
  'auth.grant.other-parameters': {
    level: 'observe',
    source: 'core: Authentication 3',
    statement:
      'Not described: another or missing scope, another grant type, a JSON body instead of a form, error statuses and error body of the token endpoint.',
    needs: ['password-grant'],
    test: scenario(async (context) => {
      const { given, service, notes, profile } = context;
      const replies = {
        'another scope': await grant(context, { fields: { scope: given.unique('scope') } }),
        'no scope': await grant(context, { fields: { scope: undefined } }),
        'another grant type': await grant(context, { fields: { grant_type: 'client_credentials' } }),
        'no grant type': await grant(context, { fields: { grant_type: undefined } }),
        'a JSON body': await service.send({
          ...grantRequest(context, {}),
          headers: { ...grantRequest(context, {}).headers, 'Content-Type': mediaTypes.json },
          body: { grant_type: 'password', username: profile.all.identities.editor.username },
        }),
      };
      for (const [what, reply] of Object.entries(replies)) {
        if (what === 'another scope') notes.bound('unknownScope', `grant with ${what}`, reply.status, reply);
        else notes.observe(`grant with ${what}`, reply.status, reply);
        notes.observe(`token for a grant with ${what}`, memberOf(reply, 'access_token') !== undefined, reply);
        notes.observe(
          `body of a grant with ${what}`,
          `${reply.headers['content-type']?.split(';')[0] ?? 'none'}: ${Object.keys(reply.json ?? {})
            .sort()
            .join(', ')}`,
          reply,
        );
      }
    }),
  },
  'auth.pat.bearer-accepted': {
    source: 'core: Authentication 1 and 2',
    statement:
      'A personal access token sent as bearer token opens space routes with the rights of its owner: reads, pages and writes that its owner may do.',
    fault: 'the bearer value must be a JWT',
    needs: ['soft-type', 'text-member', 'pat'],
    after: ['reading.instance.short-route-served'],
    test: scenario(async (context) => {
      const { given, service, expect, notes, profile } = context;
      const pat = given.present(profile.all.identities.editor.pat, 'identities.editor.pat in the profile');
      assumeBearable(pat);
      const thing = await given.object();
      expect(await service.read(thing, withBearer(pat))).toAnswer(200);
      // a last character that pads may be left out, and so may what stands behind one, or is no whole byte
      const begun = /\w$/.test(pat) ? [pat.slice(0, -1)] : [];
      const middle = Math.floor(pat.length / 2);
      // what stands for any letter in a search is a letter of another token
      const wild = /[A-Za-z\d]/.test(pat[middle] ?? '') ? [`${pat.slice(0, middle)}_${pat.slice(middle + 1)}`] : [];
      const longer = pat.endsWith('=') ? [] : [`${pat}AA`];
      for (const other of [alterAt(pat, middle), ...begun, ...longer, ...wild, `${pat.slice(0, middle)}%`])
        expect(await service.read(thing, withBearer(other))).notToSucceed();
      expect(await service.merge(thing, { [profile.textMember]: given.unique() }, withBearer(pat))).toSucceed();
      await expectEveryWriteOpen(context, pat);
      const second = await enterSecondSpace(context);
      if (second?.as !== 'editor') return;
      const { of } = second;
      // a token may be one for one space
      const created = await service.create(given.body({}, of.type), { of, ...withBearer(pat) });
      notes.observe('status of a create in the second space by a personal access token', created.status, created);
    }),
  },
  'auth.pat.basic-on-core-routes': {
    level: 'observe',
    source: 'core: Authentication 5',
    statement:
      'Basic authentication with user name and personal access token is described for file routes; whether core routes accept it is left open.',
    needs: ['soft-type', 'pat'],
    test: scenario(async (context) => {
      const { given, service, notes, profile } = context;
      const { username = '', password = '', pat = '' } = profile.all.identities.editor;
      const thing = await given.object();
      const credentials = {
        'user name and personal access token': [username, pat],
        'another user name and personal access token': [given.unique('nobody'), pat],
        'user name and password': [username, password],
      } as const;
      for (const [what, [user, secret]] of Object.entries(credentials)) {
        const authorization = basicAuthorization(user, secret);
        const reply = await service.read(thing, { as: null, headers: { Authorization: authorization } });
        notes.observe(`Basic with ${what}`, reply.status, reply);
        if (what === 'user name and personal access token')
          notes.bound(
            { key: 'auth.basicOnCoreRoutes', value: profile.all.auth?.basicOnCoreRoutes },
            `Basic with ${what} opens a core route`,
            isSuccess(reply.status),
            reply,
          );
      }
    }),
  },
  'auth.id-token.exchange': {
    level: 'observe',
    source: 'core: Authentication 4',
    statement: 'The exchange of an id token of a trusted provider for a service token has no described route.',
    needs: ['soft-type', 'id-token'],
    test: scenario(async (context) => {
      const { given, service, notes, profile } = context;
      const exchange = given.present(profile.all.auth?.idTokenExchange, 'auth.idTokenExchange in the profile');
      const reply = await exchangeToken(context, exchange.idToken);
      notes.observe('status of the exchange of a trusted id token', reply.status, reply);
      const token = memberOf(reply, 'access_token');
      if (typeof token === 'string') {
        notes.observe('alg of the token received', String(decodePart(partsOf(token)[0])?.['alg'] ?? 'no JWT'), reply);
        notes.observe(
          'a read with the token received',
          (await service.read(await given.object(), withBearer(token))).status,
        );
      }
      if (exchange.foreignIdToken !== undefined)
        notes.observe(
          'status of the exchange of a foreign id token',
          (await exchangeToken(context, exchange.foreignIdToken)).status,
        );
    }),
  },
});

/** The token, where the profile tells how to exchange one and what comes is a JWT. Source: core, Authentication 4 */
async function exchangedToken(context: CaseContext): Promise<string | undefined> {
  const { idToken } = context.profile.all.auth?.idTokenExchange ?? {};
  if (idToken === undefined) return undefined;
  const token = memberOf(await exchangeToken(context, idToken), 'access_token');
  return typeof token === 'string' && decodePart(partsOf(token)[0]) !== undefined ? token : undefined;
}

function exchangeToken({ service, profile }: CaseContext, idToken: string): Promise<Reply> {
  const { idTokenExchange, clientId = '', clientSecret = '' } = profile.all.auth ?? {};
  const fields = Object.entries(idTokenExchange?.form ?? {}).map(([name, value]): [string, string] => [
    name,
    String(value).replaceAll('{{idToken}}', idToken),
  ]);
  const headers = {
    'Content-Type': mediaTypes.form,
    Authorization: basicAuthorization(clientId, clientSecret),
  };
  return service.send({
    method: 'POST',
    url: idTokenExchange?.url ?? '',
    as: null,
    filter: null,
    headers,
    body: new URLSearchParams(fields).toString(),
  });
}

/** The token of the editor, shown to be the one that opens the space, and the answer that shows it. */
async function proven(context: CaseContext): Promise<{ readonly token: string; readonly shown: Reply }> {
  const { given, service } = context;
  let latest = '';
  const shown = await withLastingToken(
    context,
    async (token) => {
      latest = token;
      return service.read(await given.object(), withBearer(token));
    },
    'the access token opens the space',
  );
  return { token: latest, shown };
}

/** @param what the reply of the work shows by succeeding: that the token of the editor was good to the end */
function onLastingToken(what: string, work: (context: CaseContext, token: string) => Promise<Reply>): Case {
  return scenario(async (context) => {
    await withLastingToken(context, (token) => work(context, token), what);
  });
}

async function provenToken(context: CaseContext): Promise<string> {
  return (await proven(context)).token;
}

/** The same token, which is a JWT: where it is none, there is nothing to alter. */
function assumeDecodable({ given }: CaseContext, token: string): string {
  const [header, payload] = partsOf(token);
  const decodable = decodePart(header) !== undefined && decodePart(payload) !== undefined;
  return given.present(decodable ? token : undefined, 'an access token that is a JWT', [
    'auth.jwt.three-decodable-parts',
  ]);
}

/** A request with an expired token, where the profile has one or discloses the key of tokens that are JWTs. */
async function expiredRequest(
  context: CaseContext,
  answer: Reply,
): Promise<Readonly<Record<string, ReturnType<typeof withBearer>>>> {
  const expired = expiredLike(context, (await context.service.token('editor')) ?? '', answer);
  return expired === undefined ? {} : { 'an expired token': withBearer(expired) };
}
