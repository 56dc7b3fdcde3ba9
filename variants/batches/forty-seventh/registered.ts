import { metadataPath } from '../../../contract/names.ts';
import { Misfit } from '../../../reference-server/areas/records.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsTo, changeExtension, registerEndpoint, scheduleTask } from '../proofs.ts';
import { administrationKey, at, hostKey, movePath, signatureOver, type Service } from '../service.ts';

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

  'trusted.limit-by-user': {
    source: 'extensions: Registered trusted external endpoint',
    breaks: 'The limit of a trusted endpoint is that of the endpoint, whoever its calls speak for.',
    kind: 'role',
    variant: replaces('policies', 'policyOf', (right, areas, callee, delivery) => {
      const policy = right(areas, callee, delivery);
      const isTrusted = 'endpoint' in callee && callee.endpoint.kind === 'trustedExternalEndpoint';
      return isTrusted ? { ...policy, rateKey: `${policy.rateKey} ${delivery.userName}` } : policy;
    }),
    async shows(service) {
      const host = await service.host(() => []);
      const fields = { url: `${host.url}/hook`, rateLimitNumberOfExecutions: 1 };
      await registerEndpoint(service, 'trustedExternalEndpoint', fields);
      await service.edda.sendToEndpoint();
      await service.pass(1);
      await service.emil.sendToEndpoint();
      await service.pass(1, 2);
      return callsTo(host).length === 2;
    },
  },

  'trusted.token-of-a-day': {
    source: 'extensions: Registered trusted external endpoint, tokenLifeTime',
    breaks: 'The token is valid for as many minutes as the registration says, for more than a day too.',
    kind: 'value',
    variant: replaces('requests', 'impersonationToken', (right, areas, userName, minutes) =>
      right(areas, userName, Math.min(minutes, 24 * 60)),
    ),
    async shows(service) {
      const host = await service.host(() => []);
      await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/hook`, tokenLifeTime: 3000 });
      await service.edda.sendToEndpoint();
      await service.pass(1);
      const token = new URL(callsTo(host)[0]?.target ?? '', host.url).searchParams.get('access_token') ?? '';
      const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
      return Number(at(claims, '/exp')) - Number(at(claims, '/iat')) < 3000 * 60;
    },
  },

  'keys.license-opens-bulk': {
    source: 'extensions: Permission names, LicenseCommunicationAPI',
    breaks: 'The key for the license manages the license, and opens no bulk upload.',
    kind: 'role',
    variant: replaces(
      'apiKeys',
      'opensAdministration',
      (right, areas, permission) => permission === 'LicenseCommunicationAPI' || right(areas, permission),
    ),
    async shows(service) {
      const name = 'LicenseCommunicationAPI';
      const host = await service.host(
        (url) => [{ id: 'holder', permissions: { tokenCallback: `${url}/keys`, permissions: [name] } }],
        always({ status: 200 }),
      );
      const body = { tokenCallback: `${host.url}/keys`, permissions: [name] };
      await service.cora.post('/api/collection/externalExtension/acquireAccessToken/holder', body);
      const key = String(at(host.entries(({ path }) => path === '/keys')[0]?.json, `/${name}/apiKey`));
      const authorization = `Bearer ${signatureOver('/admin/fileupload', key)}`;
      const upload = { sourceDirectory: await service.directory(), writeLog: false };
      return (await service.nobody.post('/admin/fileupload', upload, { authorization })).status === 200;
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

  'metadata.build-with-zeros': {
    source: 'extensions: Versioning',
    breaks: 'A version that SemVer allows is one, with zeros at the beginning of its build metadata too.',
    kind: 'value',
    variant: replaces('metadata', 'recordFrom', (right, areas, item) => {
      const record = right(areas, item);
      const isPadded = !(record instanceof Misfit) && /[+.]0\d+(?=\.|$)/.test(record.version.replace(/^[^+]*/, ''));
      return isPadded ? new Misfit('/version', 'must be SemVer') : record;
    }),
    shows: (service) => isLeftOut(service, { version: '1.0.0+001' }),
  },

  'metadata.what-is-left-out-stays': {
    source: 'extensions: Extension metadata record, rateLimitNumberOfExecutions',
    breaks: 'A record that names no limit has the default, also when it had one before its extension was updated.',
    kind: 'copy',
    variant: replaces('metadata', 'recordsInForce', (right, areas, former, fetched) =>
      right(areas, former, fetched).map((record) => ({ ...former.find(({ id }) => id === record.id), ...record })),
    ),
    async shows(service) {
      const record = { id: 'event', name: 'n', version: '1.0.0', endpoint: '/e', category: 'c' };
      const event = { ...record, extensionType: 'ExternalEvent' as const };
      const host = await service.host(() => [{ ...event, rateLimitNumberOfExecutions: 1 }]);
      host.setRecords([event]);
      await changeExtension(service, { hostUri: host.url });
      for (const _number of [1, 2]) await service.edda.sendEvent();
      await service.pass(1, 2);
      return callsTo(host).length === 1;
    },
  },

  'metadata.capabilities-by-type': {
    source: 'extensions: Extension metadata record, capabilities',
    breaks: 'Capabilities are an array of items, of which two may be of one type.',
    kind: 'value',
    variant: replaces('metadata', 'recordFrom', (right, areas, item) => {
      const record = right(areas, item);
      if (record instanceof Misfit || record.capabilities === undefined) return record;
      const byType = new Map(record.capabilities.map((capability) => [capability.capabilityType, capability]));
      return { ...record, capabilities: [...byType.values()] };
    }),
    async shows(service) {
      const capabilities = ['Document', 'Part'].map((softType) => ({
        capabilityType: 'SoftType' as const,
        capabilities: [softType],
      }));
      const host = await service.host(() => [{ extensionType: 'ExternalValidation', capabilities }]);
      await service.edda.put(movePath(await service.edda.make('Document', { title: 't' })), 1);
      return callsTo(host).length === 0;
    },
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

  'signature.kept-by-url': {
    source: 'extensions: Authentication 3',
    breaks: 'Calls are signed with the key that the extension has, and not with the one it had.',
    kind: 'copy',
    variant: breaks('signing', 'signatureHeaders', (right) => {
      const made = new Map<string, { readonly Authorization: string }>();
      return (areas, apiKey, url) => {
        const headers = made.get(url) ?? right(areas, apiKey, url);
        if (!url.endsWith(metadataPath)) made.set(url, headers);
        return headers;
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await service.edda.sendEvent();
      await service.pass(1);
      await changeExtension(service, { hostUri: host.url, apiKey: administrationKey });
      await service.edda.sendEvent();
      await service.pass(1);
      const [, call] = callsTo(host);
      const authorization = call?.headers.find(([name]) => name.toLowerCase() === 'authorization')?.[1];
      return authorization === `Bearer ${signatureOver(call?.path ?? '', hostKey)}`;
    },
  },
};
