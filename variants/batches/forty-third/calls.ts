import { startExtensionHost } from '../../../simulator/extension/host.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, logged, registerEndpoint, scheduleTask } from '../proofs.ts';
import { at } from '../service.ts';

export const callMistakes: Batch = {
  'delivery.timeout-of-the-first-attempt-alone': {
    source: 'extensions: Registered external endpoint, row requestTimeout',
    breaks: 'The timeout of an endpoint holds for every attempt.',
    kind: 'combination',
    variant: replaces('requests', 'requestFor', async (right, areas, delivery, callee, attempt) => {
      const request = await right(areas, delivery, callee, attempt);
      return 'endpoint' in callee && attempt > 1 ? { ...request, timeoutMs: 100_000 } : request;
    }),
    async shows(service) {
      await using host = await startExtensionHost({
        script: [{ steps: [{ status: 503 }, { never: true }], afterwards: 'last' }],
      });
      await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/hook`, requestTimeout: 3 });
      await service.edda.sendToEndpoint();
      await service.pass(1, 10);
      return (await logged(service, 'timeout')).length === 0;
    },
  },

  'tasks.empty-progress-is-none': {
    source: 'extensions: Callbacks from an external task, row progress',
    breaks: 'The message of a report is what the job shows, also one without characters.',
    kind: 'value',
    variant: replaces('jobs', 'jobAfterProgress', (right, areas, job, progress) =>
      right(areas, job, progress || (job.progress ?? '')),
    ),
    survives:
      'Callbacks, row progress: a message without characters shows on no job, and whether a job keeps showing those before it is not said.',
    async shows(service) {
      await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      const job = await scheduleTask(service);
      await service.edda.put(`${job}/progress`, undefined, { message: 'half' });
      await service.edda.put(`${job}/progress`, undefined, { message: '' });
      return at((await service.edda.get(job)).json, '/progress') === 'half';
    },
  },

  'email.created-without-a-body-is-none': {
    source: 'extensions: Calls to extensions, row Email',
    breaks: 'A mail is sent when the answer is 201, whatever its body.',
    kind: 'value',
    variant: replaces('policies', 'isDelivered', (right, areas, kind, outcome) => {
      const isBare = outcome.kind === 'answered' && outcome.status === 201 && outcome.body === '';
      return right(areas, kind, outcome) && !(kind === 'email' && isBare);
    }),
    survives:
      'Ledger log-access: the mail goes out once either way; what tells a failure from a success is the log alone, and how to read that is not shown.',
    async shows(service) {
      await service.host(() => [{ id: 'mail', extensionType: 'Email' }], always({ status: 201 }));
      await service.edda.post('/api/space/main/externalEmail', mail);
      await service.pass(1, 2);
      return (await logged(service, 'failed')).length > 0;
    },
  },

  'events.success-with-an-error-in-its-body': {
    source: 'extensions: Events 2',
    breaks: 'A 200 is a success, whatever its body says.',
    kind: 'value',
    variant: replaces('policies', 'isDelivered', (right, areas, kind, outcome) => {
      const isDoubted = outcome.kind === 'answered' && kind === 'event' && outcome.body.includes('"error"');
      return right(areas, kind, outcome) && !isDoubted;
    }),
    survives:
      'Ledger log-access: the event goes out once either way; what tells a failure from a success is the log alone, and how to read that is not shown.',
    async shows(service) {
      await service.host(() => [{ id: 'event' }], always({ status: 200, json: { error: null } }));
      await service.edda.sendEvent();
      await service.pass(1, 2);
      return (await logged(service, 'failed')).length > 0;
    },
  },

  'events.second-of-one-request-id': {
    source: 'extensions: Events 1',
    breaks: 'Every event is delivered, also the second one that a client triggers under one correlation id.',
    kind: 'copy',
    variant: breaks('queue', 'enqueue', (right) => {
      const known = new Set<string>();
      return async (areas, writing, delivery) => {
        const key = `${delivery.recordId ?? delivery.registrationId} ${delivery.envelopeId}`;
        if (delivery.kind === 'event' && known.has(key)) return true;
        known.add(key);
        return right(areas, writing, delivery);
      };
    }),
    survives:
      'core: Common request headers, row X-Correlation-Id: it is unique per request; what becomes of a second request with one is not said.',
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await service.edda.sendEvent('event', { number: 1 }, { 'X-Correlation-Id': 'same' });
      await service.edda.sendEvent('event', { number: 2 }, { 'X-Correlation-Id': 'same' });
      await service.pass(1, 2);
      return callsOf(host, 'event').length < 2;
    },
  },

  'delivery.fewer-retries-without-connection': {
    source: 'extensions: Limits, retries row 1',
    breaks: 'A delivery is retried five times, also one whose connections break.',
    kind: 'value',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) =>
      right(
        areas,
        delivery,
        outcome.kind === 'failed' && policy.retries === 5 ? { ...policy, retries: 4 } : policy,
        outcome,
      ),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }], always({ cut: 'before-answer' }));
      await service.edda.sendEvent();
      await service.pass(2, 40);
      return callsOf(host, 'event').length < 6;
    },
  },
};

const mail = { recordId: 'mail', to: 'a@b.example', subject: 'subject', body: 'body' };
