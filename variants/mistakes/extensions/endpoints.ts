import { withParameter } from '../../../reference-server/areas/callees.ts';
import type { EndpointFields, RegistrationKind } from '../../../reference-server/areas/records.ts';
import { registrationOf, registrationsOf } from '../../../reference-server/areas/registry.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import type { Store } from '../../../reference-server/ports/store.ts';
import { startExtensionHost } from '../../../simulator/extension/host.ts';
import { breaks, replaces, together, type Variant } from '../../breaks.ts';
import { always, awaitCalls, briefMs, callsTo } from '../hosts.ts';
import type { Mistakes } from '../mistake.ts';
import { callOfEndpoint, registerEndpoint } from '../proofs.ts';
import type { Service } from '../service.ts';
import { changes, perRun, wrapsRequest } from '../variant-parts.ts';

/** Addresses of endpoints that were called, by id. */
const addresses = new WeakMap<Store, Map<string, string>>();

/** Endpoints of which this run was told that they are off. */
const switchedOff = perRun(() => new Set<string>());

type EndpointKind = Exclude<RegistrationKind, 'svcExtension'>;

const unlimited = { rateLimitNumberOfExecutions: 1000 };

export const endpointsMistakes: Mistakes = {
  'endpoints.encoded-slash-divides': {
    source: 'extensions: Registered external endpoint, url',
    breaks: 'The registered address is called, a slash that is encoded within a name of its path included.',
    variant: changes('requests', 'endpointUrl', (url) => url.replaceAll(/%2f/gi, '/')),
    async shows(service) {
      return (await callOfEndpoint(service, {}, { path: '/a%2Fb' }))?.path === '/a/b';
    },
  },
  'endpoints.encoded-slash-divides-for-trusted': {
    source: 'extensions: Registered trusted external endpoint',
    breaks: 'The registered address is called with one more parameter, an encoded slash in its path included.',
    variant: changes('requests', 'endpointUrl', (url, _areas, _delivery, { endpoint }) =>
      endpoint.kind === 'trustedExternalEndpoint' ? url.replaceAll(/%2f/gi, '/') : url,
    ),
    async shows(service) {
      const call = await callOfEndpoint(service, {}, { kind: 'trustedExternalEndpoint', path: '/a%2Fb' });
      return call?.path === '/a/b';
    },
  },
  'endpoints.empty-header-left-out': {
    source: 'extensions: Registered external endpoint, headers',
    breaks: 'Every configured header is set on the call, one with nothing in it too.',
    variant: wrapsRequest((request) => ({
      ...request,
      headers: Object.fromEntries(Object.entries(request.headers).filter(([, value]) => value !== '')),
    })),
    survives: 'Whether such a header is taken is not said, and many clients send none: it is remarked on.',
    async shows(service) {
      const type = { name: 'content-type', value: 'text/plain' };
      const call = await callOfEndpoint(service, { headers: [type, { name: 'x-empty', value: '' }] });
      return call !== undefined && !call.headers.some(([name]) => name.toLowerCase() === 'x-empty');
    },
  },
  'registration.names-are-unique': {
    source: 'extensions: Registered external endpoint, name',
    breaks: 'The id tells endpoints apart: two of them may have one name.',
    variant: replaces('registrations', 'createEndpoint', async (right, areas, call, writing) => {
      const { name, kind } = call.json;
      const others = await registrationsOf(writing, kind);
      if (name !== undefined && others.some((other) => 'name' in other && other.name === name))
        throw new Refusal(409, `There is an endpoint ${name} already.`, { pointer: '/name' });
      return right(areas, call, writing);
    }),
    async shows(service) {
      const fields = { url: 'https://nowhere.invalid/hook', name: 'same' };
      await registerEndpoint(service, 'externalEndpoint', { ...fields, id: 'one' });
      return (await registerEndpoint(service, 'externalEndpoint', { ...fields, id: 'other' })).status >= 400;
    },
  },
  'endpoint.address-in-small-letters': {
    source: 'extensions: Registered external endpoint (simple), url',
    breaks: 'The registered address is called as it is spelled, capitals in its path included.',
    variant: replaces('requests', 'endpointUrl', (right, areas, delivery, callee) =>
      right(areas, delivery, { ...callee, endpoint: { ...callee.endpoint, url: callee.endpoint.url.toLowerCase() } }),
    ),
    async shows(service) {
      return (await callOfEndpoint(service, {}, { path: '/Hooks/New' }))?.path === '/hooks/new';
    },
  },
  'endpoint.first-parameter-only': {
    source: 'extensions: Registered external endpoint, url',
    breaks: 'An endpoint is called at the address that was registered, all parameters included.',
    museum: true,
    variant: wrapsRequest((request) => ({
      ...request,
      url: request.url.replace(/(\?[^&]*&).*?(?=access_token=|$)/, '$1'),
    })),
    async shows(service) {
      return !(await callOfEndpoint(service, {}, { path: '/taken?foo=123&bar=XYZ' }))?.target.endsWith(
        '?foo=123&bar=XYZ',
      );
    },
  },
  'endpoints.address-written-anew': {
    source: 'extensions: Registered external endpoint',
    breaks: 'The registered address is called as it stands, its query included.',
    survives:
      'A blank in a query has two spellings, and nothing says which: calls.simple.method compares what names and values a query holds.',
    variant: replaces('requests', 'endpointUrl', async (right, areas, delivery, callee) => {
      const url = new URL(await right(areas, delivery, callee));
      url.search = url.searchParams.toString();
      return url.href;
    }),
    async shows(service) {
      return (await callOfEndpoint(service, {}, { path: '/hook?name=a%20b' }))?.target !== '/hook?name=a%20b';
    },
  },
  'endpoints.query-of-the-first-one-there': {
    source: 'extensions: Registered external endpoint, row url',
    breaks: 'The address called is that of the endpoint, also where another one differs from it in the query alone.',
    variant: breaks('requests', 'endpointUrl', (right) => {
      const known = new Map<string, string>();
      return (areas, delivery, callee) => {
        const [bare = ''] = callee.endpoint.url.split('?');
        const url = known.get(bare) ?? callee.endpoint.url;
        known.set(bare, url);
        return right(areas, delivery, { ...callee, endpoint: { ...callee.endpoint, url } });
      };
    }),
    async shows(service) {
      const host = await service.host([], always(200));
      for (const id of ['one', 'two'])
        await registerEndpoint(service, 'externalEndpoint', { id, url: `${host.url}/hook?to=${id}` });
      for (const id of ['one', 'two']) await service.edda.sendToEndpoint(id);
      const calls = await awaitCalls(host, 2);
      return !calls.some(({ target }) => target.endsWith('to=two'));
    },
  },
  'registration.address-of-the-one-before': {
    source: 'extensions: Registered external endpoint (simple)',
    breaks: 'The url is the address that is called, also of an endpoint with the id of one that was deleted.',
    variant: together(
      changes('callees', 'calleeOf', (callee, areas) => {
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
      const host = await service.host([]);
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/first`, ...unlimited });
      await service.edda.sendToEndpoint();
      await awaitCalls(host);
      await service.cora.delete('/api/admin/externalEndpoint/hook');
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/second`, ...unlimited });
      await service.edda.sendToEndpoint();
      const calls = await awaitCalls(host, 2);
      return !calls.some(({ path }) => path === '/second');
    },
  },
  'endpoints.token-at-a-retry': {
    source: 'extensions: Registered external endpoint',
    breaks: 'A simple endpoint is given no access token, at a retry neither.',
    variant: changes('requests', 'requestFor', async (request, areas, delivery, callee, attempt) => {
      if (attempt === 1 || !('endpoint' in callee) || 'tokenLifeTime' in callee.endpoint) return request;
      const token = await areas.requests.impersonationToken(delivery.userName, 60);
      return { ...request, url: withParameter(request.url, 'access_token', token) };
    }),
    async shows(service) {
      await using host = await startExtensionHost({ script: always(503) });
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook` });
      await service.edda.sendToEndpoint();
      await service.pass(3, 2);
      return callsTo(host).some(({ target }) => target.includes('access_token'));
    },
  },
  'endpoints.one-for-each-address': {
    source: 'extensions: Registration routes, externalEndpoint',
    breaks: 'An endpoint is registered under its id, be there another one that has the same address.',
    variant: replaces('registrations', 'createEndpoint', async (right, areas, call, writing) => {
      const all = await registrationsOf(writing, call.json.kind);
      if (all.some((registration) => 'url' in registration && registration.url === call.json.url))
        throw new Refusal(409, 'There is an endpoint of this address already.');
      return right(areas, call, writing);
    }),
    async shows(service) {
      const url = 'http://localhost:9/hook';
      await registerEndpoint(service, 'externalEndpoint', { url });
      return (await registerEndpoint(service, 'externalEndpoint', { url, id: 'other' })).status >= 400;
    },
  },
  'endpoints.token-of-an-administrator': {
    source: 'extensions: Authentication 6',
    breaks: 'A simple endpoint gets no token, whichever role triggers the event.',
    variant: replaces('requests', 'endpointUrl', async (right, areas, delivery, callee) => {
      const user = areas.configuration.users.get(delivery.userName);
      const space = areas.configuration.spaces.get(delivery.spaceId);
      const roles = user === undefined || space === undefined ? [] : areas.auth.rolesOf(user, space);
      const url = await right(areas, delivery, callee);
      if (!roles.includes('administrator') || callee.endpoint.kind !== 'externalEndpoint') return url;
      const token = await areas.requests.impersonationToken(delivery.userName, 60);
      return `${url}${url.includes('?') ? '&' : '?'}access_token=${token}`;
    }),
    async shows(service) {
      const host = await service.host([]);
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook` });
      await service.alma.sendToEndpoint();
      await service.pass(1);
      const [call] = await awaitCalls(host);
      return call?.target.includes('access_token') === true;
    },
  },
  'calls.token-of-another-endpoint': {
    source: 'extensions: Authentication 6',
    breaks: 'A simple endpoint gets no token, also when a trusted one at its host got one before.',
    variant: breaks('requests', 'endpointUrl', (right) => {
      const queries = new Map<string, string>();
      return async (areas, delivery, callee) => {
        const url = new URL(await right(areas, delivery, callee));
        if (callee.endpoint.kind === 'trustedExternalEndpoint') queries.set(url.origin, url.search);
        else url.search ||= queries.get(url.origin) ?? '';
        return url.href;
      };
    }),
    async shows(service) {
      const host = await service.host([]);
      await registerEndpoint(service, 'trustedExternalEndpoint', { id: 'trusted', url: `${host.url}/trusted` });
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook` });
      for (const id of ['trusted', 'hook']) {
        await service.edda.sendToEndpoint(id);
        await service.pass(1);
      }
      return callsTo(host)[1]?.target.includes('access_token') === true;
    },
  },
  'endpoints.one-on-all-on': {
    source: 'extensions: Registered external endpoint, row active',
    breaks: 'To switch one endpoint on leaves the others off.',
    variant: switchingAllOn(),
    async shows(service) {
      const host = await service.host([]);
      const fields = (id: string, active: boolean) => ({ id, url: `${host.url}/${id}`, active });
      await registerEndpoint(service, 'externalEndpoint', fields('one', false));
      await registerEndpoint(service, 'externalEndpoint', fields('other', false));
      await service.cora.put('/api/admin/externalEndpoint/one', undefined, {
        method: 'POST',
        category: 'proof',
        headers: [{ name: 'content-type', value: 'application/json' }],
        ...fields('one', true),
      });
      await service.edda.sendToEndpoint('other');
      return (await awaitCalls(host, 1, 1000)).length > 0;
    },
  },
  'endpoints.one-off-all-off': {
    source: 'extensions: Registered external endpoint, row active',
    breaks: 'To switch one endpoint off leaves the others on.',
    variant: switchingAllOff(),
    async shows(service) {
      const host = await service.host([]);
      const fields = (id: string, active: boolean) => ({ id, url: `${host.url}/${id}`, active });
      await registerEndpoint(service, 'externalEndpoint', fields('one', true));
      await registerEndpoint(service, 'externalEndpoint', fields('other', false));
      await service.edda.sendToEndpoint('one');
      return (await awaitCalls(host, 1, 1000)).length === 0;
    },
  },
  'endpoint.on-again-behind-a-restart': {
    source: 'extensions: Registered external endpoint, row active',
    breaks: 'A simple endpoint that is registered switched off is off behind a restart.',
    variant: onBehindARestart('externalEndpoint'),
    shows: (service) => isOnBehindARestart(service, 'externalEndpoint'),
  },
  'endpoint.trusted-on-again-behind-a-restart': {
    source: 'extensions: Registered trusted external endpoint (all fields of the simple endpoint)',
    breaks: 'A trusted endpoint that is registered switched off is off behind a restart.',
    variant: onBehindARestart('trustedExternalEndpoint'),
    shows: (service) => isOnBehindARestart(service, 'trustedExternalEndpoint'),
  },
};

/** What is switched on takes those along that are off at that time. */
function switchingAllOn(): Variant {
  const [off, takenAlong] = [new Set<string>(), new Set<string>()];
  return together(
    replaces('registrations', 'endpointFrom', (right, areas, body) => {
      const fields = right(areas, body);
      takenAlong.delete(fields.id);
      if (!fields.active) off.add(fields.id);
      else if (off.delete(fields.id)) for (const id of off) takenAlong.add(id);
      return fields;
    }),
    replaces(
      'callees',
      'isActive',
      (right, areas, registration) => right(areas, registration) || takenAlong.has(registration.id),
    ),
  );
}

/** One flag for all endpoints: that of the one that was registered or changed last. */
function switchingAllOff(): Variant {
  let isOn = true;
  return together(
    changes('registrations', 'endpointFrom', (fields) => {
      isOn = fields.active;
      return fields;
    }),
    replaces(
      'callees',
      'isActive',
      (right, areas, registration) => right(areas, registration) && (registration.kind === 'svcExtension' || isOn),
    ),
  );
}

/** Every endpoint of the kind is active of which this run was not told that it is off. */
function onBehindARestart(kind: EndpointKind): Variant {
  const note = <Fields extends EndpointFields>(fields: Fields, areas: Parameters<typeof switchedOff>[0]): Fields => {
    if (fields.active) switchedOff(areas).delete(fields.id);
    else switchedOff(areas).add(fields.id);
    return fields;
  };
  return together(
    changes('registrations', 'endpointFrom', note),
    changes('registrations', 'trustedEndpointFrom', note),
    changes(
      'callees',
      'isActive',
      (active, areas, registration) =>
        active || (registration.kind === kind && !switchedOff(areas).has(registration.id)),
    ),
  );
}

async function isOnBehindARestart(service: Service, kind: EndpointKind): Promise<boolean> {
  const host = await service.host([]);
  await registerEndpoint(service, kind, { url: `${host.url}/hook`, active: false });
  await service.restart();
  await service.edda.sendToEndpoint('hook');
  return (await awaitCalls(host, 1, briefMs)).length > 0;
}
