import { Refusal } from '../../../reference-server/http/refusal.ts';
import type { ExtensionHost } from '../../../simulator/extension/host.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, callsTo, registerEndpoint } from '../proofs.ts';
import type { Received, Service } from '../service.ts';

export const deliveryMistakes: Batch = {
  'delivery.asked-again-in-need': {
    source: 'extensions: Metadata exchange',
    breaks: 'Metadata is asked for when an extension is added or updated, and not because calls to it fail.',
    kind: 'moment',
    variant: replaces('outgoingCalls', 'preparedRequest', async (right, areas, delivery, callee, count) => {
      if (count > 3 && 'extension' in callee) await areas.metadata.fetchMetadata(callee.extension, delivery.envelopeId);
      return right(areas, delivery, callee, count);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }], always({ status: 503 }));
      await service.edda.sendEvent();
      await service.pass(33, 6);
      return callsOf(host, 'metadata').length > 1;
    },
  },
};

export const callsMistakes: Batch = {
  'calls.base-address-of-the-api': {
    source: 'extensions: Call envelope, baseAddress',
    breaks: 'The base address is that of the service as it was configured, and not the root of its API.',
    kind: 'value',
    variant: replaces('requests', 'extensionRequest', async (right, areas, delivery, callee) => {
      const { body = '', ...request } = await right(areas, delivery, callee);
      return { ...request, body: body.replace(/("baseAddress":"[^"]*)"/, '$1/api"') };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await service.edda.sendEvent();
      await service.pass(1);
      return callsTo(host)[0]?.envelope?.baseAddress !== service.url;
    },
  },

  'registration.off-for-good': {
    source: 'extensions: Registered external endpoint, active',
    breaks: 'What was switched off is called again when it is switched on.',
    kind: 'moment',
    variant: breaks('callees', 'isActive', (right) => {
      const off = new Set<string>();
      return (areas, registration) => {
        if (!right(areas, registration)) off.add(registration.id);
        return !off.has(registration.id);
      };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      const url = `${host.url}/hook`;
      await registerEndpoint(service, 'externalEndpoint', { url });
      await putEndpoint(service, { url, active: false });
      await service.edda.sendToEndpoint();
      await putEndpoint(service, { url, active: true });
      await service.edda.sendToEndpoint();
      await service.pass(1);
      return callsTo(host).length === 0;
    },
  },

  'registration.active-from-the-start': {
    source: 'extensions: Registration routes',
    breaks: 'An endpoint is registered as it is sent, also as one that is not active.',
    kind: 'value',
    variant: replaces('registrations', 'endpointFrom', (right, areas, body) => ({
      ...right(areas, body),
      active: true,
    })),
    async shows(service) {
      const host = await service.host(() => []);
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook`, active: false });
      await service.edda.sendToEndpoint();
      await service.pass(1);
      return callsTo(host).length > 0;
    },
  },
};

export const keysMistakes: Batch = {
  'keys.last-name-of-the-list': {
    source: 'extensions: Permission names',
    breaks: 'There are keys for each of the five permissions, the last of the list as well.',
    kind: 'value',
    variant: replaces('apiKeys', 'acquireComplaint', (right, areas, holder, request) =>
      request.permissions.includes('LicenseCommunicationAPI')
        ? new Refusal(403, 'There is no such permission.')
        : right(areas, holder, request),
    ),
    async shows(service) {
      const host = await hostOfKeys(service);
      return (await acquire(service, host, ['LicenseCommunicationAPI'])).status >= 400;
    },
  },
};

/** The endpoint `hook`, otherwise. */
function putEndpoint({ cora }: Service, fields: object): Promise<Received> {
  return cora.put('/api/admin/externalEndpoint/hook', undefined, {
    id: 'hook',
    method: 'POST',
    category: 'proof',
    headers: [{ name: 'content-type', value: 'application/json' }],
    ...fields,
  });
}

/** May have two of the keys. */
function hostOfKeys({ host }: Service): Promise<ExtensionHost> {
  const names = ['SnapshotAPI', 'LicenseCommunicationAPI'];
  return host(
    (url) => [{ id: 'event', permissions: { tokenCallback: `${url}/keys`, permissions: names } }],
    [{ when: { path: '/keys' }, steps: [{ status: 200 }], afterwards: 'last' }],
  );
}

function acquire(
  { cora }: Service,
  host: ExtensionHost,
  permissions: readonly string[],
  id = 'event',
): Promise<Received> {
  const path = `/api/collection/externalExtension/acquireAccessToken/${id}`;
  return cora.post(path, { tokenCallback: `${host.url}/keys`, permissions });
}
