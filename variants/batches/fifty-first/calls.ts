import { headerValues } from '../../../simulator/extension/entry.ts';
import type { StoredDelivery } from '../../../reference-server/ports/deliveries.ts';
import { type Variant, breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, callsTo, logged, reached, scheduleTask } from '../proofs.ts';
import { at } from '../service.ts';

/** A validator of documents, with this id. */
function validatorCalled(id: string) {
  return {
    id,
    endpoint: `/${id}`,
    extensionType: 'ExternalValidation',
    capabilities: [{ capabilityType: 'SoftType', capabilities: ['Document'] }],
  } as const;
}

/** Retries that all validators of one request have together. */
const sharedRetries = 3;

/** Deliveries that wait for one endpoint; what comes beyond is accepted and forgotten. */
const longestQueue = 20;

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

/** Calls to extensions and endpoints, and what becomes of them. */
export const callsMistakes: Batch = {
  'signing.retries-in-the-other-alphabet': {
    source: 'extensions: Authentication 2, fourth part',
    breaks: 'Plus and slash are replaced in every signature, also in that of a call that is made again.',
    kind: 'moment',
    variant: replaces('requests', 'requestFor', async (right, areas, delivery, callee, attempt) => {
      const request = await right(areas, delivery, callee, attempt);
      const { Authorization: signed = '' } = request.headers;
      if (attempt === 1 || delivery.kind !== 'validation') return request;
      const plain = signed.replace('Bearer ', '').replaceAll('-', '+').replaceAll('_', '/');
      return { ...request, headers: { ...request.headers, Authorization: `Bearer ${plain}` } };
    }),
    async shows(service) {
      const host = await service.host(
        () => [validatorCalled('check')],
        [{ when: { kind: 'validation' }, steps: [{ status: 503 }] }],
      );
      const made = await service.edda.make('Document', { title: 't' });
      const promote = service.edda.move(made, 1);
      await reached(host, 1);
      await service.pass(2);
      await promote;
      const [first, again] = callsOf(host, 'validation').map((entry) => headerValues(entry, 'authorization')[0]);
      return again !== undefined && again !== first;
    },
  },

  'actions.selection-that-is-the-context': {
    source: 'extensions: Payloads by extension type, text on the action content payload, second sentence',
    breaks: 'What is selected is told of, also where it is the object whose module the action is run from.',
    kind: 'value',
    variant: replaces('triggers', 'ribbonPayload', (right, areas, call, reading, body, selected) =>
      right(areas, call, reading, body, selected?.oid === body['contextObjectId'] ? undefined : selected),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'act', extensionType: 'ExternalAction' }]);
      const { oid } = await service.edda.make('Document', { title: 't' });
      const body = { kind: 'ribbon', objectId: oid, contextObjectId: oid };
      await service.edda.post('/api/space/main/externalAction/act', body);
      return at(callsTo(host)[0]?.envelope?.payload, '/contentPayload/selectedObject/$oid') !== oid;
    },
  },

  'validation.retries-of-all-together': {
    source: 'extensions: Limits, retries, row 2',
    breaks: 'A validation has three retries, however often another one of the same request was tried again.',
    kind: 'combination',
    variant: breaks('outgoingCalls', 'attempt', (right) => {
      const used = new Map<string, number>();
      return async (areas, delivery, callee, count) => {
        const outcome = await right(areas, delivery, callee, count);
        if (delivery.kind !== 'validation') return outcome;
        if (count > 1) used.set(delivery.envelopeId, (used.get(delivery.envelopeId) ?? 0) + 1);
        const isOver = (used.get(delivery.envelopeId) ?? 0) >= sharedRetries;
        if (!isOver || !areas.policies.isTransient(outcome)) return outcome;
        return { kind: 'failed', reason: 'there are no retries left', barred: true };
      };
    }),
    async shows(service) {
      const host = await service.host(
        () => [validatorCalled('one'), validatorCalled('other')],
        [{ when: { kind: 'validation' }, steps: [{ status: 503 }], afterwards: 'last' }],
      );
      const made = await service.edda.make('Document', { title: 't' });
      const promote = service.edda.move(made, 1);
      for (const [index, seconds] of [2, 4, 8].entries()) {
        await reached(host, 2 * (index + 1), 1000);
        await service.pass(seconds);
      }
      await promote;
      return callsOf(host, 'validation').length < 8;
    },
  },

  'actions.version-of-the-context': {
    source: 'extensions: Payloads by extension type, row ExternalAction',
    breaks: 'The version told is that of the selected object, also where there is a context object.',
    kind: 'combination',
    variant: replaces('triggers', 'ribbonPayload', async (right, areas, call, reading, body, selected) => {
      const own = await right(areas, call, reading, body, selected);
      const context = await reading.object(call.space.id, String(body['contextObjectId']));
      return selected === undefined || context === undefined ? own : { ...own, svcUOIVersion: context.version };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'act', extensionType: 'ExternalAction' }]);
      const selected = await service.edda.make('Document', { title: 't' });
      const context = await service.edda.make('Document', { title: 'u' });
      await service.edda.merge(context, 1, { note: 'n' });
      const body = { kind: 'ribbon', objectId: selected.oid, contextObjectId: context.oid };
      await service.edda.post('/api/space/main/externalAction/act', body);
      return at(callsTo(host)[0]?.envelope?.payload, '/svcUOIVersion') !== 1;
    },
  },

  'rate.queue-of-twenty': {
    source: 'extensions: Registered external endpoint, rateLimitNumberOfExecutions',
    breaks: 'What exceeds the limit is queued and delivered later, however much that is.',
    kind: 'value',
    variant: (classes) => boundedQueue()(classes),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', rateLimitNumberOfExecutions: 5 }]);
      for (let left = 32; left > 0; left -= 1) await service.edda.sendEvent();
      await service.pass(60, 8);
      return (await reached(host, 32)).length < 32;
    },
  },

  'envelope.guids-in-small-letters': {
    source: 'extensions: Events 4',
    breaks: 'The correlation id of the trigger is that of the call letter by letter, in capitals where it was so.',
    kind: 'value',
    survives: 'Letter case is a matter of the spelling of a GUID (envelope-id-guid-form); it is remarked on.',
    variant: replaces('triggeredCalls', 'envelopeIdOf', (right, areas, call) => {
      const id = right(areas, call);
      return /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id) ? id.toLowerCase() : id;
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      const id = '3F2504E0-4F89-11D3-9A0C-0305E82C3301';
      await service.edda.sendEvent('event', {}, { 'X-Correlation-Id': id });
      return (await reached(host, 1))[0]?.envelope?.id !== id;
    },
  },

  'tasks.links-of-the-job-before': {
    source: 'extensions: External task links, taskStatus',
    breaks: 'The link for the status leads to the job of this task, also where another one had the same input.',
    kind: 'copy',
    variant: breaks('requests', 'taskLinks', (right) => {
      const jobs = new Map<string, string>();
      return (areas, spaceId, jobId, inputPath, token) => {
        const job = jobs.get(`${spaceId} ${inputPath}`) ?? jobId;
        jobs.set(`${spaceId} ${inputPath}`, job);
        return right(areas, spaceId, job, inputPath, token);
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      await scheduleTask(service);
      await scheduleTask(service);
      const [, call] = await reached(host, 2);
      return !JSON.stringify(call?.envelope?.payload).includes(String(call?.envelope?.id));
    },
  },

  'tasks.progress-ready-for-a-page': {
    source: 'extensions: Callbacks from an external task, row 2',
    breaks: 'The message of a task is shown on its job as it was sent, ampersands included.',
    kind: 'value',
    variant: replaces('jobs', 'jobAfterProgress', (right, areas, job, progress) =>
      right(areas, job, progress.replaceAll('&', '&amp;').replaceAll('<', '&lt;')),
    ),
    async shows(service) {
      await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      const job = await scheduleTask(service);
      const message = 'parts & documents';
      await service.edda.put(`${job}/progress`, undefined, { message });
      return at((await service.edda.get(job)).json, '/progress') !== message;
    },
  },

  'delivery.same-lines-logged-once': {
    source: 'extensions: Errors 3',
    breaks: 'Each transient error leaves an entry, also where that of another call says the same at the same time.',
    kind: 'combination',
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    variant: breaks('deliveryLog', 'logEntry', (right) => {
      let last = '';
      let lastAt = -Infinity;
      return async (areas, writing, entry) => {
        const line = `${entry.kind} ${entry.endpoint} ${entry.message}`;
        const isRepeated = entry.kind === 'transient-error' && line === last && entry.at - lastAt < 1000;
        [last, lastAt] = [line, entry.at];
        if (!isRepeated) await right(areas, writing, entry);
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }], always({ status: 503 }));
      await service.edda.sendEvent();
      await service.edda.sendEvent();
      await reached(host, 2);
      await service.pass(1);
      return (await logged(service, 'transient-error')).length === 1;
    },
  },
};
