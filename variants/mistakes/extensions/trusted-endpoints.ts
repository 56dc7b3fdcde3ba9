import { deliveryRetries } from '../../../contract/limits.ts';
import { registrationsOf } from '../../../reference-server/areas/registry.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { headerValues } from '../../../simulator/extension/entry.ts';
import { startExtensionHost } from '../../../simulator/extension/host.ts';
import { breaks, replaces, within } from '../../breaks.ts';
import { always, awaitCalls, callsTo } from '../hosts.ts';
import type { Mistakes } from '../mistake.ts';
import { callOfEndpoint, claimsOf, eventsPath, logEntriesOf, registerEndpoint, tokenIn } from '../proofs.ts';
import { at } from '../service.ts';
import { changes, keeps, wrapsRequest } from '../variant-parts.ts';

export const trustedEndpointsMistakes: Mistakes = {
  'trusted.hour-for-retries': {
    source: 'extensions: Registered trusted external endpoint, row tokenLifeTime',
    breaks: 'The token of each attempt lives as long as the endpoint says.',
    variant: replaces('requests', 'requestFor', (right, areas, delivery, callee, attempt) => {
      if (!('endpoint' in callee) || attempt === 1) return right(areas, delivery, callee, attempt);
      const endpoint = { ...callee.endpoint, tokenLifeTime: 60 };
      return right(areas, delivery, { ...callee, endpoint }, attempt);
    }),
    async shows(service) {
      await using host = await startExtensionHost({ script: always(503) });
      const url = `${host.url}/hook`;
      await registerEndpoint(service, 'trustedExternalEndpoint', { url, tokenLifeTime: 5 });
      await service.edda.sendToEndpoint();
      await awaitCalls(host);
      await service.pass(1, 3);
      const claims = claimsOf(tokenIn((await awaitCalls(host, 2))[1]));
      return Number(at(claims, '/exp')) - Number(at(claims, '/iat')) === 3600;
    },
  },
  'trusted.life-of-the-first-at-the-address': {
    source: 'extensions: Registered trusted external endpoint, row tokenLifeTime',
    breaks: 'The token of an endpoint lives as long as that endpoint says, whatever others there are at its address.',
    variant: replaces('requests', 'endpointUrl', async (right, areas, delivery, callee) => {
      const { endpoint } = callee;
      const all = await areas.store.read((reading) => registrationsOf(reading, 'trustedExternalEndpoint'));
      const first = all.find((one) => one.kind === 'trustedExternalEndpoint' && one.url === endpoint.url);
      return right(areas, delivery, first?.kind === endpoint.kind ? { ...callee, endpoint: first } : callee);
    }),
    async shows(service) {
      const host = await service.host([]);
      const fields = { url: `${host.url}/hook`, tokenLifeTime: 7 };
      await registerEndpoint(service, 'trustedExternalEndpoint', { ...fields, id: 'former', tokenLifeTime: 60 });
      await service.pass(1);
      await registerEndpoint(service, 'trustedExternalEndpoint', fields);
      await service.edda.sendToEndpoint();
      const claims = claimsOf(tokenIn((await awaitCalls(host))[0]));
      return Number(at(claims, '/exp')) - Number(at(claims, '/iat')) === 3600;
    },
  },
  'calls.query-of-trusted-endpoint-is-decoded': {
    source: 'extensions: Registered trusted external endpoint',
    breaks: 'The token is appended to the parameters of the URL, which stay as they are.',
    variant: changes('requests', 'endpointUrl', (url) => url.replaceAll('%26', '&')),
    async shows(service) {
      const path = '/asked?q=a%26b';
      const call = await callOfEndpoint(service, {}, { kind: 'trustedExternalEndpoint', path });
      return new URLSearchParams(call?.target.split('?')[1]).get('q') !== 'a&b';
    },
  },
  'trusted.retry-has-a-token-more': {
    source: 'extensions: Registered trusted external endpoint',
    breaks: 'Each attempt has one token behind the query as it was registered.',
    variant: breaks('requests', 'endpointUrl', (right) => {
      const urls = new Map<string, string>();
      return async (areas, delivery, callee) => {
        const url = urls.get(delivery.id) ?? callee.endpoint.url;
        const next = await right(areas, delivery, { ...callee, endpoint: { ...callee.endpoint, url } });
        if (callee.endpoint.kind === 'trustedExternalEndpoint') urls.set(delivery.id, next);
        return next;
      };
    }),
    async shows(service) {
      await using host = await startExtensionHost({
        records: [],
        script: [{ steps: [{ status: 503 }, { status: 200 }] }],
      });
      await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/x?a=1` });
      const headers = { 'X-Correlation-Id': 'twice' };
      await service.edda.post(eventsPath, { endpointId: 'hook' }, headers);
      await logEntriesOf(service, 'twice', 'transient-error', 1);
      await service.pass(2);
      const calls = await awaitCalls(host, 2);
      return (calls.at(-1)?.target.match(/access_token=/g)?.length ?? 0) > 1;
    },
  },
  'delivery.own-limit-of-a-trusted-endpoint': {
    source: 'extensions: Registered trusted external endpoint',
    breaks: 'A trusted endpoint has all fields of a simple one, a rate limit of its own among them.',
    variant: changes('policies', 'policyOf', (policy, _areas, callee) => {
      const isTrusted = 'endpoint' in callee && callee.endpoint.kind === 'trustedExternalEndpoint';
      return isTrusted ? { ...policy, rateLimit: 5 } : policy;
    }),
    async shows(service) {
      const host = await service.host([]);
      await registerEndpoint(service, 'trustedExternalEndpoint', {
        url: `${host.url}/hook`,
        rateLimitNumberOfExecutions: 1000,
      });
      for (let count = 0; count < 7; count += 1) await service.edda.sendToEndpoint('hook', '');
      await service.pass(1, 2);
      return host.entries(({ path }) => path === '/hook').length < 7;
    },
  },
  'tokens.no-longer-than-a-day': {
    source: 'extensions: Registered trusted external endpoint',
    breaks: 'A token is valid for the minutes that are registered, also for two days of them.',
    variant: replaces('requests', 'impersonationToken', (right, areas, userName, minutes) =>
      right(areas, userName, Math.min(minutes, 24 * 60)),
    ),
    async shows(service) {
      const call = await callOfEndpoint(service, { tokenLifeTime: 2880 }, { kind: 'trustedExternalEndpoint' });
      const claims = claimsOf(tokenIn(call));
      return Number(at(claims, '/exp')) - Number(at(claims, '/iat')) !== 2880 * 60;
    },
  },
  'tokens.of-the-first-attempt': {
    source: 'extensions: Registered trusted external endpoint, row tokenLifeTime',
    breaks:
      'The token that an endpoint gets is valid for the registered time, also at a retry that comes later than that.',
    survives: 'Whether a late attempt carries a token that is still good is not said (token-on-retry).',
    variant: keeps('requests', 'endpointUrl', (delivery) => delivery.id),
    async shows(service) {
      await using host = await startExtensionHost({ script: always(503) });
      await registerEndpoint(service, 'trustedExternalEndpoint', {
        url: `${host.url}/hook`,
        tokenLifeTime: 1,
        rateLimitNumberOfExecutions: 100,
      });
      await service.edda.sendToEndpoint();
      for (const [index, seconds] of [2, 4, 8, 16, 32].entries()) {
        await awaitCalls(host, index + 1);
        await service.pass(seconds + 1);
      }
      const targets = (await awaitCalls(host, 6)).map(({ target }) => target);
      return targets.length === 6 && targets[0] === targets[5];
    },
  },
  'registrations.life-time-of-the-endpoint-before': {
    source: 'extensions: Registered trusted external endpoint',
    breaks: 'A trusted endpoint has the token life time that it was registered with, not that of the one before it.',
    variant: breaks('registrations', 'trustedEndpointFrom', (right) => {
      let kept: number | undefined;
      return (areas, body) => {
        const fields = right(areas, body);
        kept ??= fields.tokenLifeTime;
        return { ...fields, tokenLifeTime: kept };
      };
    }),
    async shows(service) {
      const url = 'http://localhost:9/hook';
      await registerEndpoint(service, 'trustedExternalEndpoint', { id: 'other', url });
      const call = await callOfEndpoint(service, { tokenLifeTime: 5 }, { kind: 'trustedExternalEndpoint' });
      const claims = claimsOf(tokenIn(call));
      return Number(at(claims, '/exp')) - Number(at(claims, '/iat')) !== 300;
    },
  },
  'calls.trusted-endpoint-switched-off': {
    source: 'extensions: Registered trusted external endpoint',
    breaks: 'An endpoint that is switched off gets no call, a trusted one neither.',
    variant: replaces('callees', 'isActive', (right, areas, registration) => {
      return registration.kind === 'trustedExternalEndpoint' || right(areas, registration);
    }),
    async shows(service) {
      const host = await service.host([]);
      const fields = { url: `${host.url}/hook`, tokenLifeTime: 60, active: false };
      await registerEndpoint(service, 'trustedExternalEndpoint', fields);
      await service.edda.post(eventsPath, { endpointId: 'hook' });
      await service.pass(1);
      return host.entries(({ path }) => path === '/hook').length > 0;
    },
  },
  'endpoint.second-question-mark': {
    source: 'extensions: Registered trusted external endpoint',
    breaks: 'The token is one more parameter of a URL that has some already.',
    museum: true,
    variant: wrapsRequest((request) => ({
      ...request,
      url: request.url.replace(/[?&]access_token=/, '?access_token='),
    })),
    async shows(service) {
      const call = await callOfEndpoint(service, {}, { kind: 'trustedExternalEndpoint', path: '/taken?a=1' });
      return !call?.target.includes('?a=1&access_token=');
    },
  },
  'calls.query-on-a-retry': {
    source: 'extensions: Registered trusted external endpoint',
    breaks: 'The token is appended to the parameters that the address has, in each attempt.',
    variant: changes('requests', 'requestFor', (request, _areas, _delivery, _callee, attempt) =>
      attempt > 1 ? { ...request, url: request.url.replace('&access_token=', '?access_token=') } : request,
    ),
    async shows(service) {
      await using host = await startExtensionHost({ script: [{ steps: [{ status: 503 }, { status: 200 }] }] });
      await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/hook?tenant=a` });
      await service.edda.sendToEndpoint();
      await awaitCalls(host);
      await service.pass(1, 6);
      const [, second] = await awaitCalls(host, 2);
      return second !== undefined && !second.target.includes('&access_token=');
    },
  },
  'calls.no-token-for-delete': {
    source: 'extensions: Registered trusted external endpoint',
    breaks: 'The token is appended to every call of a trusted endpoint, whatever its method.',
    variant: replaces('requests', 'endpointUrl', async (right, areas, delivery, callee) =>
      callee.endpoint.method.toUpperCase() === 'DELETE' ? callee.endpoint.url : right(areas, delivery, callee),
    ),
    async shows(service) {
      const call = await callOfEndpoint(service, { method: 'DELETE' }, { kind: 'trustedExternalEndpoint' });
      return !call?.target.includes('access_token=');
    },
  },
  'endpoints.query-written-anew': {
    source: 'extensions: Registered trusted external endpoint, text below',
    breaks: 'The token is appended to the parameters that the address has, which stay as they are.',
    survives: 'The parameters are kept: how they are spelled, with %20 or a plus sign, is not said.',
    variant: replaces('requests', 'endpointUrl', async (right, areas, delivery, callee) => {
      const url = new URL(await right(areas, delivery, callee));
      if (callee.endpoint.kind === 'trustedExternalEndpoint') url.search = String(new URLSearchParams(url.search));
      return url.href;
    }),
    async shows(service) {
      const call = await callOfEndpoint(service, {}, { kind: 'trustedExternalEndpoint', path: '/hook?flag&q=a%20b' });
      return !call?.target.startsWith('/hook?flag&q=a%20b&');
    },
  },
  'endpoints.another-parameter-for-get': {
    source: 'extensions: Registered trusted external endpoint, text below',
    breaks: 'The token is the parameter access_token of every call.',
    variant: replaces('requests', 'endpointUrl', (right, areas, delivery, callee) => {
      const named = within(areas, { requests: { tokenParameter: () => 'token' } });
      return right(callee.endpoint.method === 'GET' ? named : areas, delivery, callee);
    }),
    async shows(service) {
      const call = await callOfEndpoint(service, { method: 'GET' }, { kind: 'trustedExternalEndpoint' });
      return !call?.target.includes('?access_token=');
    },
  },
  'endpoints.get-loses-its-query': {
    source: 'extensions: Registered trusted external endpoint',
    breaks: 'The token is appended to the parameters of the URL, also where the method is GET.',
    variant: replaces('requests', 'endpointUrl', async (right, areas, delivery, callee) => {
      const url = new URL(await right(areas, delivery, callee));
      if (callee.endpoint.method !== 'GET' || !url.searchParams.has('access_token')) return url.href;
      url.search = new URLSearchParams({ access_token: url.searchParams.get('access_token') ?? '' }).toString();
      return url.href;
    }),
    async shows(service) {
      const trusted = { kind: 'trustedExternalEndpoint', path: '/hook?a=1' } as const;
      const call = await callOfEndpoint(service, { method: 'GET' }, trusted);
      return call !== undefined && !call.target.includes('a=1');
    },
  },
  'calls.third-header-of-a-trusted-endpoint': {
    source: 'extensions: Registered trusted external endpoint',
    breaks: 'A trusted endpoint has all fields of the simple one: each of its headers is set on the call.',
    variant: changes('requests', 'endpointRequest', (request, _areas, _delivery, callee) => {
      if (callee.endpoint.kind === 'externalEndpoint') return request;
      const headers = Object.entries(request.headers ?? {});
      return { ...request, headers: Object.fromEntries(headers.slice(0, 2)) };
    }),
    async shows(service) {
      const headers = ['content-type', 'x-one', 'x-two'].map((name) => ({ name, value: 'application/json' }));
      const call = await callOfEndpoint(service, { headers }, { kind: 'trustedExternalEndpoint' });
      return call !== undefined && headerValues(call, 'x-two').length === 0;
    },
  },
  'registration.name-of-a-trusted-endpoint': {
    source: 'extensions: Registered trusted external endpoint',
    breaks: 'A trusted endpoint has the fields of a simple one, whose name may be left out.',
    variant: changes('registrations', 'trustedEndpointFrom', (endpoint) => {
      if (endpoint.name === undefined) throw new Refusal(400, 'There is no name.');
      return endpoint;
    }),
    async shows(service) {
      const { status } = await registerEndpoint(service, 'trustedExternalEndpoint', { url: service.url });
      return status >= 400;
    },
  },
  'endpoints.token-of-the-first-user': {
    source: 'extensions: Registered trusted external endpoint',
    breaks: 'The token of a call to an endpoint speaks for the user who triggered it, whoever came before.',
    variant: keeps('requests', 'endpointUrl', (_delivery, callee) => callee.endpoint.url),
    async shows(service) {
      const host = await service.host([]);
      await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/hook?a=b` });
      await service.edda.sendToEndpoint();
      await service.pass(1);
      await service.emil.sendToEndpoint();
      await service.pass(1);
      return at(claimsOf(tokenIn(callsTo(host)[1])), '/sub') === 'edda';
    },
  },
  'endpoint.trusted-one-is-given-up': {
    source: 'extensions: Registered trusted external endpoint; Errors 1',
    breaks: 'A trusted endpoint that says so is retried for ever as well.',
    variant: changes('policies', 'policyOf', (policy, _areas, callee) => {
      const isTrusted = 'endpoint' in callee && callee.endpoint.kind === 'trustedExternalEndpoint';
      return isTrusted ? { ...policy, retries: deliveryRetries } : policy;
    }),
    async shows(service) {
      await using host = await startExtensionHost({ script: always(503) });
      const fields = { url: `${host.url}/hook`, retryForever: true, rateLimitNumberOfExecutions: 1000 };
      await registerEndpoint(service, 'trustedExternalEndpoint', fields);
      await service.edda.sendToEndpoint();
      await awaitCalls(host);
      await service.pass(65, 12);
      return (await awaitCalls(host, 7, 1000)).length < 7;
    },
  },
  'trusted.token-goes-with-the-fragment': {
    source: 'extensions: Registered trusted external endpoint, paragraph after the table',
    breaks: 'The token is in the query of every call, also where the registered URL has a fragment.',
    survives: 'A fragment is never sent, and the documents show no url with one: it is remarked on.',
    variant: changes('requests', 'endpointUrl', (url, _areas, _delivery, { endpoint }) => {
      const [bare = '', fragment] = endpoint.url.split('#');
      return fragment === undefined ? url : bare;
    }),
    async shows(service) {
      const call = await callOfEndpoint(service, {}, { kind: 'trustedExternalEndpoint', path: '/hook#part' });
      return call !== undefined && tokenIn(call) === '';
    },
  },
};
