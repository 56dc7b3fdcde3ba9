import { isContent } from '../../../reference-server/areas/content.ts';
import { Misfit } from '../../../reference-server/areas/records.ts';
import { breaks, replaces } from '../../breaks.ts';
import { actionPath, always, awaitCalls, awaitCallsOf, callsOf, callsTo, mail, mailPath, quietMs } from '../hosts.ts';
import type { Mistakes } from '../mistake.ts';
import { changeExtension, isUncalled, promotes } from '../proofs.ts';
import { at, hostKey, many, type Service } from '../service.ts';
import { changes, leavesOut } from '../variant-parts.ts';

const known = ['SoftType', 'MimeType', 'BaseType'];

export const metadataRecordsMistakes: Mistakes = {
  'calls.second-capability-item-is-not-read': {
    source: 'extensions: Extension metadata record',
    breaks: 'A validation applies to all SoftTypes that its record lists, whatever item lists them.',
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
      const host = await service.host([{ id: 'v', extensionType: 'ExternalValidation', capabilities }]);
      const { edda } = service;
      await promotes(edda, await edda.make('Document'));
      return (await awaitCallsOf(host, 'validation', 1, quietMs)).length === 0;
    },
  },
  'metadata.names-that-every-object-has': {
    source: 'extensions: Extension metadata record, id',
    breaks: 'An id is any text, one that a table of the language has from the start too.',
    variant: replaces('metadata', 'usableRecords', (right, areas, items) =>
      right(
        areas,
        items.filter((item) => !(String(at(item, '/id')) in {})),
      ),
    ),
    async shows(service) {
      const host = await service.host([{ id: 'constructor' }]);
      await service.edda.sendEvent('constructor');
      await service.pass(1);
      return callsTo(host).length === 0;
    },
  },
  'metadata.long-categories-left-out': {
    source: 'extensions: Extension metadata record, category',
    breaks: 'The category is a text, however long.',
    survives: 'How long a category may be is not said: a service may take no more than so many characters.',
    variant: changes('metadata', 'recordFrom', (record) => {
      const isLong = !(record instanceof Misfit) && record.category.length > 50;
      return isLong ? new Misfit('/category', 'must have at most 50 characters') : record;
    }),
    async shows(service) {
      await service.host([{ id: 'event', category: 'events of interest '.repeat(4) }]);
      return (await service.edda.sendEvent()).status >= 400;
    },
  },
  'metadata.nothing-behind-an-unknown-type': {
    source: 'extensions: Extension metadata record, row extensionType, second part',
    breaks: 'A record of an unsupported type is passed over, and those behind it are put to use.',
    variant: replaces('metadata', 'usableRecords', (right, areas, items) => {
      const first = items.findIndex(
        (item) =>
          isContent(item) &&
          typeof item['extensionType'] === 'string' &&
          !areas.metadata.isSupportedType(item['extensionType']),
      );
      return right(areas, first < 0 ? items : items.slice(0, first));
    }),
    async shows(service) {
      await service.host([{ id: 'odd', extensionType: 'ExternalOddity' }, { id: 'event' }]);
      return (await service.edda.sendEvent()).status >= 400;
    },
  },
  'metadata.endpoint-beside-the-base': {
    source: 'extensions: Extension metadata record, row endpoint',
    breaks: 'The endpoint is relative to hostUri, also where this has a path and the endpoint no slash before it.',
    variant: changes('callees', 'calleeOf', (callee) => {
      if (callee === undefined || !('record' in callee) || callee.record.endpoint.startsWith('/')) return callee;
      return { ...callee, url: new URL(callee.record.endpoint, callee.extension.hostUri).href };
    }),
    async shows(service) {
      const host = await service.host([]);
      const record = {
        id: 'event',
        version: '1.0.0',
        name: 'event',
        endpoint: 'events',
        extensionType: 'ExternalEvent',
        category: 'proof',
      };
      host.setScript(({ path }) => ({ status: 200, ...(path.endsWith('/svc/extension') && { json: [record] }) }));
      const body = { hostUri: `${host.url}/base/one`, apiKey: hostKey, tokenLifeTime: 60 };
      await service.cora.post('/api/admin/svcExtension', body);
      host.clearJournal();
      await service.edda.sendEvent();
      const [call] = await awaitCalls(host);
      return call !== undefined && call.path !== '/base/one/events';
    },
  },
  'records.ids-in-small-letters': {
    source: 'extensions: Extension metadata record, id; Calls to extensions, row ExternalEvent',
    breaks: 'The record with the id is called, not one whose id differs from it in letter case.',
    survives:
      'Whether ids of records may be alike, or alike but for their letter case, is not said (metadata-duplicate-ids).',
    variant: replaces('triggeredCalls', 'foundAddressee', async (right, areas, reading, type, named) => {
      const addresses = await areas.registry.recordsOfType(reading, type);
      const found = addresses.findLast(({ recordId }) => recordId.toLowerCase() === named.recordId?.toLowerCase());
      return right(areas, reading, type, found === undefined ? named : { ...named, recordId: found.recordId });
    }),
    async shows(service) {
      const host = await service.host(['notify', 'Notify'].map((id) => ({ id, endpoint: `/is-${id}` })));
      await service.edda.sendEvent('notify');
      await service.pass(1);
      return callsTo(host)[0]?.path === '/is-Notify';
    },
  },
  'metadata.percent-twice': {
    source: 'extensions: Extension metadata record, endpoint',
    breaks: 'A call goes to the route that the record names, one with encoded characters as it is.',
    variant: replaces('requests', 'extensionRequest', (right, areas, delivery, callee) =>
      right(areas, delivery, { ...callee, url: callee.url.replaceAll('%', '%25') }),
    ),
    async shows(service) {
      const host = await service.host([{ id: 'event', endpoint: '/a%20b' }]);
      await service.edda.sendEvent();
      await service.pass(1);
      return callsTo(host)[0]?.path === '/a%2520b';
    },
  },
  'metadata.described-and-capable': {
    source: 'extensions: Extension metadata record, row description',
    breaks: 'A record may have a description, beside capabilities as well.',
    variant: leavesOut((record) => 'description' in record && 'capabilities' in record),
    shows: (service) =>
      isUncalled(service, {
        description: 'for parts',
        capabilities: [{ capabilityType: 'SoftType', capabilities: ['Part'] }],
      }),
  },
  'metadata.category-of-administrators': {
    source: 'extensions: Extension metadata record',
    breaks: 'A category is a tag for the user interface, which keeps no editor from the record.',
    variant: replaces('triggers', 'runAction', async (right, areas, call) => {
      const found = await areas.store.read((reading) =>
        areas.triggeredCalls.foundAddressee(reading, 'ExternalAction', call.place),
      );
      const isAdministrator = areas.auth.rolesOf(call.user, call.space).includes('administrator');
      if (!isAdministrator && /admin/i.test(found?.record.category ?? '')) return { status: 403 };
      return right(areas, call);
    }),
    async shows(service) {
      const record = { id: 'action', extensionType: 'ExternalAction' as const, category: 'Administration' };
      const host = await service.host([record]);
      await service.edda.post(actionPath, { kind: 'ribbon' });
      return callsOf(host, 'action').length === 0;
    },
  },
  'metadata.custom-capability-takes-all': {
    source: 'extensions: Extension metadata record',
    breaks: 'A record with a capability of its own has its own SoftTypes, not those of the record before it.',
    variant: breaks('metadata', 'recordFrom', (right) => {
      let before: readonly string[] = [];
      return (areas, item) => {
        const record = right(areas, item);
        if (!('capabilities' in record) || record.capabilities === undefined) return record;
        const isCustom = record.capabilities.some(({ capabilityType }) => !known.includes(capabilityType));
        const kept = before;
        before = record.capabilities.flatMap((one) => (one.capabilityType === 'SoftType' ? one.capabilities : []));
        if (!isCustom || kept.length === 0) return record;
        return {
          ...record,
          capabilities: [...record.capabilities, { capabilityType: 'SoftType', capabilities: [...kept] }],
        };
      };
    }),
    async shows(service) {
      const host = await service.host([
        validator('one', [{ capabilityType: 'SoftType', capabilities: ['Document'] }]),
        validator('two', [
          { capabilityType: 'SoftType', capabilities: ['Part'] },
          { capabilityType: 'Region', capabilities: ['north'] },
        ]),
      ]);
      const made = await service.edda.make('Document');
      await service.edda.move(made, 1);
      return callsOf(host, 'validation').length > 1;
    },
  },
  'metadata.description-of-255': {
    source: 'extensions: Extension metadata record, description',
    breaks: 'A description is a text of any length.',
    survives: 'How long a description may be is not said.',
    variant: changes('metadata', 'recordFrom', (record) => {
      const isLong = !(record instanceof Misfit) && (record.description ?? '').length > 255;
      return isLong ? new Misfit('/description', 'must have 255 characters at most') : record;
    }),
    shows: (service) => isLeftOut(service, { description: 'a'.repeat(256) }),
  },
  'metadata.id-of-an-unsupported-type': {
    source: 'extensions: Extension metadata record, extensionType',
    breaks: 'A record of an unsupported type is ignored: another one may have its id.',
    survives: 'Whether two records of a host may have one id, be one of them ignored, is not said.',
    variant: replaces('metadata', 'usableRecords', (right, areas, items) => {
      const isUnsupported = (item: unknown) => !areas.metadata.isSupportedType(String(at(item, '/extensionType')));
      const taken = items.map((item) => (isUnsupported(item) ? at(item, '/id') : undefined));
      return right(
        areas,
        items.filter((item, index) => !taken.slice(0, index).includes(at(item, '/id'))),
      );
    }),
    async shows(service) {
      await service.host([{ id: 'event', extensionType: 'Telepathy' }, { id: 'event' }]);
      return (await service.edda.sendEvent()).status >= 400;
    },
  },
  'metadata.long-ids-are-left-out': {
    source: 'extensions: Extension metadata record, row id',
    breaks: 'The id of an extension is a text, of whatever length.',
    variant: replaces('metadata', 'recordFrom', (right, areas, item) =>
      String(at(item, '/id')).length > 50 ? new Misfit('/id', 'must not be longer') : right(areas, item),
    ),
    survives: 'Extension metadata record, row id: how long an id may be is not said.',
    async shows(service) {
      const id = 'e'.repeat(51);
      await service.host([{ id }]);
      return (await service.edda.sendEvent(id)).status !== 201;
    },
  },
  'metadata.empty-names-are-left-out': {
    source: 'extensions: Extension metadata record, row name',
    breaks: 'The name of an extension is a text, which may be empty.',
    variant: replaces('metadata', 'recordFrom', (right, areas, item) =>
      at(item, '/name') === '' ? new Misfit('/name', 'must not be empty') : right(areas, item),
    ),
    survives:
      'Extension metadata record, row name: a name is required, and whether a text without characters is one is not said.',
    async shows(service) {
      await service.host([{ id: 'event', name: '' }]);
      return (await service.edda.sendEvent()).status !== 201;
    },
  },
  'metadata.one-record-of-a-name': {
    source: 'extensions: Extension metadata record',
    breaks: 'Records are told apart by their id; two may have one name.',
    variant: changes('metadata', 'usableRecords', ({ records, complaints }) => ({
      records: [...new Map(records.map((record) => [record.name, record])).values()],
      complaints,
    })),
    async shows({ host, edda }) {
      await host(['event', 'other'].map((id) => ({ id, name: 'Notifier', endpoint: `/${id}` })));
      return (await edda.sendEvent()).status >= 400;
    },
  },
  'metadata.empty-description': {
    source: 'extensions: Extension metadata record',
    breaks: 'The description of a record is any text or none, an empty one as well.',
    variant: replaces('metadata', 'usableRecords', (right, areas, items) => {
      return right(
        areas,
        items.filter((item) => at(item, '/description') !== ''),
      );
    }),
    async shows({ host, edda }) {
      await host([{ id: 'event', description: '' }]);
      return (await edda.sendEvent()).status >= 400;
    },
  },
  'calls.route-of-two-segments': {
    source: 'extensions: Extension metadata record',
    breaks: 'The endpoint of a record is a route below the host, of as many segments as it has.',
    variant: changes('callees', 'calleeOf', (callee) => {
      if (callee === undefined || 'endpoint' in callee) return callee;
      const route = encodeURIComponent(callee.record.endpoint.replace(/^\//, ''));
      return { ...callee, url: `${callee.extension.hostUri.replace(/\/$/, '')}/${route}` };
    }),
    async shows(service) {
      const host = await service.host([{ id: 'event', endpoint: '/one/two' }]);
      await service.edda.sendEvent();
      await service.pass(1);
      return !callsTo(host).some(({ path }) => path === '/one/two');
    },
  },
  'deliveries.tasks-give-up': {
    source: 'extensions: Extension metadata record',
    breaks: 'Who is to be retried for ever is, with a task as with an event.',
    variant: changes('policies', 'policyOf', (policy, _areas, _callee, delivery) =>
      delivery.kind === 'task' ? { ...policy, retries: Math.min(policy.retries, 5) } : policy,
    ),
    async shows(service) {
      const host = await service.host([{ id: 'task', extensionType: 'ExternalTask', retryForever: true }], always(503));
      await service.edda.post('/api/space/main/dx', { recordId: 'task', inputPath: 'input.csv' });
      for (const attempt of many(6, (number) => number)) {
        await awaitCalls(host, attempt);
        await service.pass(2 ** attempt + 1);
      }
      return (await awaitCalls(host, 7, 1500)).length === 6;
    },
  },
  'metadata.type-of-the-first-time': {
    source: 'extensions: Extension metadata record, row extensionType',
    breaks: 'A record is of the type that it names now, not of the one that it named before an update.',
    variant: replaces('metadata', 'recordsInForce', (right, areas, former, fetched) =>
      right(areas, former, fetched).map((record) => ({
        ...record,
        extensionType: former.find(({ id }) => id === record.id)?.extensionType ?? record.extensionType,
      })),
    ),
    async shows(service) {
      const host = await service.host([{ id: 'mail', extensionType: 'ExternalEvent' }], always(200));
      host.setRecords([
        { id: 'mail', version: '1.0.1', name: 'x', endpoint: '/x', extensionType: 'Email', category: 'proof' },
      ]);
      await changeExtension(service, { hostUri: host.url });
      await service.edda.post(mailPath, { ...mail, to: 'a@b.example' });
      return (await awaitCalls(host, 1, 1000)).length === 0;
    },
  },
  'callees.endpoint-at-the-root': {
    source: 'extensions: Extension metadata record, endpoint',
    breaks: 'An endpoint is relative to the host URI, also where that has a path of its own.',
    variant: changes('callees', 'calleeOf', (callee) => {
      if (callee === undefined || !('record' in callee)) return callee;
      return { ...callee, url: new URL(callee.record.endpoint, `${callee.extension.hostUri}/`).href };
    }),
    survives:
      'ledger endpoint-joining: how an endpoint with a slash before it is joined is open, and as a reference it leads to the root of the host.',
    async shows(service) {
      const host = await service.host([{ id: 'event', endpoint: '/event' }]);
      const hostUri = `${host.url}/base`;
      await changeExtension(service, { hostUri });
      await service.edda.sendEvent();
      await service.pass(1);
      return host.entries(({ target }) => target === '/event').length > 0;
    },
  },
  'metadata.described-alike': {
    source: 'extensions: Extension metadata record',
    breaks: 'Two records may have one description; it tells nothing apart.',
    variant: replaces('metadata', 'usableRecords', (right, areas, items) => {
      const descriptions = items.map((item) => (isContent(item) ? item['description'] : undefined));
      const isFirst = (index: number) =>
        descriptions[index] === undefined || descriptions.indexOf(descriptions[index]) === index;
      return right(
        areas,
        items.filter((_item, index) => isFirst(index)),
      );
    }),
    async shows(service) {
      await service.host(['one', 'other'].map((id) => ({ id, description: 'handles events' })));
      return (await service.edda.sendEvent('other')).status >= 300;
    },
  },
  'metadata.one-record-an-endpoint': {
    source: 'extensions: Extension metadata record, endpoint',
    breaks: 'Two records may have one endpoint.',
    survives: 'Whether records may share an endpoint is not said: it is remarked on.',
    variant: changes('metadata', 'usableRecords', (usable) => ({
      ...usable,
      records: usable.records.filter(
        ({ endpoint }, index, all) => all.findIndex((other) => other.endpoint === endpoint) === index,
      ),
    })),
    async shows(service) {
      await service.host(['one', 'other'].map((id) => ({ id, endpoint: '/both' })));
      return (await service.edda.sendEvent('other')).status >= 300;
    },
  },
  'metadata.fifty-records': {
    source: 'extensions: Metadata exchange',
    breaks: 'All records of the metadata are put to use, the fifty-first as well.',
    variant: replaces('metadata', 'usableRecords', (right, areas, items) => right(areas, items.slice(0, 50))),
    async shows(service) {
      await service.host(many(51, (n) => ({ id: `event${n}`, endpoint: `/event${n}` })));
      return (await service.edda.sendEvent('event51')).status >= 300;
    },
  },
};

function validator(id: string, capabilities: { capabilityType: string; capabilities: string[] }[]) {
  return { id, extensionType: 'ExternalValidation' as const, capabilities };
}

/** Whether a record with these fields is left out of those of its host. */
async function isLeftOut(
  service: Service,
  fields: { readonly description?: string; readonly version?: string },
): Promise<boolean> {
  await service.host([{ id: 'event', ...fields }]);
  return (await service.edda.sendEvent()).status >= 400;
}
