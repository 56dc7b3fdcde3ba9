import type { ExtensionHost } from '../../../simulator/extension/host.ts';
import { textOf } from '../../../simulator/extension/entry.ts';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { registerEndpoint } from '../proofs.ts';

const eventsPath = '/api/space/main/externalEvent';

function eventsAt(host: ExtensionHost): number {
  return host.entries(({ kind }) => kind === 'event').length;
}

/** What arrived at a path of the host. */
function arrived(host: ExtensionHost, path: string): ReturnType<ExtensionHost['entries']> {
  return host.entries((entry) => entry.path === path);
}

export const calls: Batch = {
  'endpoints.false-is-no-content': {
    source: 'extensions: Registered external endpoint (text below the table)',
    breaks: 'The body of a call is what was configured, be it nothing but the word false.',
    kind: 'value',
    variant: replaces('requests', 'endpointRequest', async (right, areas, delivery, callee) => {
      const { body, ...request } = await right(areas, delivery, callee);
      return delivery.payload === false || body === undefined ? request : { ...request, body };
    }),
    shows: async (service) => {
      const host = await service.host(() => []);
      await registerEndpoint(service, 'externalEndpoint', {
        rateLimitNumberOfExecutions: 1000,
        id: 'plain',
        url: `${host.url}/hook`,
      });
      await service.edda.post(eventsPath, { endpointId: 'plain', contentPayload: false });
      await service.pass(1);
      const [call] = arrived(host, '/hook');
      return call === undefined || textOf(call.body) !== 'false';
    },
  },
  'deliveries.retries-have-the-usual-time': {
    source: 'extensions: Limits, request timeout',
    breaks: 'A retry waits for its answer as long as the endpoint says, like the first attempt.',
    kind: 'moment',
    variant: replaces('requests', 'requestFor', async (right, areas, delivery, callee, attempt) => {
      const request = await right(areas, delivery, callee, attempt);
      return attempt > 1 ? { ...request, timeoutMs: 100_000 } : request;
    }),
    shows: async (service) => {
      const script = [{ when: { kind: 'event' }, steps: [{ status: 503 }, { never: true as const }] }];
      const host = await service.host(() => [{ id: 'slow', requestTimeout: 5 }], script);
      await service.edda.sendEvent('slow');
      await service.pass(3);
      await service.pass(12);
      return eventsAt(host) < 3;
    },
  },
  'rate-limit.counted-by-address': {
    source: 'extensions: Limits, rate limit',
    breaks: 'Each endpoint has a limit of its own, also where two have one address.',
    kind: 'combination',
    variant: replaces('policies', 'policyOf', (right, areas, callee, delivery) => {
      const policy = right(areas, callee, delivery);
      return 'endpoint' in callee ? { ...policy, rateKey: callee.url } : policy;
    }),
    shows: async (service) => {
      const host = await service.host(() => []);
      const url = `${host.url}/shared`;
      for (const id of ['one', 'other']) {
        await registerEndpoint(service, 'externalEndpoint', { id, url, rateLimitNumberOfExecutions: 1 });
        await service.edda.post(eventsPath, { endpointId: id, contentPayload: {} });
      }
      await service.pass(1);
      return arrived(host, '/shared').length < 2;
    },
  },
  'events.deleted-in-a-pause-goes-out': {
    source: 'extensions: Events 3',
    breaks: 'An event that a user deletes is cancelled, also while a rate limit holds it back.',
    kind: 'combination',
    variant: replaces('queue', 'cancelDelivery', async (right, areas, writing, id) => {
      const delivery = await writing.delivery(id);
      const isHeld = delivery?.attempts === 0 && (delivery.readyAt ?? 0) > areas.clock.now();
      return isHeld && delivery.leaseOwner === undefined ? false : right(areas, writing, id);
    }),
    shows: async (service) => {
      const host = await service.host(() => [{ id: 'limited', rateLimitNumberOfExecutions: 1 }]);
      await service.edda.sendEvent('limited');
      const second = await service.edda.sendEvent('limited');
      await service.pass(1);
      await service.edda.delete(second.headers.get('location') ?? '');
      await service.pass(130);
      return eventsAt(host) > 1;
    },
  },
};
