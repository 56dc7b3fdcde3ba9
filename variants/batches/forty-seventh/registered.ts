import { Misfit } from '../../../reference-server/areas/records.ts';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { callsTo, registerEndpoint, scheduleTask } from '../proofs.ts';
import type { Service } from '../service.ts';

const json = { name: 'content-type', value: 'application/json' };

/** Whether a record with these fields is left out of those of its host. */
async function isLeftOut(
  service: Service,
  fields: { readonly description?: string; readonly version?: string },
): Promise<boolean> {
  await service.host(() => [{ id: 'event', ...fields }]);
  return (await service.edda.sendEvent()).status >= 400;
}

/** What is registered, and what extensions say of themselves. */
export const registeredMistakes: Batch = {
  'endpoint.headers-that-hold-tokens': {
    source: 'extensions: Registered external endpoint (simple), headers',
    breaks:
      'The headers are set on the call as they are configured, those with the tokens of the external service too.',
    kind: 'value',
    variant: replaces('requests', 'endpointRequest', async (right, areas, delivery, callee) => {
      const request = await right(areas, delivery, callee);
      const isTrusted = callee.endpoint.kind === 'trustedExternalEndpoint';
      const headers = Object.entries(request.headers).filter(([name]) => isTrusted || !/token/i.test(name));
      return { ...request, headers: Object.fromEntries(headers) };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      const headers = [json, { name: 'X-Service-Token', value: 'v' }];
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook`, headers });
      await service.edda.sendToEndpoint();
      await service.pass(1);
      const [call] = callsTo(host);
      return call !== undefined && !call.headers.some(([, value]) => value === 'v');
    },
  },

  'endpoint.json-text-twice': {
    source: 'extensions: Registered external endpoint (simple), text on the body',
    breaks: 'The content of the body is what is configured, a text that is sent as JSON too.',
    kind: 'combination',
    survives:
      'Whether a text that is configured for JSON is JSON already, or a text to be written as such, is not said.',
    variant: replaces('requests', 'endpointRequest', async (right, areas, delivery, callee) => {
      const request = await right(areas, delivery, callee);
      const isJson = callee.endpoint.headers.some(({ value }) => value.startsWith('application/json'));
      const isTwice = isJson && typeof delivery.payload === 'string' && request.body !== undefined;
      return isTwice ? { ...request, body: JSON.stringify(delivery.payload) } : request;
    }),
    async shows(service) {
      const host = await service.host(() => []);
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook` });
      await service.edda.sendToEndpoint('hook', '{"a":1}');
      await service.pass(1);
      return typeof callsTo(host)[0]?.json === 'string';
    },
  },

  'metadata.description-of-255': {
    source: 'extensions: Extension metadata record, description',
    breaks: 'A description is a text of any length.',
    kind: 'value',
    variant: replaces('metadata', 'recordFrom', (right, areas, item) => {
      const record = right(areas, item);
      const isLong = !(record instanceof Misfit) && (record.description ?? '').length > 255;
      return isLong ? new Misfit('/description', 'must have 255 characters at most') : record;
    }),
    shows: (service) => isLeftOut(service, { description: 'a'.repeat(256) }),
  },

  'task.first-type-alone': {
    source: 'extensions: Extension metadata record, text on the capability use',
    breaks: 'The task manages the file types that are listed, the second of them too.',
    kind: 'place',
    variant: replaces('triggers', 'assertManages', (right, areas, record, path) => {
      const first = record.capabilities?.map((item) => ({ ...item, capabilities: item.capabilities.slice(0, 1) }));
      right(areas, first === undefined ? record : { ...record, capabilities: first }, path);
    }),
    async shows(service) {
      const capabilities = [{ capabilityType: 'MimeType' as const, capabilities: ['application/pdf', 'text/csv'] }];
      const host = await service.host(() => [{ id: 'task', extensionType: 'ExternalTask', capabilities }]);
      await scheduleTask(service);
      return callsTo(host).length === 0;
    },
  },
};
