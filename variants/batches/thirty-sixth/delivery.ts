import { headerValues } from '../../../simulator/extension/entry.ts';
import { startExtensionHost } from '../../../simulator/extension/host.ts';
import type { MetadataRecord } from '../../../simulator/extension/metadata.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, callsTo, changeExtension, registerEndpoint } from '../proofs.ts';
import { signatureOver } from '../service.ts';

export const deliveryMistakes: Batch = {
  'delivery.switched-off-again': {
    source: 'extensions: Registered external endpoint, row active',
    breaks: 'An extension can be switched off at any time, also when it was off and on before.',
    kind: 'moment',
    variant: breaks('callees', 'isActive', (right) => {
      const seen = new Map<string, readonly boolean[]>();
      return (areas, registration) => {
        const before = seen.get(registration.id) ?? [];
        const now = right(areas, registration);
        if (before.length < 3 && before.at(-1) !== now) seen.set(registration.id, [...before, now]);
        return before.length < 3 ? now : before.at(-1) === true;
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      for (const active of [true, false, true, false]) {
        await changeExtension(service, { hostUri: host.url, active });
        await service.edda.sendEvent();
        await service.pass(1);
      }
      return callsOf(host, 'event').length > 2;
    },
  },

  'delivery.twice-as-many-after-a-pause': {
    source: 'extensions: Limits, rate limit',
    breaks: 'No more executions a minute than the limit says, behind a pause as well.',
    kind: 'moment',
    variant: replaces('policies', 'rateDecision', (right, areas, window, now, limit) => {
      const decision = right(areas, window, now, limit);
      if (decision.kind === 'hold' || window === undefined || window.pausedUntil === 0) return decision;
      const isNew = decision.window.startedAt === now && decision.window.executions === 1;
      return isNew ? { kind: 'run', window: { ...decision.window, executions: 1 - limit } } : decision;
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', rateLimitNumberOfExecutions: 2 }]);
      for (let count = 0; count < 8; count += 1) await service.edda.sendEvent();
      await service.pass(1);
      await service.pass(30, 3);
      return callsOf(host, 'event').length > 4;
    },
  },

  'delivery.408-is-not-for-ever': {
    source: 'extensions: Registered external endpoint, row retryForever',
    breaks: 'An endpoint that is retried for ever is so on 408 as well.',
    kind: 'combination',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) => {
      const isLate = delivery.kind === 'endpoint' && outcome.kind === 'answered' && outcome.status === 408;
      return right(areas, delivery, isLate ? { ...policy, retries: Math.min(policy.retries, 5) } : policy, outcome);
    }),
    async shows(service) {
      await using host = await startExtensionHost({ script: always({ status: 408 }) });
      const fields = { url: `${host.url}/hook`, retryForever: true, rateLimitNumberOfExecutions: 1000 };
      await registerEndpoint(service, 'trustedExternalEndpoint', fields);
      await service.edda.sendToEndpoint();
      await service.pass(10, 20);
      return callsTo(host).length < 7;
    },
  },

  'metadata.one-record-of-a-name': {
    source: 'extensions: Extension metadata record, row name',
    breaks: 'Each record of a host counts, also two that have one name.',
    kind: 'combination',
    variant: replaces('metadata', 'usableRecords', (right, areas, items) => {
      const { records, complaints } = right(areas, items);
      const names = records.map(({ name }) => name);
      return { complaints, records: records.filter(({ name }, index) => names.indexOf(name) === index) };
    }),
    async shows(service) {
      await service.host(() => [
        { id: 'one', name: 'same' },
        { id: 'two', name: 'same' },
      ]);
      return (await service.edda.sendEvent('two')).status >= 400;
    },
  },

  'metadata.what-is-left-out-stays': {
    source: 'extensions: Extension metadata record, row retryForever',
    breaks: 'A record that no longer says that it is retried for ever has the default again.',
    kind: 'copy',
    variant: replaces('metadata', 'recordsInForce', (_right, _areas, former, fetched) =>
      fetched.map((record) => ({ ...former.find(({ id }) => id === record.id), ...record })),
    ),
    async shows(service) {
      const host = await service.host(() => [{ ...record, retryForever: true }], always({ status: 503 }));
      host.setRecords([record]);
      await changeExtension(service, { hostUri: host.url });
      await service.edda.sendEvent();
      await service.pass(10, 20);
      return callsOf(host, 'event').length > 6;
    },
  },

  'metadata.no-way-back': {
    source: 'extensions: Versioning',
    breaks: 'What was fetched last is in force, also where its version is lower than the one before.',
    kind: 'value',
    variant: replaces('metadata', 'recordsInForce', (_right, _areas, former, fetched) =>
      fetched.map((next) => {
        const known = former.find(({ id }) => id === next.id);
        const order = known?.version.localeCompare(next.version, undefined, { numeric: true }) ?? 0;
        return known !== undefined && order > 0 ? known : next;
      }),
    ),
    async shows(service) {
      const host = await service.host(() => [{ ...record, version: '2.0.0', endpoint: '/former' }]);
      host.setRecords([{ ...record, version: '1.9.0' }]);
      await changeExtension(service, { hostUri: host.url });
      await service.edda.sendEvent();
      await service.pass(1);
      return callsTo(host).some(({ path }) => path === '/former');
    },
  },

  'metadata.once-an-hour': {
    source: 'extensions: Versioning',
    breaks: 'Metadata is fetched when an extension is added or updated, and not because some time has passed.',
    kind: 'moment',
    variant: breaks('requests', 'extensionRequest', (right) => {
      const fetchedAt = new Map<string, number>();
      return async (areas, delivery, callee) => {
        const now = areas.clock.now();
        const last = fetchedAt.get(callee.extension.id) ?? now;
        const isOld = now - last > 60 * 60 * 1000;
        fetchedAt.set(callee.extension.id, isOld ? now : last);
        if (isOld) await areas.metadata.fetchMetadata(callee.extension, delivery.envelopeId);
        return right(areas, delivery, callee);
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await service.edda.sendEvent();
      await service.pass(1);
      await service.pass(4000);
      await service.edda.sendEvent();
      await service.pass(1);
      return callsOf(host, 'metadata').length > 1;
    },
  },

  'metadata.signed-with-the-former-key': {
    source: 'extensions: Authentication 3',
    breaks: 'The metadata request of an update is signed with the key that the update brings.',
    kind: 'copy',
    variant: breaks('metadata', 'metadataRequest', (right) => {
      const keys = new Map<string, string>();
      return (areas, extension, correlationId) => {
        const apiKey = keys.get(extension.hostUri) ?? extension.apiKey;
        keys.set(extension.hostUri, extension.apiKey);
        return right(areas, { ...extension, apiKey }, correlationId);
      };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      const apiKey = Buffer.alloc(64, 9).toString('base64');
      await changeExtension(service, { hostUri: host.url, apiKey });
      const entry = callsOf(host, 'metadata')[1];
      const signature = signatureOver('/svc/extension', apiKey);
      return entry !== undefined && headerValues(entry, 'authorization')[0] !== `Bearer ${signature}`;
    },
  },
};

const record: MetadataRecord = {
  id: 'event',
  version: '1.0.0',
  name: 'event',
  endpoint: '/event',
  extensionType: 'ExternalEvent',
  category: 'proof',
  rateLimitNumberOfExecutions: 1000,
};
