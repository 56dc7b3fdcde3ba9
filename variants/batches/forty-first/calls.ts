import { Misfit } from '../../../reference-server/areas/records.ts';
import { type Variant, breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, changeExtension, logged, reached, registerEndpoint } from '../proofs.ts';
import { at, listAt, type Service } from '../service.ts';

export const callMistakes: Batch = {
  'events.correlation-ids-are-cut': {
    source: 'core: Events; extensions: Events 4',
    breaks: 'The correlation id is passed on as it came, be it longer than a GUID.',
    kind: 'value',
    variant: replaces('triggeredCalls', 'envelopeIdOf', (right, areas, call) => right(areas, call).slice(0, 36)),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      const id = 'correlation-'.repeat(4);
      await service.edda.sendEvent('event', {}, { 'X-Correlation-Id': id });
      await service.pass(1);
      const [call] = await reached(host, 1);
      return call !== undefined && call.envelope?.id !== id;
    },
  },

  'metadata.described-and-capable': {
    source: 'extensions: Extension metadata record, row description',
    breaks: 'A record may have a description, beside capabilities as well.',
    kind: 'combination',
    variant: leavesOut((record) => 'description' in record && 'capabilities' in record),
    shows: (service) =>
      isUncalled(service, {
        description: 'for parts',
        capabilities: [{ capabilityType: 'SoftType', capabilities: ['Part'] }],
      }),
  },

  'metadata.forever-until-it-says-no': {
    source: 'extensions: Extension metadata record, row retryForever',
    breaks: 'A record that says nothing of it any more is not retried for ever.',
    kind: 'moment',
    variant: replaces('metadata', 'recordsInForce', (right, areas, former, fetched) =>
      right(areas, former, fetched).map((record) => {
        const before = former.find(({ id }) => id === record.id);
        return before?.retryForever === true ? { retryForever: true, ...record } : record;
      }),
    ),
    async shows(service) {
      const record = { id: 'event', name: 'event', version: '1.0.0', endpoint: '/event' } as const;
      const more = { extensionType: 'ExternalEvent', category: 'proof', rateLimitNumberOfExecutions: 1000 } as const;
      const host = await service.host(() => [{ ...record, ...more, retryForever: true }], always({ status: 503 }));
      host.setRecords([{ ...record, ...more }]);
      await changeExtension(service, { hostUri: host.url });
      await service.edda.sendEvent('event');
      await service.pass(65, 9);
      return callsOf(host, 'event').length > 6;
    },
  },

  'validation.second-list-of-softtypes': {
    source: 'extensions: Extension metadata record, row capabilities',
    breaks: 'A validation applies to the SoftTypes of each item of its capabilities, of the second one too.',
    kind: 'place',
    variant: replaces('metadata', 'recordFrom', (right, areas, item) => {
      const record = right(areas, item);
      if (record instanceof Misfit || record.capabilities === undefined) return record;
      const types = record.capabilities.map(({ capabilityType }) => capabilityType);
      return {
        ...record,
        capabilities: record.capabilities.filter(
          ({ capabilityType }, index) => types.indexOf(capabilityType) === index,
        ),
      };
    }),
    async shows(service) {
      const capabilities = ['Part', 'Document'].map((id) => ({ capabilityType: 'SoftType', capabilities: [id] }));
      const host = await service.host(() => [{ id: 'check', extensionType: 'ExternalValidation', capabilities }]);
      const made = await service.edda.make('Document', { title: 't' });
      await service.edda.move(made, 1);
      return callsOf(host, 'validation').length === 0;
    },
  },

  'metadata.capabilities-that-no-space-knows': {
    source: 'extensions: Extension metadata record, text on capability use',
    breaks: 'An event handler may list capabilities of its own, which name nothing that the service knows.',
    kind: 'place',
    variant: leavesOut((record) =>
      listAt(record, '/capabilities').some((item) => listAt(item, '/capabilities').includes('anything')),
    ),
    shows: (service) =>
      isUncalled(service, { capabilities: [{ capabilityType: 'SoftType', capabilities: ['anything'] }] }),
  },

  'actions.batch-without-its-object': {
    source: 'extensions: Payloads by extension type, row ExternalAction',
    breaks: 'A form action says which object is selected, also where it stands for a batch.',
    kind: 'combination',
    variant: replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
      const isBatch = triggered.kind === 'action' && Array.isArray(at(triggered.payload, '/contentPayload'));
      if (!isBatch) return right(areas, call, triggered);
      const { objectId: _id, svcUOIVersion: _version, ...payload } = triggered.payload as Record<string, unknown>;
      return right(areas, call, { ...triggered, payload });
    }),
    async shows(service) {
      const payload = await formPayload(service, [{}, {}]);
      return payload !== undefined && at(payload, '/objectId') === undefined;
    },
  },

  'actions.batch-of-one-operation': {
    source: 'extensions: text on the action content payload; Errors 4',
    breaks: 'The content of a form is what would have been sent, an array also where a batch has one operation.',
    kind: 'value',
    variant: replaces('triggers', 'formPayload', (right, areas, body) => {
      const payload = right(areas, body);
      const [only, ...more] = listAt(payload, '/contentPayload');
      return only === undefined || more.length > 0 ? payload : { ...payload, contentPayload: only };
    }),
    async shows(service) {
      const payload = await formPayload(service, [{ method: 'GET' }]);
      return payload !== undefined && !Array.isArray(at(payload, '/contentPayload'));
    },
  },

  'endpoints.token-of-an-administrator': {
    source: 'extensions: Authentication 6',
    breaks: 'A simple endpoint gets no token, whichever role triggers the event.',
    kind: 'role',
    variant: replaces('requests', 'endpointUrl', async (right, areas, delivery, callee) => {
      const user = areas.configuration.users.get(delivery.userName);
      const space = areas.configuration.spaces.get(delivery.spaceId);
      const roles = user === undefined || space === undefined ? [] : areas.auth.rolesOf(user, space);
      const url = await right(areas, delivery, callee);
      if (!roles.includes('administrator') || callee.endpoint.kind !== 'externalEndpoint') return url;
      const token = await areas.requests.impersonationToken(delivery.userName, 60);
      return `${url}${url.includes('?') ? '&' : '?'}access_token=${token}`;
    }),
    async shows(service) {
      const host = await service.host(() => []);
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook` });
      await service.alma.sendToEndpoint();
      await service.pass(1);
      const [call] = await reached(host, 1);
      return call?.target.includes('access_token') === true;
    },
  },

  'log.retries-of-the-endpoint-are-counted': {
    source: 'extensions: Errors 3',
    breaks: 'A line on a transient error has the number of the retry of its own event.',
    kind: 'copy',
    survives: 'how a line of the log tells a number is not said',
    variant: breaks('deliveries', 'logEntriesFor', (right) => {
      const counts = new Map<string, number>();
      return (areas, delivery, policy, outcome, step) => {
        if (step.kind !== 'retry') return right(areas, delivery, policy, outcome, step);
        const key = `${delivery.registrationId} ${delivery.recordId}`;
        const retry = (counts.get(key) ?? 0) + 1;
        counts.set(key, retry);
        return right(areas, delivery, policy, outcome, { ...step, retry });
      };
    }),
    async shows(service) {
      await service.host(() => [{ id: 'event' }], always({ status: 503 }));
      await service.edda.sendEvent('event');
      await service.pass(0.5);
      await service.edda.sendEvent('event');
      await service.pass(0.5);
      const lines = await logged(service, 'transient-error');
      return lines.filter((line) => at(line, '/retry') === 1).length === 1 && lines.length === 2;
    },
  },
};

/** Records that are left out, right as they are. */
function leavesOut(isMeant: (record: Readonly<Record<string, unknown>>) => boolean): Variant {
  return replaces('metadata', 'recordFrom', (right, areas, item) => {
    const isLeftOut = typeof item === 'object' && item !== null && isMeant({ ...item });
    return isLeftOut ? new Misfit('', 'must be another one') : right(areas, item);
  });
}

/** Whether no event reaches the record. */
async function isUncalled(service: Service, record: object): Promise<boolean> {
  const host = await service.host(() => [{ id: 'event', ...record }]);
  const answer = await service.edda.sendEvent('event');
  await service.pass(1);
  return answer.status !== 201 || (await reached(host, 1, 1000)).length === 0;
}

/** What the action of a form with this content is sent about an object. */
async function formPayload(service: Service, contentPayload: readonly object[]): Promise<unknown> {
  const host = await service.host(() => [{ id: 'action', extensionType: 'ExternalAction' }]);
  const made = await service.edda.make('Document', { title: 't' });
  await service.edda.post('/api/space/main/externalAction/action', {
    kind: 'form',
    objectId: made.oid,
    requestedRoute: '/api/space/main/batch',
    httpVerb: 'POST',
    contentPayload,
  });
  return callsOf(host, 'action')[0]?.envelope?.payload;
}
