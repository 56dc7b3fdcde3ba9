import { isContent } from '../../../reference-server/areas/content.ts';
import { registrationOf } from '../../../reference-server/areas/registry.ts';
import type { Store } from '../../../reference-server/ports/store.ts';
import { startExtensionHost } from '../../../simulator/extension/host.ts';
import { replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, logged, reached, registerEndpoint } from '../proofs.ts';

/** Addresses of endpoints that were called, by id. */
const addresses = new WeakMap<Store, Map<string, string>>();

/** The longest time that a timer knows, in ms. */
const longestTimer = 2 ** 31 - 1;

const unlimited = { rateLimitNumberOfExecutions: 1000 };

export const registrationMistakes: Batch = {
  'registration.address-of-the-one-before': {
    source: 'extensions: Registered external endpoint (simple)',
    breaks: 'The url is the address that is called, also of an endpoint with the id of one that was deleted.',
    kind: 'place',
    variant: together(
      replaces('callees', 'calleeOf', async (right, areas, reading, address) => {
        const callee = await right(areas, reading, address);
        if (callee === undefined || !('endpoint' in callee)) return callee;
        const known = addresses.get(areas.store) ?? new Map<string, string>();
        addresses.set(areas.store, known);
        const url = known.get(callee.name) ?? callee.url;
        known.set(callee.name, url);
        return { ...callee, url, endpoint: { ...callee.endpoint, url } };
      }),
      replaces('queue', 'resumeDeliveries', async (right, areas, writing, id) => {
        if ((await registrationOf(writing, id)) !== undefined) addresses.get(areas.store)?.delete(id);
        return right(areas, writing, id);
      }),
    ),
    async shows(service) {
      const host = await service.host(() => []);
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/first`, ...unlimited });
      await service.edda.sendToEndpoint();
      await reached(host, 1);
      await service.cora.delete('/api/admin/externalEndpoint/hook');
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/second`, ...unlimited });
      await service.edda.sendToEndpoint();
      const calls = await reached(host, 2);
      return !calls.some(({ path }) => path === '/second');
    },
  },

  'registration.longer-than-a-timer': {
    source: 'extensions: Registration routes',
    breaks: 'A request waits as many seconds for its response as are registered, however many those are.',
    kind: 'value',
    variant: replaces('callees', 'calleeOf', async (right, areas, reading, address) => {
      const callee = await right(areas, reading, address);
      return callee === undefined || callee.timeoutMs <= longestTimer ? callee : { ...callee, timeoutMs: 1 };
    }),
    async shows(service) {
      await using host = await startExtensionHost({ script: always({ never: true }) });
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook`, requestTimeout: 3_000_000 });
      await service.edda.sendToEndpoint();
      await reached(host, 1);
      await service.pass(1, 2);
      return (await logged(service, 'timeout')).length > 0;
    },
  },

  'metadata.described-alike': {
    source: 'extensions: Extension metadata record',
    breaks: 'Two records may have one description; it tells nothing apart.',
    kind: 'combination',
    variant: replaces('metadata', 'usableRecords', (right, areas, items) => {
      const descriptions = items.map((item) => (isContent(item) ? item['description'] : undefined));
      const isFirst = (index: number) =>
        descriptions[index] === undefined || descriptions.indexOf(descriptions[index]) === index;
      return right(
        areas,
        items.filter((_item, index) => isFirst(index)),
      );
    }),
    async shows(service) {
      await service.host(() => ['one', 'other'].map((id) => ({ id, description: 'handles events' })));
      return (await service.edda.sendEvent('other')).status >= 300;
    },
  },
};
