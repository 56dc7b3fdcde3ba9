import { createSecretKey } from 'node:crypto';
import { SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import type { Answer } from '../service.ts';
import { basic, bearer, callOf, sample, type Sample } from './sample.ts';

const client = basic('client', 'secret:with colon');
const password = { grant_type: 'password', username: 'editor', password: 'editor-password', scope: 'All' };
const exchange = {
  grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
  subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
};
const formType = 'application/x-www-form-urlencoded';

interface Post {
  readonly authorization?: string;
  readonly type?: string;
  readonly body: string | Readonly<Record<string, string>>;
}

function post({ service }: Sample, { authorization = client, type = formType, body }: Post): Promise<Answer> {
  const text = typeof body === 'string' ? body : new URLSearchParams(body).toString();
  const headers = { 'content-type': type, ...(authorization === '' ? {} : { authorization }) };
  return service.behaviours.grantToken(service, callOf({ method: 'POST', headers, body: text }));
}

function without(name: string): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(password).filter(([field]) => field !== name));
}

async function userBehind(from: Sample, answer: Answer): Promise<string> {
  const token = String(Object.entries(answer.body ?? {}).find(([member]) => member === 'access_token')?.[1]);
  return (await from.service.behaviours.authenticate(from.service, bearer(token))).name;
}

describe('the password grant', () => {
  test.each([password, without('scope')])('%j yields a token of the user', async (body) => {
    const from = sample();
    const answer = await post(from, { body });
    expect(answer).toMatchObject({ status: 200, headers: { 'Cache-Control': 'no-store' } });
    expect(answer.body).toEqual({ access_token: expect.any(String), token_type: 'Bearer', expires_in: 3600 });
    expect(await userBehind(from, answer)).toBe('editor');
  });

  const refused: readonly (Post & { readonly error: string })[] = [
    { body: { ...password, password: 'wrong' }, error: 'invalid_grant' },
    { body: { ...password, password: 'svcpat-editor' }, error: 'invalid_grant' },
    { body: { ...password, password: '' }, error: 'invalid_request' },
    { body: { ...password, username: 'stranger' }, error: 'invalid_grant' },
    { body: { ...password, username: 'constructor' }, error: 'invalid_grant' },
    { body: { ...password, grant_type: 'client_credentials' }, error: 'unsupported_grant_type' },
    { body: { ...password, scope: 'Some' }, error: 'invalid_scope' },
    ...['grant_type', 'username', 'password'].map((name) => ({ body: without(name), error: 'invalid_request' })),
    { body: `${new URLSearchParams(password)}&password=editor-password`, error: 'invalid_request' },
    { body: JSON.stringify(password), type: 'application/json', error: 'invalid_request' },
    { body: '', error: 'invalid_request' },
    ...[
      '',
      basic('client', 'secret'),
      basic('clients', 'secret:with colon'),
      basic('', ''),
      'Basic ~',
      'Bearer svcpat-editor',
      basic('editor', 'editor-password'),
    ].map((authorization) => ({ body: password, authorization, error: 'invalid_client' })),
  ];

  test.each(refused)('%j yields none', async ({ error, ...request }) => {
    const answer = await post(sample(), request);
    expect(answer.status).toBe(error === 'invalid_client' ? 401 : 400);
    expect(answer.body).toEqual({ error, error_description: expect.any(String) });
    expect(answer.headers).toMatchObject({ 'Cache-Control': 'no-store' });
    expect(answer.headers?.['WWW-Authenticate']?.startsWith('Basic ') ?? false).toBe(error === 'invalid_client');
  });
});

const trusted = { iss: 'https://login.example', aud: 'svc', sub: 'editor', exp: 1_700_000_060 };
const idToken = (claims: object, key: Buffer = Buffer.alloc(64, 'b'), alg = 'HS512') =>
  new SignJWT({ ...claims }).setProtectedHeader({ alg }).sign(createSecretKey(key));
const send = async (from: Sample, token: string, more: object = {}) =>
  post(from, { body: { ...exchange, subject_token: token, ...more } });

describe('the exchange of an id token', () => {
  test.each([trusted, { ...trusted, aud: ['other', 'svc'] }])('of %j yields an access token', async (claims) => {
    const from = sample();
    const answer = await send(from, await idToken(claims));
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      token_type: 'Bearer',
    });
    expect(await userBehind(from, answer)).toBe('editor');
  });

  test('of anything else is an invalid request', async () => {
    const from = sample();
    const { aud: _aud, ...anybody } = trusted;
    const tokens = [
      await idToken({ ...trusted, iss: 'https://other.example' }),
      await idToken({ ...trusted, aud: 'other' }),
      await idToken(anybody),
      await idToken({ ...trusted, sub: 'stranger' }),
      await idToken({ ...trusted, exp: 1_700_000_000 }),
      await idToken(trusted, Buffer.alloc(64, 'c')),
      await idToken(trusted, from.configuration.auth.signingKey),
      await idToken(trusted, Buffer.alloc(64, 'b'), 'HS256'),
      'garbage',
    ];
    for (const token of tokens)
      expect((await send(from, token)).body, token).toMatchObject({ error: 'invalid_request' });
    const otherType = await send(from, await idToken(trusted), {
      subject_token_type: 'urn:ietf:params:oauth:token-type:saml2',
    });
    expect(otherType.body).toMatchObject({ error: 'invalid_request' });
  });

  test('does not make the id token itself an access token', async () => {
    const from = sample();
    const answer = from.service.behaviours.authenticate(from.service, bearer(await idToken(trusted)));
    await expect(answer).rejects.toMatchObject({ status: 401 });
  });
});
