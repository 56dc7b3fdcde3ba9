import { jobWith, keepJob } from '../../../reference-server/areas/jobs.ts';
import { startExtensionHost } from '../../../simulator/extension/host.ts';
import { breaks, within, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, logged, reached, registerEndpoint, scheduleTask } from '../proofs.ts';
import { at, listAt, many } from '../service.ts';

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

  'tasks.stream-link-on-a-retry': {
    source: 'extensions: External task links, row uploadFileStream',
    breaks: 'The link for streams leads to where the input is, on every attempt.',
    kind: 'moment',
    variant: replaces('requests', 'requestFor', (right, areas, delivery, callee, attempt) => {
      if (attempt === 1 || delivery.kind !== 'task') return right(areas, delivery, callee, attempt);
      const rootward = within(areas, {
        requests: {
          taskLinks: (...args) =>
            areas.requests
              .taskLinks(...args)
              .map((link) =>
                link.id === 'uploadFileStream' ? { ...link, url: link.url.replace(/\/stream\/.*$/, '/stream') } : link,
              ),
        },
      });
      return right(rootward, delivery, callee, attempt);
    }),
    async shows(service) {
      const host = await service.host(
        () => [{ id: 'task', extensionType: 'ExternalTask' }],
        [{ steps: [{ status: 503 }] }],
      );
      await scheduleTask(service);
      await service.pass(1, 4);
      const links = listAt(callsOf(host, 'task').at(1), '/envelope/payload/links');
      const link = links.find((each) => at(each, '/id') === 'uploadFileStream');
      return link !== undefined && !String(at(link, '/url')).includes('/folder');
    },
  },

  'tasks.chunk-link-of-the-first-space': {
    source: 'extensions: External task links, row uploadFile',
    breaks: 'The link for chunks leads into the space of the job, also where one of another space was called before.',
    kind: 'copy',
    variant: breaks('requests', 'taskLinks', (right) => {
      let former: string | undefined;
      return (areas, spaceId, jobId, inputPath, token) =>
        right(areas, spaceId, jobId, inputPath, token).map((link) => {
          if (link.id !== 'uploadFile') return link;
          former ??= link.url;
          return { ...link, url: former };
        });
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      await scheduleTask(service);
      await service.edda.post('/api/space/depot/dx', { recordId: 'task', inputPath: 'folder/input.csv' });
      await service.pass(1);
      const links = listAt(callsOf(host, 'task').at(1), '/envelope/payload/links');
      const link = links.find((each) => at(each, '/id') === 'uploadFile');
      return String(at(link, '/url')).includes('/space/main/');
    },
  },

  'tasks.acknowledged-behind-its-end': {
    source: 'extensions: Calls to extensions, row ExternalTask; External task status',
    breaks: 'A task that was reported as completed stays so, also when its call is answered only then.',
    kind: 'moment',
    variant: replaces('jobs', 'noteTaskStart', async (right, areas, writing, id) => {
      const job = await jobWith(writing, id);
      if (job?.state !== 'Completed') return right(areas, writing, id);
      await keepJob(writing, { ...job, state: 'Running' });
    }),
    async shows(service) {
      const host = await service.host(
        () => [{ id: 'task', extensionType: 'ExternalTask' }],
        always({ status: 200, delayMs: 300 }),
      );
      const job = await scheduleTask(service);
      await reached(host, 1);
      await service.edda.put(`${job}/status/Completed`, undefined);
      await new Promise((resolve) => setTimeout(resolve, 600));
      await service.pass(1);
      return at((await service.edda.get(job)).json, '/state') === 'Running';
    },
  },

  'tasks.longer-than-ten-minutes': {
    source: 'extensions: Limits, task timeout',
    breaks: 'A task has the time that it was told, also where that is more than 600 seconds.',
    kind: 'value',
    variant: replaces('jobs', 'taskDeadline', (right, areas, job) =>
      right(areas, { ...job, timeout: Math.min(job.timeout, 600) }),
    ),
    async shows(service) {
      await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      const job = await scheduleTask(service, { timeout: 900 });
      await service.pass(350, 2);
      return at((await service.edda.get(job)).json, '/state') === 'Failed';
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

  'email.first-record-alone': {
    source: 'extensions: What the service does',
    breaks:
      'A custom implementation takes the place of the built-in mail, wherever in the metadata of its host it stands.',
    kind: 'place',
    variant: replaces('triggeredCalls', 'foundAddressee', async (right, areas, reading, type, name) => {
      const found = await right(areas, reading, type, name);
      const [first] = found?.callee.extension.records ?? [];
      return type === 'Email' && first?.id !== found?.recordId ? undefined : found;
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }, { id: 'mail', extensionType: 'Email' }]);
      await service.edda.post('/api/space/main/externalEmail', mail);
      await service.pass(1, 2);
      return callsOf(host, 'email').length === 0;
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

  'delivery.limit-of-one-is-none': {
    source: 'extensions: Limits, rate limit',
    breaks: 'A limit of one execution a minute lets one through, and the next one only after the pause.',
    kind: 'value',
    variant: replaces('policies', 'rateDecision', (right, areas, window, now, limit) =>
      right(areas, window, now, limit === 1 ? 5 : limit),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', rateLimitNumberOfExecutions: 1 }]);
      for (const number of many(3, (each) => each)) await service.edda.sendEvent('event', { number });
      await service.pass(1, 3);
      return callsOf(host, 'event').length > 1;
    },
  },

  'validation.second-list-of-types': {
    source: 'extensions: Extension metadata record, capability use',
    breaks: 'A validation applies to every SoftType that its record lists, whichever of its capabilities holds it.',
    kind: 'value',
    variant: replaces('registry', 'validatorsOf', async (right, areas, reading, softTypeId) => {
      const found = await right(areas, reading, softTypeId);
      const kept = await Promise.all(
        found.map(async (address) => {
          const registration = await areas.registry.registrationOf(reading, address.registrationId);
          const records = registration?.kind === 'svcExtension' ? registration.records : [];
          const record = records.find(({ id }) => id === address.recordId);
          const first = record?.capabilities?.find(({ capabilityType }) => capabilityType === 'SoftType');
          return first?.capabilities.includes(softTypeId) ? [address] : [];
        }),
      );
      return kept.flat();
    }),
    async shows(service) {
      const capabilities = ['Part', 'Document'].map((id) => ({ capabilityType: 'SoftType', capabilities: [id] }));
      const host = await service.host(() => [{ id: 'check', extensionType: 'ExternalValidation', capabilities }]);
      const made = await service.edda.make('Document', { title: 't' });
      await service.edda.move(made, 1);
      return callsOf(host, 'validation').length === 0;
    },
  },
};

const mail = { recordId: 'mail', to: 'a@b.example', subject: 'subject', body: 'body' };
