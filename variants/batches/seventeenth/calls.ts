import { randomUUID } from 'node:crypto';
import { isContent } from '../../../reference-server/areas/content.ts';
import { capabilitiesOf, Misfit } from '../../../reference-server/areas/records.ts';
import { mimeTypeOf } from '../../../reference-server/areas/triggers.ts';
import { headerValues } from '../../../simulator/extension/entry.ts';
import { startExtensionHost } from '../../../simulator/extension/host.ts';
import { breaks, replaces, together, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { callsTo, registerEndpoint } from '../proofs.ts';
import { at, hostKey, listAt, signatureOver } from '../service.ts';
import { always, jobOf, passSteps, promoteOne, scheduled, sendEvent, validator } from './scenes.ts';

/** Correlation ids of requests that scheduled jobs, by job. */
const correlations = new Map<string, string>();

export const callsMistakes: Batch = {
  'calls.first-record-of-a-type': {
    source: 'extensions: Calls to extensions',
    breaks: 'A call goes to the endpoint of its record, also where the host has several records of the type.',
    kind: 'place',
    variant: replaces('callees', 'calleeOf', async (right, areas, reading, named) => {
      const callee = await right(areas, reading, named);
      if (callee === undefined || !('record' in callee)) return callee;
      const { extensionType } = callee.record;
      const first = callee.extension.records.find((record) => record.extensionType === extensionType);
      const other = first && (await right(areas, reading, { ...named, recordId: first.id }));
      return { ...callee, url: other?.url ?? callee.url };
    }),
    async shows(service) {
      const host = await service.host(() => ['one', 'two'].map((id) => ({ id, endpoint: `/${id}` })));
      await sendEvent(service, 'two');
      await passSteps(service, 2);
      return callsTo(host).some(({ path }) => path === '/one');
    },
  },

  'calls.subject-escaped-with-its-body': {
    source: 'extensions: Payloads by extension type',
    breaks: 'The subject of a mail is as it was composed, also where its body is HTML.',
    kind: 'combination',
    variant: replaces('requests', 'payloadOf', (right, areas, delivery, token) => {
      const payload = right(areas, delivery, token);
      if (delivery.kind !== 'email' || !isContent(payload) || !String(payload['body']).startsWith('<')) return payload;
      return { ...payload, subject: String(payload['subject']).replaceAll('&', '&amp;') };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'mail', extensionType: 'Email' }]);
      const mail = { recordId: 'mail', to: 'a@b.example', subject: 'Q & A', body: '<p>text</p>' };
      await service.edda.post('/api/space/main/externalEmail', mail);
      await passSteps(service, 2);
      return at(callsTo(host)[0]?.json, '/payload/subject') === 'Q &amp; A';
    },
  },

  'calls.no-query-token-on-a-retry': {
    source: 'extensions: Calls to extensions, last sentence',
    breaks: 'The call of a mail has the token in its query each time that it is tried.',
    kind: 'moment',
    variant: replaces('requests', 'requestFor', async (right, areas, delivery, callee, attempt) => {
      const request = await right(areas, delivery, callee, attempt);
      if (attempt === 1 || delivery.kind !== 'email') return request;
      return { ...request, url: request.url.replace(/[?&]access_token=[^&]*/, '') };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'mail', extensionType: 'Email' }], always(503));
      const mail = { recordId: 'mail', to: 'a@b.example', subject: 'subject', body: 'body' };
      await service.edda.post('/api/space/main/externalEmail', mail);
      await passSteps(service, 5);
      return callsTo(host).some(({ target }) => !target.includes('token='));
    },
  },

  'signing.first-key-of-a-host': {
    source: 'extensions: Registered extension',
    breaks: 'A request to an extension is signed with the key of its registration, and not with one from before.',
    kind: 'copy',
    variant: breaks('signing', 'signatureHeaders', (right) => {
      const keys = new Map<string, string>();
      return (areas, apiKey, url) => {
        const { origin } = new URL(url);
        keys.set(origin, keys.get(origin) ?? apiKey);
        return right(areas, keys.get(origin) ?? apiKey, url);
      };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      const apiKey = Buffer.alloc(64, 8).toString('base64');
      await service.cora.post('/api/admin/svcExtension', { hostUri: host.url, apiKey, tokenLifeTime: 60 });
      const last = host.entries(({ kind }) => kind === 'metadata').at(-1);
      const signature = last && headerValues(last, 'authorization')[0];
      return signature === `Bearer ${signatureOver('/svc/extension', hostKey)}`;
    },
  },

  'actions.array-as-an-object': {
    source: 'extensions: Payloads by extension type, action content payload',
    breaks: 'The content of a form action is what the form sends, the array of a batch as well.',
    kind: 'value',
    variant: replaces('triggers', 'formPayload', (right, areas, body) => {
      const { contentPayload } = body;
      return right(areas, Array.isArray(contentPayload) ? { ...body, contentPayload: { ...contentPayload } } : body);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'action', extensionType: 'ExternalAction' }]);
      const form = { kind: 'form', requestedRoute: '/api/space/main/batch', httpVerb: 'POST', contentPayload: [{}] };
      await service.edda.post('/api/space/main/externalAction/action', form);
      return !Array.isArray(at(callsTo(host)[0]?.json, '/payload/contentPayload'));
    },
  },
};

export const validationMistakes: Batch = {
  'validation.message-for-a-no': {
    source: 'extensions: Calls to extensions',
    breaks: 'An object is valid when isValid is true, also where a message comes with it.',
    kind: 'value',
    variant: replaces('validation', 'verdictOf', (right, areas, outcome) => {
      const verdict = right(areas, outcome);
      return verdict.kind === 'valid' && verdict.message !== '' ? { ...verdict, kind: 'invalid' } : verdict;
    }),
    async shows(service) {
      const answer = { status: 200, json: { isValid: true, message: 'all is well' } };
      await service.host(() => [validator('validation')], [{ when: { kind: 'validation' }, steps: [answer] }]);
      return (await promoteOne(service)).status >= 400;
    },
  },

  'validation.other-id-for-the-second': {
    source: 'core: Events',
    breaks: 'Every extension that a request leads to is told its correlation id, not the first alone.',
    kind: 'combination',
    variant: breaks('validation', 'askValidator', (right) => {
      const begun = new WeakSet<object>();
      return (areas, call, object, addressee) => {
        const isSecond = begun.has(call);
        begun.add(call);
        return right(areas, isSecond ? { ...call, correlationId: randomUUID() } : call, object, addressee);
      };
    }),
    async shows(service) {
      const host = await service.host(() => [validator('one'), validator('other')]);
      await promoteOne(service, { 'x-correlation-id': randomUUID() });
      return new Set(callsTo(host).map(({ envelope }) => envelope?.id)).size > 1;
    },
  },

  'validation.empty-list-for-all': {
    source: 'extensions: Extension metadata record, capability use',
    breaks: 'A validation applies to the SoftTypes that it lists, to none where it lists none.',
    kind: 'value',
    variant: replaces('validation', 'validatorsFor', async (right, areas, reading, softTypeId) => {
      const addresses = await areas.registry.recordsOfType(reading, 'ExternalValidation');
      const all = await Promise.all(addresses.map((address) => areas.triggeredCalls.addresseeAt(reading, address)));
      const open = all.filter((found) => found !== undefined && capabilitiesOf(found.record, 'SoftType').length === 0);
      return [...(await right(areas, reading, softTypeId)), ...open.flatMap((found) => found ?? [])];
    }),
    survives:
      'What an empty list says is open: it may as well be no restriction, as an empty list of file types is here.',
    async shows(service) {
      const host = await service.host(() => [validator('validation', [])]);
      await promoteOne(service);
      return callsTo(host).length > 0;
    },
  },
};

export const tasksMistakes: Batch = {
  'tasks.envelope-with-the-correlation-id': {
    source: 'extensions: Call envelope',
    breaks: 'The id in the envelope of a task is that of its job, also where the request had a correlation id.',
    kind: 'combination',
    variant: together(
      replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
        if (triggered.kind === 'task' && call.correlationGiven) correlations.set(triggered.id, call.correlationId);
        return right(areas, call, triggered);
      }),
      replaces('requests', 'extensionRequest', async (right, areas, delivery, callee) => {
        const { body = '', ...request } = await right(areas, delivery, callee);
        const id = correlations.get(delivery.id);
        return { ...request, body: id === undefined ? body : JSON.stringify({ ...JSON.parse(body), id }) };
      }),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      const given = randomUUID();
      const job = { recordId: 'task', inputPath: 'in.csv' };
      await service.edda.post('/api/space/main/dx', job, { 'x-correlation-id': given });
      await passSteps(service, 2);
      return callsTo(host)[0]?.envelope?.id === given;
    },
  },

  'tasks.main-type-is-enough': {
    source: 'extensions: Extension metadata record, capability use',
    breaks: 'A task manages the file types that it lists, and not all of their kind.',
    kind: 'value',
    variant: replaces('triggers', 'assertManages', (right, areas, record, path) => {
      const [main] = mimeTypeOf(path).split('/');
      if (capabilitiesOf(record, 'MimeType').some((type) => type.startsWith(`${main}/`))) return;
      right(areas, record, path);
    }),
    async shows(service) {
      const capabilities = [{ capabilityType: 'MimeType', capabilities: ['text/csv'] }];
      await service.host(() => [{ id: 'task', extensionType: 'ExternalTask', capabilities }]);
      return (await scheduled(service, { inputPath: 'in.txt' })) !== '';
    },
  },

  'tasks.no-log-of-a-failed-one': {
    source: 'extensions: External task status',
    breaks: 'A task that reports that it failed may name its log.',
    kind: 'value',
    variant: replaces('jobs', 'jobAfterReport', (right, areas, job, status, files) => {
      const { logFilePath: _log, ...others } = files;
      return right(areas, job, status, status === 'Failed' ? others : files);
    }),
    async shows(service) {
      const { path } = await jobOf(service);
      const edda = service.edda;
      await edda.send('PUT', `${path}/status/Failed`, { body: { logFilePath: 'logs/task.log' } });
      const { json } = await edda.get(path);
      return at(json, '/state') === 'Failed' && at(json, '/logFilePath') === undefined;
    },
  },

  'tasks.timeout-of-the-one-before': {
    source: 'extensions: Payloads by extension type',
    breaks: 'A task without a timeout has 600 seconds, also after one that had its own.',
    kind: 'moment',
    variant: breaks('triggers', 'taskPayload', (right) => {
      let last: unknown;
      return (areas, body) => {
        last = body['timeout'] ?? last;
        return right(areas, last === undefined ? body : { ...body, timeout: last });
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      await scheduled(service, { inputPath: 'in.csv', timeout: 30 });
      await passSteps(service, 2);
      await scheduled(service, { inputPath: 'in.csv' });
      await passSteps(service, 2);
      return at(callsTo(host)[1]?.json, '/payload/timeout') === 30;
    },
  },

  'tasks.chunks-by-put': {
    source: 'extensions: External task links',
    breaks: 'The link for the upload in chunks says POST.',
    kind: 'value',
    variant: replaces('requests', 'taskLinks', (right, areas, spaceId, jobId, inputPath, token) => {
      const links = right(areas, spaceId, jobId, inputPath, token);
      return links.map((link) => (link.id === 'uploadFile' ? { ...link, method: 'PUT' } : link));
    }),
    async shows(service) {
      const { host } = await jobOf(service);
      const links = listAt(callsTo(host)[0]?.json, '/payload/links');
      return links.some((link) => at(link, '/id') === 'uploadFile' && at(link, '/method') !== 'POST');
    },
  },
};

export const keysMistakes: Batch = {
  'keys.license-unknown': {
    source: 'extensions: Permission names',
    breaks: 'An extension may ask for the key of each of the five permissions, that of the license as well.',
    kind: 'value',
    variant: replaces('metadata', 'recordFrom', (right, areas, item) => {
      const isAsked = listAt(item, '/permissions/permissions').includes('LicenseCommunicationAPI');
      return isAsked ? new Misfit('/permissions', 'must be known') : right(areas, item);
    }),
    async shows(service) {
      const permissions = ['LicenseCommunicationAPI' as const];
      await service.host((url) => [{ id: 'event', permissions: { tokenCallback: `${url}/keys`, permissions } }]);
      return (await sendEvent(service)).status >= 400;
    },
  },

  'keys.of-an-endpoint-stay': {
    source: 'extensions: Authentication 5',
    breaks: 'Keys are rotated every 24 hours, those of trusted endpoints as well.',
    kind: 'moment',
    variant: replaces('apiKeys', 'issueKeys', (right, areas, writing, holder, permissions) => {
      const still = within(areas, { apiKeys: { isKeyDue: () => false } });
      return right(holder.recordId === undefined ? still : areas, writing, holder, permissions);
    }),
    async shows(service) {
      await using host = await startExtensionHost({ script: always(200) });
      const permissions = { tokenCallback: `${host.url}/keys`, permissions: ['SnapshotAPI'] };
      await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/hook`, permissions });
      const path = '/api/collection/externalExtension/acquireAccessToken/hook';
      await service.cora.post(path, permissions);
      await service.pass(24 * 60 * 60 + 60);
      await service.cora.post(path, permissions);
      const keys = host.entries((entry) => entry.path === '/keys').map(({ json }) => at(json, '/SnapshotAPI/apiKey'));
      return keys.length === 2 && keys[0] === keys[1];
    },
  },
};
