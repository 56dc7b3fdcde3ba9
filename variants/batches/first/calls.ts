import { keyPeriodSeconds } from '../../../contract/limits.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { Misfit } from '../../../reference-server/areas/records.ts';
import { headerValues, textOf } from '../../../simulator/extension/entry.ts';
import type { ExtensionHost } from '../../../simulator/extension/host.ts';
import type { Script } from '../../../simulator/extension/script.ts';
import { breaks, together, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { callsOf } from '../proofs.ts';
import { at, hostKey, listAt, many, signatureOver, type Received, type Service } from '../service.ts';

export const deliveryMistakes: Batch = {
  'delivery.high-server-errors': {
    source: 'extensions: Errors 1',
    breaks: 'Any status from 500 to 599 is a transient error.',
    kind: 'value',
    variant: replaces('policies', 'isTransient', (right, areas, outcome) => {
      return right(areas, outcome) && !(outcome.kind === 'answered' && outcome.status >= 520);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }], [{ steps: [{ status: 520 }] }]);
      await service.edda.sendEvent();
      await service.pass(3, 2);
      return callsOf(host, 'event').length < 2;
    },
  },

  'delivery.retries-of-mail': {
    source: 'extensions: Limits',
    breaks: 'A mail that meets transient errors is retried five times, as an event is.',
    kind: 'place',
    variant: replaces('policies', 'policyOf', (right, areas, callee, delivery) => {
      const policy = right(areas, callee, delivery);
      return { ...policy, retries: Math.min(policy.retries, delivery.kind === 'email' ? 3 : Infinity) };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'mail', extensionType: 'Email' }], failing);
      const mail = { recordId: 'mail', to: 'a@b.example', subject: 'subject', body: 'body' };
      await service.edda.post('/api/space/main/externalEmail', mail);
      await service.pass(5, 14);
      return callsOf(host, 'email').length < 6;
    },
  },

  'delivery.deleted-between-retries': {
    source: 'extensions: Events 3',
    breaks: 'An event that a user deletes is cancelled, also when it was retried several times before.',
    kind: 'moment',
    variant: replaces('queue', 'cancelDelivery', async (right, areas, writing, id) => {
      const delivery = await writing.delivery(id);
      return delivery !== undefined && delivery.attempts >= 2 ? true : right(areas, writing, id);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }], failing);
      const event = await service.edda.sendEvent();
      await service.pass(1, 8);
      await service.edda.delete(event.headers.get('location') ?? '');
      const before = callsOf(host, 'event').length;
      await service.pass(10, 6);
      return callsOf(host, 'event').length > before;
    },
  },

  'delivery.lost-at-the-second-pause': {
    source: 'extensions: Limits',
    breaks: 'What exceeds the rate limit is queued and delivered later, however many pauses that takes.',
    kind: 'moment',
    variant: breaks('deliveries', 'holdBack', (right) => {
      const held = new Set<string>();
      return async (areas, writing, delivery, until) => {
        if (held.has(delivery.endpoint)) return areas.queue.removeDelivery(writing, delivery, 'failed');
        held.add(delivery.endpoint);
        return right(areas, writing, delivery, until);
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', rateLimitNumberOfExecutions: 1 }]);
      for (let count = 0; count < 4; count += 1) await service.edda.sendEvent();
      await service.pass(35, 12);
      return callsOf(host, 'event').length < 4;
    },
  },
};

export const callsMistakes: Batch = {
  'calls.line-ends': {
    source: 'extensions: Registered external endpoint',
    breaks: 'The body of a call to an endpoint is what was configured, down to the ends of its lines.',
    kind: 'value',
    variant: replaces('requests', 'endpointRequest', async (right, areas, ...args) => {
      const { body, ...request } = await right(areas, ...args);
      return body === undefined ? request : { ...request, body: body.replaceAll('\r\n', '\n') };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      await service.cora.post('/api/admin/externalEndpoint', {
        id: 'hook',
        url: `${host.url}/hook`,
        method: 'POST',
        category: 'proof',
        headers: [{ name: 'content-type', value: 'text/plain' }],
      });
      const contentPayload = 'one\r\ntwo';
      await service.edda.post('/api/space/main/externalEvent', { endpointId: 'hook', contentPayload });
      await service.pass(1);
      const [entry] = host.entries(({ path }) => path === '/hook');
      return entry !== undefined && textOf(entry.body) !== contentPayload;
    },
  },

  'calls.version-of-an-action': {
    source: 'extensions: Payloads by extension type',
    breaks: 'An action is told the version that the selected object has, also when it had another the time before.',
    kind: 'copy',
    variant: breaks('triggeredCalls', 'deliveryOf', (right) => {
      const versions = new Map<unknown, unknown>();
      return (areas, call, triggered) => {
        const { payload } = triggered;
        if (triggered.kind !== 'action' || !isContent(payload) || payload['objectId'] === undefined)
          return right(areas, call, triggered);
        const svcUOIVersion = versions.get(payload['objectId']) ?? payload['svcUOIVersion'];
        versions.set(payload['objectId'], svcUOIVersion);
        return right(areas, call, { ...triggered, payload: { ...payload, svcUOIVersion } });
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'action', extensionType: 'ExternalAction' }]);
      const { edda } = service;
      const made = await edda.make('Document', { title: 'selected' });
      const run = () => edda.post('/api/space/main/externalAction/action', { kind: 'ribbon', objectId: made.oid });
      await run();
      await edda.merge(made, 1, { note: 'edited' });
      await run();
      return at(callsOf(host, 'action').at(-1)?.json, '/payload/svcUOIVersion') !== 2;
    },
  },

  'calls.second-slash-of-a-signature': {
    source: 'extensions: Authentication 2',
    breaks: 'In a signature each plus and each slash of the Base64 is replaced, not the first alone.',
    kind: 'value',
    variant: replaces('signing', 'signatureHeaders', (right, areas, apiKey, url) => {
      const [, signature = ''] = right(areas, apiKey, url).Authorization.split(' ');
      const [text = ''] = Buffer.from(signature, 'base64url').toString('base64').split('=', 1);
      return { Authorization: `Bearer ${text.replace('+', '-').replace('/', '_')}` };
    }),
    async shows(service) {
      const ids = many(5, (number) => `event-${number}`);
      const host = await service.host(() => ids.map((id) => ({ id, endpoint: `/${id}` })));
      for (const id of ids) await service.edda.sendEvent(id);
      await service.pass(1);
      return host
        .entries()
        .some((entry) => headerValues(entry, 'authorization')[0] !== `Bearer ${signatureOver(entry.path, hostKey)}`);
    },
  },

  'tasks.input-in-the-root': {
    source: 'extensions: External task links',
    breaks: 'Uploads of a task go where its input is unless it says otherwise, also when that is the root.',
    kind: 'place',
    variant: replaces('requests', 'taskLinks', (right, areas, spaceId, jobId, inputPath, token) => {
      const links = right(areas, spaceId, jobId, inputPath, token);
      if (inputPath.replace(/^\/+/, '').includes('/')) return links;
      return links.map((link) => (link.id === 'uploadFileStream' ? { ...link, url: `${link.url}/undefined` } : link));
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      const { edda } = service;
      await edda.upload('input.csv', 'a,b');
      await edda.post('/api/space/main/dx', { recordId: 'task', inputPath: 'input.csv' });
      await service.pass(1);
      const links = listAt(callsOf(host, 'task')[0]?.json, '/payload/links');
      const url = at(
        links.find((link) => at(link, '/id') === 'uploadFileStream'),
        '/url',
      );
      return url !== `${service.url}/api/space/main/fs/file/stream`;
    },
  },

  'tokens.used-before-their-end': {
    source: 'extensions: Authentication 4',
    breaks: 'A token of an envelope is worth nothing when its minutes are over, also one that was used before.',
    kind: 'copy',
    variant: breaks('tokens', 'verifyToken', (right) => {
      const known = new Map<string, ReturnType<typeof right>>();
      return (areas, token) => {
        const claims = known.get(token) ?? right(areas, token);
        claims.then(
          () => known.set(token, claims),
          () => undefined,
        );
        return claims;
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      const made = await service.edda.make('Document', { title: 'token' });
      await service.edda.sendEvent();
      await service.pass(1);
      const authorization = `Bearer ${callsOf(host, 'event')[0]?.envelope?.accessToken}`;
      await service.nobody.get(made.path, { authorization });
      await service.pass(61 * 60);
      return (await service.nobody.get(made.path, { authorization })).status === 200;
    },
  },
};

/** Hosts that were asked for their metadata since the server last started, by what is made anew with it. */
const askedHosts = new WeakMap<object, Set<string>>();

export const metadataMistakes: Batch = {
  'metadata.after-a-restart': {
    source: 'extensions: Metadata exchange',
    breaks: 'Metadata is asked for when an extension is added or updated, and not when the service has started again.',
    kind: 'moment',
    variant: together(
      replaces('metadata', 'fetchMetadata', (right, areas, extension, correlationId) => {
        askedHosts.set(areas.outgoing, (askedHosts.get(areas.outgoing) ?? new Set()).add(extension.hostUri));
        return right(areas, extension, correlationId);
      }),
      replaces('outgoingCalls', 'preparedRequest', async (right, areas, delivery, callee, count) => {
        const extension = await areas.store.read((reading) =>
          areas.registry.registrationOf(reading, delivery.registrationId),
        );
        const isKnown = extension?.kind !== 'svcExtension' || askedHosts.get(areas.outgoing)?.has(extension.hostUri);
        if (!isKnown) await areas.metadata.fetchMetadata(extension, delivery.envelopeId);
        return right(areas, delivery, callee, count);
      }),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await service.restart();
      await service.edda.sendEvent();
      await service.pass(1);
      return callsOf(host, 'metadata').length > 1;
    },
  },

  'metadata.version-with-a-build': {
    source: 'extensions: Extension metadata record',
    breaks: 'A record may have any version that SemVer knows, one with a build behind it as well.',
    kind: 'value',
    variant: replaces('metadata', 'recordFrom', (right, areas, item) => {
      const version = at(item, '/version');
      return typeof version === 'string' && version.includes('+')
        ? new Misfit('/version', 'must be a version')
        : right(areas, item);
    }),
    async shows({ host, edda }) {
      await host(() => [{ id: 'event', version: '1.0.0-rc.1+build.5' }]);
      return (await edda.sendEvent()).status >= 400;
    },
  },

  'keys.second-rotation': {
    source: 'extensions: Permission names',
    breaks: 'Keys are rotated every 24 hours, not only the first time.',
    kind: 'moment',
    variant: breaks('apiKeys', 'isKeyDue', (right) => {
      let first: number | undefined;
      return (areas, key) => {
        first ??= key.issuedAt;
        return right(areas, key) && key.issuedAt < first + keyPeriodSeconds * 1000;
      };
    }),
    async shows(service) {
      const host = await hostOfKeys(service);
      for (let day = 0; day < 3; day += 1) {
        await acquire(service, `${host.url}/keys`);
        await service.pass(keyPeriodSeconds + 60);
      }
      const keys = host
        .entries(({ path }) => path === '/keys')
        .map((entry) => at(entry.json, '/AdministrationAPI/apiKey'));
      return keys.length === 3 && new Set(keys).size < 3;
    },
  },

  'keys.callback-with-a-query': {
    source: 'extensions: Acquiring API keys',
    breaks: 'A callback has to equal the configured one: one with a query behind it does not.',
    kind: 'value',
    variant: replaces('apiKeys', 'isConfiguredCallback', (right, areas, given, configured) =>
      right(areas, given.split('?', 1)[0] ?? '', configured),
    ),
    async shows(service) {
      const host = await hostOfKeys(service);
      return (await acquire(service, `${host.url}/keys?to=somebody`)).status < 400;
    },
  },

  'validation.second-capability': {
    source: 'extensions: Extension metadata record, capability use',
    breaks: 'A validation applies to every SoftType that its capabilities list, wherever in the list.',
    kind: 'place',
    variant: replaces('validation', 'validatorsFor', async (right, areas, reading, softTypeId) => {
      const validators = await right(areas, reading, softTypeId);
      return validators.filter(({ record }) => record.capabilities?.[0]?.capabilities[0] === softTypeId);
    }),
    async shows(service) {
      const host = await service.host(() => [validator(['Part', 'Document'])]);
      await promoteOne(service);
      return callsOf(host, 'validation').length === 0;
    },
  },

  'validation.text-for-a-boolean': {
    source: 'extensions: Errors 5',
    breaks: 'A validation whose answer is malformed has failed, also when it says true as a text.',
    kind: 'value',
    variant: replaces('validation', 'verdictOf', (right, areas, outcome) => {
      const isTrue = outcome.kind === 'answered' && /"isValid"\s*:\s*"true"/.test(outcome.body);
      return isTrue ? { kind: 'valid', message: '' } : right(areas, outcome);
    }),
    async shows(service) {
      const answers = [{ steps: [{ status: 200, json: { isValid: 'true', message: '' } }] }];
      await service.host(() => [validator(['Document'])], answers);
      return (await promoteOne(service)).status === 204;
    },
  },
};

/** Fails every call. */
const failing: Script = [{ steps: [{ status: 503 }], afterwards: 'last' }];

async function promoteOne({ edda }: Service): Promise<Received> {
  return edda.move(await edda.make('Document', { title: 'promoted' }), 1);
}

function validator(capabilities: readonly string[]) {
  return {
    id: 'validation',
    extensionType: 'ExternalValidation',
    capabilities: [{ capabilityType: 'SoftType', capabilities }],
  };
}

function hostOfKeys({ host }: Service): Promise<ExtensionHost> {
  return host(
    (url) => [{ id: 'event', permissions: { tokenCallback: `${url}/keys`, permissions: ['AdministrationAPI'] } }],
    [{ when: { path: '/keys' }, steps: [{ status: 200 }], afterwards: 'last' }],
  );
}

function acquire({ cora }: Service, tokenCallback: string): Promise<Received> {
  const path = '/api/collection/externalExtension/acquireAccessToken/event';
  return cora.post(path, { tokenCallback, permissions: ['AdministrationAPI'] });
}
