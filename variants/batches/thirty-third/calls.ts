import { randomUUID } from 'node:crypto';
import { headerNames } from '../../../contract/names.ts';
import { jsonOf } from '../../../contract/json.ts';
import { withParameter } from '../../../reference-server/areas/callees.ts';
import type { MetadataAnswer } from '../../../reference-server/areas/metadata.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { headerValues } from '../../../simulator/extension/entry.ts';
import { startExtensionHost } from '../../../simulator/extension/host.ts';
import { breaks, replaces, together, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import {
  always,
  callsOf,
  callsTo,
  changeExtension,
  claimsIn,
  logged,
  registerEndpoint,
  scheduleTask,
} from '../proofs.ts';
import { at, encoded, listAt, movePath, versionHeader } from '../service.ts';

const day = 24 * 60 * 60;

const acquirePath = '/api/collection/externalExtension/acquireAccessToken/';

const emailPath = '/api/space/main/externalEmail';

const validator = (id: string) => ({
  id,
  extensionType: 'ExternalValidation',
  capabilities: [{ capabilityType: 'SoftType', capabilities: ['Document'] }],
});

export const callMistakes: Batch = {
  'extensions.life-of-a-day-at-most': {
    source: 'extensions: Registered extension, tokenLifeTime',
    breaks: 'The token stays valid for as many minutes as are registered, be they more than a day.',
    kind: 'value',
    variant: replaces('requests', 'impersonationToken', (right, areas, userName, minutes) =>
      right(areas, userName, Math.min(minutes, 1440)),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await changeExtension(service, { hostUri: host.url, tokenLifeTime: 2000 });
      await service.edda.sendEvent();
      await service.pass(1, 3);
      const claims = claimsIn(callsOf(host, 'event')[0]);
      return Number(at(claims, '/exp')) - Number(at(claims, '/iat')) === 1440 * 60;
    },
  },

  'tasks.input-of-the-same-directory': {
    source: 'extensions: External task links, inputFile',
    breaks: 'The link leads to the input of its own job, also where another job takes one from the same directory.',
    kind: 'copy',
    variant: breaks('requests', 'taskLinks', (right) => {
      const inputs = new Map<string, string>();
      return (areas, spaceId, jobId, inputPath, token) => {
        const directory = inputPath.replace(/[^/]*$/, '');
        const input = inputs.get(directory) ?? inputPath;
        inputs.set(directory, input);
        return right(areas, spaceId, jobId, input, token);
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      await scheduleTask(service, { inputPath: 'folder/a.csv' });
      await scheduleTask(service, { inputPath: 'folder/b.csv' });
      await service.pass(1, 3);
      const calls = callsOf(host, 'task');
      return calls.length === 2 && !JSON.stringify(calls[1]?.envelope?.payload).includes('b.csv');
    },
  },

  'tasks.upload-to-the-first-directory': {
    source: 'extensions: External task links, uploadFileStream',
    breaks: 'The default location of an upload is the path of the input, however deep that is.',
    kind: 'place',
    variant: replaces('requests', 'taskLinks', (right, areas, spaceId, jobId, inputPath, token) =>
      right(areas, spaceId, jobId, inputPath, token).map((link) =>
        link.id === 'uploadFileStream' ? { ...link, url: link.url.replace(/(\/stream\/[^/]+)\/.*$/, '$1') } : link,
      ),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      await scheduleTask(service, { inputPath: 'outer/inner/a.csv' });
      await service.pass(1, 3);
      const links = listAt(callsOf(host, 'task')[0]?.envelope?.payload, '/links');
      const url = at(
        links.find((link) => at(link, '/id') === 'uploadFileStream'),
        '/url',
      );
      return typeof url === 'string' && !url.endsWith('/outer/inner');
    },
  },

  'tasks.no-longer-than-usual': {
    source: 'extensions: Payloads by extension type, ExternalTask',
    breaks: 'The timeout of a task is the configured one, also where that is longer than the default.',
    kind: 'value',
    variant: replaces('triggers', 'taskPayload', (right, areas, body) => {
      const payload = right(areas, body);
      return { ...payload, timeout: Math.min(payload.timeout, 600) };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      await scheduleTask(service, { timeout: 1200 });
      await service.pass(1, 3);
      return at(callsOf(host, 'task')[0]?.envelope?.payload, '/timeout') === 600;
    },
  },

  'tasks.not-found-may-come-up': {
    source: 'extensions: Errors 1',
    breaks: 'An error that is not transient is not tried again, 404 to the call of a task neither.',
    kind: 'place',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) => {
      const isMissing = delivery.kind === 'task' && outcome.kind === 'answered' && outcome.status === 404;
      return right(areas, delivery, policy, isMissing ? { ...outcome, status: 503 } : outcome);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }], always({ status: 404 }));
      await scheduleTask(service);
      await service.pass(1, 6);
      return callsOf(host, 'task').length > 1;
    },
  },

  'events.errors-in-an-acknowledgement': {
    source: 'extensions: Events 2',
    breaks: 'The service takes 200 as success and does not send the event again, whatever the body holds.',
    kind: 'combination',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) => {
      const hasErrors =
        delivery.kind === 'event' && outcome.kind === 'answered' && listAt(jsonOf(outcome.body), '/errors').length > 0;
      return right(areas, delivery, policy, hasErrors ? { ...outcome, status: 500 } : outcome);
    }),
    async shows(service) {
      const host = await service.host(
        () => [{ id: 'event' }],
        always({ status: 200, json: { errors: [{ message: 'later' }] } }),
      );
      await service.edda.sendEvent();
      await service.pass(1, 6);
      return callsOf(host, 'event').length > 1;
    },
  },

  'endpoints.without-their-headers-after-a-pause': {
    source: 'extensions: Registered external endpoint, headers',
    breaks: 'The configured headers are set on each call, also on one that waited out a pause.',
    kind: 'moment',
    variant: (classes) => {
      const waited = new Set<string>();
      return together(
        replaces('deliveries', 'holdBack', (right, areas, writing, delivery, until) => {
          waited.add(delivery.id);
          return right(areas, writing, delivery, until);
        }),
        replaces('requests', 'endpointRequest', async (right, areas, delivery, callee) => {
          const request = await right(areas, delivery, callee);
          if (!waited.has(delivery.id)) return request;
          const headers = Object.entries(request.headers).filter(([name]) => name.toLowerCase() === 'content-type');
          return { ...request, headers: Object.fromEntries(headers) };
        }),
      )(classes);
    },
    async shows(service) {
      const host = await service.host(() => [{ id: 'unused' }]);
      const headers = [
        { name: 'content-type', value: 'application/json' },
        { name: 'x-api-key', value: 'k' },
      ];
      await registerEndpoint(service, 'externalEndpoint', {
        url: `${host.url}/hook`,
        headers,
        rateLimitNumberOfExecutions: 1,
      });
      await service.edda.sendToEndpoint();
      await service.edda.sendToEndpoint();
      await service.pass(10, 14);
      const calls = callsTo(host);
      return calls.length === 2 && calls.some((call) => headerValues(call, 'x-api-key').length === 0);
    },
  },

  'email.body-of-the-thread': {
    source: 'extensions: Payloads by extension type, Email',
    breaks: 'A mail has the body that it was composed with, also where one of the same subject went before it.',
    kind: 'copy',
    variant: breaks('requests', 'payloadOf', (right) => {
      const bodies = new Map<unknown, unknown>();
      return (areas, delivery, token) => {
        const payload = right(areas, delivery, token);
        if (delivery.kind !== 'email' || !isContent(payload)) return payload;
        const subject = `${payload['to']} ${payload['subject']}`;
        if (!bodies.has(subject)) bodies.set(subject, payload['body']);
        return { ...payload, body: bodies.get(subject) };
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'mail', extensionType: 'Email' }]);
      const mail = { recordId: 'mail', to: 'a@b.example', subject: 's' };
      await service.edda.post(emailPath, { ...mail, body: 'one' });
      await service.pass(1, 2);
      await service.edda.post(emailPath, { ...mail, body: 'two' });
      await service.pass(1, 2);
      return at(callsOf(host, 'email')[1]?.envelope?.payload, '/body') === 'one';
    },
  },

  'signing.signature-of-an-address': {
    source: 'extensions: Authentication 3',
    breaks: 'A call is signed with the key that the extension has now.',
    kind: 'copy',
    variant: breaks('signing', 'signatureHeaders', (right) => {
      const signed = new Map<string, ReturnType<typeof right>>();
      return (areas, apiKey, url) => {
        const headers = signed.get(url) ?? right(areas, apiKey, url);
        signed.set(url, headers);
        return headers;
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await service.edda.sendEvent();
      await service.pass(1, 2);
      await changeExtension(service, { hostUri: host.url, apiKey: Buffer.alloc(64, 9).toString('base64') });
      await service.edda.sendEvent();
      await service.pass(1, 2);
      const [one, other] = callsTo(host).map((call) => headerValues(call, 'authorization')[0]);
      return one !== undefined && one === other;
    },
  },

  'keys.second-period-is-longer': {
    source: 'extensions: Permission names',
    breaks: 'The keys are rotated every 24 hours, the second time too.',
    kind: 'moment',
    variant: (classes) => {
      const later = new Set<number>();
      return together(
        replaces('apiKeys', 'isKeyDue', (right, areas, key) => {
          const isDue = right(areas, key) && !later.has(key.issuedAt);
          if (isDue) later.add(areas.clock.now());
          return isDue;
        }),
        replaces('apiKeys', 'isKeyValid', (right, areas, key) => later.has(key.issuedAt) || right(areas, key)),
      )(classes);
    },
    async shows(service) {
      const host = await service.host(
        (url) => [{ id: 'keys', permissions: { tokenCallback: `${url}/keys`, permissions: ['SnapshotAPI'] } }],
        always({ status: 200 }),
      );
      const body = { tokenCallback: `${host.url}/keys`, permissions: ['SnapshotAPI'] };
      for (let left = 3; left > 0; left -= 1) {
        await service.cora.post(`${acquirePath}keys`, body);
        await service.pass(day + 1);
      }
      const keys = callsTo(host).map(({ json }) => at(json, '/SnapshotAPI/apiKey'));
      return keys.length === 3 && keys[0] !== keys[1] && keys[1] === keys[2];
    },
  },

  'keys.callback-of-before': {
    source: 'extensions: Acquiring API keys',
    breaks: 'The callback must equal the configured one, and not one that was configured before an update.',
    kind: 'moment',
    variant: breaks('apiKeys', 'isConfiguredCallback', (right) => {
      const taken = new Set<string>();
      return (areas, given, configured) => {
        const isRight = right(areas, given, configured);
        if (isRight) taken.add(given);
        return isRight || taken.has(given);
      };
    }),
    async shows(service) {
      const asking = (url: string, path: string) => ({
        id: 'keys',
        version: '1.0.0',
        name: 'keys',
        endpoint: '/event',
        extensionType: 'ExternalEvent',
        category: 'proof',
        permissions: { tokenCallback: `${url}${path}`, permissions: ['SnapshotAPI'] },
      });
      const host = await service.host((url) => [asking(url, '/before')], always({ status: 200 }));
      const body = { tokenCallback: `${host.url}/before`, permissions: ['SnapshotAPI'] };
      await service.cora.post(`${acquirePath}keys`, body);
      host.setRecords([asking(host.url, '/after')]);
      await changeExtension(service, { hostUri: host.url });
      return (await service.cora.post(`${acquirePath}keys`, body)).status < 300;
    },
  },

  'delivery.limit-by-space': {
    source: 'extensions: Registered external endpoint, rateLimitNumberOfExecutions',
    breaks: 'All executions of an endpoint count, from whatever space they come.',
    kind: 'combination',
    variant: replaces('policies', 'policyOf', (right, areas, callee, delivery) => {
      const policy = right(areas, callee, delivery);
      return { ...policy, rateKey: `${policy.rateKey} ${delivery.spaceId}` };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'unused' }]);
      const fields = { url: `${host.url}/hook`, rateLimitNumberOfExecutions: 2 };
      await registerEndpoint(service, 'externalEndpoint', fields);
      for (const space of ['main', 'main', 'depot', 'depot'])
        await service.edda.post(`/api/space/${space}/externalEvent`, { endpointId: 'hook', contentPayload: {} });
      await service.pass(1, 3);
      return callsTo(host).length === 4;
    },
  },

  'delivery.deleted-in-a-pause': {
    source: 'extensions: Events 3',
    breaks: 'An event that a user deletes is cancelled, also while a pause holds it back.',
    kind: 'moment',
    variant: (classes) => {
      const held = new Set<string>();
      return together(
        replaces('deliveries', 'holdBack', (right, areas, writing, delivery, until) => {
          held.add(delivery.id);
          return right(areas, writing, delivery, until);
        }),
        replaces('queue', 'cancelDelivery', async (right, areas, writing, id) =>
          held.has(id) ? true : right(areas, writing, id),
        ),
      )(classes);
    },
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', rateLimitNumberOfExecutions: 1 }]);
      await service.edda.sendEvent();
      await service.pass(1, 2);
      const second = await service.edda.sendEvent();
      await service.pass(1, 2);
      await service.edda.delete(second.headers.get('location') ?? '');
      await service.pass(10, 14);
      return callsOf(host, 'event').length === 2;
    },
  },

  'metadata.asked-once-for-an-address': {
    source: 'extensions: Metadata exchange',
    breaks: 'The metadata are asked for when an extension is added, also one that was there before.',
    kind: 'copy',
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

  'endpoints.token-of-a-trusted-namesake': {
    source: 'extensions: Authentication 6',
    breaks: 'A simple endpoint gets no access token, also where a trusted one has the same address.',
    kind: 'copy',
    variant: breaks('requests', 'endpointUrl', (right) => {
      const known = new Map<string, string>();
      return async (areas, delivery, callee) => {
        const { kind, url } = callee.endpoint;
        const found = kind === 'externalEndpoint' ? known.get(url) : undefined;
        const made = found ?? (await right(areas, delivery, callee));
        if (kind !== 'externalEndpoint') known.set(url, made);
        return made;
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'unused' }]);
      const url = `${host.url}/hook`;
      await registerEndpoint(service, 'trustedExternalEndpoint', { id: 'trusted', url });
      await registerEndpoint(service, 'externalEndpoint', { id: 'simple', url });
      await service.edda.sendToEndpoint('trusted');
      await service.pass(1, 2);
      await service.edda.sendToEndpoint('simple');
      await service.pass(1, 2);
      return callsTo(host)[1]?.target.includes('access_token') ?? false;
    },
  },

  'endpoints.tokens-pile-up': {
    source: 'extensions: Registered trusted external endpoint',
    breaks: 'The token is appended to the query that is registered, and not to that of the call before.',
    kind: 'copy',
    variant: breaks('requests', 'endpointUrl', (right) => {
      const grown = new Map<string, string>();
      return async (areas, delivery, callee) => {
        const { id, kind, url } = callee.endpoint;
        const made = await right(areas, delivery, callee);
        const token = new URL(made).searchParams.get('access_token') ?? '';
        if (kind === 'externalEndpoint' || !url.includes('?')) return made;
        const next = withParameter(grown.get(id) ?? url, 'access_token', token);
        grown.set(id, next);
        return next;
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'unused' }]);
      await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/hook?a=b` });
      await service.edda.sendToEndpoint();
      await service.pass(1, 2);
      await service.edda.sendToEndpoint();
      await service.pass(1, 2);
      return callsTo(host)[1]?.target.split('access_token=').length === 3;
    },
  },

  'endpoints.patch-once-with-its-body': {
    source: 'extensions: Registered external endpoint, text below',
    breaks: 'A call by PATCH has its body, on the next attempt too.',
    kind: 'moment',
    variant: replaces('requests', 'requestFor', async (right, areas, delivery, callee, attempt) => {
      const request = await right(areas, delivery, callee, attempt);
      const { body: _read, ...rest } = request;
      return attempt > 1 && request.method === 'PATCH' ? rest : request;
    }),
    async shows(service) {
      await using host = await startExtensionHost({ script: always({ status: 503 }) });
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook`, method: 'PATCH' });
      await service.edda.sendToEndpoint('hook', { a: 1 });
      await service.pass(1, 5);
      return callsTo(host).length > 1 && callsTo(host)[1]?.body.length === 0;
    },
  },

  'actions.one-of-many-unwrapped': {
    source: 'extensions: Payloads by extension type, ExternalAction',
    breaks: 'The content payload of a form action is what the service would have sent, also a batch of one.',
    kind: 'value',
    variant: replaces('triggers', 'formPayload', (right, areas, body) => {
      const content = body['contentPayload'];
      const only: unknown = Array.isArray(content) && content.length === 1 ? content[0] : content;
      return right(areas, { ...body, contentPayload: only });
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'action', extensionType: 'ExternalAction' }]);
      const contentPayload = [{ method: 'GET', href: '/api/space/main/softtype/1' }];
      const form = { kind: 'form', requestedRoute: '/api/space/main/batch', httpVerb: 'POST', contentPayload };
      await service.edda.post('/api/space/main/externalAction/action', form);
      return !Array.isArray(at(callsOf(host, 'action')[0]?.envelope?.payload, '/contentPayload'));
    },
  },

  'actions.filter-of-the-first-one': {
    source: 'extensions: Payloads by extension type, ExternalAction',
    breaks: 'The payload of an action has the filter of the request that triggers it, the second time too.',
    kind: 'copy',
    variant: breaks('requests', 'payloadOf', (right) => {
      const filters = new Map<string, unknown>();
      return (areas, delivery, token) => {
        const payload = right(areas, delivery, token);
        if (delivery.kind !== 'action' || !isContent(payload)) return payload;
        const informationFilter = filters.get(delivery.userName) ?? payload['informationFilter'];
        filters.set(delivery.userName, informationFilter);
        return { ...payload, informationFilter };
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'action', extensionType: 'ExternalAction' }]);
      const filters = [encoded({ role: 'one' }), encoded({ role: 'other' })];
      for (const filter of filters)
        await service.edda.post(
          '/api/space/main/externalAction/action',
          { kind: 'ribbon' },
          {
            [headerNames.informationFilter]: filter,
          },
        );
      const second = callsOf(host, 'action')[1]?.envelope?.payload;
      return at(second, '/informationFilter') === filters[0];
    },
  },

  'validation.list-of-one-verdict': {
    source: 'extensions: Errors 5',
    breaks: 'An answer that is no object is an error of the validation, an array that holds one too.',
    kind: 'value',
    variant: replaces('validation', 'verdictOf', (right, areas, outcome) => {
      const verdicts = outcome.kind === 'answered' ? listAt(jsonOf(outcome.body), '') : [];
      const isList = outcome.kind === 'answered' && verdicts.length === 1;
      return right(areas, isList ? { ...outcome, body: JSON.stringify(verdicts[0]) } : outcome);
    }),
    async shows(service) {
      await service.host(() => [validator('one')], always({ status: 200, json: [{ isValid: true, message: '' }] }));
      const made = await service.edda.make('Document', { title: 't' });
      return (await service.edda.move(made, 1)).status === 204;
    },
  },

  'validation.retries-of-the-record': {
    source: 'extensions: Limits, retries of a validation',
    breaks: 'A validation is tried three times more, also where its record says to retry for ever.',
    kind: 'combination',
    variant: replaces('outgoingCalls', 'callWithRetries', async (right, areas, delivery, retries) => {
      const callee = await areas.store.read((reading) => areas.callees.calleeOf(reading, delivery));
      return right(areas, delivery, delivery.kind === 'validation' && callee?.retryForever === true ? 4 : retries);
    }),
    async shows(service) {
      const host = await service.host(() => [{ ...validator('one'), retryForever: true }], always({ status: 503 }));
      const made = await service.edda.make('Document', { title: 't' });
      const promote = service.edda.move(made, 1);
      await service.pass(1, 40);
      await promote;
      return callsOf(host, 'validation').length > 4;
    },
  },

  'validation.second-under-another-id': {
    source: 'extensions: Call envelope, id',
    breaks: 'The id of the triggering request is that of each call made for it, of the second one too.',
    kind: 'copy',
    variant: breaks('validation', 'askValidator', (right) => {
      const asked = new WeakSet<object>();
      return (areas, call, object, addressee) => {
        const isSecond = asked.has(call.headers);
        asked.add(call.headers);
        return right(areas, isSecond ? { ...call, correlationId: randomUUID() } : call, object, addressee);
      };
    }),
    async shows(service) {
      const host = await service.host(() => [validator('one'), validator('other')]);
      const made = await service.edda.make('Document', { title: 't' });
      const headers = { ...versionHeader(1), 'X-Correlation-Id': 'given' };
      await service.edda.send('PUT', movePath(made), { headers });
      const ids = callsOf(host, 'validation').map(({ envelope }) => envelope?.id);
      return ids.length === 2 && ids.some((id) => id !== 'given');
    },
  },

  'log.retries-of-the-endpoint': {
    source: 'extensions: Errors 3',
    breaks: 'The entry has the number of the retry of its own event, whatever was retried before.',
    kind: 'copy',
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    variant: breaks('deliveries', 'logEntriesFor', (right) => {
      const counts = new Map<string, number>();
      return (areas, delivery, policy, outcome, step) => {
        if (step.kind !== 'retry') return right(areas, delivery, policy, outcome, step);
        const retry = (counts.get(delivery.registrationId) ?? 0) + 1;
        counts.set(delivery.registrationId, retry);
        return right(areas, delivery, policy, outcome, { ...step, retry });
      };
    }),
    async shows(service) {
      await service.host(() => [{ id: 'event' }], [{ steps: [{ status: 503 }, { status: 200 }], afterwards: 'again' }]);
      for (let left = 2; left > 0; left -= 1) {
        await service.edda.sendEvent();
        await service.pass(1, 6);
      }
      return at((await logged(service, 'transient-error'))[1], '/retry') === 2;
    },
  },
};
