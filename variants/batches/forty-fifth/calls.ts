import { headerValues } from '../../../simulator/extension/entry.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, callsTo, changeExtension, logged, registerEndpoint } from '../proofs.ts';
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
};

function linkOf(call: object | undefined, id: string): unknown {
  const link = listAt(call, '/envelope/payload/links').find((candidate) => at(candidate, '/id') === id);
  return at(link, '/url');
}
