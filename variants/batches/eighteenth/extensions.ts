import { Misfit } from '../../../reference-server/areas/records.ts';
import type { MetadataRecord } from '../../../simulator/extension/metadata.ts';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { callsOf, callsTo, changeExtension, claimsIn, logged, always } from '../proofs.ts';
import { at, hostKey } from '../service.ts';

/** An event handler that leaves out what may be left out. */
const bare: MetadataRecord = {
  id: 'event',
  version: '1.0.0',
  name: 'event',
  endpoint: '/event',
  extensionType: 'ExternalEvent',
  category: 'proof',
};

export const extensionsMistakes: Batch = {
  'extensions.switched-off-at-first': {
    source: 'extensions: Registered extension, active',
    breaks: 'An extension that is registered as not active is not called.',
    kind: 'value',
    variant: replaces('registrations', 'createExtension', (right, areas, call) =>
      right(areas, { ...call, json: { ...call.json, active: true } }),
    ),
    async shows({ host, edda, cora, pass }) {
      const found = await host(() => []);
      found.setRecords([bare]);
      const body = { hostUri: found.url, apiKey: hostKey, tokenLifeTime: 60, active: false };
      await cora.post('/api/admin/svcExtension', body);
      await edda.sendEvent();
      await pass(1);
      return callsTo(found).length > 0;
    },
  },

  'extensions.token-of-an-hour': {
    source: 'extensions: Registered extension, tokenLifeTime',
    breaks: 'A token is valid for as many minutes as the registration says, also for more than an hour.',
    kind: 'value',
    variant: replaces('requests', 'impersonationToken', (right, areas, userName, minutes) =>
      right(areas, userName, Math.min(minutes, 60)),
    ),
    async shows(service) {
      const host = await service.host(() => [bare]);
      await changeExtension(service, { hostUri: host.url, tokenLifeTime: 120 });
      await service.edda.sendEvent();
      await service.pass(1);
      const claims = claimsIn(callsTo(host)[0]);
      return Number(at(claims, '/exp')) - Number(at(claims, '/iat')) !== 120 * 60;
    },
  },

  'metadata.limit-of-before': {
    source: 'extensions: Extension metadata record, rateLimitNumberOfExecutions',
    breaks: 'A record that names no limit has that of 5, also where it named another before the update.',
    kind: 'copy',
    variant: replaces('metadata', 'recordsInForce', (_right, _areas, former, fetched) =>
      fetched.map((record) => ({ ...former.find(({ id }) => id === record.id), ...record })),
    ),
    async shows(service) {
      const host = await service.host(() => [{ ...bare, rateLimitNumberOfExecutions: 1 }]);
      host.setRecords([bare]);
      await changeExtension(service, { hostUri: host.url });
      for (let count = 0; count < 3; count += 1) await service.edda.sendEvent();
      await service.pass(1);
      return callsTo(host).length < 3;
    },
  },

  'metadata.no-records-any-more': {
    source: 'extensions: Metadata exchange',
    breaks: 'The records of an extension are those of the last answer, also where that is an empty array.',
    kind: 'moment',
    variant: replaces('metadata', 'recordsInForce', (right, areas, former, fetched) =>
      fetched.length === 0 ? former : right(areas, former, fetched),
    ),
    async shows(service) {
      const host = await service.host(() => [bare]);
      host.setRecords([]);
      await changeExtension(service, { hostUri: host.url });
      await service.edda.sendEvent();
      await service.pass(1);
      return callsTo(host).length > 0;
    },
  },

  'metadata.last-capability-of-a-type': {
    source: 'extensions: Extension metadata record, capabilities',
    breaks: 'A record may have several capabilities of one type, and all of them count.',
    kind: 'combination',
    variant: replaces('metadata', 'recordFrom', (right, areas, item) => {
      const record = right(areas, item);
      if (record instanceof Misfit || record.capabilities === undefined) return record;
      const byType = new Map(record.capabilities.map((capability) => [capability.capabilityType, capability]));
      return { ...record, capabilities: [...byType.values()] };
    }),
    async shows({ host, edda }) {
      const capabilities = ['Document', 'Part'].map((id) => ({ capabilityType: 'SoftType', capabilities: [id] }));
      const found = await host(() => [{ extensionType: 'ExternalValidation', capabilities }]);
      await edda.move(await edda.make('Document', { title: 't' }), 1);
      return callsOf(found, 'validation').length === 0;
    },
  },

  'metadata.version-with-a-hyphen': {
    source: 'extensions: Extension metadata record, version',
    breaks: 'A record may have any version that SemVer knows, one with a hyphen in its pre-release as well.',
    kind: 'value',
    variant: replaces('metadata', 'recordFrom', (right, areas, item) =>
      /^[^+]*-[^+]*-/.test(String(at(item, '/version')))
        ? new Misfit('/version', 'must be a version')
        : right(areas, item),
    ),
    async shows({ host, edda }) {
      await host(() => [{ ...bare, version: '1.0.0-rc-1' }]);
      return (await edda.sendEvent()).status >= 400;
    },
  },

  'metadata.half-a-second': {
    source: 'extensions: Extension metadata record, requestTimeout',
    breaks: 'The timeout of a record is a number, which need not be whole.',
    kind: 'value',
    variant: replaces('metadata', 'recordFrom', (right, areas, item) => {
      const timeout = at(item, '/requestTimeout');
      return timeout === undefined || Number.isInteger(timeout)
        ? right(areas, item)
        : new Misfit('/requestTimeout', 'must be an integer');
    }),
    async shows({ host, edda }) {
      await host(() => [{ ...bare, requestTimeout: 2.5 }]);
      return (await edda.sendEvent()).status >= 400;
    },
  },

  'extensions.timeout-of-mail': {
    source: 'extensions: Limits, request timeout',
    breaks: 'The timeout of a record is what it says, for mail as well.',
    kind: 'place',
    variant: replaces('callees', 'requestTimeoutOf', (right, areas, { requestTimeout, ...record }) =>
      right(
        areas,
        record.extensionType === 'Email' || requestTimeout === undefined ? record : { ...record, requestTimeout },
      ),
    ),
    async shows(service) {
      const mail = { ...bare, id: 'mail', extensionType: 'Email', requestTimeout: 5 };
      await service.host(() => [mail], always({ never: true }));
      const body = { recordId: 'mail', to: 'a@b.example', subject: 's', body: 'b' };
      await service.edda.post('/api/space/main/externalEmail', body);
      await service.pass(3, 4);
      return (await logged(service, 'timeout')).length === 0;
    },
  },
};
