import { keyPeriodSeconds } from '../../../contract/limits.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { startExtensionHost } from '../../../simulator/extension/host.ts';
import { type Variant, breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsTo, logged, reached, registerEndpoint } from '../proofs.ts';
import { at } from '../service.ts';

const acquirePath = '/api/collection/externalExtension/acquireAccessToken/asking';

export const registrationsMistakes: Batch = {
  'registrations.by-an-administrator-of-a-space': {
    source: 'extensions: What the service does; Registration routes',
    breaks: 'A Collection Administrator registers endpoints, and no administrator of a space.',
    kind: 'role',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      const isSpaceAdministrator = [...areas.configuration.spaces.values()].some((space) =>
        areas.auth.rolesOf(user, space).includes('administrator'),
      );
      const isRegistration = call.method === 'POST' && call.url.startsWith('/api/admin/');
      if (!(access === 'collection' && isRegistration && isSpaceAdministrator)) right(areas, user, access, call);
    }),
    async shows({ alma }) {
      const answer = await alma.post('/api/admin/externalEndpoint', {
        id: 'hook',
        url: 'http://127.0.0.1:9/hook',
        method: 'POST',
        category: 'proof',
        headers: [{ name: 'content-type', value: 'application/json' }],
      });
      return answer.status === 201;
    },
  },

  'registrations.time-limit-of-the-one-before': {
    source: 'extensions: Registered external endpoint (simple), row requestTimeout',
    breaks: 'An endpoint without a time limit has 100 seconds, whatever was registered before it.',
    kind: 'copy',
    variant: breaks('registrations', 'endpointFrom', (right) => {
      let last: number | undefined;
      return (areas, body) => {
        const fields = right(areas, body);
        const isGiven = isContent(body) && body['requestTimeout'] !== undefined;
        const requestTimeout = isGiven ? fields.requestTimeout : (last ?? fields.requestTimeout);
        last = requestTimeout;
        return { ...fields, requestTimeout };
      };
    }),
    async shows(service) {
      await using host = await startExtensionHost({ script: always({ never: true }) });
      const url = `${host.url}/hook`;
      await registerEndpoint(service, 'externalEndpoint', { id: 'quick', url, requestTimeout: 5 });
      await registerEndpoint(service, 'externalEndpoint', { url });
      await service.edda.sendToEndpoint();
      await reached(host, 1);
      await service.pass(6);
      await service.pass(1);
      return (await logged(service, 'timeout')).length > 0;
    },
  },

  'metadata.nothing-behind-an-unknown-type': {
    source: 'extensions: Extension metadata record, row extensionType',
    breaks: 'A record of an unsupported type is ignored, and no other one for it.',
    kind: 'place',
    variant: replaces('metadata', 'usableRecords', (right, areas, items) => {
      const end = items.findIndex((item) => !areas.metadata.isSupportedType(String(at(item, '/extensionType'))));
      return right(areas, end < 0 ? items : items.slice(0, end));
    }),
    async shows(service) {
      await service.host(() => [{ id: 'strange', extensionType: 'Telepathy' as 'Email' }, { id: 'event' }]);
      return (await service.edda.sendEvent()).status !== 201;
    },
  },

  'api-keys.callback-with-another-query': {
    source: 'extensions: Acquiring API keys',
    breaks: 'The callback equals the configured one, its query included.',
    kind: 'value',
    variant: replaces('apiKeys', 'isConfiguredCallback', (right, areas, given, configured) =>
      right(areas, given.split('?')[0] ?? '', configured.split('?')[0] ?? ''),
    ),
    async shows(service) {
      const host = await service.host((url) => [asking(url)], always({ status: 200 }));
      const body = { tokenCallback: `${host.url}/keys?to=other`, permissions: ['SnapshotAPI'] };
      return (await service.cora.post(acquirePath, body)).status < 300;
    },
  },

  'api-keys.a-day-since-last-asked-for': {
    source: 'extensions: Limits, permission key rotation',
    breaks: 'A key is rotated every 24 hours, however often it is asked for.',
    kind: 'moment',
    variant: withKeysThatLiveOn(),
    async shows(service) {
      const host = await service.host((url) => [asking(url)], always({ status: 200 }));
      const keys = new Set<unknown>();
      for (let left = 3; left > 0; left -= 1) {
        await service.cora.post(acquirePath, { tokenCallback: `${host.url}/keys`, permissions: ['SnapshotAPI'] });
        keys.add(at(callsTo(host).at(-1)?.json, '/SnapshotAPI/apiKey'));
        await service.pass(20 * 3600);
      }
      return keys.size === 1 && !keys.has(undefined);
    },
  },
};

function asking(url: string) {
  const permissions = { tokenCallback: `${url}/keys`, permissions: ['SnapshotAPI' as const] };
  return { id: 'asking', permissions };
}

/** The day of a key begins anew whenever somebody asks for it. */
function withKeysThatLiveOn(): Variant {
  return (classes) => {
    const asked = new Map<string, number>();
    return together(
      replaces('apiKeys', 'isKeyDue', (_right, areas, { key, issuedAt }) => {
        const now = areas.clock.now();
        const isDue = now >= (asked.get(key) ?? issuedAt) + keyPeriodSeconds * 1000;
        asked.set(key, now);
        return isDue;
      }),
      replaces('apiKeys', 'isKeyValid', (right, areas, issued) =>
        right(areas, { ...issued, issuedAt: asked.get(issued.key) ?? issued.issuedAt }),
      ),
    )(classes);
  };
}
