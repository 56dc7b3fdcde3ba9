import { dropRegistration, registrationsOf } from '../../../reference-server/areas/registry.ts';
import { startExtensionHost } from '../../../simulator/extension/host.ts';
import type { Script } from '../../../simulator/extension/script.ts';
import { breaks, replaces } from '../../breaks.ts';
import { always, awaitCalls, bareEvent, callsOf, callsTo, event, mailer, mailPath } from '../hosts.ts';
import type { Mistakes } from '../mistake.ts';
import { changeExtension, claimsIn, logEntries, registerEndpoint } from '../proofs.ts';
import { at, hostKey, type Service, signatureOver } from '../service.ts';
import { changes } from '../variant-parts.ts';

/** Longest wait that a timer of 32 bits knows, in seconds. */
const longestTimerSeconds = 2_147_483;

/** The longest time that a timer knows, in ms. */
const longestTimer = 2 ** 31 - 1;

export const registrationMistakes: Mistakes = {
  'extensions.host-of-the-same-route': {
    source: 'extensions: What the service does',
    breaks: 'Each call goes to the host that is registered for it, also where two hosts have a route of one name.',
    variant: breaks('callees', 'calleeOf', (right) => {
      const urls = new Map<string, string>();
      return async (areas, reading, address) => {
        const callee = await right(areas, reading, address);
        if (callee === undefined || !('record' in callee)) return callee;
        const url = urls.get(callee.record.endpoint) ?? callee.url;
        urls.set(callee.record.endpoint, url);
        return { ...callee, url };
      };
    }),
    async shows(service) {
      await service.host([{ id: 'one', endpoint: '/same' }]);
      const other = await service.host([{ id: 'other', endpoint: '/same' }]);
      await service.edda.sendEvent('one');
      await service.edda.sendEvent('other');
      await service.pass(1);
      return callsOf(other, 'event').length === 0;
    },
  },
  'extensions.switched-off-at-first': {
    source: 'extensions: Registered extension, active',
    breaks: 'An extension that is registered as not active is not called.',
    variant: replaces('registrations', 'createExtension', (right, areas, call) =>
      right(areas, { ...call, json: { ...call.json, active: true } }),
    ),
    async shows({ host, edda, cora, pass }) {
      const found = await host([]);
      found.setRecords([bareEvent]);
      const body = { hostUri: found.url, apiKey: hostKey, tokenLifeTime: 60, active: false };
      await cora.post('/api/admin/svcExtension', body);
      await edda.sendEvent();
      await pass(1);
      return callsTo(found).length > 0;
    },
  },
  'extensions.token-of-an-hour': {
    source: 'extensions: Registered extension, tokenLifeTime',
    breaks: 'A token is valid for as many minutes as the registration says, also for more than an hour.',
    variant: replaces('requests', 'impersonationToken', (right, areas, userName, minutes) =>
      right(areas, userName, Math.min(minutes, 60)),
    ),
    async shows(service) {
      const host = await service.host([bareEvent]);
      await changeExtension(service, { hostUri: host.url, tokenLifeTime: 120 });
      await service.edda.sendEvent();
      await service.pass(1);
      const claims = claimsIn(callsTo(host)[0]);
      return Number(at(claims, '/exp')) - Number(at(claims, '/iat')) !== 120 * 60;
    },
  },
  'active.stays-on-once-it-was-switched-on-again': {
    source: 'extensions: Registered extension',
    breaks: 'An extension can be switched off a second time.',
    variant: breaks('callees', 'isActive', (right) => {
      const states = new Map<string, { wasOff: boolean; isOnForGood: boolean }>();
      return (areas, registration) => {
        const isActive = right(areas, registration);
        const state = states.get(registration.id) ?? { wasOff: false, isOnForGood: false };
        states.set(registration.id, state);
        if (!isActive) state.wasOff = true;
        else if (state.wasOff) state.isOnForGood = true;
        return isActive || state.isOnForGood;
      };
    }),
    async shows(service) {
      const host = await service.host([event]);
      const listing = await service.cora.get('/api/admin/svcExtension');
      const id = String(at(listing.json, '/data/0/id'));
      for (const active of [false, true, false]) {
        const body = { hostUri: host.url, apiKey: hostKey, tokenLifeTime: 60, active };
        await service.cora.send('PUT', `/api/admin/svcExtension/${id}`, { body });
        await service.edda.sendEvent('event', { active });
      }
      await awaitCalls(host);
      return (await host.await(({ kind }) => kind === 'event', 2, AbortSignal.timeout(500))).length > 1;
    },
  },
  'active.switched-by-origin': {
    source: 'extensions: Registered extension, active',
    breaks: 'An extension is switched off by itself, and not with it another one of the same origin.',
    variant: breaks('callees', 'isActive', (right) => {
      const off = new Map<string, Set<string>>();
      return (areas, registration) => {
        if (registration.kind !== 'svcExtension') return right(areas, registration);
        const { origin } = new URL(registration.hostUri);
        const ids = off.get(origin) ?? new Set();
        off.set(origin, ids);
        if (registration.active) ids.delete(registration.id);
        else ids.add(registration.id);
        return ids.size === 0;
      };
    }),
    async shows(service) {
      const host = await service.host([{ id: 'first' }], servesBelow('/other', { ...bareEvent, id: 'other' }));
      await register(service, `${host.url}/other`, false);
      for (const id of ['other', 'first']) await service.edda.sendEvent(id);
      await service.pass(1);
      return callsOf(host, 'event').length === 0;
    },
  },
  'registration.base-in-small-letters': {
    source: 'extensions: Registered extension, hostUri',
    breaks: 'The base URL of a host is what is registered, with the capitals of its path.',
    variant: changes('registrations', 'extensionFrom', (fields) => ({
      ...fields,
      hostUri: fields.hostUri.toLowerCase(),
    })),
    async shows(service) {
      const host = await service.host([]);
      const body = { hostUri: `${host.url}/Base`, apiKey: hostKey, tokenLifeTime: 60 };
      await service.cora.post('/api/admin/svcExtension', body);
      return host.entries().some(({ target }) => target.startsWith('/base/'));
    },
  },
  'extensions.mail-to-one-that-is-off': {
    source: 'extensions: Registered extension, row active',
    breaks: 'An extension that is switched off is not called, also not with a mail.',
    variant: changes('callees', 'calleeOf', (callee) => {
      if (callee === undefined || !('record' in callee) || callee.record.extensionType !== 'Email') return callee;
      return { ...callee, active: true };
    }),
    async shows(service) {
      const host = await service.host([mailer]);
      await changeExtension(service, { hostUri: host.url, active: false });
      await service.edda.post(mailPath, { to: 'a@b.example', subject: 's', body: 'b' });
      return (await awaitCalls(host, 1, 500)).length > 0;
    },
  },
  'registered.key-in-the-warning': {
    source: 'extensions: Registered extension, apiKey',
    breaks: 'The key is a secret, also where the metadata of its extension cannot be had.',
    survives: 'Whether answers of the registration routes tell the key is not said (registration-responses): remarked.',
    variant: changes('metadata', 'fetchMetadata', (answer, _areas, extension) =>
      'warning' in answer ? { warning: `${answer.warning} ${JSON.stringify(extension)}` } : answer,
    ),
    async shows({ cora }) {
      const body = { hostUri: 'http://127.0.0.1:9/nobody', apiKey: hostKey, tokenLifeTime: 60 };
      return (await cora.post('/api/admin/svcExtension', body)).text.includes(hostKey);
    },
  },
  'calls.former-key-signs-after-an-update': {
    source: 'extensions: Registered extension',
    breaks: 'After an update of the registration calls are signed with the key that it has now.',
    variant: breaks('signing', 'signatureHeaders', (right) => {
      const kept = new Map<string, string>();
      return (areas, apiKey, url) => {
        const { origin } = new URL(url);
        const key = kept.get(origin) ?? apiKey;
        kept.set(origin, key);
        return right(areas, key, url);
      };
    }),
    async shows(service) {
      const host = await service.host([event]);
      const apiKey = Buffer.alloc(64, 9).toString('base64');
      await changeExtension(service, { hostUri: host.url, apiKey });
      await service.edda.sendEvent();
      await service.pass(1);
      const sent = callsTo(host)[0]?.headers.find(([name]) => name.toLowerCase() === 'authorization');
      return sent?.[1] !== `Bearer ${signatureOver('/event', apiKey)}`;
    },
  },
  'metadata.route-of-a-mail-from-the-root': {
    source: 'extensions: Registered extension, row hostUri',
    breaks: 'The route of a record is below hostUri, also where hostUri has a path and the record is that of mails.',
    variant: changes('callees', 'calleeOf', (callee) => {
      if (callee === undefined || !('record' in callee) || callee.record.extensionType !== 'Email') return callee;
      return { ...callee, url: new URL(callee.record.endpoint, callee.extension.hostUri).href };
    }),
    async shows(service) {
      const named = { id: 'mail', name: 'mail', version: '1.0.0', category: 'proof' };
      const record = { ...named, endpoint: '/mail', extensionType: 'Email' };
      const host = await service.host([], ({ path }) =>
        path.endsWith('/svc/extension') ? { status: 200, json: [record] } : { status: 200 },
      );
      const body = { hostUri: `${host.url}/below/here`, apiKey: hostKey, tokenLifeTime: 60 };
      await service.cora.post('/api/admin/svcExtension', body);
      await service.edda.post(mailPath, { to: 'a@b.example', subject: 's', body: 'text' });
      await service.pass(1);
      return callsTo(host).some(({ path }) => path === '/mail');
    },
  },
  'access.space-administrator-registers-trusted-endpoints': {
    source: 'extensions: Registration routes',
    breaks: 'Trusted endpoints are registered by Collection Administrators, not by administrators of a space.',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      const isMeant = access === 'collection' && call.url.startsWith('/api/admin/trustedExternalEndpoint');
      const spaces = [...areas.configuration.spaces.values()];
      if (isMeant && spaces.some((space) => areas.auth.rolesOf(user, space).includes('administrator'))) return;
      right(areas, user, access, call);
    }),
    async shows({ alma }) {
      const body = {
        id: 'trusted',
        url: 'http://127.0.0.1:9/x',
        method: 'POST',
        category: 'proof',
        headers: [{ name: 'content-type', value: 'application/json' }],
        tokenLifeTime: 5,
      };
      return (await alma.post('/api/admin/trustedExternalEndpoint', body)).status < 300;
    },
  },
  'registrations.timer-runs-over': {
    source: 'extensions: Registration routes',
    breaks: 'A request timeout of a month is one of a month.',
    variant: changes('registrations', 'endpointFrom', (fields) =>
      fields.requestTimeout > longestTimerSeconds ? { ...fields, requestTimeout: 1 } : fields,
    ),
    async shows(service) {
      await using host = await startExtensionHost({ script: always({ never: true }) });
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook`, requestTimeout: 2_592_000 });
      await service.edda.sendToEndpoint();
      await service.pass(1, 3);
      return (await logEntries(service, 'timeout')).length > 0;
    },
  },
  'registrations.kind-of-the-former': {
    source: 'extensions: Registration routes',
    breaks: 'An endpoint is what it was registered as, also where its id was that of a simple one before.',
    variant: breaks('registrations', 'createEndpoint', (right) => {
      const simple = new Set<string>();
      return async (areas, { json }, writing) => {
        const endpoint = simple.has(json.id) ? ({ ...json, kind: 'externalEndpoint' } as typeof json) : json;
        const answer = await right(areas, { json: endpoint }, writing);
        if (endpoint.kind === 'externalEndpoint') simple.add(json.id);
        return answer;
      };
    }),
    async shows(service) {
      const host = await service.host([]);
      const url = `${host.url}/hook`;
      const { headers } = await registerEndpoint(service, 'externalEndpoint', { url });
      await service.cora.delete(headers.get('location') ?? '');
      await registerEndpoint(service, 'trustedExternalEndpoint', { url });
      await service.edda.sendToEndpoint();
      await service.pass(1);
      const [entry] = host.entries(({ path }) => path === '/hook');
      return entry !== undefined && !entry.target.includes('access_token=');
    },
  },
  'registration.active-from-the-start': {
    source: 'extensions: Registration routes',
    breaks: 'An endpoint is registered as it is sent, also as one that is not active.',
    variant: replaces('registrations', 'endpointFrom', (right, areas, body) => ({
      ...right(areas, body),
      active: true,
    })),
    async shows(service) {
      const host = await service.host([]);
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook`, active: false });
      await service.edda.sendToEndpoint();
      await service.pass(1);
      return callsTo(host).length > 0;
    },
  },
  'registration.longer-than-a-timer': {
    source: 'extensions: Registration routes',
    breaks: 'A request waits as many seconds for its response as are registered, however many those are.',
    variant: changes('callees', 'calleeOf', (callee) =>
      callee === undefined || callee.timeoutMs <= longestTimer ? callee : { ...callee, timeoutMs: 1 },
    ),
    async shows(service) {
      await using host = await startExtensionHost({ script: always({ never: true }) });
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook`, requestTimeout: 3_000_000 });
      await service.edda.sendToEndpoint();
      await awaitCalls(host);
      await service.pass(1, 2);
      return (await logEntries(service, 'timeout')).length > 0;
    },
  },
  'registration.one-a-key': {
    source: 'extensions: Registration routes',
    breaks: 'An extension that is registered stays so, also when another one is registered with the same key.',
    variant: changes('registrations', 'createExtension', async (answer, areas, call) => {
      await areas.store.change(async (writing) => {
        for (const former of await registrationsOf(writing, 'svcExtension'))
          if (
            former.kind === 'svcExtension' &&
            former.apiKey === call.json.apiKey &&
            former.id !== at(answer.body, '/id')
          )
            await dropRegistration(writing, former);
      });
      return answer;
    }),
    async shows({ host, edda }) {
      for (const id of ['one', 'two']) await host([{ id }]);
      return (await edda.sendEvent('one')).status >= 400;
    },
  },
};

/** A host that serves the metadata of one more extension below the path. */
function servesBelow(path: string, record: object): Script {
  return [{ when: { path: `${path}/svc/extension` }, steps: [{ status: 200, json: [record] }], afterwards: 'last' }];
}

function register({ cora }: Service, hostUri: string, active = true) {
  return cora.post('/api/admin/svcExtension', { hostUri, apiKey: hostKey, tokenLifeTime: 60, active });
}
