import type { StoredDelivery } from '../../../reference-server/ports/deliveries.ts';
import { headerValues } from '../../../simulator/extension/entry.ts';
import { startExtensionHost } from '../../../simulator/extension/host.ts';
import { breaks, replaces, together, type Variant } from '../../breaks.ts';
import { always, awaitCalls, callsOf, callsTo, event } from '../hosts.ts';
import type { Mistakes } from '../mistake.ts';
import { becomes, eventsPath, logEntries, registerEndpoint, sendEvents } from '../proofs.ts';
import { at, hostKey, type Received, type Service, signatureOver } from '../service.ts';
import { attemptsOf, changes, keeps } from '../variant-parts.ts';

/** Deliveries that wait for one endpoint; what comes beyond is accepted and forgotten. */
const longestQueue = 20;

export const endpointLimitsMistakes: Mistakes = {
  'endpoints.longer-than-by-default': {
    source: 'extensions: Registered external endpoint, requestTimeout',
    breaks: 'An endpoint has as many seconds as are configured, also more than by default.',
    variant: changes('callees', 'calleeOf', (callee) => {
      if (callee === undefined || !('endpoint' in callee)) return callee;
      return { ...callee, timeoutMs: Math.min(callee.timeoutMs, 100_000) };
    }),
    async shows(service) {
      await using host = await startExtensionHost({ script: always({ never: true }) });
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook`, requestTimeout: 150 });
      await service.edda.sendToEndpoint();
      await service.pass(10, 12);
      return (await logEntries(service, 'timeout')).length > 0;
    },
  },
  'events.limited-once': {
    source: 'extensions: Registered external endpoint, rateLimitNumberOfExecutions',
    breaks: 'What exceeds the limit waits for a pause of a minute, also what exceeds it after the first one.',
    variant: replaces('policies', 'rateDecision', (right, areas, window, now, limit) => {
      const wasPaused = window !== undefined && window.pausedUntil > 0 && now >= window.pausedUntil;
      return wasPaused ? { kind: 'run', window } : right(areas, window, now, limit);
    }),
    async shows(service) {
      const host = await service.host([{ id: 'event', rateLimitNumberOfExecutions: 1 }]);
      await sendEvents(service, 4);
      await service.pass(30, 3);
      return callsTo(host).length > 2;
    },
  },
  'retries.for-ever-by-address': {
    source: 'extensions: Registered external endpoint (simple), retryForever',
    breaks: 'An endpoint that does not retry for ever gives up, also where another one of its address goes on.',
    variant: breaks('policies', 'policyOf', (right) => {
      const retriesOf = new Map<string, number>();
      return (areas, callee, delivery) => {
        const policy = right(areas, callee, delivery);
        const retries = retriesOf.get(callee.url) ?? policy.retries;
        retriesOf.set(callee.url, retries);
        return { ...policy, retries };
      };
    }),
    async shows(service) {
      await using host = await startExtensionHost({ script: always(503) });
      const fields = { url: `${host.url}/hook`, rateLimitNumberOfExecutions: 1000 };
      await registerEndpoint(service, 'externalEndpoint', { ...fields, retryForever: true });
      await registerEndpoint(service, 'externalEndpoint', { ...fields, id: 'other', method: 'PUT' });
      for (const id of ['hook', 'other']) await service.edda.sendToEndpoint(id);
      for (const seconds of [1, 3, 5, 9, 17, 33, 65, 129]) await service.pass(seconds);
      return callsTo(host).filter(({ method }) => method === 'PUT').length > 6;
    },
  },
  'rate.queue-of-twenty': {
    source: 'extensions: Registered external endpoint, rateLimitNumberOfExecutions',
    breaks: 'What exceeds the limit is queued and delivered later, however much that is.',
    variant: (classes) => boundedQueue()(classes),
    async shows(service) {
      const host = await service.host([{ id: 'event', rateLimitNumberOfExecutions: 5 }]);
      for (let left = 32; left > 0; left -= 1) await service.edda.sendEvent();
      await service.pass(60, 8);
      return (await awaitCalls(host, 32)).length < 32;
    },
  },
  'retries.for-ever-whatever-the-error': {
    source: 'extensions: Registered external endpoint, row retryForever',
    breaks: 'An error that is not transient is failed, also where transient ones are retried for ever.',
    variant: changes('policies', 'nextStepOf', (step, areas, delivery, policy) => {
      if (step.kind !== 'failed' || Number.isFinite(policy.retries)) return step;
      const retry = delivery.attempts + 1;
      return { kind: 'retry', attempts: retry, retry, delayMs: areas.policies.nextRetryDelay(retry) };
    }),
    async shows(service) {
      const host = await service.host([], always(400));
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook`, retryForever: true });
      await service.edda.sendToEndpoint();
      await awaitCalls(host);
      const isLogged = async (kind: string) => (await logEntries(service, kind)).length > 0;
      await becomes(async () => (await isLogged('failed')) || (await isLogged('transient-error')));
      await service.pass(3);
      return (await awaitCalls(host, 2, 2000)).length > 1;
    },
  },
  'endpoints.as-active-as-at-the-first-look': {
    source: 'extensions: Registered external endpoint, row active',
    breaks: 'An endpoint that is switched off at runtime is not called any more.',
    variant: keeps('callees', 'isActive', (registration) => registration.id),
    async shows(service) {
      const host = await service.host([]);
      const fields = { id: 'hook', url: `${host.url}/hook`, method: 'POST', category: 'proof' };
      const headers = [{ name: 'content-type', value: 'application/json' }];
      await registerEndpoint(service, 'externalEndpoint', fields);
      await service.edda.sendToEndpoint();
      await awaitCalls(host);
      const off = { ...fields, headers, active: false };
      await service.cora.put('/api/admin/externalEndpoint/hook', undefined, off);
      await service.edda.sendToEndpoint();
      return (await awaitCalls(host, 2, 2500)).length > 1;
    },
  },
  'endpoints.retries-to-one-that-is-off': {
    source: 'extensions: Registered external endpoint, row active',
    breaks: 'An endpoint that was switched off is not called, also not for what failed there before.',
    survives: 'What becomes of what is retried when an endpoint is switched off is not said (inactive-queue).',
    variant: changes('callees', 'calleeOf', (callee, _areas, _reading, delivery) => {
      const isRetry = callee !== undefined && 'endpoint' in callee && attemptsOf(delivery) > 0;
      return isRetry ? { ...callee, active: true } : callee;
    }),
    async shows(service) {
      await using host = await startExtensionHost({ script: always(503) });
      const url = `${host.url}/hook`;
      await registerEndpoint(service, 'externalEndpoint', { url });
      await service.edda.sendToEndpoint();
      await awaitCalls(host);
      await service.cora.put('/api/admin/externalEndpoint/hook', undefined, {
        id: 'hook',
        method: 'POST',
        category: 'proof',
        url,
        active: false,
        headers: [{ name: 'content-type', value: 'text/plain' }],
      });
      await service.pass(3);
      return (await awaitCalls(host, 2, 500)).length > 1;
    },
  },
  'rate.retries-in-the-pause': {
    source: 'extensions: Registered external endpoint, row rateLimitNumberOfExecutions',
    breaks: 'In the pause no request goes to the endpoint, a retry as little as a new one.',
    survives: 'Whether a pause holds up a retry that is due is not said (rate-retries-counted).',
    variant: changes('policies', 'policyOf', (policy, _areas, _callee, delivery) =>
      attemptsOf(delivery) > 0 ? { ...policy, rateLimit: Infinity, rateKey: `${policy.rateKey} again` } : policy,
    ),
    async shows(service) {
      const host = await service.host(
        [{ id: 'event', rateLimitNumberOfExecutions: 2 }],
        [{ steps: [{ status: 503 }] }],
      );
      for (let left = 3; left > 0; left -= 1) await service.edda.sendEvent();
      await awaitCalls(host, 2);
      await service.pass(3);
      return (await awaitCalls(host, 3, 500)).length > 2;
    },
  },
  'endpoints.off-for-the-second-time': {
    source: 'extensions: Registered external endpoint, row active',
    breaks: 'An endpoint that is switched off gets no call, also when it has been off and on before.',
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
      const host = await service.host([], always(200));
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
  'endpoints.timeout-of-a-trusted-one': {
    source: 'extensions: Registered external endpoint, row requestTimeout',
    breaks: 'An answer is waited for 100 seconds unless the endpoint says otherwise, a trusted one as well.',
    variant: changes('registrations', 'trustedEndpointFrom', (fields, _areas, body) =>
      at(body, '/requestTimeout') === undefined ? { ...fields, requestTimeout: 60 } : fields,
    ),
    async shows(service) {
      await using host = await startExtensionHost({ script: always({ never: true }) });
      await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/hook` });
      await service.edda.sendToEndpoint();
      await awaitCalls(host);
      await service.pass(70);
      await service.pass(3);
      return (await awaitCalls(host, 2, 500)).length > 1;
    },
  },
  'endpoint.retries-are-posts': {
    source: 'extensions: Registered external endpoint (simple), method',
    breaks: 'The configured method is used for the call, for its retries too.',
    variant: changes('requests', 'requestFor', (request, _areas, _delivery, _callee, attempt) =>
      attempt > 1 && request.body !== undefined ? { ...request, method: 'POST' } : request,
    ),
    async shows(service) {
      const host = await service.host([], always(503));
      const headers = [
        { name: 'content-type', value: 'application/json' },
        { name: 'authorization', value: `Bearer ${signatureOver('/hook', hostKey)}` },
      ];
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook`, method: 'PUT', headers });
      await service.edda.sendToEndpoint();
      await service.pass(1, 4);
      return callsTo(host)[1]?.method === 'POST';
    },
  },
  'rate.retries-beside-the-pause': {
    source: 'extensions: Registered external endpoint (simple), rateLimitNumberOfExecutions',
    breaks: 'All requests to the endpoint pause, those that are tried again too.',
    survives: 'What a pause does to a retry that is due is not said: recorded.',
    variant: changes('policies', 'policyOf', (policy, _areas, _callee, delivery) => {
      const isRetry = 'attempts' in delivery && Number(delivery.attempts) > 0;
      return isRetry ? { ...policy, rateKey: `${policy.rateKey} again` } : policy;
    }),
    async shows(service) {
      const host = await service.host([{ id: 'event', rateLimitNumberOfExecutions: 1 }], always(503));
      await service.edda.sendEvent('event', { first: 1 });
      await service.pass(1);
      await service.edda.sendEvent('event', { second: 2 });
      await service.pass(1, 6);
      return callsTo(host).length > 1;
    },
  },
  'rate.dropped-in-the-second-pause': {
    source: 'extensions: Registered external endpoint, rateLimitNumberOfExecutions',
    breaks: 'Excess requests are queued and delivered later, after a second pause too.',
    variant: breaks('deliveries', 'holdBack', (right) => {
      const pauses = new Map<string, Set<number>>();
      return async (areas, writing, delivery, until) => {
        const known = pauses.get(delivery.endpoint) ?? new Set();
        pauses.set(delivery.endpoint, known.add(until));
        if (known.size < 2) return right(areas, writing, delivery, until);
        await areas.queue.removeDelivery(writing, delivery, 'failed');
      };
    }),
    async shows(service) {
      const host = await service.host([{ ...event, rateLimitNumberOfExecutions: 2 }]);
      for (let count = 0; count < 5; count += 1) await service.edda.sendEvent(event.id);
      for (let count = 0; count < 4; count += 1) await service.pass(61);
      return host.entries(({ kind }) => kind === 'event').length < 5;
    },
  },
  'endpoints.trusted-one-off-by-default': {
    source: 'extensions: Registered external endpoint',
    breaks: 'An endpoint is active unless it says otherwise, a trusted one as well.',
    variant: changes('registrations', 'trustedEndpointFrom', (fields, _areas, body) => ({
      ...fields,
      active: at(body, '/active') === true,
    })),
    async shows(service) {
      const host = await service.host([]);
      await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/hook`, tokenLifeTime: 5 });
      await callHook(service);
      return callsTo(host).length === 0;
    },
  },
  'delivery.endless-whatever-comes-later': {
    source: 'extensions: Registered external endpoint, retryForever',
    breaks: 'An error that is not transient ends the retries, also where transient ones came before it.',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) => {
      const isLate = policy.retries === Infinity && delivery.attempts > 0;
      const isRefusal = outcome.kind === 'answered' && outcome.status >= 400;
      return right(areas, delivery, policy, isLate && isRefusal ? { ...outcome, status: 503 } : outcome);
    }),
    async shows(service) {
      const steps = [{ status: 503 }, { status: 400 }];
      const host = await service.host([{ id: 'event', retryForever: true }], [{ steps }]);
      await service.edda.sendEvent();
      await service.pass(5, 4);
      return callsOf(host, 'event').length > 2;
    },
  },
  'delivery.five-minutes-of-patience': {
    source: 'extensions: Registered external endpoint, requestTimeout',
    breaks: 'The service waits as long as registered, also for more than five minutes.',
    variant: changes(
      'callees',
      'calleeOf',
      (callee) => callee && { ...callee, timeoutMs: Math.min(callee.timeoutMs, 300_000) },
    ),
    async shows(service) {
      const host = await service.host([{ id: 'event', requestTimeout: 400 }], always({ never: true }));
      await service.edda.sendEvent();
      await service.pass(1);
      await awaitCalls(host);
      await service.pass(78, 4);
      return (await logEntries(service, 'timeout')).length > 0;
    },
  },
  'endpoints.without-their-headers-after-a-pause': {
    source: 'extensions: Registered external endpoint, headers',
    breaks: 'The configured headers are set on each call, also on one that waited out a pause.',
    variant: (classes) => {
      const waited = new Set<string>();
      return together(
        replaces('deliveries', 'holdBack', (right, areas, writing, delivery, until) => {
          waited.add(delivery.id);
          return right(areas, writing, delivery, until);
        }),
        changes('requests', 'endpointRequest', (request, _areas, delivery) => {
          if (!waited.has(delivery.id)) return request;
          const headers = Object.entries(request.headers).filter(([name]) => name.toLowerCase() === 'content-type');
          return { ...request, headers: Object.fromEntries(headers) };
        }),
      )(classes);
    },
    async shows(service) {
      const host = await service.host([{ id: 'unused' }]);
      const headers = [
        { name: 'content-type', value: 'application/json' },
        { name: 'x-api-key', value: 'k' },
      ];
      await registerEndpoint(service, 'externalEndpoint', {
        url: `${host.url}/hook`,
        headers,
        rateLimitNumberOfExecutions: 1,
      });
      await service.edda.sendToEndpoint();
      await service.edda.sendToEndpoint();
      await service.pass(10, 14);
      const calls = callsTo(host);
      return calls.length === 2 && calls.some((call) => headerValues(call, 'x-api-key').length === 0);
    },
  },
  'endpoint.switched-off-with-its-neighbour': {
    source: 'extensions: Registered external endpoint, row active',
    breaks: 'active switches one endpoint, and not another one with the same address.',
    variant: breaks('callees', 'isActive', (right) => {
      const off = new Set<string>();
      return (areas, registration) => {
        const active = right(areas, registration);
        if (registration.kind !== 'externalEndpoint') return active;
        const own = `${registration.url} ${registration.id}`;
        if (active) off.delete(own);
        else off.add(own);
        return active && ![...off].some((key) => key.startsWith(`${registration.url} `));
      };
    }),
    async shows(service) {
      const host = await service.host([]);
      const url = `${host.url}/same`;
      await registerEndpoint(service, 'externalEndpoint', { id: 'off', url, active: false });
      await registerEndpoint(service, 'externalEndpoint', { id: 'on', url });
      await service.edda.sendToEndpoint('off');
      await service.edda.sendToEndpoint('on');
      await service.pass(1);
      return (await awaitCalls(host, 1, 1500)).length < 1;
    },
  },
  'endpoints.timeout-of-before-the-update': {
    source: 'extensions: Registered external endpoint, requestTimeout',
    breaks: 'A call is given up after the time that is configured when it is made.',
    variant: asAtTheFirstCall('timeoutMs'),
    async shows(service) {
      await using host = await startExtensionHost({
        script: [{ steps: [{ status: 200 }, { never: true }], afterwards: 'last' }],
      });
      const url = `${host.url}/hook`;
      await registerEndpoint(service, 'externalEndpoint', { url });
      await service.edda.sendToEndpoint();
      await awaitCalls(host);
      await putEndpoint(service, { url, requestTimeout: 2 });
      await service.edda.sendToEndpoint();
      await service.pass(3);
      return (await logEntries(service, 'timeout')).length === 0;
    },
  },
  'endpoints.retries-of-before-the-update': {
    source: 'extensions: Registered external endpoint, retryForever and rateLimitNumberOfExecutions',
    breaks: 'Whether a call is retried for ever, and how many a minute go out, is what is configured when it is made.',
    variant: asAtTheFirstCall('retryForever', 'rateLimitNumberOfExecutions'),
    async shows(service) {
      const host = await service.host([]);
      const url = `${host.url}/hook`;
      await registerEndpoint(service, 'externalEndpoint', { url });
      await service.edda.sendToEndpoint();
      await awaitCalls(host);
      await service.pass(61);
      await putEndpoint(service, { url, rateLimitNumberOfExecutions: 1 });
      await service.edda.sendToEndpoint();
      await service.edda.sendToEndpoint();
      await service.pass(1);
      return callsTo(host).length === 3;
    },
  },
  'registration.off-for-good': {
    source: 'extensions: Registered external endpoint, active',
    breaks: 'What was switched off is called again when it is switched on.',
    variant: breaks('callees', 'isActive', (right) => {
      const off = new Set<string>();
      return (areas, registration) => {
        if (!right(areas, registration)) off.add(registration.id);
        return !off.has(registration.id);
      };
    }),
    async shows(service) {
      const host = await service.host([]);
      const url = `${host.url}/hook`;
      await registerEndpoint(service, 'externalEndpoint', { url });
      await putEndpoint(service, { url, active: false });
      await service.edda.sendToEndpoint();
      await putEndpoint(service, { url, active: true });
      await service.edda.sendToEndpoint();
      await service.pass(1);
      return callsTo(host).length === 0;
    },
  },
  'endpoints.deleted-and-registered-again': {
    source: 'extensions: Registered external endpoint, active',
    breaks: 'An endpoint is active unless its registration says otherwise, whatever a deleted one of its name said.',
    variant: breaks('registrations', 'endpointFrom', (right) => {
      const said = new Map<unknown, unknown>();
      return (areas, body) => {
        const id = at(body, '/id');
        const active = at(body, '/active') ?? said.get(id);
        said.set(id, active);
        return right(areas, active === undefined ? body : { ...(body as object), active });
      };
    }),
    async shows(service) {
      const host = await service.host([]);
      const fields = { url: `${host.url}/hook` };
      await registerEndpoint(service, 'externalEndpoint', { ...fields, active: false });
      await service.cora.delete('/api/admin/externalEndpoint/hook');
      await registerEndpoint(service, 'externalEndpoint', fields);
      await service.edda.sendToEndpoint();
      await service.pass(1);
      return callsTo(host).length === 0;
    },
  },
  'delivery.neighbour-retries-for-ever': {
    source: 'extensions: Registered external endpoint, row retryForever',
    breaks: 'Who does not ask for endless retries has five, also beside another record of its host that asks for them.',
    variant: changes('policies', 'policyOf', (policy, _areas, callee) => {
      const isBeside = 'extension' in callee && callee.extension.records.some(({ retryForever }) => retryForever);
      return isBeside ? { ...policy, retries: Infinity } : policy;
    }),
    async shows(service) {
      const host = await service.host([{ id: 'event' }, { id: 'endless', retryForever: true }], always(503));
      await service.edda.sendEvent();
      await service.pass(70, 8);
      return callsOf(host, 'event').length > 6;
    },
  },
};

function boundedQueue(): Variant {
  const waiting = new Map<string, Set<string>>();
  const waitingAt = (endpoint: string): Set<string> => {
    const ids = waiting.get(endpoint) ?? new Set();
    waiting.set(endpoint, ids);
    return ids;
  };
  return together(
    replaces('queue', 'enqueue', async (right, areas, writing, delivery) => {
      const ids = waitingAt(areas.policies.endpointKeyOf(delivery));
      if (ids.size >= longestQueue) return true;
      ids.add(delivery.id);
      return right(areas, writing, delivery);
    }),
    replaces('queue', 'removeDelivery', (right, areas, writing, delivery: StoredDelivery, end, outcome) => {
      waitingAt(delivery.endpoint).delete(delivery.id);
      return right(areas, writing, delivery, end, outcome);
    }),
  );
}

async function callHook({ edda, pass }: Service): Promise<void> {
  await edda.post(eventsPath, { endpointId: 'hook', contentPayload: {} });
  await pass(1);
}

/** The endpoint `hook`, otherwise. */
/** What is set for the calls of an endpoint stays as it was when the first one was made. */
function asAtTheFirstCall(
  ...names: readonly ('timeoutMs' | 'retryForever' | 'rateLimitNumberOfExecutions')[]
): Variant {
  return breaks('callees', 'calleeOf', (right) => {
    const known = new Map<string, object>();
    return async (areas, ...asked) => {
      const callee = await right(areas, ...asked);
      if (callee === undefined || !('endpoint' in callee)) return callee;
      const former = known.get(callee.name) ?? Object.fromEntries(names.map((name) => [name, callee[name]]));
      known.set(callee.name, former);
      return { ...callee, ...former };
    };
  });
}

function putEndpoint({ cora }: Service, fields: object): Promise<Received> {
  return cora.put('/api/admin/externalEndpoint/hook', undefined, {
    id: 'hook',
    method: 'POST',
    category: 'proof',
    headers: [{ name: 'content-type', value: 'application/json' }],
    ...fields,
  });
}
