import { randomUUID } from 'node:crypto';
import { combinedVerdict } from '../../../reference-server/areas/validation.ts';
import { headerValues } from '../../../simulator/extension/entry.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, logged, reached, registerEndpoint, scheduleTask } from '../proofs.ts';
import { at, many } from '../service.ts';

export const deliveryMistakes: Batch = {
  'delivery.another-id-for-the-second-validator': {
    source: 'core: Common request headers, X-Correlation-Id',
    breaks: 'The correlation id is passed on to every extension that a request calls, not only to the first.',
    kind: 'place',
    variant: replaces('validation', 'verdictOn', async (_right, areas, call, object, validators) => {
      const verdicts = validators.map((validator, index) =>
        areas.validation.askValidator(index === 0 ? call : { ...call, correlationId: randomUUID() }, object, validator),
      );
      return combinedVerdict(await Promise.all(verdicts));
    }),
    async shows(service) {
      const capabilities = [{ capabilityType: 'SoftType', capabilities: ['Document'] }];
      const validator = (id: string) => ({ id, extensionType: 'ExternalValidation' as const, capabilities });
      const host = await service.host(() => [validator('one'), validator('two')], valid);
      const { oid } = await service.edda.make('Document', { title: 'validated' });
      const headers = { 'svc-uoiversion': '1', 'x-correlation-id': '5c0c3c55-7a4a-4b5e-9a53-2f6f7a1f5a01' };
      await service.edda.send('PUT', `/api/space/main/maturityAction/promote/${oid}/release/engineering`, { headers });
      return callsOf(host, 'validation').some(({ envelope }) => envelope?.id !== headers['x-correlation-id']);
    },
  },

  'delivery.mail-taken-with-created': {
    source: 'extensions: Calls to extensions, row Email',
    breaks: '201 is a success of a mail, as 200 is.',
    kind: 'value',
    survives: 'ledger log-access: such a mail goes out once either way, only a log entry differs',
    variant: replaces('policies', 'isDelivered', (right, areas, kind, outcome) => {
      return (
        right(areas, kind, outcome) && !(kind === 'email' && outcome.kind === 'answered' && outcome.status === 201)
      );
    }),
    async shows(service) {
      await service.host(() => [{ id: 'mail', extensionType: 'Email' }], always({ status: 201 }));
      const mail = { recordId: 'mail', to: 'a@b.example', subject: 'subject', body: 'body' };
      await service.edda.post('/api/space/main/externalEmail', mail);
      await service.pass(1, 2);
      return (await logged(service, 'failed')).length > 0;
    },
  },

  'delivery.rate-shared-by-host': {
    source: 'extensions: Limits, rate limit',
    breaks: 'Each endpoint has executions of its own, also when another one leads to the same host.',
    kind: 'copy',
    variant: replaces('policies', 'policyOf', (right, areas, callee, delivery) => {
      const policy = right(areas, callee, delivery);
      return 'endpoint' in callee ? { ...policy, rateKey: new URL(callee.url).origin } : policy;
    }),
    async shows(service) {
      const host = await service.host(() => []);
      for (const id of ['one', 'two'])
        await registerEndpoint(service, 'externalEndpoint', {
          id,
          url: `${host.url}/${id}`,
          rateLimitNumberOfExecutions: 2,
        });
      for (const id of ['one', 'one', 'two']) {
        await service.edda.sendToEndpoint(id);
        await service.pass(1);
      }
      return (await reached(host, 3, 1500)).length < 3;
    },
  },

  'delivery.deleted-while-held-back': {
    source: 'extensions: Events 3',
    breaks: 'An event that a user deletes is cancelled, also while the rate limit holds it back.',
    kind: 'moment',
    variant: replaces('queue', 'cancelDelivery', async (right, areas, writing, id) => {
      const delivery = await writing.delivery(id);
      const isHeld = delivery?.attempts === 0 && areas.clock.now() - delivery.dueAt > 5000;
      return isHeld || right(areas, writing, id);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', rateLimitNumberOfExecutions: 1 }]);
      await service.edda.sendEvent();
      await service.pass(1);
      const second = await service.edda.sendEvent();
      await service.pass(6);
      await service.edda.delete(second.headers.get('location') ?? '');
      await service.pass(30, 5);
      return callsOf(host, 'event').length > 1;
    },
  },

  'endpoint.switched-off-with-its-neighbour': {
    source: 'extensions: Registered external endpoint, row active',
    breaks: 'active switches one endpoint, and not another one with the same address.',
    kind: 'copy',
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
      const host = await service.host(() => []);
      const url = `${host.url}/same`;
      await registerEndpoint(service, 'externalEndpoint', { id: 'off', url, active: false });
      await registerEndpoint(service, 'externalEndpoint', { id: 'on', url });
      await service.edda.sendToEndpoint('off');
      await service.edda.sendToEndpoint('on');
      await service.pass(1);
      return (await reached(host, 1, 1500)).length < 1;
    },
  },

  'endpoint.configured-type-replaced-for-text': {
    source: 'extensions: Registered external endpoint, row headers',
    breaks: 'The call carries the headers that are configured, also when its content is a plain text.',
    kind: 'combination',
    variant: replaces('requests', 'endpointRequest', async (right, areas, delivery, callee) => {
      const request = await right(areas, delivery, callee);
      if (typeof delivery.payload !== 'string') return request;
      const headers = Object.entries(request.headers).map(([name, value]) => [
        name,
        name.toLowerCase() === 'content-type' ? 'text/plain' : value,
      ]);
      return { ...request, headers: Object.fromEntries(headers) };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      const headers = [{ name: 'content-type', value: 'text/html' }];
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook`, headers });
      await service.edda.sendToEndpoint('hook', '<p>text</p>');
      await service.pass(1);
      return (await reached(host, 1)).some((entry) => !headerValues(entry, 'content-type').includes('text/html'));
    },
  },
};

export const payloadMistakes: Batch = {
  'task.settings-of-the-task-before': {
    source: 'extensions: Payloads by extension type, row ExternalTask',
    breaks: 'taskSettings are those configured for this task, without any of an earlier one.',
    kind: 'copy',
    variant: breaks('triggers', 'taskPayload', (right) => {
      let before = {};
      return (areas, body) => {
        const payload = right(areas, body);
        before = { ...before, ...payload.taskSettings };
        return { ...payload, taskSettings: before };
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      await scheduleTask(service, { taskSettings: { first: true } });
      await scheduleTask(service, { taskSettings: { second: true } });
      const calls = await reached(host, 2);
      return calls.some(({ envelope }) => {
        const settings = at(envelope, '/payload/taskSettings');
        return at(settings, '/first') === true && at(settings, '/second') === true;
      });
    },
  },

  'metadata.twenty-records-at-most': {
    source: 'extensions: Metadata exchange',
    breaks: 'Every record of the metadata is known, however many a host has.',
    kind: 'value',
    variant: replaces('metadata', 'usableRecords', (right, areas, items) => right(areas, items.slice(0, 20))),
    async shows(service) {
      const host = await service.host(() => many(21, (number) => ({ id: `event-${number}` })));
      await service.edda.sendEvent('event-21');
      await service.pass(1);
      return (await reached(host, 1, 1500)).length < 1;
    },
  },
};

/** Valid, whoever asks. */
const valid = always({ status: 200, json: { isValid: true, message: '' } });
