import { randomUUID } from 'node:crypto';
import { headerNames } from '../../../contract/names.ts';
import { deadlines, jobWith, keepJob } from '../../../reference-server/areas/jobs.ts';
import { registrationsOf } from '../../../reference-server/areas/registry.ts';
import { Misfit } from '../../../reference-server/areas/records.ts';
import { breaks, replaces, together } from '../../breaks.ts';
import {
  action,
  always,
  awaitCalls,
  callsOf,
  callsTo,
  event,
  first503,
  mailer,
  mailPath,
  task,
  validator,
} from '../hosts.ts';
import type { Mistakes } from '../mistake.ts';
import {
  askForKeys,
  becomes,
  changeExtension,
  claimsIn,
  claimsOf,
  holderAt,
  keyHost,
  logEntries,
  logEntriesOf,
  promoteOne,
  registerEndpoint,
  runAction,
  scheduleTask,
  tokenIn,
  waitForRetries,
} from '../proofs.ts';
import { at, editPath, hostKey, listAt, movePath, signatureOver, type Service, versionHeader } from '../service.ts';
import { changes, perServer } from '../variant-parts.ts';

const heldOf = perServer(() => new Set<string>());

const startsOf = perServer(() => new Map<string, number>());

const otherKey = Buffer.alloc(64, 9).toString('base64');

/** The call that is retried after a first 503. */
async function retried(service: Service, headers: Readonly<Record<string, string>> = {}) {
  const host = await service.host([event], first503);
  await service.edda.sendEvent('event', {}, headers);
  await waitForRetries(service, host, 1);
  return callsTo(host);
}

export const fresh15bCallsMistakes: Mistakes = {
  'fresh15b.trusted.token-life-time-as-at-the-first-call': {
    source: 'extensions: Registered trusted external endpoint, row tokenLifeTime',
    breaks: 'Tokens are valid for the minutes that are registered now, also where they were others before.',
    variant: breaks('requests', 'endpointUrl', (right) => {
      const first = new Map<string, number>();
      return (areas, delivery, callee) => {
        const { endpoint } = callee;
        if (endpoint.kind !== 'trustedExternalEndpoint') return right(areas, delivery, callee);
        const tokenLifeTime = first.get(endpoint.id) ?? endpoint.tokenLifeTime;
        first.set(endpoint.id, tokenLifeTime);
        return right(areas, delivery, { ...callee, endpoint: { ...endpoint, tokenLifeTime } });
      };
    }),
    async shows(service) {
      const host = await service.host([]);
      const fields = {
        id: 'hook',
        url: `${host.url}/hook`,
        method: 'POST',
        category: 'proof',
        headers: [{ name: 'content-type', value: 'application/json' }],
      };
      await registerEndpoint(service, 'trustedExternalEndpoint', fields);
      await service.edda.sendToEndpoint();
      await awaitCalls(host);
      await service.cora.put('/api/admin/trustedExternalEndpoint/hook', undefined, { ...fields, tokenLifeTime: 5 });
      await service.edda.sendToEndpoint();
      const claims = claimsOf(tokenIn((await awaitCalls(host, 2))[1]));
      return Number(at(claims, '/exp')) - Number(at(claims, '/iat')) === 3600;
    },
  },
  'fresh15b.trusted.query-written-anew': {
    source: 'extensions: Registered trusted external endpoint',
    breaks: 'The token is appended to the query that the address has, which stays as it is.',
    variant: changes('requests', 'endpointUrl', (url) => {
      const parsed = new URL(url);
      parsed.search = new URLSearchParams(parsed.search).toString();
      return parsed.href;
    }),
    async shows(service) {
      const host = await service.host([]);
      await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/hook?q=a%20b` });
      await service.edda.sendToEndpoint();
      return (await awaitCalls(host))[0]?.target.includes('a+b') === true;
    },
  },
  'fresh15b.endpoints.headers-with-a-body-alone': {
    source: 'extensions: Registered external endpoint, row headers',
    breaks: 'The configured headers are set on the call, on one without a body too.',
    variant: changes('requests', 'endpointRequest', (request) =>
      request.body === undefined ? { ...request, headers: {} } : request,
    ),
    async shows(service) {
      const host = await service.host([]);
      const headers = [
        { name: 'content-type', value: 'text/plain' },
        { name: 'x-key', value: 'secret' },
      ];
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook`, method: 'GET', headers });
      await service.edda.sendToEndpoint();
      const [call] = await awaitCalls(host);
      return call !== undefined && !call.headers.some(([name]) => name.toLowerCase() === 'x-key');
    },
  },
  'fresh15b.endpoints.of-one-address-share-their-limit': {
    source: 'extensions: Limits, rate limit',
    breaks: 'Each endpoint has its own limit, also where two have one address.',
    variant: changes('callees', 'calleeOf', (callee) =>
      callee !== undefined && 'endpoint' in callee ? { ...callee, rateKey: callee.url } : callee,
    ),
    async shows(service) {
      const host = await service.host([]);
      for (const id of ['one', 'other'])
        await registerEndpoint(service, 'externalEndpoint', {
          id,
          url: `${host.url}/hook`,
          rateLimitNumberOfExecutions: 1,
        });
      await service.edda.sendToEndpoint('one');
      await awaitCalls(host);
      await service.edda.sendToEndpoint('other');
      return (await awaitCalls(host, 2, 1000)).length < 2;
    },
  },
  'fresh15b.timeouts.deadline-set-at-the-first-attempt': {
    source: 'extensions: Registered external endpoint, row requestTimeout',
    breaks: 'Each attempt has the seconds of requestTimeout to be answered in, retries too.',
    variant: changes('requests', 'requestFor', (request, areas, delivery) => {
      const now = areas.clock.now();
      const startedAt = startsOf(areas).get(delivery.id) ?? now;
      startsOf(areas).set(delivery.id, startedAt);
      return { ...request, timeoutMs: Math.max(1, request.timeoutMs - (now - startedAt)) };
    }),
    async shows(service) {
      const host = await service.host(
        [{ ...event, requestTimeout: 5 }],
        [{ steps: [{ status: 503 }, { status: 503 }, { status: 200, delayMs: 300 }, { status: 200 }] }],
      );
      await service.edda.sendEvent('event', {}, { 'X-Correlation-Id': 'late' });
      await logEntriesOf(service, 'late', 'transient-error', 1);
      await service.pass(2);
      await logEntriesOf(service, 'late', 'transient-error', 2);
      await service.pass(4);
      await awaitCalls(host, 3);
      await service.pass(0.01);
      return becomes(async () => (await logEntries(service, 'timeout')).length > 0, 800);
    },
  },
  'fresh15b.timeouts.whole-seconds': {
    source: 'extensions: Extension metadata record, row requestTimeout',
    breaks: 'requestTimeout is a number of seconds, which may be a broken one.',
    variant: changes('callees', 'requestTimeoutOf', (seconds) => Math.max(1, Math.trunc(seconds))),
    async shows(service) {
      const host = await service.host([{ ...event, requestTimeout: 1.8 }], always({ status: 200, delayMs: 1500 }));
      await service.edda.sendEvent();
      await awaitCalls(host);
      await service.pass(1.1);
      return becomes(async () => (await logEntries(service, 'timeout')).length > 0, 800);
    },
  },
  'fresh15b.rates.held-back-is-tried-once': {
    source: 'extensions: Limits, retries and rate limit',
    breaks: 'What the limit held back is retried as well when it fails for a time.',
    variant: together(
      replaces('deliveries', 'holdBack', (right, areas, writing, delivery, until) => {
        heldOf(areas).add(delivery.id);
        return right(areas, writing, delivery, until);
      }),
      changes('policies', 'nextStepOf', (step, areas, delivery) =>
        step.kind === 'retry' && heldOf(areas).has(delivery.id) ? { kind: 'failed' } : step,
      ),
    ),
    async shows(service) {
      const steps = [200, 200, 503, 200].map((status) => ({ status }));
      const script = [{ when: { kind: 'event' }, steps, afterwards: 'last' as const }];
      const host = await service.host([{ ...event, rateLimitNumberOfExecutions: 2 }], script);
      for (let left = 3; left > 0; left -= 1) await service.edda.sendEvent();
      await awaitCalls(host, 2);
      await service.pass(61);
      await awaitCalls(host, 3);
      await becomes(async () => (await logEntries(service, 'failed')).length > 0, 400);
      await service.pass(3);
      return (await awaitCalls(host, 4, 800)).length < 4;
    },
  },
  'fresh15b.events.deleted-in-a-pause-go-out': {
    source: 'extensions: Events 3; Limits, rate limit',
    breaks: 'An event that a user deletes is cancelled, also while the limit holds it back.',
    variant: replaces('queue', 'cancelDelivery', async (right, areas, writing, id) => {
      const delivery = await writing.delivery(id);
      const isHeld = delivery !== undefined && delivery.attempts === 0 && (delivery.readyAt ?? 0) > areas.clock.now();
      if (!isHeld) return right(areas, writing, id);
      const entry = areas.deliveryLog.entryOf(delivery, undefined, 'cancelled', 'cancelled by a user');
      await areas.deliveryLog.logEntry(writing, entry);
      return true;
    }),
    async shows(service) {
      const host = await service.host([{ ...event, rateLimitNumberOfExecutions: 1 }]);
      await service.edda.sendEvent();
      await awaitCalls(host);
      const second = await service.edda.sendEvent();
      await becomes(async () => (await logEntries(service, 'rate-limit')).length > 0);
      await service.edda.delete(second.headers.get('location') ?? '');
      await service.pass(61);
      return (await awaitCalls(host, 2, 600)).length > 1;
    },
  },
  'fresh15b.retries.for-ever-but-for-tasks': {
    source: 'extensions: Extension metadata record, row retryForever',
    breaks: 'With retryForever a task is called again without end.',
    variant: changes('policies', 'policyOf', (policy, _areas, _callee, { kind }) =>
      kind === 'task' ? { ...policy, retries: Math.min(policy.retries, 5) } : policy,
    ),
    async shows(service) {
      await service.host([{ ...task, retryForever: true }], always(503));
      await scheduleTask(service);
      await becomes(async () => (await logEntries(service, 'transient-error')).length > 0);
      return at((await logEntries(service, 'transient-error'))[0], '/total') === 5;
    },
  },
  'fresh15b.envelope.task-retried-under-another-id': {
    source: 'extensions: Call envelope, row id',
    breaks: 'The id of a task is that of its job, at each attempt.',
    variant: changes('requests', 'requestFor', (request, _areas, { kind }, _callee, attempt) => {
      if (kind !== 'task' || attempt === 1) return request;
      return { ...request, body: JSON.stringify({ ...JSON.parse(request.body ?? '{}'), id: randomUUID() }) };
    }),
    async shows(service) {
      const host = await service.host([task], first503);
      await scheduleTask(service);
      await waitForRetries(service, host, 1);
      const [one, two] = callsTo(host);
      return one?.envelope?.id !== two?.envelope?.id;
    },
  },
  'fresh15b.envelope.filter-lost-at-a-retry': {
    source: 'extensions: Call envelope, row informationFilter',
    breaks: 'The filter is that of the trigger at each attempt.',
    variant: replaces('requests', 'requestFor', (right, areas, delivery, callee, attempt) =>
      right(areas, attempt > 1 ? { ...delivery, informationFilter: 'e30=' } : delivery, callee, attempt),
    ),
    async shows(service) {
      const filter = Buffer.from('{"role":"editor"}').toString('base64');
      const [, two] = await retried(service, { [headerNames.informationFilter]: filter });
      return two?.envelope?.informationFilter === 'e30=';
    },
  },
  'fresh15b.tokens.retries-carry-that-of-the-latest-caller': {
    source: 'extensions: Call envelope, row accessToken',
    breaks: 'The token of a retry speaks for the user that triggered the event, whoever triggered another meanwhile.',
    variant: breaks('requests', 'requestFor', (right) => {
      const latest = new Map<string, string>();
      return (areas, delivery, callee, attempt) => {
        const key = areas.policies.endpointKeyOf(delivery);
        if (attempt === 1) latest.set(key, delivery.userName);
        return right(areas, { ...delivery, userName: latest.get(key) ?? delivery.userName }, callee, attempt);
      };
    }),
    async shows(service) {
      const host = await service.host([event], first503);
      await service.edda.sendEvent('event', {}, { 'X-Correlation-Id': 'hers' });
      await logEntriesOf(service, 'hers', 'transient-error', 1);
      await service.emil.sendEvent();
      await awaitCalls(host, 2);
      await service.pass(2);
      return at(claimsIn((await awaitCalls(host, 3))[2]), '/sub') === 'emil';
    },
  },
  'fresh15b.events.space-of-the-first-one': {
    source: 'extensions: Payloads by extension type, row ExternalEvent',
    breaks: 'spaceId is the space of the event, also where an event of another space went to the record before.',
    variant: breaks('triggeredCalls', 'deliveryOf', (right) => {
      const spaces = new Map<string, unknown>();
      return (areas, call, triggered) => {
        const delivery = right(areas, call, triggered);
        if (delivery.kind !== 'event' || typeof delivery.payload !== 'object') return delivery;
        const key = areas.policies.endpointKeyOf(delivery);
        if (!spaces.has(key)) spaces.set(key, delivery.spaceId);
        return { ...delivery, payload: { ...delivery.payload, spaceId: spaces.get(key) } };
      };
    }),
    async shows(service) {
      const host = await service.host([event]);
      await service.edda.sendEvent();
      await awaitCalls(host);
      await service.edda.post('/api/space/depot/externalEvent', { recordId: 'event', contentPayload: {} });
      return at((await awaitCalls(host, 2))[1]?.json, '/payload/spaceId') === 'main';
    },
  },
  'fresh15b.events.one-correlation-id-for-one-event': {
    source: 'extensions: Events 1 and 4',
    breaks: 'Each event is delivered, also where two requests come with one correlation id.',
    variant: breaks('queue', 'enqueue', (right) => {
      const seen = new Set<string>();
      return async (areas, writing, delivery) => {
        const key = `${areas.policies.endpointKeyOf(delivery)} ${delivery.envelopeId}`;
        if (delivery.kind === 'event' && seen.has(key)) return true;
        seen.add(key);
        return right(areas, writing, delivery);
      };
    }),
    async shows(service) {
      const host = await service.host([event]);
      for (const number of [1, 2]) await service.edda.sendEvent('event', { number }, { 'X-Correlation-Id': 'same' });
      return (await awaitCalls(host, 2, 1000)).length < 2;
    },
  },
  'fresh15b.emails.line-ends-made-alike': {
    source: 'extensions: Payloads by extension type, row Email',
    breaks: 'The body of a mail is passed on as it was written.',
    variant: changes('triggeredCalls', 'deliveryOf', (delivery) =>
      delivery.kind === 'email'
        ? {
            ...delivery,
            payload: JSON.parse(JSON.stringify(delivery.payload).replaceAll(String.raw`\r\n`, String.raw`\n`)),
          }
        : delivery,
    ),
    async shows(service) {
      const host = await service.host([mailer]);
      await service.edda.post(mailPath, { to: 'a@mail.example', subject: 's', body: 'one\r\ntwo' });
      return at((await awaitCalls(host))[0]?.json, '/payload/body') === 'one\ntwo';
    },
  },
  'fresh15b.actions.a-batch-of-one-is-no-batch': {
    source: 'extensions: text on the action content payload',
    breaks: 'The content payload is what the service would have sent, a batch of one operation too.',
    variant: changes('triggers', 'formPayload', (payload) => {
      const content = listAt(payload, '/contentPayload');
      return content.length === 1 ? { ...payload, contentPayload: content[0] } : payload;
    }),
    async shows(service) {
      const host = await service.host([action]);
      const contentPayload = [{ method: 'GET', href: '/api/space/main' }];
      await runAction(service, {
        kind: 'form',
        requestedRoute: '/api/space/main/batch',
        httpVerb: 'POST',
        contentPayload,
      });
      return !Array.isArray(at((await awaitCalls(host))[0]?.json, '/payload/contentPayload'));
    },
  },
  'fresh15b.actions.version-as-at-the-first-one': {
    source: 'extensions: Payloads by extension type, row ExternalAction',
    breaks: 'The version in the payload is that which the selected object has now.',
    variant: breaks('triggeredCalls', 'deliveryOf', (right) => {
      const versions = new Map<unknown, unknown>();
      return (areas, call, triggered) => {
        const delivery = right(areas, call, triggered);
        const oid = at(delivery.payload, '/objectId');
        if (delivery.kind !== 'action' || oid === undefined) return delivery;
        if (!versions.has(oid)) versions.set(oid, at(delivery.payload, '/svcUOIVersion'));
        return { ...delivery, payload: { ...(delivery.payload as object), svcUOIVersion: versions.get(oid) } };
      };
    }),
    async shows(service) {
      const host = await service.host([action]);
      const made = await service.edda.make('Document');
      await runAction(service, { kind: 'ribbon', objectId: made.oid });
      await service.edda.send('PATCH', editPath(made), { headers: versionHeader(1), body: { title: 'other' } });
      await runAction(service, { kind: 'ribbon', objectId: made.oid });
      return at((await awaitCalls(host, 2))[1]?.json, '/payload/svcUOIVersion') === 1;
    },
  },
  'fresh15b.validation.verdict-is-remembered': {
    source: 'extensions: Extension metadata record, capability use',
    breaks: 'The extension is asked at each evaluation, also where it was asked about that version before.',
    variant: breaks('validation', 'verdictOn', (right) => {
      const known = new Map<string, Awaited<ReturnType<typeof right>>>();
      return async (areas, call, object, validators) => {
        const key = `${object.oid} ${object.version} ${validators.map(({ registrationId, recordId }) => registrationId + recordId).join()}`;
        const verdict = known.get(key) ?? (await right(areas, call, object, validators));
        if (verdict.kind !== 'error') known.set(key, verdict);
        return verdict;
      };
    }),
    async shows(service) {
      const host = await service.host(
        [validator],
        [
          {
            when: { kind: 'validation' },
            steps: [{ status: 200, json: { isValid: false, message: 'no' } }],
            afterwards: 'last',
          },
        ],
      );
      const made = await service.edda.make('Document');
      for (const _time of [1, 2]) await service.edda.send('PUT', movePath(made), { headers: versionHeader(1) });
      return callsOf(host, 'validation').length === 1;
    },
  },
  'fresh15b.validation.first-of-two-capabilities': {
    source: 'extensions: Extension metadata record, capability use',
    breaks: 'A validation applies to all SoftTypes that are listed, also where two items list them.',
    variant: replaces('metadata', 'recordFrom', (right, areas, item) => {
      const record = right(areas, item);
      if (record instanceof Misfit || record.capabilities === undefined) return record;
      const all = record.capabilities;
      const first = all.filter(
        ({ capabilityType }, index) => all.findIndex((one) => one.capabilityType === capabilityType) === index,
      );
      return { ...record, capabilities: first };
    }),
    async shows(service) {
      const capabilities = ['Part', 'Document'].map((id) => ({ capabilityType: 'SoftType', capabilities: [id] }));
      const host = await service.host([{ ...validator, capabilities }]);
      await promoteOne(service);
      return callsOf(host, 'validation').length === 0;
    },
  },
  'fresh15b.tasks.a-report-ends-all-of-the-record': {
    source: 'extensions: External task status',
    breaks: 'A report ends the job that its path names, and no other one of the same extension.',
    variant: replaces('jobs', 'reportStatus', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      const ended = await jobWith(writing, call.place.id);
      for (const { text } of await writing.documents('job')) {
        const job = JSON.parse(text) as typeof call.place;
        if (job.state === 'Running' && job.recordId === call.place.recordId && ended?.taskStatus !== undefined)
          await keepJob(writing, areas.jobs.jobAfterReport(job, ended.taskStatus, {}));
      }
      return answer;
    }),
    async shows(service) {
      await service.host([task]);
      const [one, other] = [await scheduleTask(service), await scheduleTask(service)];
      const isRunning = async (job: string) => at((await service.edda.get(job)).json, '/state') === 'Running';
      await becomes(async () => (await isRunning(one)) && (await isRunning(other)));
      await service.edda.put(`${one}/status/Completed`, undefined, {});
      return at((await service.edda.get(other)).json, '/state') === 'Completed';
    },
  },
  'fresh15b.tasks.one-timer-a-record': {
    source: 'extensions: Limits, task timeout',
    breaks: 'Each job fails its task after its own time, also where another one of the extension began later.',
    variant: replaces('jobs', 'noteTaskStart', async (right, areas, writing, id) => {
      const started = await jobWith(writing, id);
      for (const other of await deadlines(writing))
        if ((await jobWith(writing, other.id))?.recordId === started?.recordId)
          await writing.deleteDocument('taskDeadline', other.id);
      await right(areas, writing, id);
    }),
    async shows(service) {
      await service.host([task]);
      const jobs = [await scheduleTask(service, { timeout: 20 }), await scheduleTask(service, { timeout: 20 })];
      const stateOf = async (job = '') => at((await service.edda.get(job)).json, '/state');
      await becomes(async () => (await stateOf(jobs[0])) === 'Running' && (await stateOf(jobs[1])) === 'Running');
      await service.pass(30);
      await becomes(async () => (await stateOf(jobs[1])) === 'Failed');
      return !(await becomes(async () => (await stateOf(jobs[0])) === 'Failed', 500));
    },
  },
  'fresh15b.tasks.upload-link-to-the-first-directory': {
    source: 'extensions: External task links, row uploadFileStream',
    breaks: 'The upload goes beside the input, however deep that is.',
    variant: changes('requests', 'taskLinks', (links) =>
      links.map((link) =>
        link.id === 'uploadFileStream' ? { ...link, url: link.url.replace(/(\/stream\/[^/]+)\/.*$/, '$1') } : link,
      ),
    ),
    async shows(service) {
      const host = await service.host([task]);
      await scheduleTask(service, { inputPath: 'a/b/c.csv' });
      const links = listAt((await awaitCalls(host))[0]?.json, '/payload/links');
      return String(
        at(
          links.find((link) => at(link, '/id') === 'uploadFileStream'),
          '/url',
        ),
      ).endsWith('/stream/a');
    },
  },
  'fresh15b.keys.a-permission-once-configured-stays': {
    source: 'extensions: Acquiring API keys',
    breaks: 'Permissions can be asked for that are configured now, not those of earlier metadata.',
    variant: breaks('apiKeys', 'acquireComplaint', (right) => {
      const known = new Map<string, Set<string>>();
      return (areas, holder, request) => {
        const key = `${holder.registrationId} ${holder.recordId ?? ''}`;
        const names = known.get(key) ?? new Set<string>();
        known.set(key, names);
        for (const name of holder.permissions?.permissions ?? []) names.add(name);
        const permissions = holder.permissions && { ...holder.permissions, permissions: [...names] };
        return right(areas, permissions ? { ...holder, permissions } : holder, request);
      };
    }),
    async shows(service) {
      const host = await keyHost(service, 'AdministrationAPI', 'SnapshotAPI');
      await askForKeys(service, host, ['AdministrationAPI', 'SnapshotAPI']);
      host.setRecords([{ ...event, ...holderAt(host.url, 'SnapshotAPI') }]);
      await changeExtension(service, { hostUri: host.url });
      return (await askForKeys(service, host, ['AdministrationAPI'])).status < 300;
    },
  },
  'fresh15b.signing.retries-by-the-key-before': {
    source: 'extensions: Authentication 3',
    breaks: 'A call is signed by the key of the extension, a retry too, before which the key was changed.',
    variant: breaks('requests', 'extensionRequest', (right) => {
      const keys = new Map<string, string>();
      return (areas, delivery, callee) => {
        const apiKey = keys.get(delivery.id) ?? callee.extension.apiKey;
        keys.set(delivery.id, apiKey);
        return right(areas, delivery, { ...callee, extension: { ...callee.extension, apiKey } });
      };
    }),
    async shows(service) {
      const host = await service.host([event], first503);
      await service.edda.sendEvent('event', {}, { 'X-Correlation-Id': 'keys' });
      await logEntriesOf(service, 'keys', 'transient-error', 1);
      await changeExtension(service, { hostUri: host.url, apiKey: otherKey });
      await service.pass(2);
      const [, two] = await awaitCalls(host, 2);
      return two?.signature?.presented === signatureOver('/event', hostKey);
    },
  },
  'fresh15b.metadata.asked-of-all-at-each-addition': {
    source: 'extensions: Metadata exchange',
    breaks: 'A host is asked for its metadata when it is added or updated, not when another one is.',
    variant: replaces('registrations', 'createExtension', async (right, areas, call) => {
      const others = await areas.store.read((reading) => registrationsOf(reading, 'svcExtension'));
      for (const other of others)
        if (other.kind === 'svcExtension') await areas.metadata.fetchMetadata(other, call.correlationId);
      return right(areas, call);
    }),
    async shows(service) {
      const host = await service.host([event]);
      await service.host([]);
      return host.entries(({ kind }) => kind === 'metadata').length > 1;
    },
  },
  'fresh15b.log.limit-told-once-an-endpoint': {
    source: 'extensions: Errors 3',
    breaks: 'An entry tells of each time that the limit is exceeded.',
    variant: breaks('deliveryLog', 'logEntry', (right) => {
      const told = new Set<string>();
      return async (areas, writing, entry) => {
        if (entry.kind === 'rate-limit' && told.has(entry.endpoint)) return;
        if (entry.kind === 'rate-limit') told.add(entry.endpoint);
        await right(areas, writing, entry);
      };
    }),
    async shows(service) {
      const host = await service.host([{ ...event, rateLimitNumberOfExecutions: 1 }]);
      for (const time of [1, 2]) {
        await service.edda.sendEvent();
        await awaitCalls(host, 2 * time - 1);
        await service.edda.sendEvent();
        await becomes(async () => (await logEntries(service, 'rate-limit')).length >= time, 1000);
        await service.pass(61);
        await awaitCalls(host, 2 * time);
        await service.pass(61);
      }
      return (await logEntries(service, 'rate-limit')).length < 2;
    },
  },
  'fresh15b.log.one-of-two-events-of-a-request': {
    source: 'extensions: Errors 3',
    breaks: 'Each transient error is told, also where two events have one correlation id.',
    variant: breaks('deliveryLog', 'logEntry', (right) => {
      const told = new Map<string, string | undefined>();
      return async (areas, writing, entry) => {
        const { envelopeId, kind, retry, endpoint, deliveryId } = entry;
        const key = [envelopeId, kind, retry, endpoint].join(' ');
        if (envelopeId !== undefined && told.has(key) && told.get(key) !== deliveryId) return;
        told.set(key, deliveryId);
        await right(areas, writing, entry);
      };
    }),
    async shows(service) {
      await service.host([event], always(503));
      for (const number of [1, 2]) await service.edda.sendEvent('event', { number }, { 'X-Correlation-Id': 'same' });
      return !(await becomes(async () => (await logEntries(service, 'transient-error')).length > 1, 1000));
    },
  },
};
