import type { MetadataAnswer } from '../../../reference-server/areas/metadata.ts';
import type { Extension } from '../../../reference-server/areas/records.ts';
import { registrationsOf } from '../../../reference-server/areas/registry.ts';
import { detach } from '../../../reference-server/ports/store.ts';
import { headerValues } from '../../../simulator/extension/entry.ts';
import { breaks, replaces, together, type Variant, within } from '../../breaks.ts';
import { action, actionPath, always, awaitCalls, bareEvent, callsOf, callsTo, event, mailer } from '../hosts.ts';
import type { Mistakes } from '../mistake.ts';
import { askForKeys, changeExtension, keyHost, logEntriesOf, removeExtension } from '../proofs.ts';
import { at, hostKey, many, type Received, type Service } from '../service.ts';
import { changes, during, keeps } from '../variant-parts.ts';

const extensionPath = '/api/admin/svcExtension';

export const metadataExchangeMistakes: Mistakes = {
  'metadata.no-records-any-more': {
    source: 'extensions: Metadata exchange',
    breaks: 'The records of an extension are those of the last answer, also where that is an empty array.',
    variant: replaces('metadata', 'recordsInForce', (right, areas, former, fetched) =>
      fetched.length === 0 ? former : right(areas, former, fetched),
    ),
    async shows(service) {
      const host = await service.host([bareEvent]);
      host.setRecords([]);
      await changeExtension(service, { hostUri: host.url });
      await service.edda.sendEvent();
      await service.pass(1);
      return callsTo(host).length > 0;
    },
  },
  'metadata.again-at-the-start': {
    source: 'extensions: Metadata exchange',
    breaks: 'Metadata is asked for when an extension is added or updated, and not when the service starts.',
    variant: replaces('jobs', 'startTasks', async (right, areas) => {
      await right(areas);
      const known = await areas.store.read((reading) => registrationsOf(reading, 'svcExtension'));
      for (const extension of known)
        if (extension.kind === 'svcExtension') await areas.metadata.fetchMetadata(extension, 'start');
    }),
    async shows(service) {
      const host = await service.host([event]);
      await service.restart();
      await service.edda.sendEvent();
      await awaitCalls(host);
      return host.entries(({ kind }) => kind === 'metadata').length > 1;
    },
  },
  'metadata.second-update': {
    source: 'extensions: Metadata exchange',
    breaks: 'Metadata is fetched whenever an extension is updated, the second time as the first.',
    variant: breaks('metadata', 'fetchMetadata', (right) => {
      const answers = new Map<string, Awaited<ReturnType<typeof right>>[]>();
      return async (areas, extension, correlationId) => {
        const known = answers.get(extension.hostUri) ?? [];
        const answer = known[1] ?? (await right(areas, extension, correlationId));
        answers.set(extension.hostUri, [...known, answer]);
        return answer;
      };
    }),
    async shows(service) {
      const host = await service.host([]);
      const { cora } = service;
      const id = at((await cora.get('/api/admin/svcExtension')).json, '/data/0/id');
      const update = () =>
        cora.put(`/api/admin/svcExtension/${String(id)}`, undefined, {
          hostUri: host.url,
          apiKey: hostKey,
          tokenLifeTime: 60,
        });
      await update();
      host.setRecords([bareEvent]);
      await update();
      return (await service.edda.sendEvent()).status !== 201;
    },
  },
  'metadata.asked-for-again-with-keys': {
    source: 'extensions: Metadata exchange',
    breaks: 'Metadata is asked for when an extension is added or updated, and not when it acquires keys.',
    variant: replaces('apiKeys', 'bringKeys', async (right, areas, call, holder, request, keys) => {
      const registration = await areas.store.read((reading) =>
        areas.registry.registrationOf(reading, holder.registrationId),
      );
      if (registration?.kind === 'svcExtension') await areas.metadata.fetchMetadata(registration, call.correlationId);
      return right(areas, call, holder, request, keys);
    }),
    async shows(service) {
      const host = await keyHost(service, 'SnapshotAPI');
      await askForKeys(service, host, ['SnapshotAPI']);
      return callsOf(host, 'metadata').length !== 1;
    },
  },
  'metadata.asked-for-at-the-removal': {
    source: 'extensions: Metadata exchange',
    breaks: 'Metadata is asked for when an extension is added or updated, and not when it is removed.',
    variant: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      const isMeant = route.method === 'DELETE' && route.path.startsWith(extensionPath);
      const { id = '' } = call.params;
      const former = await areas.store.read((reading) => areas.registry.registrationOf(reading, id));
      const answer = await right(areas, route, call);
      if (isMeant && former?.kind === 'svcExtension') await areas.metadata.fetchMetadata(former, call.correlationId);
      return answer;
    }),
    async shows(service) {
      const host = await service.host([bareEvent]);
      await removeExtension(service, host.url);
      return callsOf(host, 'metadata').length > 1;
    },
  },
  'metadata.unsigned-while-switched-off': {
    source: 'extensions: Metadata exchange, last sentence',
    breaks: 'The request for the metadata is signed, also where the extension is registered as switched off.',
    variant: changes('metadata', 'metadataRequest', (request, _areas, extension) => {
      const { Authorization: _signature, ...headers } = request.headers;
      return extension.active ? request : { ...request, headers };
    }),
    async shows(service) {
      const host = await service.host([bareEvent]);
      await changeExtension(service, { hostUri: host.url, active: false });
      const [, second] = callsOf(host, 'metadata');
      return second !== undefined && headerValues(second, 'authorization').length === 0;
    },
  },
  'metadata.new-only-with-a-new-version': {
    source: 'extensions: Metadata exchange, first sentence',
    breaks: 'The records are those of the last exchange, also one that kept its version.',
    variant: replaces('metadata', 'recordsInForce', (right, areas, former, fetched) =>
      right(areas, former, fetched).map(
        (record) => former.find(({ id, version }) => id === record.id && version === record.version) ?? record,
      ),
    ),
    async shows(service) {
      const record = { id: 'event', extensionType: 'ExternalEvent', version: '1.0.0', name: 'n', category: 'c' };
      const host = await service.host([{ ...record, endpoint: '/old' }]);
      host.setRecords([{ ...record, endpoint: '/new' }]);
      await changeExtension(service, { hostUri: host.url });
      await service.edda.sendEvent();
      const [call] = await awaitCalls(host);
      return call?.path === '/old';
    },
  },
  'metadata.one-behind-an-unsupported-type': {
    source: 'extensions: Metadata exchange; Extension metadata record, extensionType',
    breaks: 'A record of an unsupported type is ignored, and no other one with it.',
    variant: replaces('metadata', 'usableRecords', (right, areas, items) =>
      right(
        areas,
        items.filter((_item, index) => {
          const before = at(items[index - 1], '/extensionType');
          return typeof before !== 'string' || areas.metadata.isSupportedType(before);
        }),
      ),
    ),
    async shows(service) {
      const host = await service.host([{ id: 'hologram', extensionType: 'Hologram' }, { id: 'event' }]);
      await service.edda.sendEvent();
      await service.pass(1);
      return callsTo(host).length === 0;
    },
  },
  'metadata.fetched-again-after-a-404': {
    source: 'extensions: Metadata exchange; Versioning',
    breaks: 'Metadata is fetched when an extension is added or updated, and not because an endpoint was not found.',
    variant: fetchingAgain(),
    async shows(service) {
      const host = await service.host([{ id: 'event' }], always(404));
      await service.edda.sendEvent('event');
      await service.pass(1, 3);
      await awaitCalls(host);
      await service.pass(1, 2);
      return callsOf(host, 'metadata').length > 1;
    },
  },
  'calls.record-keeps-its-former-endpoint': {
    source: 'extensions: Metadata exchange',
    breaks: 'After an update of the extension a record is called at the endpoint that it names now.',
    variant: replaces('metadata', 'recordsInForce', (_right, _areas, former, fetched) =>
      fetched.map((record) => {
        const known = former.find(({ id }) => id === record.id);
        return known === undefined ? record : { ...record, endpoint: known.endpoint };
      }),
    ),
    async shows(service) {
      const host = await service.host([event]);
      host.setRecords([{ ...event, version: '1.0.1', endpoint: '/new' }]);
      await changeExtension(service, { hostUri: host.url });
      await service.edda.sendEvent();
      await service.pass(1);
      return callsTo(host)[0]?.path !== '/new';
    },
  },
  'metadata.fetched-before-actions': {
    source: 'extensions: Metadata exchange',
    breaks: 'Metadata is asked for when an extension is added or updated, and not when it is called.',
    variant: replaces('outgoingCalls', 'attempt', async (right, areas, delivery, callee, count) => {
      if (callee !== undefined && 'extension' in callee)
        await areas.metadata.fetchMetadata(callee.extension, delivery.envelopeId);
      return right(areas, delivery, callee, count);
    }),
    async shows(service) {
      const host = await service.host([action]);
      await runAction(service, {});
      return callsOf(host, 'metadata').length > 1;
    },
  },
  'metadata.refreshed-daily': {
    source: 'extensions: Metadata exchange',
    breaks: 'Metadata is asked for when an extension is added or updated, and not because a day has gone by.',
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
      const host = await service.host([{ id: 'event' }]);
      await service.edda.sendEvent();
      await service.pass(1);
      await service.pass(25 * 60 * 60);
      await service.edda.sendEvent();
      await service.pass(1);
      return host.entries(({ kind }) => kind === 'metadata').length > 1;
    },
  },
  'metadata.address-encoded-twice': {
    source: 'extensions: Metadata exchange',
    breaks: 'The metadata is asked for below the address that is registered, also where that has an escaped letter.',
    variant: replaces('metadata', 'metadataRequest', (right, areas, extension, correlationId) =>
      right(areas, { ...extension, hostUri: encodeURI(extension.hostUri) }, correlationId),
    ),
    async shows(service) {
      const host = await service.host([]);
      const body = { hostUri: `${host.url}/my%20host`, apiKey: hostKey, tokenLifeTime: 60 };
      await service.cora.post('/api/admin/svcExtension', body);
      return !host.entries().some(({ target }) => target === '/my%20host/svc/extension');
    },
  },
  'metadata.below-the-origin': {
    source: 'extensions: Metadata exchange',
    breaks: 'The route of the metadata is below the base URL of the host, also where that has a path.',
    variant: replaces('metadata', 'metadataRequest', (right, areas, extension, correlationId) =>
      right(areas, { ...extension, hostUri: new URL(extension.hostUri).origin }, correlationId),
    ),
    async shows(service) {
      const host = await service.host([{ id: 'event' }]);
      host.clearJournal();
      const body = { hostUri: `${host.url}/deep`, apiKey: hostKey, tokenLifeTime: 60 };
      await service.cora.post('/api/admin/svcExtension', body);
      return !host.entries().some(({ target }) => target.startsWith('/deep/'));
    },
  },
  'metadata.one-host-for-a-key': {
    source: 'extensions: Metadata exchange',
    breaks: 'Metadata is asked of the host that is registered, also where another one has the same key.',
    variant: breaks('metadata', 'metadataRequest', (right) => {
      const hosts = new Map<string, string>();
      return (areas, extension, correlationId) => {
        const hostUri = hosts.get(extension.apiKey) ?? extension.hostUri;
        hosts.set(extension.apiKey, hostUri);
        return right(areas, { ...extension, hostUri }, correlationId);
      };
    }),
    async shows(service) {
      await service.host([{ id: 'event' }]);
      const other = await service.host([mailer]);
      return callsOf(other, 'metadata').length === 0;
    },
  },
  'metadata.asked-once-for-an-address': {
    source: 'extensions: Metadata exchange',
    breaks: 'The metadata are asked for when an extension is added, also one that was there before.',
    variant: breaks('registrations', 'createExtension', (right) => {
      const known = new Map<string, MetadataAnswer>();
      return (areas, call) => {
        const fetchMetadata: typeof areas.metadata.fetchMetadata = async (extension, correlationId) => {
          const answer = known.get(extension.hostUri) ?? (await areas.metadata.fetchMetadata(extension, correlationId));
          known.set(extension.hostUri, answer);
          return answer;
        };
        return right(within(areas, { metadata: { fetchMetadata } }), call);
      };
    }),
    async shows({ cora, host: startHost }) {
      const host = await startHost(() => [{ id: 'event' }]);
      const path = '/api/admin/svcExtension';
      const id = String(at((await cora.get(path)).json, '/data/0/id'));
      await cora.delete(`${path}/${id}`);
      const body = { hostUri: host.url, apiKey: Buffer.alloc(64, 7).toString('base64'), tokenLifeTime: 60 };
      await cora.post(path, body);
      return callsOf(host, 'metadata').length === 1;
    },
  },
  'metadata.twenty-records-at-most': {
    source: 'extensions: Metadata exchange',
    breaks: 'Every record of the metadata is known, however many a host has.',
    variant: replaces('metadata', 'usableRecords', (right, areas, items) => right(areas, items.slice(0, 20))),
    async shows(service) {
      const host = await service.host(many(21, (number) => ({ id: `event-${number}` })));
      await service.edda.sendEvent('event-21');
      await service.pass(1);
      return (await awaitCalls(host, 1, 1500)).length < 1;
    },
  },
  'delivery.asked-again-in-need': {
    source: 'extensions: Metadata exchange',
    breaks: 'Metadata is asked for when an extension is added or updated, and not because calls to it fail.',
    variant: replaces('outgoingCalls', 'preparedRequest', async (right, areas, delivery, callee, count) => {
      if (count > 3 && 'extension' in callee) await areas.metadata.fetchMetadata(callee.extension, delivery.envelopeId);
      return right(areas, delivery, callee, count);
    }),
    async shows(service) {
      const host = await service.host([{ id: 'event' }], always(503));
      await service.edda.sendEvent();
      await service.pass(33, 6);
      return callsOf(host, 'metadata').length > 1;
    },
  },
  'metadata.update-signed-with-the-former-key': {
    source: 'extensions: Metadata exchange; Authentication 3',
    breaks: 'The request for metadata is signed with the key of the extension, on an update with that which it brings.',
    variant: replaces('registrations', 'putExtension', async (right, areas, call) => {
      const place: unknown = Reflect.get(call, 'place');
      const former = String(at(place, '/apiKey'));
      const dated = within(areas, {
        metadata: {
          metadataRequest: (extension, correlationId) =>
            areas.metadata.metadataRequest({ ...extension, apiKey: former }, correlationId),
        },
      });
      return right(dated, call);
    }),
    async shows(service) {
      const host = await service.host([]);
      await changeExtension(service, { hostUri: host.url, apiKey: Buffer.alloc(64, 8).toString('base64') });
      const bearers = host
        .entries()
        .map(({ headers }) => headers.find(([name]) => name.toLowerCase() === 'authorization')?.[1]);
      return bearers.length > 1 && bearers.at(-1) === bearers[0];
    },
  },
  'metadata.again-behind-a-failure': {
    source: 'extensions: Versioning',
    breaks: 'Metadata is not asked for because a call failed for good.',
    variant: replaces('deliveries', 'recordOutcome', async (right, areas, writing, attempt) => {
      await right(areas, writing, attempt);
      const { callee, outcome } = attempt;
      if (outcome.kind !== 'answered' || outcome.status !== 404 || !('extension' in callee)) return;
      const { extension } = callee;
      detach(() => void areas.metadata.fetchMetadata(extension, 'refresh').catch(() => undefined));
    }),
    async shows(service) {
      const host = await service.host([event], [{ steps: [{ status: 404 }] }]);
      const headers = { 'X-Correlation-Id': 'gone' };
      await service.edda.sendEvent('event', {}, headers);
      await logEntriesOf(service, 'gone', 'removed', 1);
      const asked = await host.await(({ kind }) => kind === 'metadata', 2, AbortSignal.timeout(500));
      return asked.length > 1;
    },
  },
  'metadata.asked-before-who-asks-is-known': {
    source: 'extensions: Versioning',
    breaks: 'The metadata is fetched when an extension is added, and not where the one who would add it may not.',
    variant: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      if (call.method !== 'POST' || route.path !== '/api/admin/svcExtension') return right(areas, route, call);
      const fields = areas.registrations.extensionFrom(areas.messages.jsonBodyOf(call));
      const records = await areas.metadata.fetchMetadata(fields, call.correlationId);
      return right(within(areas, { metadata: { fetchMetadata: async () => records } }), route, call);
    }),
    async shows(service) {
      const host = await service.host([bareEvent]);
      const before = callsOf(host, 'metadata').length;
      const body = { hostUri: host.url, apiKey: hostKey, tokenLifeTime: 60 };
      await service.edda.post('/api/admin/svcExtension', body);
      return callsOf(host, 'metadata').length > before;
    },
  },
  'metadata.version-ten-is-older-than-nine': {
    source: 'extensions: Versioning, first sentence',
    breaks: 'Versions are those of SemVer, by which ten comes behind nine; what an update brings counts.',
    variant: replaces('metadata', 'recordsInForce', (right, areas, former, fetched) =>
      right(areas, former, fetched).map((record) => {
        const old = former.find(({ id }) => id === record.id);
        return old !== undefined && record.version < old.version ? old : record;
      }),
    ),
    async shows(service) {
      const record = {
        id: 'event',
        name: 'event',
        extensionType: 'ExternalEvent',
        category: 'proof',
        rateLimitNumberOfExecutions: 1000,
      } as const;
      const host = await service.host([{ ...record, version: '9.0.0', endpoint: '/nine' }]);
      host.setRecords([{ ...record, version: '10.0.0', endpoint: '/ten' }]);
      await changeExtension(service, { hostUri: host.url });
      await service.edda.sendEvent();
      return (await awaitCalls(host))[0]?.path === '/nine';
    },
  },
  'metadata.former-records-stay': {
    source: 'extensions: Versioning',
    breaks: 'An update brings the metadata that the host tells now; a record that it tells no more is gone.',
    variant: replaces('metadata', 'recordsInForce', (right, areas, former, fetched) => {
      const ids = new Set(fetched.map(({ id }) => id));
      return right(areas, former, [...fetched, ...former.filter(({ id }) => !ids.has(id))]);
    }),
    async shows(service) {
      const host = await service.host([{ id: 'event' }]);
      host.setRecords([]);
      const { cora } = service;
      const id = String(at((await cora.get(extensionPath)).json, '/data/0/id'));
      await cora.put(`${extensionPath}/${id}`, undefined, { hostUri: host.url, apiKey: hostKey, tokenLifeTime: 60 });
      await service.edda.sendEvent();
      await service.pass(1);
      return host.entries((entry) => entry.kind !== 'metadata').length > 0;
    },
  },
  'calls.update-that-changes-nothing': {
    source: 'extensions: Versioning',
    breaks: 'Metadata is fetched when an extension is updated, also with the fields that it has already.',
    variant: keeps('metadata', 'fetchMetadata', (extension) =>
      JSON.stringify(extension, Object.keys(extension).toSorted()),
    ),
    async shows(service) {
      const host = await service.host([{ id: 'event' }]);
      await changeExtension(service, { hostUri: host.url });
      await changeExtension(service, { hostUri: host.url });
      return host.entries(({ kind }) => kind === 'metadata').length < 3;
    },
  },
  'metadata.second-at-a-host-not-asked': {
    source: 'extensions: Metadata exchange',
    breaks: 'An extension that is added at the address of another one gets its records, and is not asked for its own.',
    variant: during('registrations', 'createExtension', (step) =>
      replaces('metadata', 'fetchMetadata', async (right, areas, extension, id) => {
        const all = await areas.store.read((reading) => registrationsOf(reading, 'svcExtension'));
        const former = all.find((one) => one.kind === 'svcExtension' && one.hostUri === extension.hostUri);
        if (!step.isOn() || former?.kind !== 'svcExtension') return right(areas, extension, id);
        return { records: former.records, complaints: [] };
      }),
    ),
    async shows({ cora, host }) {
      const there = await host([event]);
      const before = callsOf(there, 'metadata').length;
      await cora.post('/api/admin/svcExtension', { hostUri: there.url, apiKey: hostKey, tokenLifeTime: 5 });
      return callsOf(there, 'metadata').length === before;
    },
  },
};

function fetchingAgain(): Variant {
  return (classes) => {
    const known = new Map<string, Extension>();
    return together(
      changes('outgoingCalls', 'preparedRequest', (request, _areas, _delivery, callee) => {
        if ('extension' in callee) known.set(request.url, callee.extension);
        return request;
      }),
      replaces('outgoingCalls', 'call', async (right, areas, request) => {
        const outcome = await right(areas, request);
        const extension = known.get(request.url);
        if (extension !== undefined && outcome.kind === 'answered' && outcome.status === 404)
          await right(areas, areas.metadata.metadataRequest(extension, 'again'));
        return outcome;
      }),
    )(classes);
  };
}

function runAction({ edda }: Service, selection: object): Promise<Received> {
  return edda.post(actionPath, { kind: 'ribbon', ...selection });
}
