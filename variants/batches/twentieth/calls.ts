import { isContent } from '../../../reference-server/areas/content.ts';
import { Misfit } from '../../../reference-server/areas/records.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { headerValues } from '../../../simulator/extension/entry.ts';
import { startExtensionHost, type ExtensionHost } from '../../../simulator/extension/host.ts';
import { breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, callsTo, changeExtension, logged, registerEndpoint } from '../proofs.ts';
import { at, signatureOver, type Received, type Service } from '../service.ts';

export const deliveryMistakes: Batch = {
  'delivery.timeout-of-a-retry': {
    source: 'extensions: Limits',
    breaks: 'A retry waits as long for its answer as the first attempt.',
    kind: 'moment',
    variant: replaces('outgoingCalls', 'preparedRequest', async (right, areas, delivery, callee, count) => {
      const request = await right(areas, delivery, callee, count);
      return count === 1 ? request : { ...request, timeoutMs: 100_000 };
    }),
    async shows(service) {
      await service.host(() => [{ id: 'event', requestTimeout: 3 }], always({ never: true }));
      await service.edda.sendEvent();
      await service.pass(3, 8);
      return (await logged(service, 'timeout')).length < 2;
    },
  },

  'delivery.timeout-of-the-last-attempt': {
    source: 'extensions: Errors 3',
    breaks: 'Every request timeout is logged, that of the last attempt as well.',
    kind: 'moment',
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    variant: replaces('deliveries', 'logEntriesFor', (right, areas, delivery, policy, outcome, step) =>
      right(areas, delivery, policy, outcome, step).filter(({ kind }) => kind !== 'timeout' || step.kind === 'retry'),
    ),
    async shows(service) {
      await service.host(() => [{ id: 'event', requestTimeout: 2 }], always({ never: true }));
      await service.edda.sendEvent();
      await service.pass(35, 14);
      return (await logged(service, 'timeout')).length === 5;
    },
  },

  'delivery.removal-behind-a-retry': {
    source: 'extensions: Events 3',
    breaks: 'A delivery that fails for good leaves an entry about its removal, also when it was retried before.',
    kind: 'combination',
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    variant: replaces('deliveries', 'logEntriesFor', (right, areas, delivery, policy, outcome, step) => {
      const entries = right(areas, delivery, policy, outcome, step);
      const isLater = 'attempts' in delivery && delivery.attempts !== 0 && !areas.policies.isTransient(outcome);
      return isLater ? entries.filter(({ kind }) => kind !== 'removed') : entries;
    }),
    async shows(service) {
      await service.host(() => [{ id: 'event' }], [{ steps: [{ status: 503 }, { status: 404 }] }]);
      await service.edda.sendEvent();
      await service.pass(2, 3);
      const [failed, removed] = [await logged(service, 'failed'), await logged(service, 'removed')];
      return failed.length > 0 && removed.length === 0;
    },
  },

  'delivery.not-found-yet': {
    source: 'extensions: Errors 1',
    breaks: 'An extension that answers 404 is not asked again.',
    kind: 'value',
    variant: replaces('policies', 'isTransient', (right, areas, outcome) => {
      return right(areas, outcome) || (outcome.kind === 'answered' && outcome.status === 404);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }], always({ status: 404 }));
      await service.edda.sendEvent();
      await service.pass(2, 3);
      return callsTo(host).length > 1;
    },
  },

  'delivery.active-for-the-second-time': {
    source: 'extensions: Registered external endpoint (simple)',
    breaks: 'An endpoint can be switched off at any time, also when it was off and on before.',
    kind: 'moment',
    variant: breaks('callees', 'isActive', (right) => {
      const [off, on] = [new Set<string>(), new Set<string>()];
      return (areas, registration) => {
        const { id } = registration;
        const active = right(areas, registration);
        if (!active) off.add(id);
        else if (off.has(id)) on.add(id);
        return active || on.has(id);
      };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      const url = `${host.url}/hook`;
      await registerEndpoint(service, 'externalEndpoint', { url });
      for (const active of [false, true, false]) {
        const path = '/api/admin/externalEndpoint/hook';
        const { json } = await service.cora.get(path);
        await service.cora.put(path, undefined, { ...(isContent(json) ? json : {}), active });
        await service.edda.sendToEndpoint();
        await service.pass(1);
      }
      return callsTo(host).length !== 1;
    },
  },
};

export const callsMistakes: Batch = {
  'calls.key-up-to-its-first-zero': {
    source: 'extensions: Authentication 2',
    breaks: 'A key is all the bytes of its Base64, those behind a zero too.',
    kind: 'value',
    variant: replaces('signing', 'signPath', (right, areas, apiKey, path) => {
      const bytes = Buffer.from(apiKey, 'base64');
      const end = bytes.indexOf(0);
      return right(areas, end < 0 ? apiKey : bytes.subarray(0, end).toString('base64'), path);
    }),
    async shows(service) {
      const host = await service.host(() => []);
      const apiKey = Buffer.alloc(64, 'key\0').toString('base64');
      await changeExtension(service, { hostUri: host.url, apiKey });
      const [given] = headerValues(callsOf(host, 'metadata').at(-1) ?? { headers: [] }, 'authorization');
      return given !== `Bearer ${signatureOver('/svc/extension', apiKey)}`;
    },
  },

  'calls.longest-timeout-of-an-endpoint': {
    source: 'extensions: Registered external endpoint (simple)',
    breaks: 'An endpoint is waited for as long as its requestTimeout says, longer than the default as well.',
    kind: 'value',
    variant: replaces('outgoingCalls', 'preparedRequest', async (right, areas, delivery, callee, count) => {
      const request = await right(areas, delivery, callee, count);
      return 'endpoint' in callee ? { ...request, timeoutMs: Math.min(request.timeoutMs, 100_000) } : request;
    }),
    async shows(service) {
      await using host = await startExtensionHost({ script: always({ never: true }) });
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook`, requestTimeout: 150 });
      await service.edda.sendToEndpoint();
      await service.pass(30, 4);
      return (await logged(service, 'timeout')).length > 0;
    },
  },

  'calls.nothing-in-a-payload': {
    source: 'extensions: Events 1',
    breaks: 'The payload of an event is the content configured, a null in it included.',
    kind: 'value',
    variant: replaces('requests', 'payloadOf', (right, areas, delivery, token) => {
      const payload = right(areas, delivery, token);
      return delivery.kind === 'event' ? withoutNulls(payload) : payload;
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await service.edda.sendEvent('event', { nothing: null });
      await service.pass(1);
      return at(callsTo(host)[0]?.json, '/payload/contentPayload/nothing') === undefined;
    },
  },

  'calls.token-of-another-endpoint': {
    source: 'extensions: Authentication 6',
    breaks: 'A simple endpoint gets no token, also when a trusted one at its host got one before.',
    kind: 'copy',
    variant: breaks('requests', 'endpointUrl', (right) => {
      const queries = new Map<string, string>();
      return async (areas, delivery, callee) => {
        const url = new URL(await right(areas, delivery, callee));
        if (callee.endpoint.kind === 'trustedExternalEndpoint') queries.set(url.origin, url.search);
        else url.search ||= queries.get(url.origin) ?? '';
        return url.href;
      };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      await registerEndpoint(service, 'trustedExternalEndpoint', { id: 'trusted', url: `${host.url}/trusted` });
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook` });
      for (const id of ['trusted', 'hook']) {
        await service.edda.sendToEndpoint(id);
        await service.pass(1);
      }
      return callsTo(host)[1]?.target.includes('access_token') === true;
    },
  },

  'calls.own-key-of-an-endpoint': {
    source: 'extensions: Authentication 6',
    breaks: 'A simple endpoint gets the headers configured, one with its own key as Authorization too.',
    kind: 'value',
    variant: replaces('requests', 'endpointRequest', async (right, areas, ...args) => {
      const request = await right(areas, ...args);
      const headers = Object.entries(request.headers).filter(([name]) => name.toLowerCase() !== 'authorization');
      return { ...request, headers: Object.fromEntries(headers) };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      const headers = [contentType, { name: 'Authorization', value: 'Key of-its-own' }];
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook`, headers });
      await service.edda.sendToEndpoint();
      await service.pass(1);
      const [call] = callsTo(host);
      return call !== undefined && headerValues(call, 'authorization').length === 0;
    },
  },

  'calls.token-of-a-retry': {
    source: 'extensions: Calls to extensions',
    breaks: 'The call of a task has the token in its query, also when it is made again.',
    kind: 'moment',
    variant: replaces('requests', 'requestFor', async (right, areas, delivery, callee, attempt) => {
      const request = await right(areas, delivery, callee, attempt);
      return attempt > 1 && delivery.kind === 'task' ? { ...request, url: callee.url } : request;
    }),
    async shows(service) {
      const host = await service.host(
        () => [{ id: 'task', extensionType: 'ExternalTask' }],
        [{ steps: [{ status: 503 }] }],
      );
      await service.edda.post('/api/space/main/dx', { recordId: 'task', inputPath: 'input.csv' });
      await service.pass(2, 3);
      return callsTo(host)[1]?.target.includes('token') === false;
    },
  },

  'registration.content-type-by-letter': {
    source: 'extensions: Registered external endpoint (simple)',
    breaks: 'The content type has to be among the headers, in whatever case its name is written.',
    kind: 'value',
    survives:
      'That the name may be written in another case than that of the document is not said: its case records it.',
    variant: replaces('registrations', 'requireHeaders', (right, areas, headers) => {
      if (!headers.some(({ name }) => name === 'content-type')) throw new Refusal(400, 'Expected a content-type.');
      right(areas, headers);
    }),
    async shows(service) {
      const headers = [{ ...contentType, name: 'Content-Type' }];
      return (await registerEndpoint(service, 'externalEndpoint', { url: service.url, headers })).status >= 400;
    },
  },

  'metadata.empty-description': {
    source: 'extensions: Extension metadata record',
    breaks: 'A description is a text that may be left out, and may be empty.',
    kind: 'value',
    variant: replaces('metadata', 'recordFrom', (right, areas, item) =>
      at(item, '/description') === '' ? new Misfit('/description', 'must not be empty') : right(areas, item),
    ),
    async shows({ host, edda }) {
      await host(() => [{ id: 'event', description: '' }]);
      return (await edda.sendEvent()).status >= 400;
    },
  },

  'validation.behind-another-capability': {
    source: 'extensions: Extension metadata record, capability use',
    breaks: 'The capability SoftType lists what a validation applies to, also where it is not the first capability.',
    kind: 'place',
    variant: replaces('validation', 'validatorsFor', async (right, areas, reading, softTypeId) => {
      const validators = await right(areas, reading, softTypeId);
      return validators.filter(({ record }) => record.capabilities?.[0]?.capabilityType === 'SoftType');
    }),
    async shows(service) {
      const other = { capabilityType: 'BaseType', capabilities: ['Anything'] };
      const host = await service.host(() => [validator([other, forDocuments])]);
      await promoted(service);
      return callsOf(host, 'validation').length === 0;
    },
  },

  'validation.answer-of-the-time-before': {
    source: 'extensions: Errors 5',
    breaks: 'A malformed answer is an error of the validation, also when the one before it was right.',
    kind: 'copy',
    variant: breaks('validation', 'askValidator', (right) => {
      const known = new Map<string, Awaited<ReturnType<typeof right>>>();
      return async (areas, call, object, validator) => {
        const verdict = await right(areas, call, object, validator);
        if (verdict.kind === 'error') return known.get(validator.recordId) ?? verdict;
        known.set(validator.recordId, verdict);
        return verdict;
      };
    }),
    async shows(service) {
      const malformed = { status: 200, text: 'no JSON' };
      await service.host(
        () => [validator([forDocuments])],
        [{ steps: [{ status: 200, json: { isValid: true, message: '' } }, malformed], afterwards: 'last' }],
      );
      await promoted(service);
      return (await promoted(service)).status < 400;
    },
  },
};

export const keysMistakes: Batch = {
  'keys.name-of-a-permission': {
    source: 'extensions: Permission names',
    breaks: 'A key is brought under the name of its permission, letter by letter.',
    kind: 'value',
    variant: replaces('apiKeys', 'keysBody', (right, areas, keys) =>
      right(
        areas,
        keys.map((key) => ({ ...key, permission: key.permission.replace(/^TaskUploadAPI$/, 'TaskUploadApi') })),
      ),
    ),
    async shows(service) {
      const host = await hostOfKeys(service, 'TaskUploadAPI');
      await acquire(service, host, 'TaskUploadAPI');
      return at(keysAt(host)[0], '/TaskUploadAPI/apiKey') === undefined;
    },
  },

  'keys.of-snapshots-for-files': {
    source: 'extensions: Permission names',
    breaks: 'A key for snapshots opens no bulk upload, which needs that of the administration.',
    kind: 'role',
    variant: replaces(
      'apiKeys',
      'opensAdministration',
      (right, areas, permission) => right(areas, permission) || permission === 'SnapshotAPI',
    ),
    async shows(service) {
      const host = await hostOfKeys(service, 'SnapshotAPI');
      await acquire(service, host, 'SnapshotAPI');
      const path = '/admin/fileupload/main';
      const authorization = `Bearer ${signatureOver(path, String(at(keysAt(host)[0], '/SnapshotAPI/apiKey')))}`;
      const body = { sourceDirectory: await service.directory(), writeLog: false };
      return (await service.nobody.post(path, body, { authorization })).status === 200;
    },
  },

  'keys.a-day-since-the-last-request': {
    source: 'extensions: Permission names',
    breaks: 'Keys are rotated every 24 hours, also when somebody asks for them every day.',
    kind: 'moment',
    variant: keysLastFromTheirLastRequest(),
    async shows(service) {
      const host = await hostOfKeys(service, 'AdministrationAPI');
      for (let count = 0; count < 3; count += 1) {
        await acquire(service, host, 'AdministrationAPI');
        await service.pass(14 * 60 * 60);
      }
      const keys = keysAt(host).map((body) => at(body, '/AdministrationAPI/apiKey'));
      return keys.length === 3 && keys[0] === keys[2];
    },
  },
};

/** From when on the period of a key is counted: when it was asked for last. */
function keysLastFromTheirLastRequest() {
  const asked = new Map<string, number>();
  return together(
    replaces('apiKeys', 'isKeyDue', (right, areas, key) => {
      const isDue = right(areas, { ...key, issuedAt: asked.get(key.key) ?? key.issuedAt });
      asked.set(key.key, areas.clock.now());
      return isDue;
    }),
    replaces('apiKeys', 'isKeyValid', (right, areas, key) =>
      right(areas, { ...key, issuedAt: asked.get(key.key) ?? key.issuedAt }),
    ),
  );
}

const contentType = { name: 'content-type', value: 'application/json' };

const forDocuments = { capabilityType: 'SoftType', capabilities: ['Document'] };

function validator(capabilities: readonly (typeof forDocuments)[]) {
  return { id: 'validation', extensionType: 'ExternalValidation' as const, capabilities: [...capabilities] };
}

async function promoted({ edda }: Service): Promise<Received> {
  return edda.move(await edda.make('Document', { title: 'promoted' }), 1);
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isContent(value)) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(members.map(([name, member]) => [name, withoutNulls(member)]));
}

function hostOfKeys({ host }: Service, permission: 'TaskUploadAPI' | 'SnapshotAPI' | 'AdministrationAPI') {
  return host(
    (url) => [{ id: 'event', permissions: { tokenCallback: `${url}/keys`, permissions: [permission] } }],
    always({ status: 200 }),
  );
}

function acquire({ cora }: Service, { url }: ExtensionHost, permission: string): Promise<Received> {
  const path = '/api/collection/externalExtension/acquireAccessToken/event';
  return cora.post(path, { tokenCallback: `${url}/keys`, permissions: [permission] });
}

function keysAt(host: ExtensionHost): readonly unknown[] {
  return host.entries(({ path }) => path === '/keys').map(({ json }) => json);
}
