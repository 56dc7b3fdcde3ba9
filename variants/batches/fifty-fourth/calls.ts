import { createHmac, randomUUID } from 'node:crypto';
import { Misfit } from '../../../reference-server/areas/records.ts';
import type { Verdict } from '../../../reference-server/http/call.ts';
import { type Entry, headerValues } from '../../../simulator/extension/entry.ts';
import type { ExtensionHost } from '../../../simulator/extension/host.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, callsTo, changeExtension, logged, reached, registerEndpoint } from '../proofs.ts';
import { at, encoded, hostKey, type Service, signatureOver } from '../service.ts';

/** A validator of documents. */
const validator = {
  id: 'check',
  extensionType: 'ExternalValidation',
  capabilities: [{ capabilityType: 'SoftType', capabilities: ['Document'] }],
} as const;

/** Whether it becomes so before too long. */
export async function becomes(isSo: () => Promise<boolean>, patienceMs = 4000): Promise<boolean> {
  for (const end = Date.now() + patienceMs; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 25)))
    if (await isSo()) return true;
  return isSo();
}

/** Lets an event fail so many times, its first attempt included, with the waits before the next ones. */
async function failTimes(service: Service, host: ExtensionHost, times: number): Promise<void> {
  for (let count = 1; count <= times; count += 1) {
    await reached(host, count);
    await becomes(async () => (await logged(service, 'transient-error')).length >= count);
    await service.pass(Math.min(2 ** count, 300));
  }
}

/** Base64 before anything in it is replaced. */
function macOf(path: string, key: string): string {
  return createHmac('sha512', Buffer.from(key, 'base64')).update(path, 'utf8').digest('base64');
}

function bearerOf(call: Entry | undefined): string | undefined {
  return call && headerValues(call, 'authorization')[0]?.replace('Bearer ', '');
}

/** Calls to extensions and endpoints. */
export const callsMistakes: Batch = {
  'retries.longest-wait-a-power-of-two': {
    source: 'extensions: Errors 2',
    breaks: 'Behind the growth of the waits there is one retry every five minutes.',
    kind: 'value',
    variant: replaces('policies', 'nextRetryDelay', (right, areas, attempt) =>
      Math.min(right(areas, attempt), 256_000),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', retryForever: true }], always({ status: 503 }));
      await service.edda.sendEvent();
      await failTimes(service, host, 9);
      await reached(host, 10);
      await becomes(async () => (await logged(service, 'transient-error')).length >= 10);
      const last = (await logged(service, 'transient-error')).find((entry) => at(entry, '/retry') === 10);
      return last !== undefined && at(last, '/wait') !== 300;
    },
  },

  'signing.first-plus-alone': {
    source: 'extensions: Authentication 2 and 3',
    breaks: 'Every plus of the Base64 becomes a hyphen, and every slash an underscore.',
    kind: 'value',
    variant: replaces('signing', 'signPath', (_right, _areas, apiKey, path) =>
      (macOf(path, apiKey).split('=', 1)[0] ?? '').replace('+', '-').replace('/', '_'),
    ),
    async shows(service) {
      let number = 0;
      while (!/\+.*\+/.test(macOf(`/event/${number}`, hostKey))) number += 1;
      const endpoint = `/event/${number}`;
      const host = await service.host(() => [{ id: 'event', endpoint }]);
      const registered = await service.edda.sendEvent();
      if (registered.status >= 400) return true;
      const [call] = await reached(host, 1);
      return call !== undefined && bearerOf(call) !== signatureOver(endpoint, hostKey);
    },
  },

  'validation.by-the-first-capability': {
    source: 'extensions: Extension metadata record, row capabilities',
    breaks: 'Capabilities are an array, and the SoftTypes may stand in any of its items.',
    kind: 'place',
    variant: replaces('validation', 'validatorsFor', async (right, areas, reading, softTypeId) =>
      (await right(areas, reading, softTypeId)).filter(({ record }) =>
        record.capabilities?.[0]?.capabilities.includes(softTypeId),
      ),
    ),
    async shows(service) {
      const capabilities = [{ capabilityType: 'BaseType', capabilities: ['Item'] }, ...validator.capabilities];
      const no = always({ status: 200, json: { isValid: false, message: 'no' } });
      const host = await service.host(() => [{ ...validator, capabilities }], no);
      const made = await service.edda.make('Document', { title: 't' });
      await service.edda.move(made, 1);
      return callsOf(host, 'validation').length === 0;
    },
  },

  'retries.for-ever-whatever-the-error': {
    source: 'extensions: Registered external endpoint, row retryForever',
    breaks: 'An error that is not transient is failed, also where transient ones are retried for ever.',
    kind: 'combination',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) => {
      const step = right(areas, delivery, policy, outcome);
      if (step.kind !== 'failed' || Number.isFinite(policy.retries)) return step;
      const retry = delivery.attempts + 1;
      return { kind: 'retry', attempts: retry, retry, delayMs: areas.policies.nextRetryDelay(retry) };
    }),
    async shows(service) {
      const host = await service.host(() => [], always({ status: 400 }));
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook`, retryForever: true });
      await service.edda.sendToEndpoint();
      await reached(host, 1);
      const isLogged = async (kind: string) => (await logged(service, kind)).length > 0;
      await becomes(async () => (await isLogged('failed')) || (await isLogged('transient-error')));
      await service.pass(3);
      return (await reached(host, 2, 2000)).length > 1;
    },
  },

  'events.deleted-between-two-attempts': {
    source: 'extensions: Events 3, second part',
    breaks: 'An event that a user deletes is cancelled, also while it waits for its next attempt.',
    kind: 'moment',
    variant: replaces('queue', 'cancelDelivery', async (right, areas, writing, id) =>
      ((await writing.delivery(id))?.attempts ?? 0) > 0 ? false : right(areas, writing, id),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }], always({ status: 503 }));
      const event = await service.edda.sendEvent();
      await reached(host, 1);
      await becomes(async () => (await logged(service, 'transient-error')).length > 0);
      await service.edda.delete(event.headers.get('location') ?? '');
      await service.pass(3);
      return (await reached(host, 2, 800)).length > 1;
    },
  },

  'metadata.once-more-before-a-retry': {
    source: 'extensions: Metadata exchange, first sentence',
    breaks: 'The metadata is asked for when an extension is added or updated, and not before a retry.',
    kind: 'moment',
    variant: replaces('requests', 'requestFor', async (right, areas, delivery, callee, attempt) => {
      if (attempt > 1 && 'record' in callee)
        await areas.outgoingCalls.call(areas.metadata.metadataRequest(callee.extension, delivery.envelopeId));
      return right(areas, delivery, callee, attempt);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }], [{ steps: [{ status: 503 }, { status: 200 }] }]);
      await service.edda.sendEvent();
      await failTimes(service, host, 1);
      await reached(host, 2);
      return callsOf(host, 'metadata').length > 1;
    },
  },

  'events.created-is-not-enough-behind-a-failure': {
    source: 'extensions: Events 2',
    breaks: 'An event that was answered with 200 or 201 is not sent again, whichever attempt it was.',
    kind: 'moment',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) => {
      const retry = delivery.attempts + 1;
      return retry > 1 && outcome.kind === 'answered' && outcome.status === 201
        ? { kind: 'retry', attempts: retry, retry, delayMs: areas.policies.nextRetryDelay(retry) }
        : right(areas, delivery, policy, outcome);
    }),
    async shows(service) {
      const steps = [{ status: 503 }, { status: 201 }, { status: 200 }];
      const host = await service.host(() => [{ id: 'event' }], [{ steps, afterwards: 'last' }]);
      await service.edda.sendEvent();
      await failTimes(service, host, 1);
      await reached(host, 2);
      const timesLogged = async (kind: string) => (await logged(service, kind)).length;
      await becomes(async () => (await timesLogged('delivered')) > 0 || (await timesLogged('transient-error')) > 1);
      await service.pass(5);
      return (await reached(host, 3, 800)).length > 2;
    },
  },

  'log.removed-without-a-word-after-the-last-retry': {
    source: 'extensions: Events 3, first part',
    breaks: 'The removal of an event from the queue is logged, also where its retries have run out.',
    kind: 'moment',
    survives: 'No way to read what is logged is told.',
    variant: replaces('deliveries', 'logEntriesFor', (right, areas, delivery, policy, outcome, step) => {
      const entries = right(areas, delivery, policy, outcome, step);
      return step.kind === 'failed' && areas.policies.isTransient(outcome)
        ? entries.filter(({ kind }) => kind !== 'removed')
        : entries;
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }], always({ status: 503 }));
      await service.edda.sendEvent();
      await failTimes(service, host, 5);
      await reached(host, 6);
      const hasFailed = await becomes(async () => (await logged(service, 'failed')).length > 0);
      return hasFailed && (await logged(service, 'removed')).length === 0;
    },
  },

  'endpoints.as-active-as-at-the-first-look': {
    source: 'extensions: Registered external endpoint, row active',
    breaks: 'An endpoint that is switched off at runtime is not called any more.',
    kind: 'copy',
    variant: breaks('callees', 'isActive', (right) => {
      const known = new Map<string, boolean>();
      return (areas, registration) => {
        const active = known.get(registration.id) ?? right(areas, registration);
        known.set(registration.id, active);
        return active;
      };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      const fields = { id: 'hook', url: `${host.url}/hook`, method: 'POST', category: 'proof' };
      const headers = [{ name: 'content-type', value: 'application/json' }];
      await registerEndpoint(service, 'externalEndpoint', fields);
      await service.edda.sendToEndpoint();
      await reached(host, 1);
      const off = { ...fields, headers, active: false };
      await service.cora.put('/api/admin/externalEndpoint/hook', undefined, off);
      await service.edda.sendToEndpoint();
      return (await reached(host, 2, 2500)).length > 1;
    },
  },

  'metadata.new-only-with-a-new-version': {
    source: 'extensions: Metadata exchange, first sentence',
    breaks: 'The records are those of the last exchange, also one that kept its version.',
    kind: 'copy',
    variant: replaces('metadata', 'recordsInForce', (right, areas, former, fetched) =>
      right(areas, former, fetched).map(
        (record) => former.find(({ id, version }) => id === record.id && version === record.version) ?? record,
      ),
    ),
    async shows(service) {
      const record = { id: 'event', extensionType: 'ExternalEvent', version: '1.0.0', name: 'n', category: 'c' };
      const host = await service.host(() => [{ ...record, endpoint: '/old' }]);
      host.setRecords([{ ...record, endpoint: '/new' }]);
      await changeExtension(service, { hostUri: host.url });
      await service.edda.sendEvent();
      const [call] = await reached(host, 1);
      return call?.path === '/old';
    },
  },

  'validation.valid-once-valid-ever-after': {
    source: 'extensions: Extension metadata record, text on capability use, first sentence',
    breaks: 'A level state is evaluated at each promote, also where the object was valid at an earlier version.',
    kind: 'copy',
    variant: breaks('validation', 'askValidator', (right) => {
      const known = new Map<string, Verdict>();
      return async (areas, call, object, asked) => {
        const key = `${asked.registrationId} ${asked.recordId} ${object.oid}`;
        const verdict = known.get(key) ?? (await right(areas, call, object, asked));
        if (verdict.kind === 'valid') known.set(key, verdict);
        return verdict;
      };
    }),
    async shows(service) {
      const { edda } = service;
      const answer = (isValid: boolean) => always({ status: 200, json: { isValid, message: 'm' } });
      const host = await service.host(() => [validator], answer(true));
      const made = await edda.make('Document', { title: 't' });
      await edda.move(made, 1);
      await edda.merge(made, 2, { note: 'n' });
      host.setScript(answer(false));
      return (await edda.move(made, 3)).status === 204 && callsTo(host).length === 1;
    },
  },

  'calls.correlation-id-of-the-first-attempt-alone': {
    source: 'core: Common request headers, row X-Correlation-Id',
    breaks: 'The correlation id goes on to the extension that is called, also with a retry.',
    kind: 'moment',
    variant: replaces('requests', 'requestFor', (right, areas, delivery, callee, attempt) =>
      right(
        areas,
        delivery.kind === 'event' && attempt > 1 ? { ...delivery, envelopeId: randomUUID() } : delivery,
        callee,
        attempt,
      ),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }], [{ steps: [{ status: 503 }, { status: 200 }] }]);
      await service.edda.sendEvent('event', {}, { 'X-Correlation-Id': 'mine' });
      await failTimes(service, host, 1);
      const [first, second] = await reached(host, 2);
      return first?.envelope?.id === 'mine' && second !== undefined && second.envelope?.id !== 'mine';
    },
  },

  'metadata.versions-of-three-numbers': {
    source: 'extensions: Versioning',
    breaks: 'A version is one that SemVer knows, with a pre-release as well, and its record is put to use.',
    kind: 'value',
    variant: replaces('metadata', 'recordFrom', (right, areas, item) => {
      const record = right(areas, item);
      if (record instanceof Misfit || /^\d+\.\d+\.\d+$/.test(record.version)) return record;
      return new Misfit('/version', 'must be three numbers');
    }),
    async shows(service) {
      await service.host(() => [{ id: 'event', version: '2.0.0-rc.1' }]);
      return (await service.edda.sendEvent()).status >= 400;
    },
  },

  'information-filter.that-of-the-request-before': {
    source: 'extensions: Call envelope, row informationFilter',
    breaks:
      'The filter in the envelope is that of the triggering request, also where the user sent another one before.',
    kind: 'copy',
    variant: breaks('triggeredCalls', 'passedFilter', (right) => {
      const kept = new Map<string, string>();
      return (areas, call) => {
        const filter = right(areas, call);
        const known = kept.get(call.user.name) ?? filter;
        kept.set(call.user.name, known);
        return known;
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      const filters = ['engineer', 'planner'].map((role) => encoded({ role }));
      for (const filter of filters) await service.edda.sendEvent('event', {}, { 'Svc-InformationFilter': filter });
      const calls = await reached(host, 2);
      return calls.length === 2 && calls.every(({ envelope }) => envelope?.informationFilter === filters[0]);
    },
  },
};
