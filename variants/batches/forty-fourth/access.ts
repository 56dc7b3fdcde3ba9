import { createHmac } from 'node:crypto';
import { registrationsOf } from '../../../reference-server/areas/registry.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { startExtensionHost } from '../../../simulator/extension/host.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, logged, reached, registerEndpoint, tokenOf } from '../proofs.ts';
import { at, type Service } from '../service.ts';

const exchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange';

/** Key of the identity provider that the seed trusts, Base64. */
const idTokenKey = 'aWQgdG9rZW4gaXNzdWVyIG9mIHRoZSBkZW1vbnN0cmF0aW9uLCBwdWJsaWMgb24gcHVycG9zZSwgNjQgYnl0ZXMgIQ==';

/** Longest wait that a timer of 32 bits knows, in seconds. */
const longestTimerSeconds = 2_147_483;

export const accessMistakes: Batch = {
  'grants.the-eleventh': {
    source: 'core: Authentication 3',
    breaks: 'Every grant has an access token, the eleventh of one user as well.',
    kind: 'value',
    variant: breaks('grants', 'tokenAnswer', (right) => {
      const counts = new Map<string, number>();
      return (areas, form, token) => {
        const answer = right(areas, form, token);
        const name = form.get('username') ?? '';
        counts.set(name, (counts.get(name) ?? 0) + 1);
        if (Number(counts.get(name)) <= 10) return answer;
        const { access_token: _token, ...rest } = answer.body as { readonly access_token: string };
        return { ...answer, body: rest };
      };
    }),
    async shows(service) {
      let token = '';
      for (let count = 0; count < 11; count += 1) token = await tokenOf(service, 'edda');
      return token === 'undefined';
    },
  },

  'grants.id-token-of-an-administrator': {
    source: 'core: Authentication 4',
    breaks: 'What a Collection Administrator gets for an id token is a token of the service.',
    kind: 'role',
    variant: replaces('grants', 'tokenAnswer', (right, areas, form, token) => {
      const [, payload = ''] = (form.get('subject_token') ?? '').split('.');
      const name = at(JSON.parse(Buffer.from(payload, 'base64url').toString() || 'null'), '/sub');
      const isAdministrator = areas.configuration.users.get(String(name))?.collectionAdministrator === true;
      return right(areas, form, isAdministrator ? (form.get('subject_token') ?? token) : token);
    }),
    survives:
      'Route, form and answer of the exchange are not shown (ledger id-token-exchange-route), and a profile has one id token: recorded.',
    async shows(service) {
      const token = await exchanged(service, 'cora');
      const answer = await service.nobody.get('/api/collection/health', { authorization: `Bearer ${token}` });
      return answer.status === 401;
    },
  },

  'registrations.same-description': {
    source: 'extensions: Registered external endpoint (simple)',
    breaks: 'A description is free text, which a second endpoint may have as well.',
    kind: 'combination',
    variant: replaces('registrations', 'createEndpoint', async (right, areas, call, writing) => {
      const { description, kind } = call.json;
      const others = await registrationsOf(writing, kind);
      if (description !== undefined && others.some((other) => at(other, '/description') === description))
        throw new Refusal(409, 'There is such an endpoint already.');
      return right(areas, call, writing);
    }),
    async shows(service) {
      const fields = { url: 'http://127.0.0.1:9/hook', description: 'tells the archive' };
      await registerEndpoint(service, 'externalEndpoint', { id: 'one', ...fields });
      return (await registerEndpoint(service, 'externalEndpoint', { id: 'two', ...fields })).status >= 400;
    },
  },

  'registrations.timer-runs-over': {
    source: 'extensions: Registration routes',
    breaks: 'A request timeout of a month is one of a month.',
    kind: 'value',
    variant: replaces('registrations', 'endpointFrom', (right, areas, body) => {
      const fields = right(areas, body);
      return fields.requestTimeout > longestTimerSeconds ? { ...fields, requestTimeout: 1 } : fields;
    }),
    async shows(service) {
      await using host = await startExtensionHost({ script: always({ never: true }) });
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook`, requestTimeout: 2_592_000 });
      await service.edda.sendToEndpoint();
      await service.pass(1, 3);
      return (await logged(service, 'timeout')).length > 0;
    },
  },

  'registrations.life-time-of-the-endpoint-before': {
    source: 'extensions: Registered trusted external endpoint',
    breaks: 'A trusted endpoint has the token life time that it was registered with, not that of the one before it.',
    kind: 'copy',
    variant: breaks('registrations', 'trustedEndpointFrom', (right) => {
      let kept: number | undefined;
      return (areas, body) => {
        const fields = right(areas, body);
        kept ??= fields.tokenLifeTime;
        return { ...fields, tokenLifeTime: kept };
      };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      const url = `${host.url}/hook`;
      await registerEndpoint(service, 'trustedExternalEndpoint', { id: 'other', url });
      await registerEndpoint(service, 'trustedExternalEndpoint', { url, tokenLifeTime: 5 });
      await service.edda.sendToEndpoint();
      await service.pass(1);
      const [entry] = await reached(host, 1);
      const token = new URL(entry?.target ?? '/', host.url).searchParams.get('access_token') ?? '';
      const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString() || 'null') as unknown;
      return Number(at(claims, '/exp')) - Number(at(claims, '/iat')) !== 300;
    },
  },
};

/** The token that the user gets for an id token of the trusted provider. */
async function exchanged({ nobody }: Service, user: string): Promise<string> {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { sub: user, iss: 'https://login.example', aud: 'svc', exp: 9_999_999_999 };
  const text = `${part({ alg: 'HS512', typ: 'JWT' })}.${part(claims)}`;
  const signature = createHmac('sha512', Buffer.from(idTokenKey, 'base64')).update(text).digest('base64url');
  const form = new URLSearchParams({
    grant_type: exchangeGrant,
    subject_token: `${text}.${signature}`,
    subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
  });
  const answer = await nobody.post('/auth/token', form.toString(), {
    authorization: `Basic ${Buffer.from('conformance:conformance-secret').toString('base64')}`,
    'content-type': 'application/x-www-form-urlencoded',
  });
  return String(at(answer.json, '/access_token'));
}
