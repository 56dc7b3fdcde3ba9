import { startExtensionHost } from '../../../simulator/extension/host.ts';
import { Step, breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, callsTo, changeExtension, claimsIn, reached, registerEndpoint } from '../proofs.ts';
import { at } from '../service.ts';

const mailPath = '/api/space/main/externalEmail';
const mail = { to: 'a@example.org', subject: 's', body: 'b' };
const minutesOfADay = 1440;
/** An instant as others write it. */
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** Calls to extensions and endpoints. */
export const callsMistakes: Batch = {
  'email.id-of-each-attempt': {
    source: 'core: Events',
    breaks: 'The correlation id of the trigger is passed on with a mail, on its later attempts as well.',
    kind: 'combination',
    variant: replaces('requests', 'requestFor', (right, areas, delivery, callee, attempt) =>
      delivery.kind === 'email' && attempt > 1
        ? right(areas, { ...delivery, envelopeId: `${delivery.envelopeId}.${attempt}` }, callee, attempt)
        : right(areas, delivery, callee, attempt),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'mail', extensionType: 'Email' }], always({ status: 503 }));
      await service.edda.post(mailPath, mail, { 'X-Correlation-Id': 'given' });
      await service.pass(1, 6);
      return callsOf(host, 'email').some(({ envelope }) => envelope?.id !== 'given');
    },
  },

  'registration.administrator-of-a-space': {
    source: 'extensions: What the service does',
    breaks: 'A Collection Administrator registers endpoints, and not the administrator of a space.',
    kind: 'role',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      const spaces = [...areas.configuration.spaces.values()];
      const isOfASpace = spaces.some((space) => areas.auth.rolesOf(user, space).includes('administrator'));
      if (isOfASpace && call.method === 'POST' && call.url.startsWith('/api/admin/external')) return;
      right(areas, user, access, call);
    }),
    async shows({ alma }) {
      const { status } = await alma.post('/api/admin/externalEndpoint', {
        id: 'hook',
        url: 'http://127.0.0.1:9/hook',
        method: 'POST',
        category: 'proof',
        headers: [{ name: 'content-type', value: 'application/json' }],
      });
      return status < 300;
    },
  },

  'endpoints.off-for-the-second-time': {
    source: 'extensions: Registered external endpoint, row active',
    breaks: 'An endpoint that is switched off gets no call, also when it has been off and on before.',
    kind: 'moment',
    variant: breaks('callees', 'isActive', (right) => {
      const states = new Map<string, 'off' | 'on again'>();
      return (areas, registration) => {
        const isActive = right(areas, registration);
        const state = states.get(registration.id);
        if (registration.kind === 'svcExtension' || state === 'on again') return isActive || state === 'on again';
        if (!isActive) states.set(registration.id, 'off');
        else if (state === 'off') states.set(registration.id, 'on again');
        return isActive;
      };
    }),
    async shows(service) {
      const host = await service.host(() => [], always({ status: 200 }));
      const fields = {
        id: 'hook',
        url: `${host.url}/hook`,
        method: 'POST',
        category: 'proof',
        headers: [{ name: 'content-type', value: 'application/json' }],
        rateLimitNumberOfExecutions: 100,
      };
      await registerEndpoint(service, 'externalEndpoint', fields);
      for (const active of [false, true, false]) {
        await service.cora.put('/api/admin/externalEndpoint/hook', undefined, { ...fields, active });
        await service.edda.sendToEndpoint('hook', { active });
        await service.pass(1);
      }
      return callsTo(host).length > 1;
    },
  },

  'endpoints.patch-of-a-trusted-one': {
    source: 'extensions: Registered external endpoint, row method',
    breaks: 'An endpoint is called by its method, also a trusted one by PATCH.',
    kind: 'role',
    variant: replaces('requests', 'endpointRequest', async (right, areas, delivery, callee) => {
      const request = await right(areas, delivery, callee);
      return callee.endpoint.kind === 'trustedExternalEndpoint' && request.method === 'PATCH'
        ? { ...request, method: 'POST' }
        : request;
    }),
    async shows(service) {
      const host = await service.host(() => []);
      await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/hook`, method: 'PATCH' });
      await service.edda.sendToEndpoint();
      await service.pass(1);
      return callsTo(host).some(({ method }) => method === 'POST');
    },
  },

  'endpoints.timeout-of-a-trusted-one': {
    source: 'extensions: Registered external endpoint, row requestTimeout',
    breaks: 'An answer is waited for 100 seconds unless the endpoint says otherwise, a trusted one as well.',
    kind: 'role',
    variant: replaces('registrations', 'trustedEndpointFrom', (right, areas, body) => {
      const fields = right(areas, body);
      return at(body, '/requestTimeout') === undefined ? { ...fields, requestTimeout: 60 } : fields;
    }),
    async shows(service) {
      await using host = await startExtensionHost({ script: always({ never: true }) });
      await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/hook` });
      await service.edda.sendToEndpoint();
      await reached(host, 1);
      await service.pass(70);
      await service.pass(3);
      return (await reached(host, 2, 500)).length > 1;
    },
  },

  'endpoints.life-time-at-first': {
    source: 'extensions: Registered trusted external endpoint, row tokenLifeTime',
    breaks: 'A token stays valid as long as the endpoint says, also when it says so since an update.',
    kind: 'combination',
    variant: breaks('requests', 'endpointUrl', (right) => {
      const lifeTimes = new Map<string, number>();
      return (areas, delivery, callee) => {
        const { endpoint } = callee;
        if (endpoint.kind !== 'trustedExternalEndpoint') return right(areas, delivery, callee);
        const tokenLifeTime = lifeTimes.get(endpoint.id) ?? endpoint.tokenLifeTime;
        lifeTimes.set(endpoint.id, tokenLifeTime);
        return right(areas, delivery, { ...callee, endpoint: { ...endpoint, tokenLifeTime } });
      };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      const fields = { id: 'hook', url: `${host.url}/hook`, method: 'POST', category: 'proof' };
      const headers = [{ name: 'content-type', value: 'application/json' }];
      await registerEndpoint(service, 'trustedExternalEndpoint', { ...fields, tokenLifeTime: 30 });
      await service.edda.sendToEndpoint();
      await service.pass(1);
      const path = '/api/admin/trustedExternalEndpoint/hook';
      await service.cora.put(path, undefined, { ...fields, headers, tokenLifeTime: 5 });
      await service.edda.sendToEndpoint();
      await service.pass(1);
      return lifeTimeIn(callsTo(host).at(-1)?.target) === 30 * 60;
    },
  },

  'events.instants-are-rewritten': {
    source: 'extensions: Payloads by extension type, row ExternalEvent',
    breaks: 'The content of an event is sent as it is configured, a text that looks like a time included.',
    kind: 'value',
    variant: replaces('requests', 'payloadOf', (right, areas, delivery, token) => {
      const payload = right(areas, delivery, token);
      return delivery.kind === 'event' ? withRewrittenInstants(payload) : payload;
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await service.edda.sendEvent('event', { when: '2020-01-02T03:04:05Z' });
      await service.pass(1);
      const [call] = callsOf(host, 'event');
      return at(call?.envelope, '/payload/contentPayload/when') !== '2020-01-02T03:04:05Z';
    },
  },

  'endpoints.token-for-a-day-at-most': {
    source: 'extensions: Registered trusted external endpoint, row tokenLifeTime',
    breaks: 'A token stays valid as long as is registered, also beyond a day.',
    kind: 'value',
    variant: replaces('registrations', 'trustedEndpointFrom', (right, areas, body) => {
      const fields = right(areas, body);
      return { ...fields, tokenLifeTime: Math.min(fields.tokenLifeTime, minutesOfADay) };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/hook`, tokenLifeTime: 1441 });
      await service.edda.sendToEndpoint();
      await service.pass(1);
      return lifeTimeIn(callsTo(host)[0]?.target) !== 1441 * 60;
    },
  },

  'email.without-what-is-empty': {
    source: 'extensions: Payloads by extension type, row Email',
    breaks: 'A mail is sent with its body, also with an empty one.',
    kind: 'value',
    survives:
      'How a text without characters comes in a payload, as one, as null or not at all, is not said: ledger optional-payload-members.',
    variant: replaces('requests', 'payloadOf', (right, areas, delivery, token) => {
      const payload = right(areas, delivery, token);
      if (delivery.kind !== 'email') return payload;
      return Object.fromEntries(Object.entries(Object(payload)).filter(([, text]) => text !== ''));
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'mail', extensionType: 'Email' }]);
      await service.edda.post(mailPath, { ...mail, body: '' });
      await service.pass(1);
      return at(callsOf(host, 'email')[0]?.envelope, '/payload/body') !== '';
    },
  },

  'email.token-of-the-first-mail': {
    source: 'extensions: Calls to extensions',
    breaks: 'The query of a mail has the token of who triggers it, also behind a mail of another user.',
    kind: 'copy',
    variant: breaks('requests', 'extensionRequest', (right) => {
      const urls = new Map<string, string>();
      return async (areas, delivery, callee) => {
        const request = await right(areas, delivery, callee);
        if (delivery.kind !== 'email') return request;
        const url = urls.get(callee.url) ?? request.url;
        urls.set(callee.url, url);
        return { ...request, url };
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'mail', extensionType: 'Email' }]);
      for (const user of [service.edda, service.emil]) {
        await user.post(mailPath, mail);
        await service.pass(1);
      }
      const call = callsOf(host, 'email').at(-1);
      return at(claimsIn(call), '/sub') !== at(claimsInQuery(call?.target), '/sub');
    },
  },

  'validation.which-errors-pass': {
    source: 'extensions: Limits, retries row 2',
    breaks: 'A validation is tried again after any 5xx.',
    kind: 'value',
    variant: (classes) => {
      const step = new Step();
      return together(
        replaces('outgoingCalls', 'callWithRetries', (right, areas, delivery, retries) =>
          delivery.kind === 'validation'
            ? step.run(() => right(areas, delivery, retries))
            : right(areas, delivery, retries),
        ),
        replaces(
          'policies',
          'isTransient',
          (right, areas, outcome) =>
            right(areas, outcome) && !(step.isOn() && outcome.kind === 'answered' && outcome.status > 504),
        ),
      )(classes);
    },
    async shows(service) {
      const capabilities = [{ capabilityType: 'SoftType', capabilities: ['Document'] }];
      const host = await service.host(
        () => [{ id: 'check', extensionType: 'ExternalValidation', capabilities }],
        always({ status: 507 }),
      );
      const made = await service.edda.make('Document', { title: 't' });
      const moved = service.edda.move(made, 1);
      await reached(host, 1);
      await service.pass(1, 20);
      await moved;
      return callsOf(host, 'validation').length === 1;
    },
  },

  'tasks.token-as-long-as-the-task': {
    source: 'extensions: Registered extension, row tokenLifeTime',
    breaks: 'A token stays valid as long as the extension says, also that of a task with a timeout of its own.',
    kind: 'combination',
    variant: replaces('requests', 'extensionRequest', (right, areas, delivery, callee) => {
      const timeout = at(delivery.payload, '/timeout');
      if (delivery.kind !== 'task' || typeof timeout !== 'number') return right(areas, delivery, callee);
      return right(areas, delivery, { ...callee, extension: { ...callee.extension, tokenLifeTime: timeout / 60 } });
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      await changeExtension(service, { hostUri: host.url, tokenLifeTime: 7 });
      await service.edda.post('/api/space/main/dx', { recordId: 'task', inputPath: 'in.csv', timeout: 120 });
      await service.pass(1);
      const claims = claimsIn(callsOf(host, 'task')[0]);
      return Number(at(claims, '/exp')) - Number(at(claims, '/iat')) !== 7 * 60;
    },
  },
};

function withRewrittenInstants(value: unknown): unknown {
  if (typeof value === 'string') return instant.test(value) ? new Date(value).toISOString() : value;
  if (Array.isArray(value)) return value.map(withRewrittenInstants);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withRewrittenInstants(inner)]));
}

function claimsInQuery(target = ''): unknown {
  const token = new URL(target, 'http://host').searchParams.get('access_token') ?? '';
  const [, payload = ''] = token.split('.');
  return JSON.parse(Buffer.from(payload, 'base64url').toString() || 'null');
}

/** In seconds. */
function lifeTimeIn(target: string | undefined): number {
  const claims = claimsInQuery(target);
  return Number(at(claims, '/exp')) - Number(at(claims, '/iat'));
}
