import { randomUUID } from 'node:crypto';
import type { ExtensionHost } from '../../../simulator/extension/host.ts';
import { Step, breaks, together, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { type Client, type Made, at, hostKey, many, movePath } from '../service.ts';
import { inBatch } from './in-batch.ts';

/** Enough for a call that comes at all. */
const patienceMs = 1500;
/** Enough to see that none comes. */
const quietMs = 400;

/** The requests of a kind that have arrived, once there are so many of them or nobody waits any more. */
function arrived(host: ExtensionHost, kind: string, count: number, waitMs = patienceMs) {
  return host.await((entry) => entry.kind === kind, count, AbortSignal.timeout(waitMs));
}

async function promotes(client: Client, made: Made): Promise<boolean> {
  return (await client.move(made, 1)).status < 300;
}

function endpointOf(url: string, more: object): object {
  return {
    id: randomUUID(),
    url,
    method: 'POST',
    category: 'proof',
    headers: [{ name: 'content-type', value: 'application/json' }],
    rateLimitNumberOfExecutions: 100,
    ...more,
  };
}

async function sendToEndpoint(client: Client, endpoint: object, contentPayload: unknown = {}): Promise<void> {
  await client.post('/api/space/main/externalEvent', { endpointId: at(endpoint, '/id'), contentPayload });
}

function claimsOf(token: unknown): unknown {
  return JSON.parse(Buffer.from(String(token).split('.')[1] ?? '', 'base64url').toString() || '{}');
}

export const calls: Batch = {
  'calls.limit-of-one-is-the-default': {
    source: 'extensions: Limits, rate limit',
    breaks: 'A record may limit its executions to one a minute.',
    kind: 'value',
    variant: replaces('policies', 'policyOf', (right, areas, callee, delivery) => {
      const policy = right(areas, callee, delivery);
      return policy.rateLimit <= 1 ? { ...policy, rateLimit: 5 } : policy;
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'one', rateLimitNumberOfExecutions: 1 }]);
      for (let count = 0; count < 2; count += 1) await service.edda.sendEvent('one');
      return (await arrived(host, 'event', 2, quietMs)).length > 1;
    },
  },
  'calls.not-implemented-is-for-good': {
    source: 'extensions: Errors 1',
    breaks: 'Each 5xx is transient, 501 too.',
    kind: 'value',
    variant: replaces(
      'policies',
      'isTransient',
      (right, areas, outcome) => right(areas, outcome) && !(outcome.kind === 'answered' && outcome.status === 501),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'e' }], [{ steps: [{ status: 501 }] }]);
      await service.edda.sendEvent('e');
      await arrived(host, 'event', 1);
      await service.pass(2);
      return (await arrived(host, 'event', 2)).length < 2;
    },
  },
  'calls.token-is-issued-once-per-user': {
    source: 'extensions: Authentication 4',
    breaks: 'A token lives as long as the registration says that it is issued for.',
    kind: 'copy',
    variant: breaks('requests', 'impersonationToken', (right) => {
      const issued = new Map<string, Promise<string>>();
      return (areas, userName, lifeTime) => {
        const token = issued.get(userName) ?? right(areas, userName, lifeTime);
        issued.set(userName, token);
        return token;
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'e' }]);
      const { edda } = service;
      await edda.sendEvent('e');
      await arrived(host, 'event', 1);
      const endpoint = endpointOf(`${host.url}/trusted`, { tokenLifeTime: 5 });
      await service.cora.post('/api/admin/trustedExternalEndpoint', endpoint);
      await sendToEndpoint(edda, endpoint);
      const entries = await host.await(({ path }) => path === '/trusted', 1, AbortSignal.timeout(patienceMs));
      const token = new URLSearchParams(entries[0]?.target.split('?')[1]).get('access_token');
      const claims = claimsOf(token);
      return Number(at(claims, '/exp')) - Number(at(claims, '/iat')) !== 300;
    },
  },
  'calls.context-goes-with-a-selection-only': {
    source: 'extensions: Payloads by extension type',
    breaks: 'A ribbon action in the object context module has its context object, be nothing selected.',
    kind: 'combination',
    variant: replaces('triggers', 'ribbonPayload', async (right, areas, call, reading, body, selected) => {
      return selected === undefined ? { contentPayload: {} } : right(areas, call, reading, body, selected);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'a', extensionType: 'ExternalAction' }]);
      const { edda } = service;
      const made = await edda.make('Part', { name: 'p' });
      await edda.post('/api/space/main/externalAction/a', { kind: 'ribbon', contextObjectId: made.oid });
      const [entry] = await arrived(host, 'action', 1);
      return at(entry?.json, '/payload/contentPayload/contextObject/$oid') !== made.oid;
    },
  },
  'calls.mail-is-sent-again-after-201': {
    source: 'extensions: Calls to extensions',
    breaks: 'A mail is delivered with 201 as with 200.',
    kind: 'value',
    variant: together(
      replaces(
        'policies',
        'isDelivered',
        (right, areas, kind, outcome) =>
          right(areas, kind, outcome) && !(kind === 'email' && outcome.kind === 'answered' && outcome.status === 201),
      ),
      replaces(
        'policies',
        'isTransient',
        (right, areas, outcome) => right(areas, outcome) || (outcome.kind === 'answered' && outcome.status === 201),
      ),
    ),
    async shows(service) {
      const script = [{ when: { kind: 'email' }, steps: [{ status: 201 }], afterwards: 'last' as const }];
      const host = await service.host(() => [{ id: 'm', extensionType: 'Email' }], script);
      await service.edda.post('/api/space/main/externalEmail', { to: 'a@b.c', subject: 's', body: 'b' });
      await arrived(host, 'email', 1);
      await service.pass(2);
      return (await arrived(host, 'email', 2, quietMs)).length > 1;
    },
  },
  'calls.updated-record-keeps-its-route': {
    source: 'extensions: Versioning',
    breaks: 'After an update of the extension calls go to the endpoint that its metadata names by then.',
    kind: 'copy',
    variant: replaces('metadata', 'recordsInForce', (right, areas, former, fetched) =>
      right(areas, former, fetched).map((record) => {
        const known = former.find(({ id }) => id === record.id);
        return known === undefined ? record : { ...record, endpoint: known.endpoint };
      }),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'e', endpoint: '/old' }]);
      const { cora } = service;
      const list = (await cora.get('/api/admin/svcExtension')).json;
      const id = String(at(list, '/data/0/id'));
      const plain = { version: '1.0.1', name: 'e', extensionType: 'ExternalEvent', category: 'proof' };
      host.setRecords([{ ...plain, id: 'e', endpoint: '/new' }]);
      const body = { hostUri: host.url, apiKey: hostKey, tokenLifeTime: 60 };
      await cora.put(`/api/admin/svcExtension/${id}`, undefined, body);
      await service.edda.sendEvent('e');
      const entries = await host.await(({ method }) => method === 'POST', 1, AbortSignal.timeout(patienceMs));
      return entries[0]?.path !== '/new';
    },
  },
  'calls.other-keys-are-never-rotated': {
    source: 'extensions: Limits, permission key rotation',
    breaks: 'Each key is another one after 24 hours, not that of AdministrationAPI alone.',
    kind: 'place',
    variant: (() => {
      const others = new Step();
      return together(
        replaces('apiKeys', 'issueKeys', async (right, areas, writing, holder, permissions) => {
          const keys = [];
          for (const permission of permissions) {
            const issue = () => right(areas, writing, holder, [permission]);
            keys.push(...(await (permission === 'AdministrationAPI' ? issue() : others.run(issue))));
          }
          return keys;
        }),
        replaces('apiKeys', 'isKeyDue', (right, areas, key) => !others.isOn() && right(areas, key)),
      );
    })(),
    async shows(service) {
      const record = (url: string) => ({
        id: 'k',
        permissions: { tokenCallback: `${url}/keys`, permissions: ['SnapshotAPI'] },
      });
      const host = await service.host(
        (url) => [record(url)],
        [{ when: { path: '/keys' }, steps: [{ status: 200 }], afterwards: 'last' }],
      );
      const acquire = async (count: number) => {
        const body = { tokenCallback: `${host.url}/keys`, permissions: ['SnapshotAPI'] };
        await service.cora.post('/api/collection/externalExtension/acquireAccessToken/k', body);
        const entries = await host.await(({ path }) => path === '/keys', count, AbortSignal.timeout(patienceMs));
        return at(entries[count - 1]?.json, '/SnapshotAPI/apiKey');
      };
      const before = await acquire(1);
      await service.pass(24 * 60 * 60 + 1);
      const after = await acquire(2);
      return before !== undefined && before === after;
    },
  },
  'calls.backoff-begins-again-after-ten': {
    source: 'extensions: Errors 2',
    breaks: 'Once the wait is five minutes it stays so.',
    kind: 'value',
    variant: replaces('policies', 'nextRetryDelay', (right, areas, attempt) =>
      right(areas, attempt <= 10 ? attempt : ((attempt - 1) % 10) + 1),
    ),
    async shows(service) {
      const script = [{ when: { kind: 'event' }, steps: [{ status: 503 }], afterwards: 'last' as const }];
      const host = await service.host(() => [{ id: 'e', retryForever: true }], script);
      await service.edda.sendEvent('e');
      for (let count = 1; count <= 10; count += 1) {
        if ((await arrived(host, 'event', count)).length < count) return false;
        await service.pass(Math.min(2 ** count, 300));
      }
      await arrived(host, 'event', 11);
      await service.pass(10);
      return (await arrived(host, 'event', 12, quietMs)).length > 11;
    },
  },
  'calls.log-without-output-is-forgotten': {
    source: 'extensions: External task status',
    breaks: 'A task that completes may name its log alone.',
    kind: 'combination',
    variant: replaces('jobs', 'jobAfterReport', (right, areas, job, status, files) => {
      const isLogAlone = files.outputFilePath === undefined && status === 'Completed';
      return right(areas, job, status, isLogAlone ? {} : files);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 't', extensionType: 'ExternalTask' }]);
      const { edda } = service;
      const job = await edda.post('/api/space/main/dx', { recordId: 't', inputPath: 'in/a.txt' });
      const path = job.headers.get('location') ?? '';
      await arrived(host, 'task', 1);
      await edda.put(`${path}/status/Completed`, undefined, { logFilePath: 'out/log.txt' });
      return at((await edda.get(path)).json, '/logFilePath') !== 'out/log.txt';
    },
  },
  'calls.trusted-patch-has-no-body': {
    source: 'extensions: Registered external endpoint (simple)',
    breaks: 'A call by PATCH carries its configured body, to a trusted endpoint as to a simple one.',
    kind: 'place',
    variant: replaces('requests', 'endpointRequest', async (right, areas, delivery, callee) => {
      const request = await right(areas, delivery, callee);
      if (callee.endpoint.kind === 'externalEndpoint' || request.method !== 'PATCH') return request;
      const { body: _gone, ...rest } = request;
      return rest;
    }),
    async shows(service) {
      const host = await service.host(() => []);
      const endpoint = endpointOf(`${host.url}/patched`, { method: 'PATCH', tokenLifeTime: 5 });
      await service.cora.post('/api/admin/trustedExternalEndpoint', endpoint);
      await sendToEndpoint(service.edda, endpoint, { a: 1 });
      const entries = await host.await(({ path }) => path === '/patched', 1, AbortSignal.timeout(patienceMs));
      return at(entries[0]?.json, '/a') !== 1;
    },
  },
  'calls.query-of-trusted-endpoint-is-decoded': {
    source: 'extensions: Registered trusted external endpoint',
    breaks: 'The token is appended to the parameters of the URL, which stay as they are.',
    kind: 'value',
    variant: replaces('requests', 'endpointUrl', async (right, areas, delivery, callee) => {
      const url = await right(areas, delivery, callee);
      return url.replaceAll('%26', '&');
    }),
    async shows(service) {
      const host = await service.host(() => []);
      const endpoint = endpointOf(`${host.url}/asked?q=a%26b`, { tokenLifeTime: 5 });
      await service.cora.post('/api/admin/trustedExternalEndpoint', endpoint);
      await sendToEndpoint(service.edda, endpoint);
      const entries = await host.await(({ path }) => path === '/asked', 1, AbortSignal.timeout(patienceMs));
      return new URLSearchParams(entries[0]?.target.split('?')[1]).get('q') !== 'a&b';
    },
  },
  'calls.validation-in-batch-has-an-id-of-its-own': {
    source: 'extensions: Call envelope',
    breaks: 'A validation that a batch causes has the correlation id of the batch.',
    kind: 'combination',
    variant: together(
      replaces('validatedWrites', 'validatedBatch', (right, areas, ...args) =>
        inBatch.run(() => right(areas, ...args)),
      ),
      replaces('triggeredCalls', 'envelopeIdOf', (right, areas, call) =>
        inBatch.isOn() ? randomUUID() : right(areas, call),
      ),
    ),
    async shows(service) {
      const records = [
        {
          id: 'v',
          extensionType: 'ExternalValidation',
          capabilities: [{ capabilityType: 'SoftType', capabilities: ['Document'] }],
        },
      ];
      const host = await service.host(() => records);
      const { edda } = service;
      const made = await edda.make('Document', { title: 't' });
      const operation = { method: 'PUT', href: movePath(made), headers: { 'Svc-UOIVersion': '1' } };
      const correlation = randomUUID();
      await edda.post('/api/space/main/batch', [operation], { 'X-Correlation-Id': correlation });
      const [entry] = await arrived(host, 'validation', 1);
      return entry?.envelope?.id !== correlation;
    },
  },
  'calls.second-capability-item-is-not-read': {
    source: 'extensions: Extension metadata record',
    breaks: 'A validation applies to all SoftTypes that its record lists, whatever item lists them.',
    kind: 'place',
    variant: replaces('validation', 'validatorsFor', async (right, areas, reading, softTypeId) =>
      (await right(areas, reading, softTypeId)).filter(
        ({ record }) => record.capabilities?.[0]?.capabilities.includes(softTypeId) === true,
      ),
    ),
    async shows(service) {
      const capabilities = [
        { capabilityType: 'BaseType', capabilities: ['Other'] },
        { capabilityType: 'SoftType', capabilities: ['Document'] },
      ];
      const host = await service.host(() => [{ id: 'v', extensionType: 'ExternalValidation', capabilities }]);
      const { edda } = service;
      await promotes(edda, await edda.make('Document', { title: 't' }));
      return (await arrived(host, 'validation', 1, quietMs)).length === 0;
    },
  },
  'calls.invalid-without-words-is-valid': {
    source: 'extensions: Calls to extensions, row ExternalValidation',
    breaks: 'isValid alone says whether the object is valid, be the message empty.',
    kind: 'value',
    variant: replaces('validation', 'verdictOf', (right, areas, outcome) => {
      const verdict = right(areas, outcome);
      return verdict.kind === 'invalid' && verdict.message === '' ? { kind: 'valid', message: '' } : verdict;
    }),
    async shows({ host, edda }) {
      const records = [
        {
          id: 'v',
          extensionType: 'ExternalValidation',
          capabilities: [{ capabilityType: 'SoftType', capabilities: ['Document'] }],
        },
      ];
      const step = { status: 200, json: { isValid: false, message: '' } };
      await host(() => records, [{ when: { kind: 'validation' }, steps: [step], afterwards: 'last' }]);
      return promotes(edda, await edda.make('Document', { title: 't' }));
    },
  },
  'calls.mail-fits-into-255-characters': {
    source: 'extensions: Payloads by extension type',
    breaks: 'The subject of a mail arrives whole.',
    kind: 'value',
    variant: replaces('requests', 'payloadOf', (right, areas, delivery, token) => {
      const payload = right(areas, delivery, token);
      if (delivery.kind !== 'email') return payload;
      return { ...(payload as object), subject: String(at(payload, '/subject')).slice(0, 255) };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'm', extensionType: 'Email' }]);
      const subject = many(300, () => 's').join('');
      await service.edda.post('/api/space/main/externalEmail', { to: 'a@b.c', subject, body: 'b' });
      const [entry] = await arrived(host, 'email', 1);
      return at(entry?.json, '/payload/subject') !== subject;
    },
  },
};
