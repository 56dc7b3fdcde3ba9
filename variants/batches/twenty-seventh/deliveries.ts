import { randomBytes } from 'node:crypto';
import { headerValues } from '../../../simulator/extension/entry.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, callsTo, changeExtension, logged, registerEndpoint } from '../proofs.ts';
import { at, hostKey, signatureOver } from '../service.ts';

/** When calls go out, and when again. */
export const deliveryMistakes: Batch = {
  'delivery.neighbour-retries-for-ever': {
    source: 'extensions: Registered external endpoint, row retryForever',
    breaks: 'Who does not ask for endless retries has five, also beside another record of its host that asks for them.',
    kind: 'copy',
    variant: replaces('policies', 'policyOf', (right, areas, callee, delivery) => {
      const policy = right(areas, callee, delivery);
      const isBeside = 'extension' in callee && callee.extension.records.some(({ retryForever }) => retryForever);
      return isBeside ? { ...policy, retries: Infinity } : policy;
    }),
    async shows(service) {
      const host = await service.host(
        () => [{ id: 'event' }, { id: 'endless', retryForever: true }],
        always({ status: 503 }),
      );
      await service.edda.sendEvent();
      await service.pass(70, 8);
      return callsOf(host, 'event').length > 6;
    },
  },

  'delivery.later-attempts-have-the-usual-time': {
    source: 'extensions: Limits, request timeout',
    breaks: 'The time that is configured for an answer holds for every attempt, not for the first alone.',
    kind: 'moment',
    variant: replaces('requests', 'requestFor', async (right, areas, delivery, callee, attempt) => {
      const request = await right(areas, delivery, callee, attempt);
      return attempt > 1 ? { ...request, timeoutMs: 100_000 } : request;
    }),
    async shows(service) {
      await service.host(() => [{ id: 'event', requestTimeout: 2 }], always({ never: true }));
      await service.edda.sendEvent();
      await service.pass(1, 9);
      return (await logged(service, 'timeout')).length < 2;
    },
  },

  'delivery.no-limit-after-a-pause': {
    source: 'extensions: Registered external endpoint, row rateLimitNumberOfExecutions',
    breaks: 'The limit holds for the minute after a pause as well, in which the queued requests are delivered.',
    kind: 'moment',
    variant: replaces('policies', 'rateDecision', (right, areas, window, now, limit) => {
      const end = window?.pausedUntil ?? 0;
      if (window !== undefined && end > 0 && now >= end && now < end + 60_000) return { kind: 'run', window };
      return right(areas, window, now, limit);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', rateLimitNumberOfExecutions: 2 }]);
      for (let left = 6; left > 0; left -= 1) await service.edda.sendEvent();
      await service.pass(61);
      return callsOf(host, 'event').length > 4;
    },
  },

  'delivery.refused-ones-leave-without-a-word': {
    source: 'extensions: Events 3',
    breaks: 'The removal of an event from the queue is logged, also when the extension let nobody in.',
    kind: 'value',
    variant: replaces('deliveries', 'logEntriesFor', (right, areas, delivery, policy, outcome, step) => {
      const entries = right(areas, delivery, policy, outcome, step);
      const isShut = outcome.kind === 'answered' && (outcome.status === 401 || outcome.status === 403);
      return isShut ? entries.filter(({ kind }) => kind !== 'removed') : entries;
    }),
    survives: 'silence log-access: no way to read the log is shown, and an entry says that the event has failed',
    async shows(service) {
      await service.host(() => [{ id: 'event' }], always({ status: 403 }));
      await service.edda.sendEvent();
      await service.pass(1);
      return (await logged(service, 'removed')).length === 0;
    },
  },

  'delivery.second-switch-off-is-not-seen': {
    source: 'extensions: Registered extension, row active',
    breaks: 'A registration can be switched off at any time, also when it has been switched off and on before.',
    kind: 'moment',
    variant: breaks('callees', 'isActive', (right) => {
      const states = new Map<string, 'off' | 'on again'>();
      return (areas, registration) => {
        const isActive = right(areas, registration);
        const state = states.get(registration.id);
        if (!isActive && state === undefined) states.set(registration.id, 'off');
        if (isActive && state === 'off') states.set(registration.id, 'on again');
        return isActive || state === 'on again';
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      for (const active of [false, true, false]) {
        await changeExtension(service, { hostUri: host.url, active });
        await service.edda.sendEvent();
        await service.pass(1);
      }
      return callsOf(host, 'event').length > 1;
    },
  },

  'signing.key-of-the-first-attempt': {
    source: 'extensions: Registered extension, row apiKey',
    breaks: 'A call is signed with the key of the extension, also when it got that key since the first attempt.',
    kind: 'moment',
    variant: breaks('requests', 'requestFor', (right) => {
      const keys = new Map<string, string>();
      return (areas, delivery, callee, attempt) => {
        if (!('extension' in callee)) return right(areas, delivery, callee, attempt);
        const apiKey = keys.get(delivery.id) ?? callee.extension.apiKey;
        keys.set(delivery.id, apiKey);
        return right(areas, delivery, { ...callee, extension: { ...callee.extension, apiKey } }, attempt);
      };
    }),
    survives: 'silence inactive-queue: what an update means for calls that wait already is not said',
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', endpoint: '/event' }], always({ status: 503 }));
      await service.edda.sendEvent();
      await service.pass(1);
      await changeExtension(service, { hostUri: host.url, apiKey: randomBytes(64).toString('base64') });
      await service.pass(3);
      const [, second] = callsOf(host, 'event');
      return (
        second !== undefined &&
        headerValues(second, 'Authorization')[0] === `Bearer ${signatureOver('/event', hostKey)}`
      );
    },
  },

  'metadata.route-of-a-mail-from-the-root': {
    source: 'extensions: Registered extension, row hostUri',
    breaks: 'The route of a record is below hostUri, also where hostUri has a path and the record is that of mails.',
    kind: 'combination',
    variant: replaces('callees', 'calleeOf', async (right, areas, reading, address) => {
      const callee = await right(areas, reading, address);
      if (callee === undefined || !('record' in callee) || callee.record.extensionType !== 'Email') return callee;
      return { ...callee, url: new URL(callee.record.endpoint, callee.extension.hostUri).href };
    }),
    async shows(service) {
      const named = { id: 'mail', name: 'mail', version: '1.0.0', category: 'proof' };
      const record = { ...named, endpoint: '/mail', extensionType: 'Email' };
      const host = await service.host(
        () => [],
        ({ path }) => (path.endsWith('/svc/extension') ? { status: 200, json: [record] } : { status: 200 }),
      );
      const body = { hostUri: `${host.url}/below/here`, apiKey: hostKey, tokenLifeTime: 60 };
      await service.cora.post('/api/admin/svcExtension', body);
      await service.edda.post('/api/space/main/externalEmail', { to: 'a@b.example', subject: 's', body: 'text' });
      await service.pass(1);
      return callsTo(host).some(({ path }) => path === '/mail');
    },
  },
};

/** Calls to endpoints. */
export const endpointMistakes: Batch = {
  'endpoints.headers-of-those-before': {
    source: 'extensions: Registered external endpoint, row headers',
    breaks: 'The headers of a call are those of its endpoint, and none of another one that was called before.',
    kind: 'copy',
    variant: breaks('requests', 'endpointRequest', (right) => {
      let headers: Readonly<Record<string, string>> = {};
      return async (areas, delivery, callee) => {
        const request = await right(areas, delivery, callee);
        const names = Object.keys(request.headers).map((name) => name.toLowerCase());
        const others = Object.entries(headers).filter(([name]) => !names.includes(name.toLowerCase()));
        headers = { ...Object.fromEntries(others), ...request.headers };
        return { ...request, headers };
      };
    }),
    async shows(service) {
      const host = await service.host(() => [], always({ status: 200 }));
      const type = { name: 'content-type', value: 'text/plain' };
      const headers = [type, { name: 'x-own', value: 'secret' }];
      await registerEndpoint(service, 'externalEndpoint', { id: 'first', url: `${host.url}/first`, headers });
      await registerEndpoint(service, 'externalEndpoint', { id: 'second', url: `${host.url}/second`, headers: [type] });
      for (const id of ['first', 'second']) {
        await service.edda.sendToEndpoint(id, 'text');
        await service.pass(1);
      }
      return callsTo(host).some((entry) => entry.path === '/second' && headerValues(entry, 'x-own').length > 0);
    },
  },

  'endpoints.no-body-for-nought': {
    source: 'extensions: Registered external endpoint, text below the table',
    breaks: 'The body of a call is the configured content, be it 0 or false.',
    kind: 'value',
    variant: replaces('requests', 'endpointRequest', async (right, areas, delivery, callee) => {
      const { body, ...request } = await right(areas, delivery, callee);
      return delivery.payload ? { ...request, ...(body !== undefined && { body }) } : request;
    }),
    async shows(service) {
      const host = await service.host(() => [], always({ status: 200 }));
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook` });
      await service.edda.sendToEndpoint('hook', 0);
      await service.pass(1);
      return callsTo(host)[0]?.body.length === 0;
    },
  },

  'endpoints.life-of-the-first-token': {
    source: 'extensions: Registration routes, row trustedExternalEndpoint',
    breaks: 'The token for a trusted endpoint lives as long as its registration says, not as that of another one.',
    kind: 'copy',
    variant: breaks('requests', 'endpointUrl', (right) => {
      let tokenLifeTime: number | undefined;
      return (areas, delivery, callee) => {
        const { endpoint } = callee;
        if (endpoint.kind !== 'trustedExternalEndpoint') return right(areas, delivery, callee);
        tokenLifeTime ??= endpoint.tokenLifeTime;
        return right(areas, delivery, { ...callee, endpoint: { ...endpoint, tokenLifeTime } });
      };
    }),
    async shows(service) {
      const host = await service.host(() => [], always({ status: 200 }));
      for (const tokenLifeTime of [60, 5]) {
        const id = `for${tokenLifeTime}`;
        await registerEndpoint(service, 'trustedExternalEndpoint', { id, url: `${host.url}/${id}`, tokenLifeTime });
        await service.edda.sendToEndpoint(id, 'text');
        await service.pass(1);
      }
      const call = callsTo(host).find(({ path }) => path === '/for5');
      const token = new URL(call?.target ?? '', host.url).searchParams.get('access_token') ?? '';
      const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString() || 'null');
      return Number(at(claims, '/exp')) - Number(at(claims, '/iat')) !== 300;
    },
  },
};

/** API keys. */
export const keyMistakes: Batch = {
  'api-keys.key-for-accounts-opens-bulk': {
    source: 'extensions: Permission names, row AuthorizationAPI',
    breaks: 'A key to manage user accounts opens no bulk upload, which needs an administration key.',
    kind: 'value',
    variant: replaces('apiKeys', 'opensAdministration', (right, areas, permission) =>
      right(areas, permission === 'AuthorizationAPI' ? 'AdministrationAPI' : permission),
    ),
    async shows(service) {
      const permissions = ['AuthorizationAPI'] as const;
      const host = await service.host(
        (url) => [{ id: 'holder', permissions: { tokenCallback: `${url}/keys`, permissions: [...permissions] } }],
        always({ status: 200 }),
      );
      const body = { tokenCallback: `${host.url}/keys`, permissions };
      await service.cora.post(acquirePath('holder'), body);
      const key = String(at(callsTo(host).at(-1)?.json, '/AuthorizationAPI/apiKey'));
      const authorization = `Bearer ${signatureOver('/admin/fileupload', key)}`;
      const source = { sourceDirectory: await service.directory(), writeLog: false };
      return (await service.nobody.post('/admin/fileupload', source, { authorization })).status < 300;
    },
  },

  'api-keys.administrators-get-what-they-ask-for': {
    source: 'extensions: Acquiring API keys',
    breaks: 'Only permissions of the metadata can be requested, by a Collection Administrator neither.',
    kind: 'role',
    variant: (classes) => {
      let isAdministrator = false;
      const marked = replaces('auth', 'authorize', (right, areas, user, access, call) => {
        right(areas, user, access, call);
        isAdministrator = call.url.includes('/acquireAccessToken/');
      })(classes);
      return replaces('apiKeys', 'excessPermissions', (right, areas, asked, configured) => {
        const excess = isAdministrator ? [] : right(areas, asked, configured);
        isAdministrator = false;
        return excess;
      })(marked);
    },
    async shows(service) {
      const host = await service.host(
        (url) => [{ id: 'holder', permissions: { tokenCallback: `${url}/keys`, permissions: ['SnapshotAPI'] } }],
        always({ status: 200 }),
      );
      const body = { tokenCallback: `${host.url}/keys`, permissions: ['LicenseCommunicationAPI'] };
      return (await service.cora.post(acquirePath('holder'), body)).status < 300;
    },
  },
};

function acquirePath(id: string): string {
  return `/api/collection/externalExtension/acquireAccessToken/${id}`;
}
