import { expect, test } from 'vitest';
import type { HttpClient } from '../client/client.ts';
import type { WireRequest } from '../client/wire.ts';
import { smallProfile } from '../small-service.fixture.ts';
import { Tokens } from './tokens.ts';

/** Of a target that answers each grant with that status. */
function tokensOf(status: number): Tokens {
  const { profile } = smallProfile('http://localhost:1', '', '{ username: edda, password: secret-of-edda }');
  const auth = { tokenUrl: '/token', clientId: 'conformance', clientSecret: 'secret-of-the-client' };
  let grants = 0;
  const send = async ({ url }: WireRequest): Promise<unknown> => {
    grants += 1;
    const bytes = Buffer.from(JSON.stringify({ access_token: `token-${grants}`, expires_in: 3600 }));
    const headers = [['Content-Type', 'application/json']];
    return { status, headers, bytes, exchange: { request: { url }, response: { status, headers } } };
  };
  const secrets = { add: () => undefined, hide: () => undefined };
  return new Tokens({ ...profile, auth }, { send } as unknown as HttpClient, secrets as never, { now: () => 0 });
}

test('a token is kept until it is forgotten', async () => {
  const tokens = tokensOf(200);
  expect([await tokens.of('editor'), await tokens.of('editor')]).toEqual(['token-1', 'token-1']);
  tokens.forget();
  expect(await tokens.of('editor')).toBe('token-2');
});

test.each([
  [401, /check auth and identities\.editor/],
  [503, /it was answered 503/],
])('a grant that is answered %i says what to look at', async (status, hint) => {
  await expect(tokensOf(status).of('editor')).rejects.toThrow(hint);
});
