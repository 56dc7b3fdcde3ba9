import { metadataPath } from '../../../contract/names.ts';
import { breaks, replaces, together } from '../../breaks.ts';
import type { Addressee } from '../../../reference-server/areas/triggered-calls.ts';
import { headerValues } from '../../../simulator/extension/entry.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, callsTo, changeExtension, claimsIn, registerEndpoint, scheduleTask } from '../proofs.ts';
import { at, listAt, type Service, signatureOver } from '../service.ts';
import { keeps } from './kept.ts';

const otherKey = Buffer.alloc(64, 9).toString('base64');

export const registeredMistakes: Batch = {
  'calls.key-before-an-update': {
    source: 'extensions: Authentication 3',
    breaks: 'A call is signed with the key that its extension has by now.',
    kind: 'copy',
    variant: keeps('signing', 'signatureHeaders', (_apiKey, url) =>
      url.endsWith(metadataPath) ? undefined : url.split('?', 1)[0],
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', endpoint: '/event' }]);
      await service.edda.sendEvent();
      await service.pass(1);
      await changeExtension(service, { hostUri: host.url, apiKey: otherKey });
      await service.edda.sendEvent();
      await service.pass(1);
      const [, second] = callsOf(host, 'event');
      return (
        second !== undefined &&
        headerValues(second, 'authorization')[0] !== `Bearer ${signatureOver('/event', otherKey)}`
      );
    },
  },

  'endpoints.deleted-and-registered-again': {
    source: 'extensions: Registered external endpoint, active',
    breaks: 'An endpoint is active unless its registration says otherwise, whatever a deleted one of its name said.',
    kind: 'copy',
    variant: breaks('registrations', 'endpointFrom', (right) => {
      const said = new Map<unknown, unknown>();
      return (areas, body) => {
        const id = at(body, '/id');
        const active = at(body, '/active') ?? said.get(id);
        said.set(id, active);
        return right(areas, active === undefined ? body : { ...(body as object), active });
      };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      const fields = { url: `${host.url}/hook` };
      await registerEndpoint(service, 'externalEndpoint', { ...fields, active: false });
      await service.cora.delete('/api/admin/externalEndpoint/hook');
      await registerEndpoint(service, 'externalEndpoint', fields);
      await service.edda.sendToEndpoint();
      await service.pass(1);
      return callsTo(host).length === 0;
    },
  },

  'metadata.same-version-same-record': {
    source: 'extensions: Metadata exchange',
    breaks:
      'What a host says of a record when its extension is updated counts, also when the version of the record stays.',
    kind: 'copy',
    variant: replaces('metadata', 'recordsInForce', (right, areas, former, fetched) =>
      right(areas, former, fetched).map(
        (record) => former.find(({ id, version }) => id === record.id && version === record.version) ?? record,
      ),
    ),
    async shows(service) {
      const record = { id: 'event', version: '1.0.0', name: 'event', extensionType: 'ExternalEvent', category: 'c' };
      const host = await service.host(() => [{ ...record, endpoint: '/before' }]);
      host.setRecords([{ ...record, endpoint: '/after' }]);
      await changeExtension(service, { hostUri: host.url });
      await service.edda.sendEvent();
      await service.pass(1);
      return callsTo(host).some(({ path }) => path === '/before');
    },
  },

  'validation.soft-type-before-an-update': {
    source: 'extensions: Extension metadata record, capability use',
    breaks: 'A validation applies to the SoftTypes that its capabilities list by now.',
    kind: 'copy',
    variant: breaks('validation', 'validatorsFor', (right) => {
      const known = new Map<string, readonly Addressee[]>();
      return async (areas, reading, softTypeId) => {
        const now = await right(areas, reading, softTypeId);
        const gone = (known.get(softTypeId) ?? []).filter(
          ({ recordId }) => !now.some((addressee) => addressee.recordId === recordId),
        );
        const kept = await Promise.all(gone.map((address) => areas.triggeredCalls.addresseeAt(reading, address)));
        const all = [
          ...now,
          ...kept.filter((addressee) => addressee?.callee.active).filter((each) => each !== undefined),
        ];
        known.set(softTypeId, all);
        return all;
      };
    }),
    async shows(service) {
      const host = await service.host(() => [validator('Document')]);
      const promote = async () => service.edda.move(await service.edda.make('Document', { title: 't' }), 1);
      await promote();
      host.setRecords([validator('Part')]);
      await changeExtension(service, { hostUri: host.url });
      await promote();
      return callsOf(host, 'validation').length === 2;
    },
  },
};

export const callsMistakes: Batch = {
  'validation.verdict-of-an-earlier-version': {
    source: 'extensions: Calls to extensions, ExternalValidation',
    breaks: 'An object is evaluated at each promote, also when it was valid before it was edited.',
    kind: 'copy',
    variant: breaks('validation', 'verdictOn', (right) => {
      const valid = new Map<string, Awaited<ReturnType<typeof right>>>();
      return async (areas, call, object, validators) => {
        const verdict = valid.get(object.oid) ?? (await right(areas, call, object, validators));
        if (verdict.kind === 'valid') valid.set(object.oid, verdict);
        return verdict;
      };
    }),
    async shows({ host, edda }) {
      const valid = { status: 200, json: { isValid: true, message: '' } };
      const invalid = { status: 200, json: { isValid: false, message: 'no' } };
      await host(() => [validator('Document')], [{ steps: [valid, invalid], afterwards: 'last' }]);
      const made = await edda.make('Document', { title: 'valid' });
      await edda.move(made, 1);
      await edda.merge(made, 2, { title: 'invalid' });
      return (await edda.move(made, 3)).status === 204;
    },
  },

  'tasks.links-of-the-same-input': {
    source: 'extensions: External task links',
    breaks: 'The links of a task report on its own job, also when another job had the same input.',
    kind: 'copy',
    variant: keeps('requests', 'taskLinks', (spaceId, _jobId, inputPath) => `${spaceId} ${inputPath}`),
    async shows(service) {
      const host = await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      for (let left = 2; left > 0; left -= 1) await scheduleTask(service);
      const statuses = callsOf(host, 'task').map(({ json }) =>
        listAt(json, '/payload/links').find((link) => at(link, '/id') === 'taskStatus'),
      );
      return statuses.length === 2 && at(statuses[0], '/url') === at(statuses[1], '/url');
    },
  },

  'delivery.retries-used-up-by-another': {
    source: 'extensions: Limits',
    breaks: 'Each event is retried five times, also when one before it was given up.',
    kind: 'copy',
    variant: breaks('policies', 'nextStepOf', (right) => {
      const attempts = new Map<string, number>();
      return (areas, delivery, policy, outcome) => {
        const made = Math.max(delivery.attempts, attempts.get(policy.endpoint) ?? 0);
        const step = right(areas, { ...delivery, attempts: made }, policy, outcome);
        attempts.set(policy.endpoint, step.kind === 'delivered' ? 0 : made + 1);
        return step;
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }], [{ steps: [{ status: 503 }], afterwards: 'last' }]);
      for (let left = 2; left > 0; left -= 1) {
        await service.edda.sendEvent();
        await service.pass(10, 12);
      }
      return callsOf(host, 'event').length < 12;
    },
  },

  'endpoints.token-of-the-first-user': {
    source: 'extensions: Registered trusted external endpoint',
    breaks: 'A trusted endpoint gets a token of the user who triggered the event, also when another one did before.',
    kind: 'copy',
    variant: keeps('requests', 'endpointUrl', (_delivery, { endpoint }) =>
      endpoint.kind === 'trustedExternalEndpoint' ? endpoint.url : undefined,
    ),
    async shows(service) {
      const host = await service.host(() => []);
      await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/hook` });
      for (const user of [service.edda, service.emil]) {
        await user.sendToEndpoint();
        await service.pass(1);
      }
      const [one, other] = callsTo(host);
      return other !== undefined && one?.target === other.target;
    },
  },

  'tokens.life-of-another-registration': {
    source: 'extensions: Authentication 4',
    breaks: 'The token of a call lives as long as its own registration says, whatever another one of the user does.',
    kind: 'copy',
    variant: breaks('requests', 'impersonationToken', (right) => {
      const kept = new Map<string, { readonly token: string; readonly until: number }>();
      return async (areas, userName, minutes) => {
        const known = kept.get(userName);
        if (known !== undefined && areas.clock.now() < known.until) return known.token;
        const token = await right(areas, userName, minutes);
        kept.set(userName, { token, until: areas.clock.now() + minutes * 60_000 });
        return token;
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await service.edda.sendEvent();
      await service.pass(1);
      await changeExtension(service, { hostUri: host.url, tokenLifeTime: 5 });
      await service.edda.sendEvent();
      await service.pass(1);
      const claims = claimsIn(callsOf(host, 'event')[1]);
      return Number(at(claims, '/exp')) - Number(at(claims, '/iat')) > 300;
    },
  },

  'events.filter-of-the-user': {
    source: 'extensions: Call envelope, informationFilter',
    breaks: 'An envelope carries the information filter of its own trigger, not the first one of the user.',
    kind: 'copy',
    variant: keeps('triggeredCalls', 'passedFilter', (call) => call.user.name),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      const filters = ['2019', '2021'].map((year) => btoa(JSON.stringify({ time: `${year}-01-01T00:00:00Z` })));
      for (const filter of filters) await service.edda.sendEvent('event', {}, { 'Svc-InformationFilter': filter });
      await service.pass(1);
      const found = new Set(callsOf(host, 'event').map(({ envelope }) => envelope?.informationFilter));
      return callsOf(host, 'event').length === 2 && found.size === 1;
    },
  },
};

export const keysMistakes: Batch = {
  'keys.callback-of-another-record': {
    source: 'extensions: Acquiring API keys',
    breaks: 'A callback has to be the one of the record that asks, not one that another asked with before.',
    kind: 'copy',
    variant: breaks('apiKeys', 'isConfiguredCallback', (right) => {
      const known = new Set<string>();
      return (areas, given, configured) => {
        if (known.has(given)) return true;
        const isRight = right(areas, given, configured);
        if (isRight) known.add(given);
        return isRight;
      };
    }),
    async shows(service) {
      const ids = ['one', 'other'];
      const host = await service.host((url) => ids.map((id) => keyed(id, `${url}/${id}`)), always({ status: 200 }));
      const acquired = await acquire(service, 'one', `${host.url}/one`);
      return acquired < 300 && (await acquire(service, 'other', `${host.url}/one`)) < 300;
    },
  },

  'keys.permission-before-an-update': {
    source: 'extensions: Acquiring API keys',
    breaks: 'Only permissions that the metadata has by now can be requested, not those it had before an update.',
    kind: 'copy',
    variant: (classes) => {
      const known = new Map<string, readonly string[]>();
      let former: readonly string[] = [];
      return together(
        replaces('apiKeys', 'acquireComplaint', (right, areas, holder, request) => {
          const key = `${holder.registrationId} ${holder.recordId}`;
          former = known.get(key) ?? [];
          known.set(key, [...former, ...(holder.permissions?.permissions ?? [])]);
          return right(areas, holder, request);
        }),
        replaces('apiKeys', 'excessPermissions', (right, areas, asked, configured) =>
          right(areas, asked, [...configured, ...former]),
        ),
      )(classes);
    },
    async shows(service) {
      const host = await service.host((url) => [keyed('one', `${url}/one`)], always({ status: 200 }));
      const before = await acquire(service, 'one', `${host.url}/one`);
      const less = { ...keyed('one', `${host.url}/one`, 'SnapshotAPI'), version: '1.1.0', name: 'one', endpoint: '/e' };
      host.setRecords([{ ...less, extensionType: 'ExternalEvent', category: 'c' }]);
      await changeExtension(service, { hostUri: host.url });
      return before < 300 && (await acquire(service, 'one', `${host.url}/one`)) < 300;
    },
  },
};

function validator(softTypeId: string) {
  return {
    id: 'validation',
    version: '1.0.0',
    name: 'validation',
    endpoint: '/validation',
    extensionType: 'ExternalValidation',
    category: 'proof',
    capabilities: [{ capabilityType: 'SoftType', capabilities: [softTypeId] }],
  };
}

function keyed(
  id: string,
  tokenCallback: string,
  permission: 'AdministrationAPI' | 'SnapshotAPI' = 'AdministrationAPI',
) {
  return { id, permissions: { tokenCallback, permissions: [permission] } };
}

async function acquire({ cora }: Service, id: string, tokenCallback: string): Promise<number> {
  const path = `/api/collection/externalExtension/acquireAccessToken/${id}`;
  return (await cora.post(path, { tokenCallback, permissions: ['AdministrationAPI'] })).status;
}
