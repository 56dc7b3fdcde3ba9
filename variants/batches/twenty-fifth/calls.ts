import { keyPeriodSeconds } from '../../../contract/limits.ts';
import { metadataPath } from '../../../contract/names.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { headerValues } from '../../../simulator/extension/entry.ts';
import type { ExtensionHost } from '../../../simulator/extension/host.ts';
import { breaks, replaces, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, callsTo, changeExtension, claimsIn, logged, registerEndpoint } from '../proofs.ts';
import { at, type Received, type Service, signatureOver } from '../service.ts';

export const deliveryMistakes: Batch = {
  'delivery.timeout-as-at-first': {
    source: 'extensions: Limits, request timeout',
    breaks: 'An endpoint is waited for as long as its requestTimeout says now, also when it said otherwise before.',
    kind: 'copy',
    variant: breaks('callees', 'calleeOf', (right) => {
      const known = new Map<string, number>();
      return async (areas, reading, address) => {
        const callee = await right(areas, reading, address);
        if (callee === undefined) return callee;
        known.set(callee.rateKey, known.get(callee.rateKey) ?? callee.timeoutMs);
        return { ...callee, timeoutMs: known.get(callee.rateKey) ?? callee.timeoutMs };
      };
    }),
    async shows(service) {
      const record = { version: '1.0.0', name: 'event', extensionType: 'ExternalEvent', category: 'proof' };
      const known = { ...record, id: 'event', endpoint: '/event' };
      const host = await service.host(() => [known], always({ never: true }));
      await service.edda.sendEvent();
      await service.pass(1);
      host.setRecords([{ ...known, requestTimeout: 2 }]);
      await changeExtension(service, { hostUri: host.url });
      await service.edda.sendEvent();
      await service.pass(3, 2);
      return (await logged(service, 'timeout')).length === 0;
    },
  },

  'delivery.forever-whatever-it-was': {
    source: 'extensions: Registered external endpoint, retryForever',
    breaks: 'What is no transient error fails the call, also where transient ones are retried for ever.',
    kind: 'combination',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) => {
      const isLast = policy.retries === Infinity && !areas.policies.isDelivered(delivery.kind, outcome);
      return right(areas, delivery, policy, isLast ? { kind: 'failed', reason: 'it failed' } : outcome);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', retryForever: true }], always({ status: 400 }));
      await service.edda.sendEvent();
      await service.pass(3, 2);
      return callsTo(host).length > 1;
    },
  },

  'delivery.one-behind-a-pause': {
    source: 'extensions: Registered external endpoint, rateLimitNumberOfExecutions',
    breaks: 'Behind a pause the endpoint may be called as often as before it, until the next one.',
    kind: 'moment',
    variant: replaces('policies', 'rateDecision', (right, areas, window, now, limit) => {
      const decision = right(areas, window, now, limit);
      const isBehindPause = (window?.pausedUntil ?? 0) > 0 && decision.window.executions === 1;
      return isBehindPause ? { ...decision, window: { ...decision.window, executions: limit } } : decision;
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', rateLimitNumberOfExecutions: 2 }]);
      for (let count = 0; count < 4; count += 1) await service.edda.sendEvent();
      await service.pass(1);
      await service.pass(61, 1);
      await service.pass(1);
      return callsTo(host).length < 4;
    },
  },

  'delivery.waits-of-the-endpoint': {
    source: 'extensions: Limits, retries',
    breaks: 'The retries of a call begin with 2 seconds, also when others to the endpoint have failed before.',
    kind: 'moment',
    variant: breaks('policies', 'nextStepOf', (right) => {
      const failures = new Map<string, number>();
      return (areas, delivery, policy, outcome) => {
        const step = right(areas, delivery, policy, outcome);
        const count = (failures.get(policy.endpoint) ?? 0) + 1;
        failures.set(policy.endpoint, step.kind === 'delivered' ? 0 : count);
        return step.kind === 'retry' ? { ...step, delayMs: areas.policies.nextRetryDelay(count) } : step;
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }], always({ status: 503 }));
      await service.edda.sendEvent();
      await service.pass(33, 6);
      await service.edda.sendEvent();
      await service.pass(3, 2);
      return callsTo(host).length === 7;
    },
  },

  'delivery.mail-that-was-created': {
    source: 'extensions: Calls to extensions, row Email',
    breaks: 'A mail is delivered when its extension answers 201, as with 200.',
    kind: 'place',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) => {
      const isCreated = delivery.kind === 'email' && outcome.kind === 'answered' && outcome.status === 201;
      return right(areas, delivery, policy, isCreated ? { ...outcome, status: 503 } : outcome);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'mail', extensionType: 'Email' }], always({ status: 201 }));
      const mail = { recordId: 'mail', to: 'a@b.example', subject: 'subject', body: 'body' };
      await service.edda.post('/api/space/main/externalEmail', mail);
      await service.pass(3, 2);
      return callsTo(host).length > 1;
    },
  },

  'delivery.asked-again-in-need': {
    source: 'extensions: Metadata exchange',
    breaks: 'Metadata is asked for when an extension is added or updated, and not because calls to it fail.',
    kind: 'moment',
    variant: replaces('outgoingCalls', 'preparedRequest', async (right, areas, delivery, callee, count) => {
      if (count > 3 && 'extension' in callee) await areas.metadata.fetchMetadata(callee.extension, delivery.envelopeId);
      return right(areas, delivery, callee, count);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }], always({ status: 503 }));
      await service.edda.sendEvent();
      await service.pass(33, 6);
      return callsOf(host, 'metadata').length > 1;
    },
  },
};

export const callsMistakes: Batch = {
  'calls.path-of-the-host': {
    source: 'extensions: Calls to extensions',
    breaks: 'A route stands below the whole address of the host, its path included.',
    kind: 'value',
    variant: replaces('callees', 'calleeOf', async (right, areas, reading, address) => {
      const callee = await right(areas, reading, address);
      if (callee === undefined || !('record' in callee)) return callee;
      return { ...callee, url: new URL(callee.record.endpoint, callee.extension.hostUri).href };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', endpoint: '/event' }]);
      await changeExtension(service, { hostUri: `${host.url}/below` });
      await service.edda.sendEvent();
      await service.pass(1);
      return !host.entries().some(({ path }) => path === '/below/event');
    },
  },

  'calls.base-address-of-the-api': {
    source: 'extensions: Call envelope, baseAddress',
    breaks: 'The base address is that of the service as it was configured, and not the root of its API.',
    kind: 'value',
    variant: replaces('requests', 'extensionRequest', async (right, areas, delivery, callee) => {
      const { body = '', ...request } = await right(areas, delivery, callee);
      return { ...request, body: body.replace(/("baseAddress":"[^"]*)"/, '$1/api"') };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await service.edda.sendEvent();
      await service.pass(1);
      return callsTo(host)[0]?.envelope?.baseAddress !== service.url;
    },
  },

  'calls.address-of-the-first-user': {
    source: 'extensions: Payloads by extension type, row ExternalAction',
    breaks: 'An action is told the address of the user who runs it, also when another one ran it before.',
    kind: 'copy',
    variant: breaks('triggeredCalls', 'deliveryOf', (right) => {
      let email: unknown;
      return (areas, call, triggered) => {
        const { kind, payload } = triggered;
        if (kind !== 'action' || !isContent(payload)) return right(areas, call, triggered);
        email ??= payload['email'];
        return right(areas, call, { ...triggered, payload: { ...payload, email } });
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'action', extensionType: 'ExternalAction' }]);
      for (const user of ['edda', 'emil'] as const)
        await service.as(user).post('/api/space/main/externalAction/action', { kind: 'ribbon' });
      return at(callsTo(host)[1]?.json, '/payload/email') !== 'emil@demonstration.example';
    },
  },

  'calls.an-hour-at-most': {
    source: 'extensions: Limits, token validity',
    breaks: 'The token of a call is good for as many minutes as the registration says, also for more than an hour.',
    kind: 'value',
    variant: replaces('requests', 'impersonationToken', (right, areas, userName, minutes) =>
      right(areas, userName, Math.min(minutes, 60)),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await changeExtension(service, { hostUri: host.url, tokenLifeTime: 120 });
      await service.edda.sendEvent();
      await service.pass(1);
      const claims = claimsIn(callsTo(host)[0]);
      return Number(at(claims, '/exp')) - Number(at(claims, '/iat')) !== 7200;
    },
  },

  'validation.list-of-one': {
    source: 'extensions: Errors 5',
    breaks: 'A validation answers with an object: a list with one in it is malformed.',
    kind: 'value',
    variant: replaces('validation', 'verdictOf', (right, areas, outcome) =>
      right(
        areas,
        outcome.kind === 'answered' ? { ...outcome, body: outcome.body.replace(/^\s*\[(.*)\]\s*$/s, '$1') } : outcome,
      ),
    ),
    async shows(service) {
      const json = [{ isValid: true, message: '' }];
      await service.host(() => [validator(['Document'])], always({ status: 200, json }));
      return (await promoteOne(service)).status === 204;
    },
  },

  'validation.second-list': {
    source: 'extensions: Extension metadata record, capability use',
    breaks: 'A validation applies to every SoftType that its capabilities list, also where two of them list some.',
    kind: 'place',
    variant: replaces('validation', 'validatorsFor', async (right, areas, reading, softTypeId) => {
      const validators = await right(areas, reading, softTypeId);
      return validators.filter(({ record }) => {
        const first = record.capabilities?.find(({ capabilityType }) => capabilityType === 'SoftType');
        return first?.capabilities.includes(softTypeId);
      });
    }),
    async shows(service) {
      const host = await service.host(() => [validator(['Part'], ['Document'])]);
      await promoteOne(service);
      return callsTo(host).length === 0;
    },
  },

  'registration.off-for-good': {
    source: 'extensions: Registered external endpoint, active',
    breaks: 'What was switched off is called again when it is switched on.',
    kind: 'moment',
    variant: breaks('callees', 'isActive', (right) => {
      const off = new Set<string>();
      return (areas, registration) => {
        if (!right(areas, registration)) off.add(registration.id);
        return !off.has(registration.id);
      };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      const url = `${host.url}/hook`;
      await registerEndpoint(service, 'externalEndpoint', { url });
      await putEndpoint(service, { url, active: false });
      await service.edda.sendToEndpoint();
      await putEndpoint(service, { url, active: true });
      await service.edda.sendToEndpoint();
      await service.pass(1);
      return callsTo(host).length === 0;
    },
  },

  'registration.active-from-the-start': {
    source: 'extensions: Registration routes',
    breaks: 'An endpoint is registered as it is sent, also as one that is not active.',
    kind: 'value',
    variant: replaces('registrations', 'endpointFrom', (right, areas, body) => ({
      ...right(areas, body),
      active: true,
    })),
    async shows(service) {
      const host = await service.host(() => []);
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook`, active: false });
      await service.edda.sendToEndpoint();
      await service.pass(1);
      return callsTo(host).length > 0;
    },
  },

  'registration.by-administrators-of-spaces': {
    source: 'extensions: What the service does',
    breaks: 'A Collection Administrator registers endpoints, and not an administrator of a space.',
    kind: 'role',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      const spaces = [...areas.configuration.spaces.values()];
      const isAdministrator = spaces.some((space) => areas.auth.rolesOf(user, space).includes('administrator'));
      if (isAdministrator && access === 'collection' && call.url.startsWith('/api/admin/')) return;
      right(areas, user, access, call);
    }),
    async shows(service) {
      const answer = await registerEndpoint({ ...service, cora: service.alma }, 'externalEndpoint', {
        url: `${service.url}/hook`,
      });
      return answer.status < 400;
    },
  },

  'metadata.signed-with-the-former-key': {
    source: 'extensions: Metadata exchange',
    breaks: 'Metadata is asked for with a signature by the key that the update brings.',
    kind: 'copy',
    variant: breaks('metadata', 'metadataRequest', (right) => {
      const keys = new Map<string, string>();
      return (areas, extension, correlationId) => {
        const { hostUri } = extension;
        const apiKey = keys.get(hostUri) ?? extension.apiKey;
        keys.set(hostUri, apiKey);
        return right(areas, { ...extension, apiKey }, correlationId);
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      const apiKey = Buffer.alloc(64, 9).toString('base64');
      await changeExtension(service, { hostUri: host.url, apiKey });
      const last = callsOf(host, 'metadata').at(-1) ?? { headers: [] };
      return headerValues(last, 'authorization')[0] !== `Bearer ${signatureOver(metadataPath, apiKey)}`;
    },
  },
};

export const keysMistakes: Batch = {
  'keys.endpoints-keep-theirs': {
    source: 'extensions: Authentication 5',
    breaks: 'The keys of a trusted endpoint are rotated every 24 hours, as those of an extension are.',
    kind: 'place',
    variant: replaces('apiKeys', 'issueKeys', (right, areas, writing, holder, permissions) => {
      const lasting = within(areas, { apiKeys: { isKeyDue: () => false, isKeyValid: () => true } });
      return right(holder.recordId === undefined ? lasting : areas, writing, holder, permissions);
    }),
    async shows(service) {
      const host = await hostOfKeys(service);
      const tokenCallback = `${host.url}/keys`;
      const permissions = { tokenCallback, permissions: ['SnapshotAPI'] };
      await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/hook`, permissions });
      await acquire(service, host, ['SnapshotAPI'], 'hook');
      await service.pass(keyPeriodSeconds + 1);
      await acquire(service, host, ['SnapshotAPI'], 'hook');
      const [one, other] = keysBrought(host, 'SnapshotAPI');
      return one === other;
    },
  },

  'keys.third-is-the-first': {
    source: 'extensions: Limits, permission key rotation',
    breaks: 'A key that was rotated does not come back.',
    kind: 'moment',
    variant: breaks('apiKeys', 'issueKeys', (right) => {
      const issued = new Map<string, readonly string[]>();
      return async (areas, writing, holder, permissions) => {
        const keys = await right(areas, writing, holder, permissions);
        return keys.map((acquired) => {
          const id = `${holder.registrationId} ${acquired.permission}`;
          const former = issued.get(id) ?? [];
          if (acquired.fresh) issued.set(id, [...former, acquired.key]);
          return acquired.fresh && former.length > 1 ? { ...acquired, key: former[0] ?? acquired.key } : acquired;
        });
      };
    }),
    async shows(service) {
      const host = await hostOfKeys(service);
      for (let day = 0; day < 3; day += 1) {
        await acquire(service, host, ['SnapshotAPI']);
        await service.pass(keyPeriodSeconds + 1);
      }
      const keys = keysBrought(host, 'SnapshotAPI');
      return new Set(keys).size < keys.length;
    },
  },

  'keys.last-name-of-the-list': {
    source: 'extensions: Permission names',
    breaks: 'There are keys for each of the five permissions, the last of the list as well.',
    kind: 'value',
    variant: replaces('apiKeys', 'acquireComplaint', (right, areas, holder, request) =>
      request.permissions.includes('LicenseCommunicationAPI')
        ? new Refusal(403, 'There is no such permission.')
        : right(areas, holder, request),
    ),
    async shows(service) {
      const host = await hostOfKeys(service);
      return (await acquire(service, host, ['LicenseCommunicationAPI'])).status >= 400;
    },
  },

  'keys.new-ones-alone': {
    source: 'extensions: Acquiring API keys',
    breaks: 'A callback brings the key of each permission that was asked for, also those that were brought before.',
    kind: 'combination',
    variant: replaces('apiKeys', 'keysBody', (right, areas, keys) => {
      const fresh = keys.filter((key) => key.fresh);
      return right(areas, fresh.length === 0 ? keys : fresh);
    }),
    async shows(service) {
      const host = await hostOfKeys(service);
      await acquire(service, host, ['SnapshotAPI']);
      await acquire(service, host, ['SnapshotAPI', 'LicenseCommunicationAPI']);
      return keysBrought(host, 'SnapshotAPI')[1] === undefined;
    },
  },

  'keys.all-that-are-configured': {
    source: 'extensions: Acquiring API keys',
    breaks: 'The keys that are brought are those of the permissions in the request, and no others.',
    kind: 'value',
    variant: replaces('apiKeys', 'grantedPermissions', (_right, _areas, _asked, configured) => configured),
    async shows(service) {
      const host = await hostOfKeys(service);
      await acquire(service, host, ['SnapshotAPI']);
      return keysBrought(host, 'LicenseCommunicationAPI')[0] !== undefined;
    },
  },
};

function validator(...lists: readonly (readonly string[])[]) {
  return {
    id: 'validation',
    extensionType: 'ExternalValidation',
    capabilities: lists.map((capabilities) => ({ capabilityType: 'SoftType', capabilities })),
  };
}

async function promoteOne({ edda }: Service): Promise<Received> {
  return edda.move(await edda.make('Document', { title: 'promoted' }), 1);
}

/** The endpoint `hook`, otherwise. */
function putEndpoint({ cora }: Service, fields: object): Promise<Received> {
  return cora.put('/api/admin/externalEndpoint/hook', undefined, {
    id: 'hook',
    method: 'POST',
    category: 'proof',
    headers: [{ name: 'content-type', value: 'application/json' }],
    ...fields,
  });
}

/** May have two of the keys. */
function hostOfKeys({ host }: Service): Promise<ExtensionHost> {
  const names = ['SnapshotAPI', 'LicenseCommunicationAPI'];
  return host(
    (url) => [{ id: 'event', permissions: { tokenCallback: `${url}/keys`, permissions: names } }],
    [{ when: { path: '/keys' }, steps: [{ status: 200 }], afterwards: 'last' }],
  );
}

function acquire(
  { cora }: Service,
  host: ExtensionHost,
  permissions: readonly string[],
  id = 'event',
): Promise<Received> {
  const path = `/api/collection/externalExtension/acquireAccessToken/${id}`;
  return cora.post(path, { tokenCallback: `${host.url}/keys`, permissions });
}

/** Keys of a permission that were brought to the host, undefined where a callback has none. */
function keysBrought(host: ExtensionHost, permission: string): readonly unknown[] {
  return host.entries(({ path }) => path === '/keys').map(({ json }) => at(json, `/${permission}/apiKey`));
}
