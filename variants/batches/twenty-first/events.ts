import { randomUUID } from 'node:crypto';
import { isContent } from '../../../reference-server/areas/content.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, callsTo, logged, registerEndpoint } from '../proofs.ts';
import { at, hostKey, type Service } from '../service.ts';

export const eventsMistakes: Batch = {
  'events.correlation-at-the-second-retry': {
    source: 'core: Events',
    breaks: 'The correlation id that a request gave is passed on by every attempt of the call.',
    kind: 'moment',
    variant: replaces('requests', 'requestFor', (right, areas, delivery, callee, attempt) =>
      right(areas, attempt > 2 ? { ...delivery, envelopeId: randomUUID() } : delivery, callee, attempt),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }], always({ status: 503 }));
      await service.edda.sendEvent('event', {}, { 'X-Correlation-Id': 'given' });
      await service.pass(3, 4);
      return callsOf(host, 'event')[2]?.correlationId !== 'given';
    },
  },

  'events.limit-of-a-trusted-endpoint': {
    source: 'extensions: Registered trusted external endpoint',
    breaks: 'A trusted endpoint has all fields of a simple one, the rate limit among them.',
    kind: 'place',
    variant: replaces('registrations', 'trustedEndpointFrom', (right, areas, body) => {
      return { ...right(areas, body), rateLimitNumberOfExecutions: 5 };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      const fields = { url: `${host.url}/hook`, rateLimitNumberOfExecutions: 20 };
      await registerEndpoint(service, 'trustedExternalEndpoint', fields);
      for (let left = 7; left > 0; left -= 1) await service.edda.sendToEndpoint();
      await service.pass(1, 5);
      return callsTo(host).length < 7;
    },
  },

  'events.switched-on-again': {
    source: 'extensions: Registered extension',
    breaks: 'A registration that was switched off can be switched on again while the service runs.',
    kind: 'moment',
    variant: breaks('callees', 'isActive', (right) => {
      const off = new Set<string>();
      return (areas, registration) => {
        if (!right(areas, registration)) off.add(registration.id);
        return !off.has(registration.id);
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      for (const active of [false, true]) {
        await switchExtension(service, active);
        await service.edda.sendEvent();
      }
      await service.pass(1);
      return callsOf(host, 'event').length === 0;
    },
  },

  'events.fewer-after-a-pause': {
    source: 'extensions: Limits',
    breaks: 'After a pause as many executions are allowed as before it.',
    kind: 'moment',
    variant: replaces('policies', 'rateDecision', (right, areas, window, now, limit) => {
      const decision = right(areas, window, now, limit);
      if (decision.kind === 'hold' || window === undefined || window.pausedUntil === 0) return decision;
      return { ...decision, window: { ...decision.window, executions: limit } };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', rateLimitNumberOfExecutions: 3 }]);
      for (let left = 7; left > 0; left -= 1) await service.edda.sendEvent();
      await service.pass(10, 15);
      return callsOf(host, 'event').length < 7;
    },
  },

  'events.nulls-left-out': {
    source: 'extensions: Payloads by extension type',
    breaks: 'An event carries the JSON that is configured, members that are null included.',
    kind: 'value',
    variant: replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
      if (triggered.kind !== 'event') return right(areas, call, triggered);
      const text = JSON.stringify(triggered.payload, (_name, value) => value ?? undefined);
      return right(areas, call, { ...triggered, payload: JSON.parse(text) });
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await service.edda.sendEvent('event', { empty: null });
      await service.pass(1);
      return at(callsOf(host, 'event')[0]?.json, '/payload/contentPayload/empty') !== null;
    },
  },

  'events.the-same-twice': {
    source: 'extensions: Events 1',
    breaks: 'Every event is delivered, also one that says what the one before it said.',
    kind: 'combination',
    variant: breaks('queue', 'enqueue', (right) => {
      let [before, then] = ['', 0];
      return async (areas, writing, delivery) => {
        const { kind, registrationId, recordId, payload } = delivery;
        const text = JSON.stringify([registrationId, recordId, at(payload, '/contentPayload')]);
        const isRepeated = kind === 'event' && text === before && areas.clock.now() - then < 1000;
        [before, then] = [text, areas.clock.now()];
        return isRepeated || right(areas, writing, delivery);
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      for (let left = 2; left > 0; left -= 1) await service.edda.sendEvent('event', { said: 'twice' });
      await service.pass(1);
      return callsOf(host, 'event').length < 2;
    },
  },

  'events.again-after-a-late-success': {
    source: 'extensions: Events 2',
    breaks: 'An event that was received is not sent again, also when it was received at a retry.',
    kind: 'moment',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) => {
      const step = right(areas, delivery, policy, outcome);
      if (step.kind !== 'delivered' || delivery.attempts !== 1) return step;
      return { kind: 'retry', attempts: 2, retry: 2, delayMs: areas.policies.nextRetryDelay(2) };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }], [{ steps: [{ status: 503 }] }]);
      await service.edda.sendEvent();
      await service.pass(5, 4);
      return callsOf(host, 'event').length > 2;
    },
  },

  'events.deleted-before-its-first-attempt': {
    source: 'extensions: Events 3',
    breaks: 'An event that a user deletes leaves a log entry, also when it never was attempted.',
    kind: 'moment',
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    variant: replaces('queue', 'cancelDelivery', async (right, areas, writing, id) => {
      const delivery = await writing.delivery(id);
      if (delivery?.attempts !== 0) return right(areas, writing, id);
      await areas.queue.removeDelivery(writing, delivery, 'cancelled');
      return true;
    }),
    async shows(service) {
      await service.host(() => [{ id: 'event', rateLimitNumberOfExecutions: 1 }]);
      await service.edda.sendEvent();
      const event = await service.edda.sendEvent();
      await service.pass(1);
      await service.edda.delete(event.headers.get('location') ?? '');
      return (await logged(service, 'cancelled')).length === 0;
    },
  },

  'events.removal-of-a-refused-one': {
    source: 'extensions: Errors 3',
    breaks: 'That an event is removed from the queue is logged, also when it was refused at once.',
    kind: 'place',
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    variant: replaces('deliveries', 'logEntriesFor', (right, areas, delivery, policy, outcome, step) => {
      const entries = right(areas, delivery, policy, outcome, step);
      return areas.policies.isTransient(outcome) ? entries : entries.filter(({ kind }) => kind !== 'removed');
    }),
    async shows(service) {
      await service.host(() => [{ id: 'event' }], always({ status: 404 }));
      await service.edda.sendEvent();
      await service.pass(1);
      return (await logged(service, 'removed')).length === 0;
    },
  },

  'retries.after-the-second-five-minutes': {
    source: 'extensions: Errors 2',
    breaks: 'Once a retry has waited for five minutes, so does every later one.',
    kind: 'moment',
    variant: replaces('policies', 'nextRetryDelay', (right, areas, attempt) =>
      attempt > 10 ? right(areas, attempt) * 2 : right(areas, attempt),
    ),
    async shows(service) {
      await service.host(() => [{ id: 'event', retryForever: true }], always({ status: 503 }));
      await service.edda.sendEvent();
      await service.pass(301, 13);
      const entry = (await logged(service, 'transient-error')).find((found) => at(found, '/retry') === 11);
      return at(entry, '/wait') !== 300;
    },
  },

  'retries.after-a-closed-connection': {
    source: 'extensions: Errors 1',
    breaks: 'A connection that ends without an answer is a transient error, also when it was closed in order.',
    kind: 'value',
    variant: replaces('policies', 'isTransient', (right, areas, outcome) => {
      const isClosed = outcome.kind === 'failed' && outcome.reason.startsWith('UND_ERR_SOCKET');
      return !isClosed && right(areas, outcome);
    }),
    async shows(service) {
      const steps = [{ cut: 'before-answer', how: 'close' } as const];
      const host = await service.host(() => [{ id: 'event' }], [{ steps }]);
      await service.edda.sendEvent();
      await service.pass(3, 2);
      return callsOf(host, 'event').length < 2;
    },
  },
};

/** Switches the only extension. */
async function switchExtension({ cora }: Service, active: boolean): Promise<void> {
  const path = '/api/admin/svcExtension';
  const found = at((await cora.get(path)).json, '/data/0');
  const fields = isContent(found) ? found : {};
  const body = { ...fields, apiKey: hostKey, active };
  await cora.put(`${path}/${String(fields['id'])}`, undefined, body);
}
