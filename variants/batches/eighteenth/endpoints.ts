import { headerValues, textOf } from '../../../simulator/extension/entry.ts';
import { startExtensionHost } from '../../../simulator/extension/host.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsTo, logged, registerEndpoint } from '../proofs.ts';

const jsonType = { name: 'content-type', value: 'application/json' };

export const endpointsMistakes: Batch = {
  'endpoints.trusted-and-switched-off': {
    source: 'extensions: Registered external endpoint, active',
    breaks: 'An endpoint that is not active is not called, a trusted one neither.',
    kind: 'place',
    variant: replaces(
      'callees',
      'isActive',
      (right, areas, registration) => registration.kind === 'trustedExternalEndpoint' || right(areas, registration),
    ),
    async shows(service) {
      const host = await service.host(() => []);
      await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/hook`, active: false });
      await service.edda.sendToEndpoint();
      await service.pass(1);
      return callsTo(host).length > 0;
    },
  },

  'endpoints.token-of-a-neighbour': {
    source: 'extensions: Registered external endpoint, text below the table',
    breaks: 'A simple endpoint gets no token, also where a trusted one has the same address.',
    kind: 'copy',
    variant: breaks('requests', 'endpointUrl', (right) => {
      const urls = new Map<string, string>();
      return async (areas, delivery, callee) => {
        const { kind, url } = callee.endpoint;
        const known = kind === 'externalEndpoint' ? urls.get(url) : undefined;
        const made = known ?? (await right(areas, delivery, callee));
        urls.set(url, made);
        return made;
      };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      const url = `${host.url}/hook`;
      await registerEndpoint(service, 'trustedExternalEndpoint', { id: 'trusted', url });
      await registerEndpoint(service, 'externalEndpoint', { id: 'simple', url });
      for (const id of ['trusted', 'simple']) {
        await service.edda.sendToEndpoint(id);
        await service.pass(1);
      }
      return callsTo(host).at(-1)?.target.includes('access_token') ?? false;
    },
  },

  'endpoints.headers-of-a-neighbour': {
    source: 'extensions: Authentication 6',
    breaks: 'An endpoint gets the headers that are configured for it, and no key of another one.',
    kind: 'copy',
    variant: breaks('requests', 'endpointRequest', (right) => {
      const all: Record<string, string> = {};
      return async (areas, ...args) => {
        const request = await right(areas, ...args);
        return { ...request, headers: { ...Object.assign(all, request.headers) } };
      };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      const url = `${host.url}/hook`;
      await registerEndpoint(service, 'externalEndpoint', {
        id: 'a',
        url,
        headers: [jsonType, { name: 'x-key', value: 'a' }],
      });
      await registerEndpoint(service, 'externalEndpoint', { id: 'b', url });
      for (const id of ['a', 'b']) {
        await service.edda.sendToEndpoint(id);
        await service.pass(1);
      }
      const last = callsTo(host).at(-1);
      return last !== undefined && headerValues(last, 'x-key').length > 0;
    },
  },

  'endpoints.longer-than-by-default': {
    source: 'extensions: Registered external endpoint, requestTimeout',
    breaks: 'An endpoint has as many seconds as are configured, also more than by default.',
    kind: 'value',
    variant: replaces('callees', 'calleeOf', async (right, areas, ...args) => {
      const callee = await right(areas, ...args);
      if (callee === undefined || !('endpoint' in callee)) return callee;
      return { ...callee, timeoutMs: Math.min(callee.timeoutMs, 100_000) };
    }),
    async shows(service) {
      await using host = await startExtensionHost({ script: always({ never: true }) });
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook`, requestTimeout: 150 });
      await service.edda.sendToEndpoint();
      await service.pass(10, 12);
      return (await logged(service, 'timeout')).length > 0;
    },
  },

  'endpoints.json-in-quotes': {
    source: 'extensions: Registered external endpoint, text below the table',
    breaks: 'The body is what is configured: a text that is JSON already is sent as it is.',
    kind: 'combination',
    survives:
      'How a body is configured is not said (trigger-endpoint-binding): where JSON is called for, a text may be a JSON string as well.',
    variant: replaces('requests', 'endpointRequest', async (right, areas, delivery, callee) => {
      const request = await right(areas, delivery, callee);
      const isJson = Object.values(request.headers).some((value) => value.includes('json'));
      const isText = request.body !== undefined && typeof delivery.payload === 'string';
      return isJson && isText ? { ...request, body: JSON.stringify(delivery.payload) } : request;
    }),
    async shows(service) {
      const host = await service.host(() => []);
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook` });
      await service.edda.sendToEndpoint('hook', '{"a":1}');
      await service.pass(1);
      const [call] = callsTo(host);
      return call !== undefined && textOf(call.body) !== '{"a":1}';
    },
  },
};
