import { randomUUID } from 'node:crypto';
import { combinedVerdict } from '../../../reference-server/areas/validation.ts';
import { withParameter } from '../../../reference-server/areas/callees.ts';
import { headerValues } from '../../../simulator/extension/entry.ts';
import { breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, claimsIn, logged, reached, registerEndpoint, scheduleTask } from '../proofs.ts';
import { at, listAt, many } from '../service.ts';

const everyPermission = [
  'TaskUploadAPI',
  'AuthorizationAPI',
  'AdministrationAPI',
  'SnapshotAPI',
  'LicenseCommunicationAPI',
];

/** When keys were asked for last, in ms of the clock. */
const askedFor = new Map<string, number>();

export const deliveryMistakes: Batch = {
  'delivery.another-id-for-the-second-validator': {
    source: 'core: Common request headers, X-Correlation-Id',
    breaks: 'The correlation id is passed on to every extension that a request calls, not only to the first.',
    kind: 'place',
    variant: replaces('validation', 'verdictOn', async (_right, areas, call, object, validators) => {
      const verdicts = validators.map((validator, index) =>
        areas.validation.askValidator(index === 0 ? call : { ...call, correlationId: randomUUID() }, object, validator),
      );
      return combinedVerdict(await Promise.all(verdicts));
    }),
    async shows(service) {
      const capabilities = [{ capabilityType: 'SoftType', capabilities: ['Document'] }];
      const validator = (id: string) => ({ id, extensionType: 'ExternalValidation' as const, capabilities });
      const host = await service.host(() => [validator('one'), validator('two')], valid);
      const { oid } = await service.edda.make('Document', { title: 'validated' });
      const headers = { 'svc-uoiversion': '1', 'x-correlation-id': '5c0c3c55-7a4a-4b5e-9a53-2f6f7a1f5a01' };
      await service.edda.send('PUT', `/api/space/main/maturityAction/promote/${oid}/release/engineering`, { headers });
      return callsOf(host, 'validation').some(({ envelope }) => envelope?.id !== headers['x-correlation-id']);
    },
  },

  'delivery.new-id-on-retry': {
    source: 'extensions: Events 4',
    breaks: 'A correlation id that was given is that of the call, of a retry as well.',
    kind: 'moment',
    variant: replaces('requests', 'requestFor', (right, areas, delivery, callee, attempt) => {
      return right(areas, attempt > 1 ? { ...delivery, envelopeId: randomUUID() } : delivery, callee, attempt);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }], [{ steps: [{ status: 503 }] }]);
      const id = '5c0c3c55-7a4a-4b5e-9a53-2f6f7a1f5a02';
      await service.edda.sendEvent('event', {}, { 'x-correlation-id': id });
      await service.pass(3, 2);
      return (await reached(host, 2)).some(({ envelope }) => envelope?.id !== id);
    },
  },

  'delivery.client-error-after-transient-one': {
    source: 'extensions: Registered external endpoint, row retryForever',
    breaks: 'An error that is not transient ends a delivery at once, also with retryForever and after a transient one.',
    kind: 'combination',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) => {
      const endless = policy.retries === Infinity && delivery.attempts > 0;
      return endless && outcome.kind === 'answered' && outcome.status === 400
        ? right(areas, delivery, policy, { ...outcome, status: 500 })
        : right(areas, delivery, policy, outcome);
    }),
    async shows(service) {
      const script = [{ steps: [{ status: 503 }, { status: 400 }], afterwards: 'last' as const }];
      const host = await service.host(() => [{ id: 'event', retryForever: true }], script);
      await service.edda.sendEvent();
      await service.pass(3, 6);
      return callsOf(host, 'event').length > 2;
    },
  },

  'delivery.mail-taken-with-created': {
    source: 'extensions: Calls to extensions, row Email',
    breaks: '201 is a success of a mail, as 200 is.',
    kind: 'value',
    survives: 'ledger log-access: such a mail goes out once either way, only a log entry differs',
    variant: replaces('policies', 'isDelivered', (right, areas, kind, outcome) => {
      return (
        right(areas, kind, outcome) && !(kind === 'email' && outcome.kind === 'answered' && outcome.status === 201)
      );
    }),
    async shows(service) {
      await service.host(() => [{ id: 'mail', extensionType: 'Email' }], always({ status: 201 }));
      const mail = { recordId: 'mail', to: 'a@b.example', subject: 'subject', body: 'body' };
      await service.edda.post('/api/space/main/externalEmail', mail);
      await service.pass(1, 2);
      return (await logged(service, 'failed')).length > 0;
    },
  },

  'delivery.lifetime-of-the-first-extension': {
    source: 'extensions: Registered extension, row tokenLifeTime',
    breaks: 'The token lives as long as its own extension says, also when the user has triggered another one before.',
    kind: 'copy',
    variant: breaks('requests', 'impersonationToken', (right) => {
      const first = new Map<string, number>();
      return (areas, user, minutes) => {
        const known = first.get(user) ?? minutes;
        first.set(user, known);
        return right(areas, user, known);
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/hook`, tokenLifeTime: 5 });
      await service.edda.sendToEndpoint();
      await service.pass(1);
      await service.edda.sendEvent();
      await service.pass(1);
      await reached(host, 2);
      const claims = claimsIn(callsOf(host, 'event').find(({ envelope }) => envelope !== undefined));
      return Number(at(claims, '/exp')) - Number(at(claims, '/iat')) !== 3600;
    },
  },

  'delivery.rate-shared-by-host': {
    source: 'extensions: Limits, rate limit',
    breaks: 'Each endpoint has executions of its own, also when another one leads to the same host.',
    kind: 'copy',
    variant: replaces('policies', 'policyOf', (right, areas, callee, delivery) => {
      const policy = right(areas, callee, delivery);
      return 'endpoint' in callee ? { ...policy, rateKey: new URL(callee.url).origin } : policy;
    }),
    async shows(service) {
      const host = await service.host(() => []);
      for (const id of ['one', 'two'])
        await registerEndpoint(service, 'externalEndpoint', {
          id,
          url: `${host.url}/${id}`,
          rateLimitNumberOfExecutions: 2,
        });
      for (const id of ['one', 'one', 'two']) {
        await service.edda.sendToEndpoint(id);
        await service.pass(1);
      }
      return (await reached(host, 3, 1500)).length < 3;
    },
  },

  'delivery.deleted-while-held-back': {
    source: 'extensions: Events 3',
    breaks: 'An event that a user deletes is cancelled, also while the rate limit holds it back.',
    kind: 'moment',
    variant: replaces('queue', 'cancelDelivery', async (right, areas, writing, id) => {
      const delivery = await writing.delivery(id);
      const isHeld = delivery?.attempts === 0 && areas.clock.now() - delivery.dueAt > 5000;
      return isHeld || right(areas, writing, id);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', rateLimitNumberOfExecutions: 1 }]);
      await service.edda.sendEvent();
      await service.pass(1);
      const second = await service.edda.sendEvent();
      await service.pass(6);
      await service.edda.delete(second.headers.get('location') ?? '');
      await service.pass(30, 5);
      return callsOf(host, 'event').length > 1;
    },
  },

  'endpoint.switched-off-with-its-neighbour': {
    source: 'extensions: Registered external endpoint, row active',
    breaks: 'active switches one endpoint, and not another one with the same address.',
    kind: 'copy',
    variant: breaks('callees', 'isActive', (right) => {
      const off = new Set<string>();
      return (areas, registration) => {
        const active = right(areas, registration);
        if (registration.kind !== 'externalEndpoint') return active;
        const own = `${registration.url} ${registration.id}`;
        if (active) off.delete(own);
        else off.add(own);
        return active && ![...off].some((key) => key.startsWith(`${registration.url} `));
      };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      const url = `${host.url}/same`;
      await registerEndpoint(service, 'externalEndpoint', { id: 'off', url, active: false });
      await registerEndpoint(service, 'externalEndpoint', { id: 'on', url });
      await service.edda.sendToEndpoint('off');
      await service.edda.sendToEndpoint('on');
      await service.pass(1);
      return (await reached(host, 1, 1500)).length < 1;
    },
  },

  'endpoint.trusted-patch-as-put': {
    source: 'extensions: Registered external endpoint, row method',
    breaks: 'The call uses the method that is configured, at a trusted endpoint as well.',
    kind: 'place',
    variant: replaces('requests', 'endpointRequest', async (right, areas, delivery, callee) => {
      const request = await right(areas, delivery, callee);
      const isTrusted = callee.endpoint.kind === 'trustedExternalEndpoint';
      return isTrusted && request.method === 'PATCH' ? { ...request, method: 'PUT' } : request;
    }),
    async shows(service) {
      const host = await service.host(() => []);
      await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/hook`, method: 'PATCH' });
      await service.edda.sendToEndpoint();
      await service.pass(1);
      return (await reached(host, 1)).some(({ method }) => method !== 'PATCH');
    },
  },

  'endpoint.token-of-whoever-came-first': {
    source: 'extensions: Registered trusted external endpoint',
    breaks: 'The token speaks for the user that triggered the call, and not for one who did so before.',
    kind: 'copy',
    variant: breaks('requests', 'endpointUrl', (right) => {
      const first = new Map<string, string>();
      return (areas, delivery, callee) => {
        const userName = first.get(callee.endpoint.id) ?? delivery.userName;
        first.set(callee.endpoint.id, userName);
        return right(areas, { ...delivery, userName }, callee);
      };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/hook` });
      for (const user of [service.edda, service.emil]) {
        await user.sendToEndpoint();
        await service.pass(1);
      }
      const tokens = (await reached(host, 2)).map(({ target }) =>
        new URL(target, host.url).searchParams.get('access_token'),
      );
      const subjects = tokens.map((token) => subjectOf(token ?? ''));
      return !subjects.includes('emil');
    },
  },

  'endpoint.token-where-there-is-a-query': {
    source: 'extensions: Authentication 6',
    breaks: 'A simple endpoint gets no access token, also when its address has a query.',
    kind: 'combination',
    variant: replaces('requests', 'endpointUrl', async (right, areas, delivery, callee) => {
      const url = await right(areas, delivery, callee);
      if (callee.endpoint.kind !== 'externalEndpoint' || !url.includes('?')) return url;
      return withParameter(url, 'access_token', await areas.requests.impersonationToken(delivery.userName, 60));
    }),
    async shows(service) {
      const host = await service.host(() => []);
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook?source=svc` });
      await service.edda.sendToEndpoint();
      await service.pass(1);
      return (await reached(host, 1)).some(({ target }) => target.includes('access_token'));
    },
  },

  'endpoint.configured-type-replaced-for-text': {
    source: 'extensions: Registered external endpoint, row headers',
    breaks: 'The call carries the headers that are configured, also when its content is a plain text.',
    kind: 'combination',
    variant: replaces('requests', 'endpointRequest', async (right, areas, delivery, callee) => {
      const request = await right(areas, delivery, callee);
      if (typeof delivery.payload !== 'string') return request;
      const headers = Object.entries(request.headers).map(([name, value]) => [
        name,
        name.toLowerCase() === 'content-type' ? 'text/plain' : value,
      ]);
      return { ...request, headers: Object.fromEntries(headers) };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      const headers = [{ name: 'content-type', value: 'text/html' }];
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook`, headers });
      await service.edda.sendToEndpoint('hook', '<p>text</p>');
      await service.pass(1);
      return (await reached(host, 1)).some((entry) => !headerValues(entry, 'content-type').includes('text/html'));
    },
  },
};

export const keyMistakes: Batch = {
  'keys.four-at-most': {
    source: 'extensions: Acquiring API keys',
    breaks: 'A key comes for every permission that is asked for and configured, for all of them at once as well.',
    kind: 'value',
    variant: replaces('apiKeys', 'grantedPermissions', (right, areas, asked, configured) => {
      return right(areas, asked, configured).slice(0, 4);
    }),
    async shows(service) {
      const host = await service.host(() => []);
      const permissions = { permissions: everyPermission, tokenCallback: `${host.url}/keys` };
      await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/hook`, permissions });
      await service.cora.post('/api/collection/externalExtension/acquireAccessToken/hook', permissions);
      const [call] = await reached(host, 1);
      return !(call?.body.toString() ?? '').includes('LicenseCommunicationAPI');
    },
  },

  'keys.asked-for-stay-young': {
    source: 'extensions: Limits, permission key rotation',
    breaks: 'A key is rotated every 24 hours, also when it is asked for again in between.',
    kind: 'combination',
    variant: together(
      replaces('apiKeys', 'isKeyDue', (right, areas, key) => {
        const isDue = right(areas, { ...key, issuedAt: askedFor.get(key.key) ?? key.issuedAt });
        askedFor.set(key.key, areas.clock.now());
        return isDue;
      }),
      replaces('apiKeys', 'isKeyValid', (right, areas, key) => {
        return right(areas, { ...key, issuedAt: askedFor.get(key.key) ?? key.issuedAt });
      }),
    ),
    async shows(service) {
      const permissionsAt = (url: string) => ({ permissions: ['SnapshotAPI'], tokenCallback: `${url}/keys` });
      const host = await service.host(
        (url) => [{ id: 'holder', permissions: permissionsAt(url) }],
        always({ status: 200 }),
      );
      for (const seconds of [0, 72_000, 72_000]) {
        await service.pass(seconds);
        await service.cora.post('/api/collection/externalExtension/acquireAccessToken/holder', permissionsAt(host.url));
      }
      const keys = (await reached(host, 3)).map(({ body }) => body.toString());
      return keys[0] === keys[2];
    },
  },
};

export const payloadMistakes: Batch = {
  'action.version-of-the-first-time': {
    source: 'extensions: Payloads by extension type, row ExternalAction',
    breaks: 'svcUOIVersion is the version that the selected object has at the time.',
    kind: 'copy',
    variant: breaks('requests', 'payloadOf', (right) => {
      const first = new Map<unknown, unknown>();
      return (areas, delivery, token) => {
        const payload = right(areas, delivery, token);
        const oid = at(payload, '/objectId');
        const version = at(payload, '/svcUOIVersion');
        if (delivery.kind !== 'action' || oid === undefined || typeof payload !== 'object') return payload;
        if (!first.has(oid)) first.set(oid, version);
        return { ...payload, svcUOIVersion: first.get(oid) };
      };
    }),
    async shows(service) {
      const host = await service.host(
        () => [{ id: 'action', extensionType: 'ExternalAction' }],
        always({ status: 200 }),
      );
      const made = await service.edda.make('Document', { title: 'selected' });
      const body = { kind: 'ribbon', objectId: made.oid };
      await service.edda.post('/api/space/main/externalAction/action', body);
      await service.edda.merge(made, 1, { note: 'edited' });
      await service.edda.post('/api/space/main/externalAction/action', body);
      const calls = callsOf(host, 'action');
      return calls.length > 1 && at(calls.at(-1)?.envelope, '/payload/svcUOIVersion') !== 2;
    },
  },

  'task.stream-link-to-the-top': {
    source: 'extensions: External task links, row uploadFileStream',
    breaks: 'The stream upload leads to the directory of the input, however deep it lies.',
    kind: 'place',
    variant: replaces('requests', 'taskLinks', (right, areas, spaceId, jobId, inputPath, token) => {
      const links = right(areas, spaceId, jobId, inputPath, token);
      const top = right(areas, spaceId, jobId, `${inputPath.split('/')[0]}/file`, token);
      return links.map((link, index) =>
        link.id === 'uploadFileStream' && inputPath.split('/').length > 2 ? (top[index] ?? link) : link,
      );
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      await scheduleTask(service, { inputPath: 'one/two/input.csv' });
      const [call] = await reached(host, 1);
      const link = listAt(call?.envelope, '/payload/links').find((found) => at(found, '/id') === 'uploadFileStream');
      return !String(at(link, '/url')).includes('one/two');
    },
  },

  'task.chunk-link-lost-on-retry': {
    source: 'extensions: External task links, row uploadFile',
    breaks: 'A task is given the link to upload chunks, by a retry of its call as well.',
    kind: 'moment',
    variant: replaces('requests', 'requestFor', async (right, areas, delivery, callee, attempt) => {
      const request = await right(areas, delivery, callee, attempt);
      if (attempt < 2 || delivery.kind !== 'task') return request;
      const body = JSON.parse(request.body ?? '{}') as { readonly payload: { readonly links: readonly object[] } };
      const links = body.payload.links.filter((link) => at(link, '/id') !== 'uploadFile');
      return { ...request, body: JSON.stringify({ ...body, payload: { ...body.payload, links } }) };
    }),
    async shows(service) {
      const host = await service.host(
        () => [{ id: 'task', extensionType: 'ExternalTask' }],
        [{ steps: [{ status: 503 }] }],
      );
      await scheduleTask(service);
      await service.pass(3, 2);
      const [, call] = await reached(host, 2);
      return (
        call !== undefined && !listAt(call.envelope, '/payload/links').some((link) => at(link, '/id') === 'uploadFile')
      );
    },
  },

  'task.settings-of-the-task-before': {
    source: 'extensions: Payloads by extension type, row ExternalTask',
    breaks: 'taskSettings are those configured for this task, without any of an earlier one.',
    kind: 'copy',
    variant: breaks('triggers', 'taskPayload', (right) => {
      let before = {};
      return (areas, body) => {
        const payload = right(areas, body);
        before = { ...before, ...payload.taskSettings };
        return { ...payload, taskSettings: before };
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      await scheduleTask(service, { taskSettings: { first: true } });
      await scheduleTask(service, { taskSettings: { second: true } });
      const calls = await reached(host, 2);
      return calls.some(({ envelope }) => {
        const settings = at(envelope, '/payload/taskSettings');
        return at(settings, '/first') === true && at(settings, '/second') === true;
      });
    },
  },

  'task.failed-after-progress-without-log': {
    source: 'extensions: External task status, row Failed',
    breaks: 'A failed task may name its log, also after it has reported progress.',
    kind: 'combination',
    variant: replaces('jobs', 'jobAfterReport', (right, areas, job, status, files) => {
      return right(areas, job, status, status === 'Failed' && job.progress !== undefined ? {} : files);
    }),
    async shows(service) {
      await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      const job = await scheduleTask(service);
      await service.edda.put(`${job}/progress`, undefined, { message: 'half' });
      await service.edda.put(`${job}/status/Failed`, undefined, { logFilePath: 'folder/log.txt' });
      return at((await service.edda.get(job)).json, '/logFilePath') !== 'folder/log.txt';
    },
  },

  'task.log-lost-beside-output': {
    source: 'extensions: Callbacks from an external task',
    breaks: 'A final status may name the output and the log, both in one body.',
    kind: 'combination',
    variant: replaces('jobs', 'reportedFilesOf', (right, areas, call) => {
      const { logFilePath, ...files } = right(areas, call);
      return files.outputFilePath !== undefined || logFilePath === undefined ? files : { ...files, logFilePath };
    }),
    async shows(service) {
      await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      const job = await scheduleTask(service);
      const files = { outputFilePath: 'folder/output.csv', logFilePath: 'folder/log.txt' };
      await service.edda.put(`${job}/status/Completed`, undefined, files);
      return at((await service.edda.get(job)).json, '/logFilePath') !== files.logFilePath;
    },
  },

  'metadata.twenty-records-at-most': {
    source: 'extensions: Metadata exchange',
    breaks: 'Every record of the metadata is known, however many a host has.',
    kind: 'value',
    variant: replaces('metadata', 'usableRecords', (right, areas, items) => right(areas, items.slice(0, 20))),
    async shows(service) {
      const host = await service.host(() => many(21, (number) => ({ id: `event-${number}` })));
      await service.edda.sendEvent('event-21');
      await service.pass(1);
      return (await reached(host, 1, 1500)).length < 1;
    },
  },
};

/** Valid, whoever asks. */
const valid = always({ status: 200, json: { isValid: true, message: '' } });

function subjectOf(token: string): unknown {
  const [, payload = ''] = token.split('.');
  return at(JSON.parse(Buffer.from(payload, 'base64url').toString() || 'null'), '/sub');
}
