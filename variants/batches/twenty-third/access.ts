import { createHmac } from 'node:crypto';
import { mediaTypes } from '../../../contract/names.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { callsTo, named, tokenOf } from '../proofs.ts';
import { encoded, pagePath } from '../service.ts';

const filterName = 'svc-informationfilter';

export const accessMistakes: Batch = {
  'grants.client-known-by-name': {
    source: 'core: Authentication 3',
    breaks: 'A client shows its secret for each token, not for the first one alone.',
    kind: 'copy',
    variant: breaks('grants', 'checkClient', (right) => {
      let isKnown = false;
      return (areas, call) => {
        const given = areas.auth.credentialsOf(call.headers);
        if (isKnown && given?.scheme === 'basic' && given.name === areas.configuration.auth.clientId) return;
        right(areas, call);
        isKnown = true;
      };
    }),
    async shows(service) {
      await tokenOf(service, 'edda');
      const form = 'grant_type=password&username=edda&password=edda-password&scope=All';
      const authorization = `Basic ${Buffer.from('conformance:wrong').toString('base64')}`;
      const headers = { authorization, 'content-type': mediaTypes.form };
      return (await service.nobody.post('/auth/token', form, headers)).status === 200;
    },
  },

  'access.personal-token-on-collection-routes': {
    source: 'core: Authentication 1',
    breaks: 'Collection routes take a personal access token, as space routes do.',
    kind: 'place',
    variant: replaces('auth', 'authenticate', async (right, areas, call) => {
      const credentials = areas.auth.credentialsOf(call.headers);
      const isPersonal = credentials?.scheme === 'bearer' && !credentials.token.includes('.');
      if (isPersonal && call.url.startsWith('/api/collection/')) throw areas.tokens.unusableToken('Expected a JWT.');
      return right(areas, call);
    }),
    async shows({ cora }) {
      return (await cora.get('/api/collection/user/profile')).status !== 200;
    },
  },

  'headers.filter-of-a-page': {
    source: 'core: Common request headers, Svc-InformationFilter',
    breaks: 'The information filter is required for a page as for the instance.',
    kind: 'place',
    variant: replaces('messages', 'informationFilterOf', (right, areas, call) =>
      call.headers[filterName] === undefined && call.url.includes('/softtype/page/') ? {} : right(areas, call),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(1) });
      return (await edda.get(pagePath(made, 'files', 0), { [filterName]: '' })).status === 200;
    },
  },

  'headers.slash-in-a-filter': {
    source: 'core: Information filter',
    breaks: 'The information filter is Base64, in which a slash may stand.',
    kind: 'value',
    variant: replaces('messages', 'informationFilterOf', (right, areas, call) => {
      if (call.headers[filterName]?.includes('/')) throw new Refusal(400, 'Expected Base64.');
      return right(areas, call);
    }),
    async shows({ edda }) {
      const { path } = await edda.make('Document', { title: 't' });
      return (await edda.get(path, { [filterName]: encoded({ about: '???' }) })).status !== 200;
    },
  },

  'tokens.envelope-of-another-length': {
    source: 'core: Authentication 2',
    breaks: 'A JWT is signed with HMAC SHA512, also one in an envelope.',
    kind: 'place',
    variant: together(
      replaces('tokens', 'acceptedAlgorithms', (right, areas) => [...right(areas), 'HS384']),
      replaces('tokens', 'signClaims', async (right, areas, claims) => {
        if (claims.scope !== 'impersonation') return right(areas, claims);
        const [, payload] = (await right(areas, claims)).split('.');
        const text = `${Buffer.from('{"alg":"HS384","typ":"JWT"}').toString('base64url')}.${payload}`;
        return `${text}.${createHmac('sha384', areas.tokens.signingKeysOf().access).update(text).digest('base64url')}`;
      }),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await service.edda.sendEvent();
      await service.pass(1);
      const [head = ''] = callsTo(host)[0]?.envelope?.accessToken?.split('.') ?? [];
      return !Buffer.from(head, 'base64url').toString().includes('"HS512"');
    },
  },

  'caching.tag-of-the-length': {
    source: 'core: Versioning 4',
    breaks: 'Data that have changed answer 200, also when they are as long as before.',
    kind: 'value',
    variant: replaces('caching', 'etagOf', (_right, _areas, representation) => `"${representation.length}"`),
    async shows({ cora }) {
      const path = '/api/collection/user/profile';
      await cora.put(path, undefined, { displayName: 'one' });
      const etag = (await cora.get(path)).headers.get('etag') ?? '';
      await cora.put(path, undefined, { displayName: 'two' });
      return (await cora.get(path, { 'if-none-match': etag })).status === 304;
    },
  },
};
