import { randomUUID } from 'node:crypto';
import { Misfit } from '../../../reference-server/areas/records.ts';
import { registrationsOf } from '../../../reference-server/areas/registry.ts';
import { headerNames } from '../../../contract/names.ts';
import { headerValues, textOf, type Entry } from '../../../simulator/extension/entry.ts';
import type { ExtensionHost } from '../../../simulator/extension/host.ts';
import type { Script } from '../../../simulator/extension/script.ts';
import { breaks, within, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { callsOf, changeExtension } from '../proofs.ts';
import { at, hostKey, listAt, signatureOver, type Received, type Service, type UserName } from '../service.ts';

const acknowledging: Script = [{ steps: [{ status: 200 }], afterwards: 'last' }];

const keyName = 'AdministrationAPI';

/** Long enough for a call that is due. */
const moment = 0.01;

export const metadataMistakes: Batch = {
  'metadata.signed-by-former-key': {
    source: 'extensions: Authentication 3',
    breaks:
      'The service signs what it sends to an extension with the key of its registration, from the update on that brought the key.',
    kind: 'copy',
    variant: breaks('signing', 'signatureHeaders', (right) => {
      const keys = new Map<string, string>();
      return (areas, apiKey, url) => {
        const { host } = new URL(url);
        const key = keys.get(host) ?? apiKey;
        keys.set(host, key);
        return right(areas, key, url);
      };
    }),
    async shows(service) {
      const apiKey = Buffer.alloc(64, 9).toString('base64');
      const host = await service.host(() => [{ id: 'event' }]);
      await changeExtension(service, { hostUri: host.url, apiKey, tokenLifeTime: 60 });
      const last = callsOf(host, 'metadata').at(-1);
      return last !== undefined && bearerOf(last) !== `Bearer ${signatureOver('/svc/extension', apiKey)}`;
    },
  },

  'metadata.exchange-at-start': {
    source: 'extensions: Metadata exchange',
    breaks: 'Metadata is asked for when an extension is added or updated, and not when the service starts again.',
    kind: 'moment',
    variant: replaces('jobs', 'startTasks', async (right, areas) => {
      await right(areas);
      for (const extension of await areas.store.read((reading) => registrationsOf(reading, 'svcExtension')))
        if (extension.kind === 'svcExtension') await areas.metadata.fetchMetadata(extension, randomUUID());
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await service.restart();
      return callsOf(host, 'metadata').length > 1;
    },
  },

  'metadata.second-capability': {
    source:
      'extensions: Extension metadata record (one array item in the metadata response; no additional properties allowed)',
    breaks:
      'A validation applies to every SoftType that the capabilities of its record list, those of a second item of the type included.',
    kind: 'place',
    variant: replaces('metadata', 'recordFrom', (right, areas, item) => {
      const record = right(areas, item);
      if (record instanceof Misfit || record.capabilities === undefined) return record;
      return { ...record, capabilities: record.capabilities.slice(0, 1) };
    }),
    async shows({ host, edda }) {
      const capabilities = ['Part', 'Document'].map((id) => ({ capabilityType: 'SoftType', capabilities: [id] }));
      await host(
        () => [{ id: 'rule', extensionType: 'ExternalValidation', capabilities }],
        [{ steps: [{ status: 200, json: { isValid: false, message: 'no' } }], afterwards: 'last' }],
      );
      return (await edda.move(await edda.make('Document', { title: 'invalid' }), 1)).status < 300;
    },
  },
};

export const deliveryMistakes: Batch = {
  'delivery.backoff-anew': {
    source: 'extensions: Errors 2',
    breaks:
      'Once the wait has grown to five minutes there is one retry every five minutes, and it never shrinks again.',
    kind: 'moment',
    variant: replaces('policies', 'nextRetryDelay', (right, areas, attempt) => {
      return right(areas, attempt > 10 ? attempt - 10 : attempt);
    }),
    async shows(service) {
      const host = await service.host(
        () => [{ id: 'event', retryForever: true }],
        [{ steps: [{ status: 503 }], afterwards: 'last' }],
      );
      await service.edda.sendEvent();
      await service.pass(1150);
      return callsOf(host, 'event').length > 11;
    },
  },

  'delivery.removal-of-held': {
    source: 'extensions: Events 3',
    breaks:
      'An event that a user deletes leaves a log entry, also when it waits for the end of a pause and was never sent.',
    kind: 'combination',
    survives:
      'No document says how the log is read or what an entry shows of its event, so that nothing can fail here; delivery.log.entries records what a log says about an event that a user deletes while it is held (ledger log-access).',
    variant: replaces('queue', 'cancelDelivery', async (right, areas, writing, id) => {
      const delivery = await writing.delivery(id);
      if (delivery === undefined || delivery.attempts > 0) return right(areas, writing, id);
      await areas.queue.removeDelivery(writing, delivery, 'cancelled');
      return true;
    }),
    async shows({ host, edda, pass, cora }) {
      await host(() => [{ id: 'event', rateLimitNumberOfExecutions: 1 }]);
      await edda.sendEvent();
      const held = await edda.sendEvent();
      await pass(moment);
      await edda.delete(held.headers.get('location') ?? '');
      const log = (await cora.get('/api/admin/log')).json;
      return !listAt(log, '/data').some((entry) => at(entry, '/kind') === 'cancelled');
    },
  },

  'delivery.validation-after-408': {
    source: 'extensions: Limits',
    breaks: 'A validation that is answered with a transient error is tried again, and 408 is one.',
    kind: 'combination',
    variant: replaces('outgoingCalls', 'callWithRetries', (right, areas, delivery, retries) => {
      const strict = within(areas, {
        policies: {
          isTransient: (outcome) =>
            !(outcome.kind === 'answered' && outcome.status === 408) && areas.policies.isTransient(outcome),
        },
      });
      return right(strict, delivery, retries);
    }),
    async shows(service) {
      const capabilities = [{ capabilityType: 'SoftType', capabilities: ['Document'] }];
      const host = await service.host(
        () => [{ id: 'rule', extensionType: 'ExternalValidation', capabilities }],
        [{ steps: [{ status: 408 }, { status: 200, json: { isValid: true, message: '' } }] }],
      );
      const { edda } = service;
      const promoted = edda.move(await edda.make('Document', { title: 'slow' }), 1);
      await host.await(({ kind }) => kind === 'validation', 1, AbortSignal.timeout(5000));
      await service.pass(3);
      return (await promoted).status >= 300;
    },
  },
};

export const callsMistakes: Batch = {
  'calls.correlation-of-mail': {
    source: 'extensions: Call envelope (body of every call to a registered extension)',
    breaks: 'The id of the envelope is the correlation id of the triggering request, of a mail as of an event.',
    kind: 'place',
    variant: replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
      const delivery = right(areas, call, triggered);
      return triggered.kind === 'email' ? { ...delivery, envelopeId: triggered.id } : delivery;
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'mail', extensionType: 'Email' }]);
      const correlationId = randomUUID();
      const mail = { recordId: 'mail', to: 'a@b.example', subject: 'subject', body: 'body' };
      const headers = { [headerNames.correlationId]: correlationId };
      await service.edda.post('/api/space/main/externalEmail', mail, headers);
      await service.pass(moment);
      const [call] = callsOf(host, 'email');
      return call !== undefined && call.envelope?.id !== correlationId;
    },
  },

  'calls.token-of-first-scheduler': {
    source: 'extensions: Call envelope (body of every call to a registered extension)',
    breaks:
      'The token in the call of a task speaks for the user who scheduled this job, whoever scheduled the one before it.',
    kind: 'copy',
    variant: breaks('requests', 'extensionRequest', (right) => {
      const users = new Map<string, string>();
      return (areas, delivery, callee) => {
        if (delivery.kind !== 'task') return right(areas, delivery, callee);
        const userName = users.get(callee.rateKey) ?? delivery.userName;
        users.set(callee.rateKey, userName);
        return right(areas, { ...delivery, userName }, callee);
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }], acknowledging);
      await scheduleTask(service, 'edda');
      await service.pass(moment);
      await scheduleTask(service, 'emil');
      await service.pass(moment);
      const base = '/api/space/main/user/fs/file';
      await service.emil.upload('mine.txt', 'of emil', base);
      const authorization = `Bearer ${callsOf(host, 'task')[1]?.envelope?.accessToken}`;
      return (await service.nobody.get(`${base}/mine.txt`, { authorization })).status !== 200;
    },
  },

  'calls.token-of-an-hour': {
    source: 'extensions: Registered extension',
    breaks: 'The token in a call stays valid for tokenLifeTime minutes, also when these are more than an hour.',
    kind: 'value',
    variant: replaces('requests', 'impersonationToken', (right, areas, userName, lifeTimeMinutes) => {
      return right(areas, userName, Math.min(lifeTimeMinutes, 60));
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await changeExtension(service, { hostUri: host.url, apiKey: hostKey, tokenLifeTime: 1440 });
      const { path } = await service.edda.make('Part', { name: 'read later' });
      await service.edda.sendEvent();
      await service.pass(20 * 60 * 60);
      const authorization = `Bearer ${callsOf(host, 'event')[0]?.envelope?.accessToken}`;
      return (await service.nobody.get(path, { authorization })).status !== 200;
    },
  },

  'calls.first-of-form-batch': {
    source: 'extensions: Payloads by extension type',
    breaks:
      'The content of a form action is the payload that the service would have sent, all operations of a batch included.',
    kind: 'value',
    variant: replaces('triggers', 'formPayload', (right, areas, body) => {
      const { contentPayload } = body;
      return right(areas, Array.isArray(contentPayload) ? { ...body, contentPayload: contentPayload[0] } : body);
    }),
    async shows(service) {
      const contentPayload = ['one', 'two'].map((name) => ({
        method: 'POST',
        href: '/api/space/main/softtype/Part/partInput',
        body: { name },
      }));
      const form = { kind: 'form', requestedRoute: '/api/space/main/batch', httpVerb: 'POST', contentPayload };
      return listAt(await payloadOfAction(service, form), '/contentPayload').length !== 2;
    },
  },

  'calls.selection-of-context': {
    source: 'extensions: Payloads by extension type',
    breaks:
      'A ribbon action has a selectedObject when something is selected, and not because there is a context object.',
    kind: 'combination',
    variant: replaces('triggers', 'ribbonPayload', async (right, areas, call, reading, body, selected) => {
      const payload = await right(areas, call, reading, body, selected);
      const context = at(payload, '/contentPayload/contextObject');
      if (context === undefined) return payload;
      return { contentPayload: { selectedObject: context, ...Object(at(payload, '/contentPayload')) } };
    }),
    async shows(service) {
      const { oid } = await service.edda.make('Part', { name: 'context' });
      const payload = await payloadOfAction(service, { kind: 'ribbon', contextObjectId: oid });
      return at(payload, '/contentPayload/selectedObject') !== undefined;
    },
  },
};

export const tasksMistakes: Batch = {
  'tasks.input-link-of-any-name': {
    source: 'extensions: External task links (entries of `payload.links`)',
    breaks: 'The link inputFile leads to the input of the job, whatever characters are in its name.',
    kind: 'value',
    variant: replaces('requests', 'taskLinks', (right, areas, ...args) => {
      return right(areas, ...args).map((link) => {
        const [path = '', query = ''] = link.url.split('?');
        return link.id === 'inputFile' ? { ...link, url: `${decodeURIComponent(path)}?${query}` } : link;
      });
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }], acknowledging);
      await service.edda.upload('in/list%20%231.csv', 'a;b');
      await scheduleTask(service, 'edda', 'in/list #1.csv');
      await service.pass(moment);
      const links = listAt(callsOf(host, 'task')[0]?.envelope?.payload, '/links');
      const url = String(
        at(
          links.find((link) => at(link, '/id') === 'inputFile'),
          '/url',
        ),
      );
      return (await service.nobody.get(url)).text !== 'a;b';
    },
  },

  'tasks.log-of-canceled': {
    source: 'extensions: External task status',
    breaks: 'A task that reports that it was canceled may name its log, which the job then knows.',
    kind: 'place',
    variant: replaces('jobs', 'jobAfterReport', (right, areas, job, status, files) => {
      return right(areas, job, status, status === 'Canceled' ? {} : files);
    }),
    async shows(service) {
      await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }], acknowledging);
      const { edda } = service;
      const job = (await scheduleTask(service, 'edda')).headers.get('location') ?? '';
      await service.pass(moment);
      await edda.put(`${job}/status/Canceled`, undefined, { logFilePath: 'logs/task.log' });
      return at((await edda.get(job)).json, '/logFilePath') === undefined;
    },
  },
};

export const endpointsMistakes: Batch = {
  'endpoints.html-of-put': {
    source: 'extensions: Registered external endpoint (simple)',
    breaks: 'The body of a call is the configured content, HTML as it is, with PUT as with POST.',
    kind: 'value',
    variant: replaces('requests', 'endpointRequest', async (right, areas, delivery, callee) => {
      const request = await right(areas, delivery, callee);
      return request.method === 'PUT' ? { ...request, body: JSON.stringify(delivery.payload) } : request;
    }),
    async shows(service) {
      const html = '<p class="news">none</p>';
      const call = await callOfEndpoint(service, 'externalEndpoint', '/hook', html);
      return call !== undefined && textOf(call.body) !== html;
    },
  },

  'endpoints.repeated-parameter': {
    source: 'extensions: Registered trusted external endpoint',
    breaks:
      'The token is appended to the query parameters of the registered URL, all of which stay, also two of one name.',
    kind: 'value',
    variant: replaces('requests', 'endpointUrl', async (right, areas, delivery, callee) => {
      const url = new URL(await right(areas, delivery, callee));
      const parameters = Object.fromEntries(url.searchParams);
      url.search = new URLSearchParams(parameters).toString();
      return url.href;
    }),
    async shows(service) {
      const call = await callOfEndpoint(service, 'trustedExternalEndpoint', '/hook?tag=one&tag=two', 'news');
      return call !== undefined && !call.target.startsWith('/hook?tag=one&tag=two&');
    },
  },
};

export const keysMistakes: Batch = {
  'keys.kept-by-use': {
    source: 'extensions: Limits',
    breaks: 'A key is another one after 24 hours, also when it was asked for again and again meanwhile.',
    kind: 'moment',
    variant: replaces('apiKeys', 'issueKeys', async (right, areas, writing, holder, permissions) => {
      const issuedAt = areas.clock.now();
      return (await right(areas, writing, holder, permissions)).map((key) => ({ ...key, issuedAt }));
    }),
    async shows(service) {
      const host = await hostOfKeys(service);
      const ask = () => acquireKeys(service, `${host.url}/keys`);
      for (const hours of [23, 2]) {
        await ask();
        await service.pass(hours * 60 * 60);
      }
      await ask();
      const keys = callsOf(host, 'other').map(({ json }) => at(json, '/AdministrationAPI/apiKey'));
      return keys.length === 3 && keys[2] === keys[0];
    },
  },

  'keys.callback-below': {
    source: 'extensions: Acquiring API keys',
    breaks: 'Keys go to the configured tokenCallback and not to an address that merely begins like it.',
    kind: 'value',
    variant: replaces('apiKeys', 'isConfiguredCallback', (_right, _areas, given, configured) =>
      given.startsWith(configured),
    ),
    async shows(service) {
      const host = await hostOfKeys(service);
      await acquireKeys(service, `${host.url}/keys-of-somebody-else`);
      return callsOf(host, 'other').length > 0;
    },
  },
};

function bearerOf(entry: Entry): string | undefined {
  return headerValues(entry, 'Authorization')[0];
}

function scheduleTask({ as }: Service, user: UserName, inputPath = 'in.csv'): Promise<Received> {
  return as(user).post('/api/space/main/dx', { recordId: 'task', inputPath, taskSettings: {} });
}

/** What the host of an action gets. */
async function payloadOfAction(service: Service, body: object): Promise<unknown> {
  const host = await service.host(() => [{ id: 'action', extensionType: 'ExternalAction' }]);
  await service.edda.post('/api/space/main/externalAction/action', body);
  return callsOf(host, 'action')[0]?.envelope?.payload;
}

/** What an endpoint gets that is registered for PUT of HTML at the path. */
async function callOfEndpoint(
  service: Service,
  kind: 'externalEndpoint' | 'trustedExternalEndpoint',
  path: string,
  contentPayload: string,
): Promise<Entry | undefined> {
  const host = await service.host(() => []);
  await service.cora.post(`/api/admin/${kind}`, {
    id: 'hook',
    url: host.url + path,
    method: 'PUT',
    category: 'proof',
    headers: [{ name: 'content-type', value: 'text/html' }],
    tokenLifeTime: 60,
  });
  await service.edda.post('/api/space/main/externalEvent', { endpointId: 'hook', contentPayload });
  await service.pass(moment);
  return host.entries((entry) => entry.path === '/hook')[0];
}

/** A host with a record that may ask for the administration key, and that takes whatever comes. */
function hostOfKeys({ host }: Service): Promise<ExtensionHost> {
  return host(
    (url) => [{ id: 'keys', permissions: { tokenCallback: `${url}/keys`, permissions: [keyName] } }],
    [{ when: { kind: 'other' }, steps: [{ status: 200 }], afterwards: 'last' }],
  );
}

function acquireKeys({ cora }: Service, tokenCallback: string): Promise<Received> {
  const path = '/api/collection/externalExtension/acquireAccessToken/keys';
  return cora.post(path, { tokenCallback, permissions: [keyName] });
}
