import { headerNames } from '../../../contract/names.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { callsTo, registerEndpoint } from '../proofs.ts';
import { at, type Service } from '../service.ts';

export const endpointMistakes: Batch = {
  'endpoints.trusted-one-off-by-default': {
    source: 'extensions: Registered external endpoint',
    breaks: 'An endpoint is active unless it says otherwise, a trusted one as well.',
    kind: 'place',
    variant: replaces('registrations', 'trustedEndpointFrom', (right, areas, body) => {
      const fields = right(areas, body);
      return { ...fields, active: at(body, '/active') === true };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/hook`, tokenLifeTime: 5 });
      await callHook(service);
      return callsTo(host).length === 0;
    },
  },
};

export const callsMistakes: Batch = {
  'calls.guid-in-lower-case': {
    source: 'extensions: Call envelope',
    breaks: 'The id of a call equals the correlation id of its trigger, in whatever case that is written.',
    kind: 'value',
    survives:
      'A GUID is the same in either letter case, so that one that is passed on in the other equals it: the change is remarked by calls.envelope.id-from-correlation.',
    variant: replaces('triggeredCalls', 'envelopeIdOf', (right, areas, call) => {
      const id = right(areas, call);
      return /^[0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12}$/i.test(id) ? id.toLowerCase() : id;
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      const id = 'A1B2C3D4-0000-4000-8000-ABCDEF012345';
      await service.edda.sendEvent('event', {}, { [headerNames.correlationId]: id });
      await service.pass(1);
      return callsTo(host).some(({ envelope }) => envelope?.id !== id);
    },
  },

  'calls.form-that-sends-a-batch': {
    source: 'extensions: Payloads by extension type',
    breaks: 'The content of a form action is what the form would have sent, the array of a batch as well.',
    kind: 'value',
    variant: replaces('triggers', 'formPayload', (right, areas, body) => {
      const payload = right(areas, body);
      const content = at(payload, '/contentPayload');
      return Array.isArray(content) ? { ...payload, contentPayload: { operations: content } } : payload;
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'action', extensionType: 'ExternalAction' }]);
      const requestedRoute = '/api/space/main/batch';
      const contentPayload = [{ method: 'GET', href: '/api/space/main/softtype/one' }];
      const body = { kind: 'form', requestedRoute, httpVerb: 'POST', contentPayload };
      await service.edda.post('/api/space/main/externalAction/action', body);
      return callsTo(host).some(({ json }) => !Array.isArray(at(json, '/payload/contentPayload')));
    },
  },
};

export const validationMistakes: Batch = {
  'validation.kept-verdict': {
    source: 'extensions: Extension metadata record, capability use',
    breaks: 'A validation is made for each evaluation: what was not valid before may be valid by now.',
    kind: 'copy',
    variant: breaks('validation', 'askValidator', (right) => {
      const verdicts = new Map<string, ReturnType<typeof right>>();
      return (areas, call, object, validator) => {
        const verdict = verdicts.get(object.oid) ?? right(areas, call, object, validator);
        verdicts.set(object.oid, verdict);
        return verdict;
      };
    }),
    async shows({ host, edda }) {
      const capabilities = [{ capabilityType: 'SoftType', capabilities: ['Document'] }];
      await host(
        () => [{ id: 'validation', extensionType: 'ExternalValidation', capabilities }],
        [{ steps: [{ status: 200, json: { isValid: false, message: 'not yet' } }] }],
      );
      const made = await edda.make('Document', { title: 'verdict' });
      await edda.move(made, 1);
      await edda.merge(made, 1, { note: 'valid now' });
      return (await edda.move(made, 2)).status !== 204;
    },
  },
};

export const metadataMistakes: Batch = {
  'metadata.refreshed-daily': {
    source: 'extensions: Metadata exchange',
    breaks: 'Metadata is asked for when an extension is added or updated, and not because a day has gone by.',
    kind: 'moment',
    variant: breaks('outgoingCalls', 'preparedRequest', (right) => {
      const fetched = new Map<string, number>();
      return async (areas, delivery, callee, count) => {
        const now = areas.clock.now();
        if (!('extension' in callee)) return right(areas, delivery, callee, count);
        const { hostUri } = callee.extension;
        const isOld = now - (fetched.get(hostUri) ?? now) >= 24 * 60 * 60 * 1000;
        if (isOld || !fetched.has(hostUri)) fetched.set(hostUri, now);
        if (isOld) await areas.metadata.fetchMetadata(callee.extension, delivery.envelopeId);
        return right(areas, delivery, callee, count);
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await service.edda.sendEvent();
      await service.pass(1);
      await service.pass(25 * 60 * 60);
      await service.edda.sendEvent();
      await service.pass(1);
      return host.entries(({ kind }) => kind === 'metadata').length > 1;
    },
  },
};

async function callHook({ edda, pass }: Service): Promise<void> {
  await edda.post('/api/space/main/externalEvent', { endpointId: 'hook', contentPayload: {} });
  await pass(1);
}
