import { routes } from '../../../contract/routes.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, changeExtension, reached, tokenOf } from '../proofs.ts';

const acquirePath = '/api/collection/externalExtension/acquireAccessToken/keys';

/** What is registered, and who may do what. */
export const registeredMistakes: Batch = {
  'metadata.members-of-the-former-record': {
    source: 'extensions: Extension metadata record, row retryForever',
    breaks: 'Where a record says nothing of retries there are five, whatever the record said before.',
    kind: 'copy',
    variant: replaces('metadata', 'recordsInForce', (right, areas, former, fetched) =>
      right(areas, former, fetched).map((record) => ({ ...former.find(({ id }) => id === record.id), ...record })),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', retryForever: true }], always({ status: 503 }));
      host.setRecords([
        {
          id: 'event',
          version: '1.0.1',
          name: 'event',
          endpoint: '/event',
          extensionType: 'ExternalEvent',
          category: 'proof',
          rateLimitNumberOfExecutions: 1000,
        },
      ]);
      await changeExtension(service, { hostUri: host.url });
      await service.edda.sendEvent();
      for (const [index, seconds] of [2, 4, 8, 16, 32, 64].entries()) {
        await reached(host, index + 1, 1000);
        await service.pass(seconds);
      }
      return (await reached(host, 7, 800)).length > 6;
    },
  },

  'access.personal-token-below-api-alone': {
    source: 'core: Authentication 1, first part',
    breaks: 'A personal access token opens the routes of a space, the one without the prefix as well.',
    kind: 'place',
    variant: replaces('dispatcher', 'carryOut', (right, areas, route, call) => {
      const credentials = areas.auth.credentialsOf(call.headers);
      if (route.path === routes.multiCreate && credentials?.scheme === 'bearer' && !credentials.token.includes('.'))
        throw new Refusal(401, 'Expected a token of this service.', { headers: { 'WWW-Authenticate': 'Bearer' } });
      return right(areas, route, call);
    }),
    async shows(service) {
      const items = [{ $id: 'p', $softType: 'Part', data: { name: 'n' } }];
      const own = await service.edda.multiCreate(items);
      const token = await tokenOf(service, 'edda');
      const other = await service.edda.post('/space/main/softtype', items, { authorization: `Bearer ${token}` });
      return own.status === 401 && other.status === 201;
    },
  },

  'api-keys.callback-with-another-query': {
    source: 'extensions: Acquiring API keys, last sentence, first part',
    breaks: 'The callback is the configured one, the query included.',
    kind: 'value',
    variant: replaces('apiKeys', 'isConfiguredCallback', (right, areas, given, configured) =>
      right(areas, given.split('?')[0] ?? '', configured.split('?')[0] ?? ''),
    ),
    async shows(service) {
      const host = await service.host(
        (url) => [{ id: 'keys', permissions: { tokenCallback: `${url}/keys`, permissions: ['SnapshotAPI'] } }],
        always({ status: 200 }),
      );
      const body = { tokenCallback: `${host.url}/keys?tenant=2`, permissions: ['SnapshotAPI'] };
      return (await service.cora.post(acquirePath, body)).status < 300;
    },
  },

  'api-keys.those-that-are-new-alone': {
    source: 'extensions: Acquiring API keys, second sentence',
    breaks: 'The callback gets a member for each permission that was asked for, also for one that it had before.',
    kind: 'copy',
    variant: replaces('apiKeys', 'bringKeys', (right, areas, call, holder, request, keys) =>
      right(
        areas,
        call,
        holder,
        request,
        keys.filter(({ fresh }) => fresh),
      ),
    ),
    async shows(service) {
      const permissions = ['SnapshotAPI', 'AuthorizationAPI'] as const;
      const host = await service.host(
        (url) => [{ id: 'keys', permissions: { tokenCallback: `${url}/keys`, permissions: [...permissions] } }],
        always({ status: 200 }),
      );
      const tokenCallback = `${host.url}/keys`;
      await service.cora.post(acquirePath, { tokenCallback, permissions: ['SnapshotAPI'] });
      await service.cora.post(acquirePath, { tokenCallback, permissions });
      const [, second] = callsOf(host, 'other');
      return isContent(second?.json) && !('SnapshotAPI' in second.json);
    },
  },

  'access.registrations-for-administrators-of-spaces': {
    source: 'core: Authentication 7, second part',
    breaks: 'Collection routes are for the Collection Administrator, and not for who administrates a space.',
    kind: 'role',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      const spaces = [...areas.configuration.spaces.values()];
      const administrates = spaces.some((space) => areas.auth.rolesOf(user, space).includes('administrator'));
      if (access === 'collection' && call.method === 'GET' && administrates) return;
      right(areas, user, access, call);
    }),
    async shows({ alma }) {
      return (await alma.get('/api/collection/space')).status === 200;
    },
  },

  'metadata.nothing-behind-an-unknown-type': {
    source: 'extensions: Extension metadata record, row extensionType, second part',
    breaks: 'A record of an unsupported type is passed over, and those behind it are put to use.',
    kind: 'place',
    variant: replaces('metadata', 'usableRecords', (right, areas, items) => {
      const first = items.findIndex(
        (item) =>
          isContent(item) &&
          typeof item['extensionType'] === 'string' &&
          !areas.metadata.isSupportedType(item['extensionType']),
      );
      return right(areas, first < 0 ? items : items.slice(0, first));
    }),
    async shows(service) {
      await service.host(() => [{ id: 'odd', extensionType: 'ExternalOddity' }, { id: 'event' }]);
      return (await service.edda.sendEvent()).status >= 400;
    },
  },
};
