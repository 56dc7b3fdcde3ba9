import { randomUUID } from 'node:crypto';
import { headerNames } from '../../../contract/names.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { capabilitiesOf } from '../../../reference-server/areas/records.ts';
import type { Entry } from '../../../simulator/extension/entry.ts';
import type { ExtensionHost } from '../../../simulator/extension/host.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { callsOf, registerEndpoint } from '../proofs.ts';
import { at, hostKey, listAt, many, type Received, type Service } from '../service.ts';

const extensionPath = '/api/admin/svcExtension';

/** In minutes; many take an hour for the longest that a token lives. */
const longestTokenLife = 60;

export const metadataMistakes: Batch = {
  'metadata.fetched-before-actions': {
    source: 'extensions: Metadata exchange',
    breaks: 'Metadata is asked for when an extension is added or updated, and not when it is called.',
    kind: 'moment',
    variant: replaces('outgoingCalls', 'attempt', async (right, areas, delivery, callee, count) => {
      if (callee !== undefined && 'extension' in callee)
        await areas.metadata.fetchMetadata(callee.extension, delivery.envelopeId);
      return right(areas, delivery, callee, count);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'action', extensionType: 'ExternalAction' }]);
      await runAction(service, {});
      return callsOf(host, 'metadata').length > 1;
    },
  },

  'metadata.former-records-stay': {
    source: 'extensions: Versioning',
    breaks: 'An update brings the metadata that the host tells now; a record that it tells no more is gone.',
    kind: 'copy',
    variant: replaces('metadata', 'recordsInForce', (right, areas, former, fetched) => {
      const ids = new Set(fetched.map(({ id }) => id));
      return right(areas, former, [...fetched, ...former.filter(({ id }) => !ids.has(id))]);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      host.setRecords([]);
      const { cora } = service;
      const id = String(at((await cora.get(extensionPath)).json, '/data/0/id'));
      await cora.put(`${extensionPath}/${id}`, undefined, { hostUri: host.url, apiKey: hostKey, tokenLifeTime: 60 });
      await service.edda.sendEvent();
      await service.pass(1);
      return host.entries((entry) => entry.kind !== 'metadata').length > 0;
    },
  },

  'metadata.only-the-first-softtype': {
    source: 'extensions: Extension metadata record',
    breaks: 'A validation applies to every SoftType that its record lists.',
    kind: 'value',
    variant: replaces('registry', 'validatorsOf', async (right, areas, reading, softTypeId) => {
      const found = await right(areas, reading, softTypeId);
      const firsts = await Promise.all(
        found.map(async ({ registrationId, recordId }) => {
          const registration = await areas.registry.registrationOf(reading, registrationId);
          const records = registration?.kind === 'svcExtension' ? registration.records : [];
          const record = records.find(({ id }) => id === recordId);
          return record && capabilitiesOf(record, 'SoftType')[0];
        }),
      );
      return found.filter((_address, index) => firsts[index] === softTypeId);
    }),
    async shows(service) {
      const host = await service.host(() => [validator(['ChangeRequest', 'Document'])]);
      await promoteFresh(service);
      return callsOf(host, 'validation').length === 0;
    },
  },
};

export const endpointsMistakes: Batch = {
  'endpoints.trusted-ones-always-active': {
    source: 'extensions: Registered trusted external endpoint',
    breaks: 'A trusted endpoint has all fields of a simple one: one that is not active is not called.',
    kind: 'place',
    variant: replaces('callees', 'isActive', (right, areas, registration) => {
      return registration.kind === 'trustedExternalEndpoint' || right(areas, registration);
    }),
    async shows(service) {
      const host = await service.host(() => []);
      await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/trusted`, active: false });
      await service.edda.sendToEndpoint();
      await service.pass(1);
      return trustedCallsOf(host).length > 0;
    },
  },

  'endpoints.token-of-an-hour-at-most': {
    source: 'extensions: Registered trusted external endpoint',
    breaks: 'A token is valid for the minutes of tokenLifeTime, however many they are.',
    kind: 'value',
    variant: replaces('requests', 'impersonationToken', (right, areas, userName, lifeTime) => {
      return right(areas, userName, Math.min(lifeTime, longestTokenLife));
    }),
    async shows(service) {
      const host = await service.host(() => []);
      await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/trusted`, tokenLifeTime: 90 });
      await service.edda.sendToEndpoint();
      await service.pass(1);
      const [call] = trustedCallsOf(host);
      const token = new URL(call?.target ?? '/', host.url).searchParams.get('access_token') ?? '';
      const claims = claimsOf(token);
      return claims !== undefined && Number(at(claims, '/exp')) - Number(at(claims, '/iat')) !== 90 * 60;
    },
  },
};

export const deliveryMistakes: Batch = {
  'delivery.request-timeout-is-final': {
    source: 'extensions: Errors 1',
    breaks: 'The status 408 is a transient error.',
    kind: 'value',
    variant: replaces('policies', 'isTransient', (right, areas, outcome) => {
      return right(areas, outcome) && !(outcome.kind === 'answered' && outcome.status === 408);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }], [{ steps: [{ status: 408 }] }]);
      await service.edda.sendEvent();
      await service.pass(3, 2);
      return callsOf(host, 'event').length < 2;
    },
  },

  'delivery.tried-for-ever-without-limit': {
    source: 'extensions: Limits',
    breaks: 'The rate limit holds for an extension that is retried for ever as well.',
    kind: 'combination',
    variant: replaces('policies', 'policyOf', (right, areas, callee, delivery) => {
      const policy = right(areas, callee, delivery);
      return { ...policy, rateLimit: callee.retryForever ? Number.MAX_SAFE_INTEGER : policy.rateLimit };
    }),
    async shows(service) {
      const record = { id: 'event', retryForever: true, rateLimitNumberOfExecutions: 2 };
      const host = await service.host(() => [record]);
      for (const _number of many(4, (number) => number)) await service.edda.sendEvent();
      await service.pass(1, 2);
      return callsOf(host, 'event').length > 2;
    },
  },
};

export const callsMistakes: Batch = {
  'calls.version-of-the-first-action': {
    source: 'extensions: Payloads by extension type',
    breaks: 'An action is told the version of the selected object as it is now, whatever it was at the action before.',
    kind: 'copy',
    variant: breaks('triggeredCalls', 'deliveryOf', (right) => {
      const versions = new Map<unknown, unknown>();
      return (areas, call, triggered) => {
        const delivery = right(areas, call, triggered);
        const { payload } = delivery;
        if (delivery.kind !== 'action' || !isContent(payload) || payload['objectId'] === undefined) return delivery;
        const svcUOIVersion = versions.get(payload['objectId']) ?? payload['svcUOIVersion'];
        versions.set(payload['objectId'], svcUOIVersion);
        return { ...delivery, payload: { ...payload, svcUOIVersion } };
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'action', extensionType: 'ExternalAction' }]);
      const { edda } = service;
      const made = await edda.make('Document', { title: 'title' });
      await runAction(service, { objectId: made.oid });
      await edda.merge(made, 1, { note: 'note' });
      await runAction(service, { objectId: made.oid });
      return callsOf(host, 'action').at(1)?.envelope?.payload?.['svcUOIVersion'] !== 2;
    },
  },

  'calls.token-of-whoever-came-first': {
    source: 'extensions: Call envelope',
    breaks: 'The access token speaks for the user who triggered the call, not for one before.',
    kind: 'role',
    variant: breaks('requests', 'impersonationToken', (right) => {
      const kept = new Map<number, Promise<string>>();
      return (areas, userName, lifeTime) => {
        const token = kept.get(lifeTime) ?? right(areas, userName, lifeTime);
        kept.set(lifeTime, token);
        return token;
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await service.edda.sendEvent();
      await service.pass(1);
      await service.emil.sendEvent();
      await service.pass(1);
      return at(claimsOf(callsOf(host, 'event').at(1)?.envelope?.accessToken ?? ''), '/sub') !== 'emil';
    },
  },

  'calls.content-without-null': {
    source: 'extensions: Payloads by extension type',
    breaks: 'The content of an event is any JSON that was configured, null included.',
    kind: 'value',
    variant: replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
      const delivery = right(areas, call, triggered);
      const { payload } = delivery;
      if (delivery.kind !== 'event' || !isContent(payload) || !isContent(payload['contentPayload'])) return delivery;
      const pairs = Object.entries(payload['contentPayload']).filter(([, value]) => value !== null);
      return { ...delivery, payload: { ...payload, contentPayload: Object.fromEntries(pairs) } };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await service.edda.sendEvent('event', { empty: null, full: 1 });
      await service.pass(1);
      const content = callsOf(host, 'event')[0]?.envelope?.payload?.['contentPayload'];
      return at(content, '/empty') !== null;
    },
  },

  'calls.another-id-for-validations': {
    source: 'extensions: Call envelope',
    breaks: 'The id of the envelope is the correlation id of the promote that asks for a validation.',
    kind: 'place',
    variant: replaces('triggeredCalls', 'envelopeIdOf', (right, areas, call) => {
      return call.params['levelId'] === undefined ? right(areas, call) : randomUUID();
    }),
    async shows(service) {
      const host = await service.host(() => [validator(['Document'])]);
      const id = randomUUID();
      await promoteFresh(service, { [headerNames.correlationId]: id });
      const [call] = callsOf(host, 'validation');
      return call !== undefined && call.envelope?.id !== id;
    },
  },

  'calls.task-uploads-to-the-root': {
    source: 'extensions: External task links',
    breaks: 'The default location of a stream upload is the path of the input file of the task.',
    kind: 'place',
    variant: replaces('requests', 'taskLinks', (right, areas, spaceId, jobId, inputPath, token) => {
      return right(areas, spaceId, jobId, inputPath, token).map((link) =>
        link.id === 'uploadFileStream' ? { ...link, url: link.url.replace(/\/stream\/.*$/, '/stream') } : link,
      );
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      await service.edda.upload('in/box/list.csv', 'a;b');
      const task = { recordId: 'task', inputPath: 'in/box/list.csv', taskSettings: {} };
      await service.edda.post('/api/space/main/dx', task);
      await service.pass(1);
      const links = listAt(callsOf(host, 'task')[0]?.envelope?.payload, '/links');
      const upload = links.find((link) => at(link, '/id') === 'uploadFileStream');
      return upload !== undefined && !String(at(upload, '/url')).includes('in/box');
    },
  },
};

function runAction({ edda }: Service, selection: object): Promise<Received> {
  return edda.post('/api/space/main/externalAction/action', { kind: 'ribbon', ...selection });
}

async function promoteFresh({ edda }: Service, headers: Readonly<Record<string, string>> = {}): Promise<void> {
  const made = await edda.make('Document', { title: 'title' });
  const path = `/api/space/main/maturityAction/promote/${made.oid}/release/engineering`;
  await edda.send('PUT', path, { headers: { [headerNames.version]: '1', ...headers } });
}

function validator(softTypes: string[]) {
  const capabilities = [{ capabilityType: 'SoftType', capabilities: softTypes }];
  return { id: 'validator', extensionType: 'ExternalValidation', capabilities };
}

function trustedCallsOf(host: ExtensionHost): readonly Entry[] {
  return host.entries(({ path }) => path === '/trusted');
}

/** Claims of a token; undefined for what is none. */
function claimsOf(token: string): unknown {
  const [, claims] = token.split('.');
  return claims === undefined ? undefined : JSON.parse(Buffer.from(claims, 'base64url').toString());
}
