import { isContent } from '../../../reference-server/areas/content.ts';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsTo } from '../proofs.ts';
import { at, hostKey } from '../service.ts';

/** What is registered, and the keys that it acquires. */
export const registeredMistakes: Batch = {
  'registered.key-in-the-warning': {
    source: 'extensions: Registered extension, apiKey',
    breaks: 'The key is a secret, also where the metadata of its extension cannot be had.',
    kind: 'combination',
    survives: 'Whether answers of the registration routes tell the key is not said (registration-responses): remarked.',
    variant: replaces('metadata', 'fetchMetadata', async (right, areas, extension, correlationId) => {
      const answer = await right(areas, extension, correlationId);
      return 'warning' in answer ? { warning: `${answer.warning} ${JSON.stringify(extension)}` } : answer;
    }),
    async shows({ cora }) {
      const body = { hostUri: 'http://127.0.0.1:9/nobody', apiKey: hostKey, tokenLifeTime: 60 };
      return (await cora.post('/api/admin/svcExtension', body)).text.includes(hostKey);
    },
  },

  'api-keys.one-for-all-that-are-asked-for': {
    source: 'extensions: Permission names, TaskUploadAPI',
    breaks: 'The key for tasks is one for tasks, also where it is acquired together with that for administration.',
    kind: 'combination',
    variant: replaces('apiKeys', 'issueKeys', async (right, areas, writing, holder, permissions) => {
      const keys = await right(areas, writing, holder, permissions);
      const [first] = keys;
      return keys.map((key) => ({ ...key, key: first?.key ?? key.key }));
    }),
    async shows(service) {
      const permissions = ['AdministrationAPI', 'TaskUploadAPI'] as const;
      const host = await service.host(
        (url) => [{ id: 'holder', permissions: { tokenCallback: `${url}/keys`, permissions: [...permissions] } }],
        always({ status: 200 }),
      );
      await service.cora.post('/api/collection/externalExtension/acquireAccessToken/holder', {
        tokenCallback: `${host.url}/keys`,
        permissions,
      });
      const [brought] = host.entries(({ path }) => path === '/keys');
      const [one, other] = permissions.map((name) => at(brought?.json, `/${name}/apiKey`));
      return one !== undefined && one === other;
    },
  },

  'metadata.timeout-of-the-record-before': {
    source: 'extensions: Extension metadata record, requestTimeout',
    breaks: 'Without requestTimeout a request has 100 seconds, whatever the record before it says.',
    kind: 'copy',
    variant: replaces('metadata', 'usableRecords', (right, areas, items) => {
      let requestTimeout: unknown;
      return right(
        areas,
        items.map((item) => {
          requestTimeout = at(item, '/requestTimeout') ?? requestTimeout;
          return isContent(item) && requestTimeout !== undefined ? { ...item, requestTimeout } : item;
        }),
      );
    }),
    async shows(service) {
      const host = await service.host(
        () => [{ id: 'quick', requestTimeout: 2 }, { id: 'event' }],
        always({ never: true }),
      );
      await service.edda.sendEvent();
      await service.pass(1, 8);
      return callsTo(host).length > 1;
    },
  },
};
