import { isContent } from '../../../reference-server/areas/content.ts';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf } from '../proofs.ts';

const acquirePath = '/api/collection/externalExtension/acquireAccessToken/keys';

/** What is registered, and who may do what. */
export const registeredMistakes: Batch = {
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
