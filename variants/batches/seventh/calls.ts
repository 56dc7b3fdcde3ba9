import { randomUUID } from 'node:crypto';
import { headerNames } from '../../../contract/names.ts';
import { detach } from '../../../reference-server/ports/store.ts';
import type { AcquiredKey } from '../../../reference-server/areas/api-keys.ts';
import type { Script } from '../../../simulator/extension/script.ts';
import { Step, breaks, together, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { changeExtension, reached } from '../proofs.ts';
import { type Service, at, movePath, versionHeader } from '../service.ts';

const ahead = new Step();

const dayMs = 24 * 60 * 60 * 1000;

/** Whatever is asked is answered so, and nothing more is done about it. */
const always = (status: number): Script => [{ steps: [{ status }], afterwards: 'last' }];

async function sendEvents({ edda }: Service, count: number): Promise<void> {
  for (let left = count; left > 0; left -= 1) await edda.sendEvent('proof');
}

export const calls: Batch = {
  'calls.batch-hides-the-correlation-id': {
    source: 'extensions: Call envelope, id',
    breaks: 'An extension that is called because of a batch gets the correlation id of the batch.',
    kind: 'combination',
    variant: together(
      replaces('validatedWrites', 'validatedBatch', async (right, areas, batch, table) =>
        ahead.run(() => right(areas, batch, table)),
      ),
      replaces('triggeredCalls', 'envelopeIdOf', (right, areas, call) =>
        ahead.isOn() ? randomUUID() : right(areas, call),
      ),
    ),
    async shows(service) {
      const capabilities = [{ capabilityType: 'SoftType', capabilities: ['Document'] }];
      const host = await service.host(() => [{ id: 'proof', extensionType: 'ExternalValidation', capabilities }]);
      const { edda } = service;
      const made = await edda.make('Document', { title: 't' });
      const given = randomUUID();
      const operations = [{ method: 'PUT', href: movePath(made), headers: versionHeader(1) }];
      await edda.post('/api/space/main/batch', operations, { [headerNames.correlationId]: given });
      const [call] = await reached(host, 1);
      return call?.envelope?.id !== given;
    },
  },
  'calls.events-share-their-retries': {
    source: 'extensions: Limits, retries',
    breaks: 'Each event has its five retries, whatever became of others at the same endpoint.',
    kind: 'combination',
    variant: breaks('policies', 'nextStepOf', (right) => {
      const failures = new Map<string, number>();
      return (areas, delivery, policy, outcome) => {
        const attempts = Math.max(delivery.attempts, failures.get(policy.endpoint) ?? 0);
        const step = right(areas, { ...delivery, attempts }, policy, outcome);
        failures.set(policy.endpoint, step.kind === 'retry' ? attempts + 1 : 0);
        return step;
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'proof' }], always(503));
      await sendEvents(service, 2);
      await service.pass(120);
      return (await reached(host, 12, 1500)).length < 12;
    },
  },
  'calls.backoff-begins-anew': {
    source: 'extensions: Errors 2',
    breaks: 'Once the gaps are at five minutes they stay there.',
    kind: 'value',
    variant: replaces('policies', 'nextRetryDelay', (right, areas, attempt) => right(areas, ((attempt - 1) % 16) + 1)),
    async shows(service) {
      const host = await service.host(() => [{ id: 'proof', retryForever: true }], always(503));
      await sendEvents(service, 1);
      // sixteen retries take 510 s and eight times 300 s
      await service.pass(510 + 8 * 300 + 100);
      return (await reached(host, 18, 1500)).length > 17;
    },
  },
  'calls.more-may-go-out-after-a-pause': {
    source: 'extensions: Limits, rate limit',
    breaks: 'The minute after a pause has the limit of any other.',
    kind: 'moment',
    variant: replaces('policies', 'rateDecision', (right, areas, window, now, limit) => {
      const decision = right(areas, window, now, limit);
      if (window === undefined || window.pausedUntil === 0 || decision.kind !== 'run') return decision;
      return { ...decision, window: { ...decision.window, executions: 1 - limit } };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'proof', rateLimitNumberOfExecutions: 2 }], always(200));
      await sendEvents(service, 8);
      await reached(host, 2);
      await service.pass(61);
      return (await reached(host, 5, 1500)).length > 4;
    },
  },
  'calls.limit-of-the-first-metadata': {
    source: 'extensions: Metadata exchange',
    breaks: 'Calls are limited by the metadata that the last update brought.',
    kind: 'copy',
    variant: breaks('policies', 'policyOf', (right) => {
      const limits = new Map<string, number>();
      return (areas, callee, delivery) => {
        const policy = right(areas, callee, delivery);
        const rateLimit = limits.get(policy.rateKey) ?? policy.rateLimit;
        limits.set(policy.rateKey, rateLimit);
        return { ...policy, rateLimit };
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'proof' }], always(200));
      await sendEvents(service, 1);
      await reached(host, 1);
      const [record] = host.entries(({ kind }) => kind === 'event');
      host.setRecords([
        {
          id: 'proof',
          version: '1.0.1',
          name: 'proof',
          endpoint: record?.path ?? '',
          extensionType: 'ExternalEvent',
          category: 'proof',
          rateLimitNumberOfExecutions: 1,
        },
      ]);
      await changeExtension(service, { hostUri: host.url });
      await service.pass(130);
      await sendEvents(service, 4);
      return (await reached(host, 3, 1500)).length > 2;
    },
  },
  'calls.unsupported-type-ends-the-list': {
    source: 'extensions: Extension metadata record, extensionType',
    breaks: 'A record of a type that is not supported is ignored, and those behind it are not.',
    kind: 'place',
    variant: replaces('metadata', 'usableRecords', (right, areas, items) => {
      const end = items.findIndex((item) => {
        const type = at(item, '/extensionType');
        return typeof type === 'string' && !areas.metadata.isSupportedType(type);
      });
      return right(areas, end < 0 ? items : items.slice(0, end));
    }),
    async shows({ host, edda }) {
      await host(() => [{ id: 'odd', extensionType: 'Hologram' }, { id: 'proof' }], always(200));
      return (await edda.sendEvent('proof')).status >= 300;
    },
  },
  'calls.metadata-is-fetched-where-nothing-is-found': {
    source: 'extensions: Metadata exchange',
    breaks: 'Metadata is asked for when an extension is added or updated, and not because a call met a 404.',
    kind: 'moment',
    variant: replaces('deliveryEnds', 'deliveryEnded', async (right, areas, writing, delivery, end, outcome) => {
      await right(areas, writing, delivery, end, outcome);
      const found = await areas.registry.registrationOf(writing, delivery.registrationId);
      if (found?.kind !== 'svcExtension' || outcome?.kind !== 'answered' || outcome.status !== 404) return;
      void detach(() => areas.metadata.fetchMetadata(found, delivery.envelopeId)).catch(() => undefined);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'proof' }], always(404));
      await sendEvents(service, 1);
      await reached(host, 1);
      const found = await host.await(({ kind }) => kind === 'metadata', 2, AbortSignal.timeout(1500));
      return found.length > 1;
    },
  },
  'calls.token-outlives-its-minutes': {
    source: 'extensions: Authentication 4',
    breaks: 'The token in an envelope opens the service when it arrives, also long after the one before it.',
    kind: 'copy',
    variant: breaks('requests', 'impersonationToken', (right) => {
      const kept = new Map<string, string>();
      return async (areas, userName, minutes) => {
        const key = `${userName} ${minutes}`;
        const token = kept.get(key) ?? (await right(areas, userName, minutes));
        kept.set(key, token);
        return token;
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'proof' }], always(200));
      const made = await service.edda.make('Document', { title: 't' });
      await sendEvents(service, 1);
      await reached(host, 1);
      await service.pass(60 * 60 + 60);
      await sendEvents(service, 1);
      const [, second] = await reached(host, 2);
      const authorization = `Bearer ${second?.envelope?.accessToken ?? ''}`;
      return (await service.nobody.get(made.path, { authorization })).status !== 200;
    },
  },
  'calls.repeated-parameter-is-lost': {
    source: 'extensions: Registered trusted external endpoint',
    breaks: 'The token is appended to the parameters of the registered URL, all of which stay.',
    kind: 'value',
    variant: replaces('requests', 'endpointUrl', async (right, areas, delivery, callee) => {
      const url = new URL(await right(areas, delivery, callee));
      url.search = String(new URLSearchParams(Object.fromEntries(url.searchParams)));
      return url.href;
    }),
    async shows(service) {
      const host = await service.host(() => [], always(200));
      await service.cora.post('/api/admin/trustedExternalEndpoint', {
        id: 'hook',
        url: `${host.url}/hook?tag=a&tag=b`,
        method: 'POST',
        category: 'proof',
        headers: [{ name: 'content-type', value: 'application/json' }],
        tokenLifeTime: 60,
      });
      await service.edda.sendToEndpoint();
      const [call] = await reached(host, 1);
      return !(call?.target ?? '').includes('?tag=a&tag=b&');
    },
  },
  'calls.context-needs-a-selection': {
    source: 'extensions: Payloads by extension type, action content payload',
    breaks: 'A ribbon action of the context object module names the context object, also where nothing is selected.',
    kind: 'combination',
    variant: replaces('triggers', 'ribbonPayload', async (right, areas, call, store, body, selected) =>
      selected === undefined ? { contentPayload: {} } : right(areas, call, store, body, selected),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'proof', extensionType: 'ExternalAction' }]);
      const { edda } = service;
      const { oid } = await edda.make('Document', { title: 't' });
      await edda.post('/api/space/main/externalAction/proof', { kind: 'ribbon', contextObjectId: oid });
      const [call] = await reached(host, 1);
      return at(call?.envelope?.payload, '/contentPayload/contextObject/$oid') !== oid;
    },
  },
  'calls.canceled-task-loses-its-log': {
    source: 'extensions: External task status',
    breaks: 'The log that a task names with its final status is known to the job, also where it was canceled.',
    kind: 'place',
    variant: replaces('jobs', 'jobAfterReport', (right, areas, job, status, reported) =>
      right(areas, job, status, status === 'Canceled' ? {} : reported),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'proof', extensionType: 'ExternalTask' }], always(200));
      const { edda } = service;
      const { headers } = await edda.post('/api/space/main/dx', { recordId: 'proof', inputPath: 'in.txt' });
      await reached(host, 1);
      const job = headers.get('location') ?? '';
      await edda.put(`${job}/status/Canceled`, undefined, { logFilePath: 'logs/task.log' });
      return at((await edda.get(job)).json, '/logFilePath') !== 'logs/task.log';
    },
  },
  'calls.keys-in-use-do-not-rotate': {
    source: 'extensions: Limits, permission key rotation',
    breaks: 'A key is another one after a day, also where it was asked for in between.',
    kind: 'moment',
    variant: breaks('apiKeys', 'issueKeys', (right) => {
      const issued = new Map<string, { readonly at: number; readonly keys: readonly AcquiredKey[] }>();
      return async (areas, writing, holder, names) => {
        const id = JSON.stringify([holder.registrationId, holder.recordId, names]);
        const now = areas.clock.now();
        const last = issued.get(id);
        const isFresh = last === undefined || now >= last.at + dayMs;
        const keys = isFresh ? await right(areas, writing, holder, names) : last.keys;
        issued.set(id, { at: now, keys });
        return keys;
      };
    }),
    async shows(service) {
      const names = ['SnapshotAPI'];
      const host = await service.host(
        (url) => [{ id: 'proof', permissions: { tokenCallback: `${url}/keys`, permissions: names } }],
        always(200),
      );
      const path = '/api/collection/externalExtension/acquireAccessToken/proof';
      for (const hours of [0, 20, 20]) {
        await service.pass(hours * 60 * 60);
        await service.cora.post(path, { tokenCallback: `${host.url}/keys`, permissions: names });
      }
      const [first, , third] = await reached(host, 3);
      return at(first?.json, '/SnapshotAPI/apiKey') === at(third?.json, '/SnapshotAPI/apiKey');
    },
  },
};
