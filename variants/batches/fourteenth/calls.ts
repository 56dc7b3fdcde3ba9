import { randomUUID } from 'node:crypto';
import { extensionTypes, headerNames } from '../../../contract/names.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import type { ExtensionHost } from '../../../simulator/extension/host.ts';
import { breaks, together, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { callsTo, registerEndpoint } from '../proofs.ts';
import { at, hostKey, listAt, spaceFiles, type Received, type Service } from '../service.ts';

export const callsMistakes: Batch = {
  'calls.body-of-a-patch': {
    source: 'extensions: Registered external endpoint',
    breaks: 'A call by PATCH has a body as one by POST or PUT has.',
    kind: 'place',
    variant: replaces('requests', 'endpointRequest', async (right, areas, delivery, callee) => {
      const { body, ...request } = await right(areas, delivery, callee);
      return body === undefined || request.method === 'PATCH' ? request : { ...request, body };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook`, method: 'PATCH' });
      await service.edda.post('/api/space/main/externalEvent', { endpointId: 'hook', contentPayload: { a: 1 } });
      await service.pass(1);
      return at(host.entries(({ path }) => path === '/hook')[0], '/json/a') !== 1;
    },
  },

  'calls.seconds-of-a-trusted-endpoint': {
    source: 'extensions: Registered trusted external endpoint',
    breaks: 'The life time of a token is told in minutes, for a trusted endpoint as well.',
    kind: 'place',
    variant: replaces('requests', 'endpointUrl', (right, areas, delivery, callee) => {
      const { endpoint } = callee;
      if (endpoint.kind !== 'trustedExternalEndpoint') return right(areas, delivery, callee);
      const tokenLifeTime = endpoint.tokenLifeTime / 60;
      return right(areas, delivery, { ...callee, endpoint: { ...endpoint, tokenLifeTime } });
    }),
    async shows(service) {
      const host = await service.host(() => []);
      await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/hook`, tokenLifeTime: 60 });
      await service.edda.post('/api/space/main/externalEvent', { endpointId: 'hook' });
      await service.pass(1);
      const [entry] = host.entries(({ path }) => path === '/hook');
      const token = new URL(entry?.target ?? '', host.url).searchParams.get('access_token') ?? '';
      const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString() || 'null');
      return Number(at(claims, '/exp')) - Number(at(claims, '/iat')) < 3600;
    },
  },

  'calls.trusted-endpoint-switched-off': {
    source: 'extensions: Registered trusted external endpoint',
    breaks: 'An endpoint that is switched off gets no call, a trusted one neither.',
    kind: 'place',
    variant: replaces('callees', 'isActive', (right, areas, registration) => {
      return registration.kind === 'trustedExternalEndpoint' || right(areas, registration);
    }),
    async shows(service) {
      const host = await service.host(() => []);
      const fields = { url: `${host.url}/hook`, tokenLifeTime: 60, active: false };
      await registerEndpoint(service, 'trustedExternalEndpoint', fields);
      await service.edda.post('/api/space/main/externalEvent', { endpointId: 'hook' });
      await service.pass(1);
      return host.entries(({ path }) => path === '/hook').length > 0;
    },
  },

  'calls.filter-of-an-action': {
    source: 'extensions: Payloads by extension type',
    breaks: 'The information filter in the payload of an action is Base64.',
    kind: 'place',
    variant: replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
      const { kind, payload } = triggered;
      if (kind !== 'action' || !isContent(payload)) return right(areas, call, triggered);
      const informationFilter = Buffer.from(String(payload['informationFilter']), 'base64').toString();
      return right(areas, call, { ...triggered, payload: { ...payload, informationFilter } });
    }),
    async shows(service) {
      const host = await actionHost(service);
      await runAction(service, { kind: 'ribbon' });
      return at(callsTo(host)[0]?.json, '/payload/informationFilter') === '{}';
    },
  },

  'calls.version-of-a-form': {
    source: 'extensions: Payloads by extension type',
    breaks: 'An action is told the version of the selected object, that of a form as well.',
    kind: 'place',
    variant: replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
      const { kind, payload } = triggered;
      if (kind !== 'action' || !isContent(payload) || payload['requestedRoute'] === undefined)
        return right(areas, call, triggered);
      const { svcUOIVersion: _version, ...rest } = payload;
      return right(areas, call, { ...triggered, payload: rest });
    }),
    async shows(service) {
      const host = await actionHost(service);
      const { oid, path } = await service.edda.make('Document', { title: 'selected' });
      const form = { kind: 'form', requestedRoute: path, httpVerb: 'PATCH', contentPayload: { note: 'edited' } };
      await runAction(service, { ...form, objectId: oid });
      return at(callsTo(host)[0]?.json, '/payload/svcUOIVersion') !== 1;
    },
  },

  'calls.context-without-a-selection': {
    source: 'extensions: Payloads by extension type, action content payload',
    breaks: 'A ribbon action names a selected object only where one is selected, in the object context module too.',
    kind: 'combination',
    variant: replaces('triggers', 'ribbonPayload', async (right, areas, call, reading, body, selected) => {
      const payload = await right(areas, call, reading, body, selected);
      const contextObject = at(payload, '/contentPayload/contextObject');
      if (contextObject === undefined || selected !== undefined) return payload;
      return { contentPayload: { contextObject, selectedObject: contextObject } };
    }),
    async shows(service) {
      const host = await actionHost(service);
      const { oid } = await service.edda.make('Document', { title: 'context' });
      await runAction(service, { kind: 'ribbon', contextObjectId: oid });
      return at(callsTo(host)[0]?.json, '/payload/contentPayload/selectedObject') !== undefined;
    },
  },

  'calls.records-behind-an-unsupported-type': {
    source: 'extensions: Extension metadata record',
    breaks: 'A record of an unsupported type is ignored, and those behind it are not.',
    kind: 'place',
    variant: replaces('metadata', 'usableRecords', (right, areas, items) => {
      const known: readonly unknown[] = extensionTypes;
      const end = items.findIndex((item) => !known.includes(at(item, '/extensionType')));
      return right(areas, end < 0 ? items : items.slice(0, end));
    }),
    async shows({ host, edda }) {
      await host(() => [{ id: 'strange', extensionType: 'Teleport' }, { id: 'event' }]);
      const event = { recordId: 'event', contentPayload: {} };
      return (await edda.post('/api/space/main/externalEvent', event)).status >= 400;
    },
  },

  'calls.metadata-of-an-update': {
    source: 'extensions: Metadata exchange',
    breaks: 'Metadata is fetched when an extension is updated, also when its host is the one of before.',
    kind: 'copy',
    variant: breaks('metadata', 'fetchMetadata', (right) => {
      const known = new Map<string, ReturnType<typeof right>>();
      return (areas, extension, correlationId) => {
        const key = `${extension.hostUri} ${extension.apiKey}`;
        const answer = known.get(key) ?? right(areas, extension, correlationId);
        known.set(key, answer);
        return answer;
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      const { cora } = service;
      const id = at((await cora.get('/api/admin/svcExtension')).json, '/data/0/id');
      const body = { hostUri: host.url, apiKey: hostKey, tokenLifeTime: 61 };
      await cora.put(`/api/admin/svcExtension/${String(id)}`, undefined, body);
      return host.entries(({ kind }) => kind === 'metadata').length < 2;
    },
  },

  'validation.object-in-an-array': {
    source: 'extensions: Errors 5',
    breaks: 'The answer of a validation is an object, and not an array with one in it.',
    kind: 'value',
    variant: replaces('validation', 'verdictOf', (right, areas, outcome) => {
      if (outcome.kind !== 'answered' || !outcome.body.startsWith('[{')) return right(areas, outcome);
      return right(areas, { ...outcome, body: outcome.body.slice(1, -1) });
    }),
    async shows({ host, edda }) {
      const record = { capabilities: [{ capabilityType: 'SoftType', capabilities: ['Document'] }] };
      const steps = [{ status: 200, json: [{ isValid: true, message: '' }] }];
      await host(() => [{ ...record, extensionType: 'ExternalValidation' }], [{ steps }]);
      return (await edda.move(await edda.make('Document', { title: 'valid' }), 1)).status === 204;
    },
  },

  'keys.first-permission-only': {
    source: 'extensions: Acquiring API keys',
    breaks: 'The callback gets a key for each permission that was asked for.',
    kind: 'value',
    variant: replaces('apiKeys', 'keysBody', (right, areas, keys) => right(areas, keys.slice(0, 1))),
    async shows(service) {
      const permissions = ['AdministrationAPI', 'SnapshotAPI'];
      const host = await service.host(
        (url) => [{ id: 'event', permissions: { tokenCallback: `${url}/keys`, permissions } }],
        [{ when: { path: '/keys' }, steps: [{ status: 200 }] }],
      );
      const path = '/api/collection/externalExtension/acquireAccessToken/event';
      await service.cora.post(path, { tokenCallback: `${host.url}/keys`, permissions });
      return at(host.entries((entry) => entry.path === '/keys')[0]?.json, '/SnapshotAPI') === undefined;
    },
  },
};

/** Correlation ids of the requests that scheduled a task, by its job. */
const schedulers = new Map<string, string>();

export const tasksMistakes: Batch = {
  'tasks.id-of-the-request': {
    source: 'extensions: Call envelope',
    breaks: 'The call of a task has the id of its job, also when the request that scheduled it had a correlation id.',
    kind: 'combination',
    variant: together(
      replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
        if (triggered.kind === 'task' && call.correlationGiven) schedulers.set(triggered.id, call.correlationId);
        return right(areas, call, triggered);
      }),
      replaces('requests', 'extensionRequest', async (right, areas, delivery, callee) => {
        const request = await right(areas, delivery, callee);
        const id = schedulers.get(delivery.id);
        return id === undefined ? request : { ...request, body: JSON.stringify({ ...bodyOf(request), id }) };
      }),
    ),
    async shows(service) {
      const headers = { [headerNames.correlationId]: randomUUID() };
      const { host, job } = await scheduleTask(service, headers);
      return at(callsTo(host)[0]?.json, '/id') !== job.split('/').at(-1);
    },
  },

  'tasks.canceled-goes-on': {
    source: 'extensions: External task status',
    breaks: 'When a task reports that it was canceled its job has failed.',
    kind: 'place',
    variant: replaces('jobs', 'jobAfterReport', (right, areas, job, status, files) => {
      const next = right(areas, job, status, files);
      return status === 'Canceled' ? { ...next, state: job.state } : next;
    }),
    async shows(service) {
      const { job } = await scheduleTask(service);
      const { edda } = service;
      await edda.put(`${job}/status/Canceled`, undefined, {});
      return at((await edda.get(job)).json, '/state') !== 'Failed';
    },
  },

  'tasks.log-of-a-failure': {
    source: 'extensions: External task status',
    breaks: 'A task that failed may name its log.',
    kind: 'place',
    variant: replaces('jobs', 'jobAfterReport', (right, areas, job, status, files) => {
      return right(areas, job, status, status === 'Failed' ? {} : files);
    }),
    async shows(service) {
      const { job } = await scheduleTask(service);
      const { edda } = service;
      await edda.put(`${job}/status/Failed`, undefined, { logFilePath: 'task.log' });
      return at((await edda.get(job)).json, '/logFilePath') !== 'task.log';
    },
  },

  'tasks.second-progress': {
    source: 'extensions: Callbacks from an external task',
    breaks: 'The job shows what the task reports of its progress, not only the first time.',
    kind: 'copy',
    variant: replaces('jobs', 'jobAfterProgress', (right, areas, job, progress) => {
      return job.progress === undefined ? right(areas, job, progress) : job;
    }),
    async shows(service) {
      const { job } = await scheduleTask(service);
      const { edda } = service;
      for (const message of ['half', 'nearly']) await edda.put(`${job}/progress`, undefined, { message });
      return at((await edda.get(job)).json, '/progress') !== 'nearly';
    },
  },

  'tasks.chunks-beside-the-stream': {
    source: 'extensions: External task links',
    breaks: 'A task finds a link for each way to upload: as a stream, and in chunks.',
    kind: 'place',
    variant: replaces('requests', 'taskLinks', (right, areas, ...args) => {
      const links = right(areas, ...args);
      const stream = links.find(({ id }) => id === 'uploadFileStream');
      return links.map((link) => (link.id === 'uploadFile' ? { ...link, url: stream?.url ?? link.url } : link));
    }),
    async shows(service) {
      const { host } = await scheduleTask(service);
      const links = listAt(callsTo(host)[0]?.json, '/payload/links');
      const chunks = links.find((link) => at(link, '/id') === 'uploadFile');
      return at(chunks, '/url') !== service.url + spaceFiles;
    },
  },
};

function actionHost({ host }: Service): Promise<ExtensionHost> {
  return host(() => [{ id: 'action', extensionType: 'ExternalAction' }]);
}

function runAction({ edda }: Service, body: object): Promise<Received> {
  return edda.post('/api/space/main/externalAction/action', body);
}

/** A task that has been called, and the path of its job. */
async function scheduleTask(
  service: Service,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly host: ExtensionHost; readonly job: string }> {
  const steps = [{ status: 200 }];
  const host = await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }], [{ steps }]);
  const answer = await service.edda.post('/api/space/main/dx', { recordId: 'task', inputPath: 'a.csv' }, headers);
  await service.pass(1);
  return { host, job: answer.headers.get('location') ?? '' };
}

function bodyOf({ body = '{}' }: { readonly body?: string }): object {
  return Object(JSON.parse(body));
}
