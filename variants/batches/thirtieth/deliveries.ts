import { randomUUID } from 'node:crypto';
import { mediaTypes } from '../../../contract/names.ts';
import { headerValues } from '../../../simulator/extension/entry.ts';
import { startExtensionHost } from '../../../simulator/extension/host.ts';
import { type Variant, breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsTo, logged, reached, registerEndpoint } from '../proofs.ts';
import { at, hostKey, many } from '../service.ts';

/** Sends nothing again that has the content of what was acknowledged with 201. */
function takesForDelivered(): Variant {
  const delivered = new Set<string>();
  return together(
    replaces('deliveryEnds', 'deliveryEnded', async (right, areas, writing, delivery, end, outcome) => {
      await right(areas, writing, delivery, end, outcome);
      if (outcome?.kind !== 'answered' || outcome.status !== 201) return;
      delivered.add(
        `${areas.policies.endpointKeyOf(delivery)} ${JSON.stringify(at(delivery.payload, '/contentPayload'))}`,
      );
    }),
    replaces('queue', 'enqueue', async (right, areas, writing, delivery) => {
      const content = JSON.stringify(at(delivery.payload, '/contentPayload'));
      if (delivery.kind === 'event' && delivered.has(`${areas.policies.endpointKeyOf(delivery)} ${content}`))
        return true;
      return right(areas, writing, delivery);
    }),
  );
}

const documents = [{ capabilityType: 'SoftType', capabilities: ['Document'] }];

const validator = { extensionType: 'ExternalValidation', capabilities: documents };

export const retryMistakes: Batch = {
  'deliveries.end-that-was-told-before': {
    source: 'extensions: Events',
    breaks: 'A log entry tells of every event that left the queue undelivered, the second one at its endpoint as well.',
    kind: 'copy',
    variant: breaks('deliveries', 'logEntriesFor', (right) => {
      const told = new Set<string>();
      return (areas, delivery, policy, outcome, step) => {
        const entries = right(areas, delivery, policy, outcome, step);
        const key = areas.policies.endpointKeyOf(delivery);
        if (step.kind !== 'failed') return entries;
        if (told.has(key)) return entries.filter(({ kind }) => kind !== 'removed');
        told.add(key);
        return entries;
      };
    }),
    survives: 'ledger log-access: that there is an entry is said, a way to read it is not',
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }], always({ status: 400 }));
      await service.edda.sendEvent();
      await service.pass(1);
      await reached(host, 1);
      await service.edda.sendEvent();
      await reached(host, 2);
      await service.pass(1, 3);
      return (await logged(service, 'removed')).length === 1;
    },
  },

  'deliveries.tasks-give-up': {
    source: 'extensions: Extension metadata record',
    breaks: 'Who is to be retried for ever is, with a task as with an event.',
    kind: 'place',
    variant: replaces('policies', 'policyOf', (right, areas, callee, delivery) => {
      const policy = right(areas, callee, delivery);
      return delivery.kind === 'task' ? { ...policy, retries: Math.min(policy.retries, 5) } : policy;
    }),
    async shows(service) {
      const host = await service.host(
        () => [{ id: 'task', extensionType: 'ExternalTask', retryForever: true }],
        always({ status: 503 }),
      );
      await service.edda.post('/api/space/main/dx', { recordId: 'task', inputPath: 'input.csv' });
      for (const attempt of many(6, (number) => number)) {
        await reached(host, attempt);
        await service.pass(2 ** attempt + 1);
      }
      return (await reached(host, 7, 1500)).length === 6;
    },
  },

  'deliveries.other-id-on-a-retry': {
    source: 'extensions: Payloads by extension type',
    breaks: 'The id in the payload is that of the event, in each attempt.',
    kind: 'moment',
    variant: replaces('requests', 'requestFor', (right, areas, delivery, callee, attempt) => {
      if (delivery.kind !== 'event' || attempt === 1) return right(areas, delivery, callee, attempt);
      const payload = { ...Object(delivery.payload), id: randomUUID() };
      return right(areas, { ...delivery, payload }, callee, attempt);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }], [{ steps: [{ status: 503 }], afterwards: 'default' }]);
      await service.edda.sendEvent();
      await reached(host, 1);
      await service.pass(1, 3);
      const [first, second] = await reached(host, 2);
      return at(first?.json, '/payload/id') !== at(second?.json, '/payload/id');
    },
  },

  'deliveries.same-content-again': {
    source: 'extensions: Events',
    breaks: 'Success ends the service of that event alone: another one with the same content is delivered, too.',
    kind: 'copy',
    variant: takesForDelivered(),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }], always({ status: 201 }));
      await service.edda.sendEvent('event', { text: 'same' });
      await reached(host, 1);
      await service.pass(1);
      await service.edda.sendEvent('event', { text: 'same' });
      await service.pass(1);
      return (await reached(host, 2, 1500)).length === 1;
    },
  },
};

export const callMistakes: Batch = {
  'calls.query-on-a-retry': {
    source: 'extensions: Registered trusted external endpoint',
    breaks: 'The token is appended to the parameters that the address has, in each attempt.',
    kind: 'moment',
    variant: replaces('requests', 'requestFor', async (right, areas, delivery, callee, attempt) => {
      const request = await right(areas, delivery, callee, attempt);
      return attempt > 1 ? { ...request, url: request.url.replace('&access_token=', '?access_token=') } : request;
    }),
    async shows(service) {
      await using host = await startExtensionHost({ script: [{ steps: [{ status: 503 }, { status: 200 }] }] });
      await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/hook?tenant=a` });
      await service.edda.sendToEndpoint();
      await reached(host, 1);
      await service.pass(1, 6);
      const [, second] = await reached(host, 2);
      return second !== undefined && !second.target.includes('&access_token=');
    },
  },

  'calls.no-token-for-delete': {
    source: 'extensions: Registered trusted external endpoint',
    breaks: 'The token is appended to every call of a trusted endpoint, whatever its method.',
    kind: 'place',
    variant: replaces('requests', 'endpointUrl', async (right, areas, delivery, callee) =>
      callee.endpoint.method.toUpperCase() === 'DELETE' ? callee.endpoint.url : right(areas, delivery, callee),
    ),
    async shows(service) {
      const host = await service.host(() => [], always({ status: 200 }));
      await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/hook`, method: 'DELETE' });
      await service.edda.sendToEndpoint();
      return !(await reached(host, 1))[0]?.target.includes('access_token=');
    },
  },

  'calls.headers-of-the-last-endpoint': {
    source: 'extensions: Registered external endpoint',
    breaks: 'A call has the headers of its own endpoint, and none of another that was called before.',
    kind: 'copy',
    variant: breaks('requests', 'endpointRequest', (right) => {
      let kept: Readonly<Record<string, string>> = {};
      return async (areas, delivery, callee) => {
        const request = await right(areas, delivery, callee);
        const own = Object.entries(request.headers).filter(([name]) => name.toLowerCase().startsWith('x-'));
        kept = { ...kept, ...Object.fromEntries(own) };
        return { ...request, headers: { ...kept, ...request.headers } };
      };
    }),
    async shows(service) {
      const host = await service.host(() => [], always({ status: 200 }));
      const type = { name: 'content-type', value: mediaTypes.json };
      await registerEndpoint(service, 'externalEndpoint', {
        id: 'one',
        url: `${host.url}/one`,
        headers: [type, { name: 'x-one', value: 'secret' }],
      });
      await registerEndpoint(service, 'externalEndpoint', { id: 'two', url: `${host.url}/two`, headers: [type] });
      await service.edda.sendToEndpoint('one');
      await reached(host, 1);
      await service.edda.sendToEndpoint('two');
      const [, second] = await reached(host, 2);
      return second !== undefined && headerValues(second, 'x-one').length > 0;
    },
  },

  'calls.path-of-the-host': {
    source: 'extensions: Calls to extensions',
    breaks: 'The endpoint is relative to the host, whose path counts for mail as for all calls.',
    kind: 'combination',
    variant: replaces('requests', 'extensionRequest', (right, areas, delivery, callee) => {
      const { extension, record } = callee;
      const url = new URL(record.endpoint, extension.hostUri).href;
      return right(areas, delivery, delivery.kind === 'email' ? { ...callee, url } : callee);
    }),
    async shows(service) {
      const record = {
        id: 'mail',
        version: '1.0.0',
        name: 'mail',
        endpoint: '/mail',
        extensionType: 'Email',
        category: 'proof',
      };
      const host = await service.host(
        () => [],
        ({ method }) => ({ status: 200, ...(method === 'GET' && { json: [record] }) }),
      );
      const body = { hostUri: `${host.url}/base`, apiKey: hostKey, tokenLifeTime: 60 };
      await service.cora.post('/api/admin/svcExtension', body);
      const mail = { recordId: 'mail', to: 'a@b.example', subject: 'path', body: 'text' };
      await service.edda.post('/api/space/main/externalEmail', mail);
      const [call] = await host.await(({ method }) => method === 'POST', 1, AbortSignal.timeout(4000));
      return call?.target.startsWith('/mail') ?? false;
    },
  },
};

export const validationMistakes: Batch = {
  'validation.correlation-of-a-share': {
    source: 'core: Common request headers',
    breaks:
      'The correlation id is passed on to every extension that is called because of the request, ahead of a share as well.',
    kind: 'place',
    variant: replaces('triggeredCalls', 'envelopeIdOf', (right, areas, call) =>
      call.url.includes('/shareValidation/') ? randomUUID() : right(areas, call),
    ),
    survives:
      'ledger trigger-validation-binding: which request has an object validated ahead of a share is not shown, and the profile names that of one validated operation only',
    async shows(service) {
      const json = { isValid: true, message: '' };
      const host = await service.host(() => [{ id: 'one', ...validator }], always({ status: 200, json }));
      const made = await service.edda.make('Document', { title: 'shared' });
      const correlationId = randomUUID();
      await service.edda.post(`/api/space/main/shareValidation/${made.oid}`, undefined, {
        'x-correlation-id': correlationId,
      });
      return callsTo(host)[0]?.envelope?.id !== correlationId;
    },
  },
};
