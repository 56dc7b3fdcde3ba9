import { headerValues } from '../../../simulator/extension/entry.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, callsTo, changeExtension, claimsIn, logged, registerEndpoint } from '../proofs.ts';
import { at, listAt, movePath, signatureOver } from '../service.ts';

/** What HMAC SHA512 takes of a key before it hashes it. */
const blockBytes = 128;
const guid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** How calls go out. */
export const callsMistakes: Batch = {
  'endpoint.query-of-a-get': {
    source: 'extensions: Registered external endpoint (simple), url',
    breaks: 'The registered address is called, with its query where the method is GET too.',
    kind: 'combination',
    variant: replaces('requests', 'endpointUrl', async (right, areas, delivery, callee) => {
      const url = await right(areas, delivery, callee);
      const { method, kind } = callee.endpoint;
      return method.toUpperCase() === 'GET' && kind === 'externalEndpoint' ? (url.split('?', 1)[0] ?? url) : url;
    }),
    async shows(service) {
      const host = await service.host(() => []);
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook?a=1`, method: 'GET' });
      await service.edda.sendToEndpoint();
      await service.pass(1);
      return callsTo(host)[0]?.target === '/hook';
    },
  },

  'endpoint.text-is-written-anew': {
    source: 'extensions: Registered external endpoint (simple), text below',
    breaks: 'The body is the configured content, a text that happens to be JSON as it is.',
    kind: 'value',
    variant: replaces('requests', 'endpointRequest', async (right, areas, delivery, callee) => {
      const request = await right(areas, delivery, callee);
      return request.body === undefined ? request : { ...request, body: rewritten(request.body) };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook` });
      await service.edda.sendToEndpoint('hook', '{ "a": 1.0 }');
      await service.pass(1);
      return Buffer.from(callsTo(host)[0]?.body ?? []).toString() !== '{ "a": 1.0 }';
    },
  },

  'endpoint.token-of-what-it-was': {
    source: 'extensions: Authentication 6',
    breaks: 'A simple endpoint gets no token, also where a trusted one had its id before.',
    kind: 'copy',
    variant: breaks('requests', 'endpointUrl', (right) => {
      const lifeTimes = new Map<string, number>();
      return (areas, delivery, callee) => {
        const { endpoint } = callee;
        if (endpoint.kind === 'trustedExternalEndpoint') lifeTimes.set(endpoint.id, endpoint.tokenLifeTime);
        const tokenLifeTime = lifeTimes.get(endpoint.id);
        return right(
          areas,
          delivery,
          tokenLifeTime === undefined
            ? callee
            : { ...callee, endpoint: { ...endpoint, kind: 'trustedExternalEndpoint', tokenLifeTime } },
        );
      };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      const fields = { url: `${host.url}/hook` };
      await registerEndpoint(service, 'trustedExternalEndpoint', fields);
      await service.edda.sendToEndpoint();
      await service.pass(1);
      await service.cora.delete('/api/admin/trustedExternalEndpoint/hook');
      await registerEndpoint(service, 'externalEndpoint', fields);
      await service.edda.sendToEndpoint();
      await service.pass(1);
      return callsTo(host)[1]?.target.includes('access_token') ?? false;
    },
  },

  'trusted.life-time-of-the-first-registration': {
    source: 'extensions: Registered trusted external endpoint, tokenLifeTime',
    breaks: 'The token lives as long as is registered now.',
    kind: 'copy',
    variant: breaks('requests', 'endpointUrl', (right) => {
      const lifeTimes = new Map<string, number>();
      return (areas, delivery, callee) => {
        const { endpoint } = callee;
        if (endpoint.kind === 'externalEndpoint') return right(areas, delivery, callee);
        const tokenLifeTime = lifeTimes.get(endpoint.id) ?? endpoint.tokenLifeTime;
        lifeTimes.set(endpoint.id, tokenLifeTime);
        return right(areas, delivery, { ...callee, endpoint: { ...endpoint, tokenLifeTime } });
      };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      const fields = { url: `${host.url}/hook` };
      await registerEndpoint(service, 'trustedExternalEndpoint', fields);
      await service.edda.sendToEndpoint();
      await service.pass(1);
      await service.cora.put('/api/admin/trustedExternalEndpoint/hook', undefined, {
        id: 'hook',
        method: 'POST',
        category: 'proof',
        headers: [{ name: 'content-type', value: 'application/json' }],
        ...fields,
        tokenLifeTime: 5,
      });
      await service.edda.sendToEndpoint();
      await service.pass(1);
      const token = new URL(callsTo(host)[1]?.target ?? '', host.url).searchParams.get('access_token') ?? '';
      const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString() || 'null');
      return Number(at(claims, '/exp')) - Number(at(claims, '/iat')) !== 300;
    },
  },

  'signature.key-longer-than-a-block': {
    source: 'extensions: Authentication 3',
    breaks: 'All of the key signs, one longer than a block of the hash too.',
    kind: 'value',
    variant: replaces('signing', 'signPath', (right, areas, apiKey, path) =>
      right(areas, Buffer.from(apiKey, 'base64').subarray(0, blockBytes).toString('base64'), path),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      const apiKey = Buffer.alloc(blockBytes + 8, 9).toString('base64');
      await changeExtension(service, { hostUri: host.url, apiKey });
      await service.edda.sendEvent();
      await service.pass(1);
      const [call] = callsTo(host);
      if (call === undefined) return false;
      return headerValues(call, 'authorization')[0] !== `Bearer ${signatureOver(call.path, apiKey)}`;
    },
  },

  'token.lives-as-long-as-its-task': {
    source: 'extensions: Registered extension, tokenLifeTime',
    breaks: 'A token lives for tokenLifeTime minutes, that of a task with more time too.',
    kind: 'combination',
    variant: replaces('requests', 'extensionRequest', (right, areas, delivery, callee) => {
      const minutes = delivery.kind === 'task' ? Math.ceil(Number(at(delivery.payload, '/timeout')) / 60) : 0;
      const tokenLifeTime = Math.max(callee.extension.tokenLifeTime, minutes);
      return right(areas, delivery, { ...callee, extension: { ...callee.extension, tokenLifeTime } });
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      const body = { recordId: 'task', inputPath: 'folder/input.csv', timeout: 7200 };
      await service.edda.post('/api/space/main/dx', body);
      await service.pass(1);
      const claims = claimsIn(callsOf(host, 'task')[0]);
      return Number(at(claims, '/exp')) - Number(at(claims, '/iat')) !== 3600;
    },
  },

  'validation.token-query-of-the-first-attempt': {
    source: 'extensions: Calls to extensions, text below',
    breaks: 'The token is in the query of a validation call, of a repeated one too.',
    kind: 'combination',
    variant: replaces('requests', 'requestFor', async (right, areas, delivery, callee, attempt) => {
      const request = await right(areas, delivery, callee, attempt);
      return delivery.kind === 'validation' && attempt > 1
        ? { ...request, url: request.url.split('?', 1)[0] ?? request.url }
        : request;
    }),
    async shows(service) {
      const host = await service.host(() => [validator], always({ status: 503 }));
      const { oid } = await service.edda.make('Document', { title: 't' });
      const promoted = service.edda.put(movePath({ definition: 'Document', oid, path: '' }), 1);
      await service.pass(1, 20);
      await promoted;
      return callsOf(host, 'validation').some(({ target }) => !target.includes('?'));
    },
  },

  'correlation.capitals': {
    source: 'extensions: Events 4',
    breaks: 'The correlation id of the trigger is reused as it came, a GUID in capitals too.',
    kind: 'value',
    survives: 'Letter case is a matter of the spelling of a GUID (ledger envelope-id-guid-form); it is remarked on.',
    variant: replaces('triggeredCalls', 'envelopeIdOf', (right, areas, call) => {
      const id = right(areas, call);
      return guid.test(id) ? id.toLowerCase() : id;
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      const id = '0A1B2C3D-4E5F-4A6B-8C7D-9E0F1A2B3C4D';
      await service.edda.sendEvent('event', {}, { 'X-Correlation-Id': id });
      await service.pass(1);
      return callsTo(host)[0]?.envelope?.id !== id;
    },
  },

  'log.total-of-a-validation': {
    source: 'extensions: Errors 3',
    breaks: 'The log tells the retry out of all that there may be, which are three for a validation.',
    kind: 'combination',
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    variant: replaces('deliveries', 'logEntriesFor', (right, areas, delivery, policy, outcome, step) =>
      right(
        areas,
        delivery,
        policy && delivery.kind === 'validation' ? { ...policy, retries: 5 } : policy,
        outcome,
        step,
      ),
    ),
    async shows(service) {
      await service.host(() => [validator], always({ status: 503 }));
      const { oid } = await service.edda.make('Document', { title: 't' });
      const promoted = service.edda.put(movePath({ definition: 'Document', oid, path: '' }), 1);
      await service.pass(1, 20);
      await promoted;
      return (await logged(service, 'transient-error')).some((entry) => at(entry, '/total') !== 3);
    },
  },

  'log.first-pause-alone': {
    source: 'extensions: Errors 3',
    breaks: 'Each time that the rate limit is exceeded leaves an entry, the second time too.',
    kind: 'copy',
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    variant: breaks('deliveryLog', 'logEntry', (right) => {
      const paused = new Set<string>();
      return async (areas, writing, entry) => {
        if (entry.kind === 'rate-limit' && paused.has(entry.endpoint)) return;
        if (entry.kind === 'rate-limit') paused.add(entry.endpoint);
        return right(areas, writing, entry);
      };
    }),
    async shows(service) {
      await service.host(() => [{ id: 'event', rateLimitNumberOfExecutions: 1 }]);
      for (let count = 0; count < 3; count += 1) await service.edda.sendEvent();
      await service.pass(1, 3);
      await service.pass(20, 10);
      return (await logged(service, 'rate-limit')).length < 2;
    },
  },

  'timeout.whole-seconds': {
    source: 'extensions: Extension metadata record, requestTimeout',
    breaks: 'The time limit is a number of seconds, with a fraction too.',
    kind: 'value',
    survives: 'A registration states whole seconds, and no sentence says what a fraction in a record comes to.',
    variant: replaces('callees', 'requestTimeoutOf', (right, areas, record) => Math.ceil(right(areas, record))),
    async shows(service) {
      await service.host(() => [{ id: 'event', requestTimeout: 1.5 }], always({ never: true }));
      await service.edda.sendEvent();
      await service.pass(0.5, 8);
      const [entry] = await logged(service, 'timeout');
      return entry !== undefined && at(entry, '/wait') !== 1.5;
    },
  },

  'timeout.tasks-of-a-month': {
    source: 'extensions: Limits, task timeout',
    breaks: 'A task has the time that is configured, be it a month.',
    kind: 'value',
    variant: replaces('jobs', 'taskDeadline', (right, areas, job) =>
      job.timeout * 1000 > 0x7f_ff_ff_ff ? areas.clock.now() + 1 : right(areas, job),
    ),
    async shows(service) {
      await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      const body = { recordId: 'task', inputPath: 'folder/input.csv', timeout: 2_592_000 };
      const job = await service.edda.post('/api/space/main/dx', body);
      await service.pass(1, 4);
      return at((await service.edda.get(job.headers.get('location') ?? '')).json, '/state') === 'Failed';
    },
  },
};

const validator = {
  id: 'validator',
  extensionType: 'ExternalValidation',
  capabilities: [{ capabilityType: 'SoftType', capabilities: ['Document'] }],
};

/** What calls carry, and what is reported back. */
export const payloadMistakes: Batch = {
  'validation.context-of-before': {
    source: 'extensions: Payloads by extension type, row ExternalValidation',
    breaks: 'There is a contextObjectId only where the validation has a context, not where an earlier one had.',
    kind: 'copy',
    variant: breaks('validation', 'validationPayload', (right) => {
      const contexts = new Map<string, unknown>();
      return (areas, call, object) => {
        const payload = right(areas, call, object);
        const contextObjectId = at(payload, '/contextObjectId') ?? contexts.get(object.oid);
        contexts.set(object.oid, contextObjectId);
        return contextObjectId === undefined ? payload : { ...payload, contextObjectId };
      };
    }),
    async shows(service) {
      const host = await service.host(() => [validator]);
      const context = await service.edda.make('Part', { name: 'p' });
      const made = await service.edda.make('Document', { title: 't' });
      await service.edda.put(`${movePath(made)}?contextObjectId=${context.oid}`, 1);
      await service.edda.put(movePath(made), 2);
      return at(callsOf(host, 'validation')[1]?.envelope?.payload, '/contextObjectId') !== undefined;
    },
  },

  'tasks.number-sign-in-the-input': {
    source: 'extensions: External task links, row inputFile',
    breaks: 'The link leads to the input file, whatever stands in its name.',
    kind: 'value',
    variant: replaces('requests', 'taskLinks', (right, areas, ...args) =>
      right(areas, ...args).map((link) => ({ ...link, url: link.url.replaceAll('%23', '#') })),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      const body = { recordId: 'task', inputPath: 'folder/no#1.csv' };
      await service.edda.post('/api/space/main/dx', body);
      await service.pass(1);
      return String(linkOf(callsOf(host, 'task')[0], 'inputFile')).includes('#');
    },
  },

  'tasks.content-of-the-first-space': {
    source: 'extensions: External task links, row content',
    breaks: 'The links of a task lead to the files of the space of its job.',
    kind: 'combination',
    variant: replaces('requests', 'taskLinks', (right, areas, spaceId, ...rest) => {
      const [first = spaceId] = areas.configuration.spaces.keys();
      return right(areas, spaceId, ...rest).map((link) =>
        link.url.includes('{path}') ? { ...link, url: link.url.replace(`/${spaceId}/`, `/${first}/`) } : link,
      );
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      await service.edda.post('/api/space/depot/dx', { recordId: 'task', inputPath: 'folder/input.csv' });
      await service.pass(1);
      const link = linkOf(callsOf(host, 'task')[0], 'content');
      return link !== undefined && !String(link).includes('/depot/');
    },
  },

  'tasks.progress-of-so-many-letters': {
    source: 'extensions: Callbacks from an external task, row progress',
    breaks: 'The message of a report is shown on the job, a long one whole.',
    kind: 'value',
    variant: replaces('jobs', 'jobAfterProgress', (right, areas, job, progress) =>
      right(areas, job, progress.slice(0, 255)),
    ),
    async shows(service) {
      await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      const job = await service.edda.post('/api/space/main/dx', { recordId: 'task', inputPath: 'folder/input.csv' });
      await service.pass(1);
      const path = job.headers.get('location') ?? '';
      const message = 'm'.repeat(256);
      await service.edda.put(`${path}/progress`, undefined, { message });
      return at((await service.edda.get(path)).json, '/progress') !== message;
    },
  },
};

function linkOf(call: object | undefined, id: string): unknown {
  const link = listAt(call, '/envelope/payload/links').find((candidate) => at(candidate, '/id') === id);
  return at(link, '/url');
}

function rewritten(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}
