import { startExtensionHost } from '../../../simulator/extension/host.ts';
import { Misfit } from '../../../reference-server/areas/records.ts';
import { breaks, together, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { type Received, type Service, signatureOver } from '../service.ts';
import { acquire, keysOf, validator } from './proofs.ts';
import { callsTo, changeExtension } from '../proofs.ts';

/** A trusted endpoint at the host, and an event for it. */
async function callTrusted({ cora, edda }: Service, url: string, more: object = {}): Promise<Received> {
  const headers = [{ name: 'content-type', value: 'application/json' }];
  const body = { id: 'trusted', url, method: 'POST', category: 'c', headers, tokenLifeTime: 5, ...more };
  await cora.post('/api/admin/trustedExternalEndpoint', body);
  return edda.post('/api/space/main/externalEvent', { endpointId: 'trusted', contentPayload: { text: 'an event' } });
}

export const registered: Batch = {
  'registration.parameters-of-one-name-are-one': {
    source: 'extensions: Registered trusted external endpoint',
    breaks: 'The token is appended to the query that is registered, in which a name may stand twice.',
    kind: 'value',
    variant: replaces('requests', 'endpointUrl', async (right, areas, ...args) => {
      const url = new URL(await right(areas, ...args));
      url.search = String(new URLSearchParams(Object.fromEntries(url.searchParams)));
      return url.href;
    }),
    async shows(service) {
      await using host = await startExtensionHost();
      await callTrusted(service, `${host.url}/hook?tag=a&tag=b`);
      await service.pass(1);
      return new URL(callsTo(host)[0]?.target ?? '/', host.url).searchParams.getAll('tag').length !== 2;
    },
  },
  'metadata.build-of-a-version-is-refused': {
    source: 'extensions: Extension metadata record',
    breaks: 'A version with a pre-release and a build is SemVer, and its record is put to use.',
    kind: 'value',
    variant: replaces('metadata', 'recordFrom', (right, areas, item) => {
      const record = right(areas, item);
      const isPlain = record instanceof Misfit || /^\d+\.\d+\.\d+$/.test(record.version);
      return isPlain ? record : new Misfit('/version', 'must be three numbers');
    }),
    async shows({ host, edda }) {
      await host(() => [{ id: 'e', version: '2.1.0-rc.1+build.7' }]);
      return (await edda.sendEvent('e')).status !== 201;
    },
  },
  'metadata.last-type-of-the-list-is-not-known': {
    source: 'extensions: Extension metadata record',
    breaks:
      'Each of the thirteen types is supported; an Identity extension may acquire the keys that it is configured for.',
    kind: 'value',
    variant: replaces('metadata', 'isSupportedType', (right, areas, type) => type !== 'Identity' && right(areas, type)),
    survives: 'Which of the types a service supports is not said: records of those that it does not are ignored.',
    async shows(service) {
      const { status } = await acquire(service, ['AuthorizationAPI'], { extensionType: 'Identity' });
      return status >= 300;
    },
  },
  'validation.first-list-of-capabilities-alone-counts': {
    source: 'extensions: Extension metadata record, capability use',
    breaks: 'A validation applies to every SoftType that its capabilities list, in whichever item.',
    kind: 'value',
    variant: replaces('registry', 'validatorsOf', async (right, areas, reading, softTypeId) => {
      const found = [];
      for (const address of await right(areas, reading, softTypeId)) {
        const registration = await areas.registry.registrationOf(reading, address.registrationId);
        const records = registration?.kind === 'svcExtension' ? registration.records : [];
        const [first] = records.find(({ id }) => id === address.recordId)?.capabilities ?? [];
        if (first?.capabilities.includes(softTypeId)) found.push(address);
      }
      return found;
    }),
    async shows(service) {
      const { edda } = service;
      const made = await edda.make('Document', { title: 't' });
      const [one, other] = ['Part', 'Document'].map((id) => ({ capabilityType: 'SoftType', capabilities: [id] }));
      const capabilities = [one, other].flatMap((item) => item ?? []);
      const host = await service.host(() => [{ ...validator('v'), capabilities }]);
      await edda.move(made, 1);
      return callsTo(host).length !== 1;
    },
  },
  'signing.key-of-the-first-registration-stays': {
    source: 'extensions: Authentication 3',
    breaks: 'Calls are signed with the key that the extension is registered with now.',
    kind: 'copy',
    variant: breaks('signing', 'signatureHeaders', (right) => {
      const kept = new Map<string, string>();
      return (areas, apiKey, url) => {
        const { origin } = new URL(url);
        if (!kept.has(origin)) kept.set(origin, apiKey);
        return right(areas, kept.get(origin) ?? apiKey, url);
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'e' }]);
      const key = Buffer.alloc(64, 9).toString('base64');
      await changeExtension(service, { hostUri: host.url, apiKey: key });
      await service.edda.sendEvent('e');
      await service.pass(1);
      const [call] = callsTo(host);
      return call?.signature?.presented !== signatureOver(call?.path ?? '', key);
    },
  },
  'keys.callback-is-compared-without-its-query': {
    source: 'extensions: Acquiring API keys',
    breaks: 'The tokenCallback equals the configured one, its query included.',
    kind: 'value',
    variant: replaces(
      'apiKeys',
      'isConfiguredCallback',
      (_right, _areas, given, configured) => given.split('?', 1)[0] === configured.split('?', 1)[0],
    ),
    async shows(service) {
      const { status } = await acquire(service, ['SnapshotAPI'], {}, '?to=elsewhere');
      return status < 300;
    },
  },
  'keys.change-once-and-never-again': {
    source: 'extensions: Permission names',
    breaks: 'Keys are rotated every 24 hours, on the second day as on the first.',
    kind: 'moment',
    variant: together(
      breaks('apiKeys', 'isKeyDue', (right) => {
        let rotations = 0;
        return (areas, key) => right(areas, key) && (rotations += 1) === 1;
      }),
      replaces('apiKeys', 'isKeyValid', () => true),
    ),
    async shows(service) {
      const keys = await keysOf(service, 3, 25 * 60 * 60);
      return new Set(keys).size !== 3;
    },
  },
};
