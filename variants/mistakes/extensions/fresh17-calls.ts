import { setTimeout } from 'node:timers/promises';
import { deadlines, jobWith, keepJob } from '../../../reference-server/areas/jobs.ts';
import type { Validation } from '../../../reference-server/areas/validation.ts';
import { headerNames } from '../../../contract/names.ts';
import { breaks, replaces, together } from '../../breaks.ts';
import {
  actionPath,
  always,
  awaitCalls,
  awaitCallsOf,
  callsOf,
  event,
  first503,
  mail,
  mailer,
  mailPath,
  recordOf,
  task,
  validator,
  validatorOf,
} from '../hosts.ts';
import type { Mistakes } from '../mistake.ts';
import {
  becomes,
  callOfEndpoint,
  changeExtension,
  failTimes,
  logEntries,
  promoteOne,
  promoteOf,
  runAction,
  runningJob,
  scheduleInput,
  scheduleTask,
} from '../proofs.ts';
import { at, encoded, listAt } from '../service.ts';
import { changes, perServer } from '../variant-parts.ts';

const spaceOf = perServer(() => new Map<string, string>());
const keyAt = perServer(() => new Map<string, string>());
const failuresOf = perServer(() => new Map<string, number>());
const pausedOf = perServer(() => new Set<string>());
const updatesOf = perServer(() => new Map<string, number>());
const verdictsOf = perServer(() => new Map<string, Awaited<ReturnType<Validation['askValidator']>>>());
const versionsOf = perServer(() => new Map<string, number>());
const validatorsOf = perServer(() => new Map<string, never>());
const lifeTimesOf = perServer(() => new Map<string, number>());

export const fresh17CallsMistakes: Mistakes = {
  'fresh17b.parameter-that-only-looks-like-it': {
    source: 'extensions: Registered trusted external endpoint',
    breaks: 'The token is appended to every call, also where a parameter of the address begins with its name.',
    variant: replaces('requests', 'endpointUrl', async (right, areas, delivery, callee) => {
      const url = await right(areas, delivery, callee);
      return callee.endpoint.url.includes('access_token') ? callee.endpoint.url : url;
    }),
    async shows(service) {
      const call = await callOfEndpoint(
        service,
        {},
        { kind: 'trustedExternalEndpoint', path: '/hook?access_token_type=jwt' },
      );
      return call?.target.includes('access_token=') === false;
    },
  },
  'fresh17b.space-of-the-first-event': {
    source: 'extensions: Payloads by extension type, row ExternalEvent',
    breaks: 'The payload names the space of the event, not that of an earlier one of the same record.',
    variant: replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
      const delivery = right(areas, call, triggered);
      if (delivery.kind !== 'event') return delivery;
      const key = `${delivery.registrationId} ${delivery.recordId}`;
      const spaceId = spaceOf(areas).get(key) ?? delivery.spaceId;
      spaceOf(areas).set(key, spaceId);
      return { ...delivery, payload: { ...(delivery.payload as object), spaceId } };
    }),
    async shows(service) {
      const host = await service.host([event]);
      for (const space of ['main', 'depot'])
        await service.edda.post(`/api/space/${space}/externalEvent`, { recordId: 'event', contentPayload: {} });
      const calls = await awaitCalls(host, 2);
      return calls.every((call) => at(call.json, '/payload/spaceId') === 'main');
    },
  },
  'fresh17b.no-filter-again': {
    source: 'extensions: Call envelope, row informationFilter',
    breaks: 'The envelope holds the filter of the trigger, in a retry too.',
    variant: replaces('requests', 'requestFor', (right, areas, delivery, callee, attempt) =>
      right(areas, attempt > 1 ? { ...delivery, informationFilter: 'e30=' } : delivery, callee, attempt),
    ),
    async shows(service) {
      const host = await service.host([event], first503);
      const filter = encoded({ time: '2030-01-01T00:00:00Z' });
      await service.edda.sendEvent('event', {}, { [headerNames.informationFilter]: filter });
      await failTimes(service, host, 1);
      const [one, other] = await awaitCalls(host, 2);
      return at(one?.json, '/informationFilter') !== at(other?.json, '/informationFilter');
    },
  },
  'fresh17b.task-links-into-the-main-space': {
    source: 'extensions: External task links',
    breaks: 'The links of a task lead to the job in its own space.',
    variant: changes('requests', 'taskLinks', (links) =>
      links.map((link) =>
        link.id.startsWith('task')
          ? { ...link, url: link.url.replace('/api/space/depot/dx', '/api/space/main/dx') }
          : link,
      ),
    ),
    async shows(service) {
      const host = await service.host([task]);
      await service.edda.post('/api/space/depot/dx', { recordId: 'task', inputPath: 'a.csv' });
      const [call] = await awaitCalls(host);
      return listAt(call?.json, '/payload/links').some((link) => String(at(link, '/url')).includes('/main/dx'));
    },
  },
  'fresh17b.stream-link-one-level-up': {
    source: 'extensions: External task links, row uploadFileStream',
    breaks: 'The default location is the path of the input, which may lie several directories deep.',
    variant: replaces('requests', 'taskLinks', (right, areas, spaceId, jobId, inputPath, token) =>
      right(areas, spaceId, jobId, inputPath, token).map((link) => {
        const [first] = inputPath.split('/').filter(Boolean);
        if (link.id !== 'uploadFileStream' || inputPath.split('/').filter(Boolean).length < 3) return link;
        return { ...link, url: link.url.replace(/\/stream\/.*$/, `/stream/${first}`) };
      }),
    ),
    async shows(service) {
      const host = await service.host([task]);
      await scheduleInput(service, 'a/b/input.csv');
      const [call] = await awaitCalls(host);
      const link = listAt(call?.json, '/payload/links').find((one) => at(one, '/id') === 'uploadFileStream');
      return String(at(link, '/url')).endsWith('/stream/a');
    },
  },
  'fresh17b.progress-over-the-end': {
    source: 'extensions: External task status',
    breaks: 'A task that has completed is completed, also where a report of its progress comes at the same time.',
    variant: replaces('jobs', 'reportProgress', async (right, areas, call, writing) => {
      const { place: job, json: progress } = call;
      const answer = await right(areas, call, writing);
      void setTimeout(20).then(() =>
        areas.store.change(async (later) => {
          const now = await jobWith(later, job.id);
          if (now?.state === 'Completed') await keepJob(later, { ...job, progress });
        }),
      );
      return answer;
    }),
    async shows(service) {
      await service.host([task]);
      const job = await runningJob(service);
      await service.edda.put(`${job}/progress`, undefined, { message: 'half' });
      await service.edda.put(`${job}/status/Completed`, undefined);
      return becomes(async () => at((await service.edda.get(job)).json, '/state') === 'Running', 300);
    },
  },
  'fresh17b.one-timer-for-all-tasks': {
    source: 'extensions: Limits, task timeout',
    breaks: 'Each task has its time, also where another begins meanwhile.',
    variant: replaces('jobs', 'noteTaskStart', async (right, areas, writing, id) => {
      for (const other of await deadlines(writing))
        if (other.id !== id) await areas.jobs.dropDeadline(writing, other.id);
      await right(areas, writing, id);
    }),
    async shows(service) {
      await service.host([task]);
      const one = await scheduleTask(service, { timeout: 60 });
      await becomes(async () => at((await service.edda.get(one)).json, '/state') === 'Running');
      const other = await scheduleTask(service, { timeout: 500 });
      await becomes(async () => at((await service.edda.get(other)).json, '/state') === 'Running');
      await service.pass(100);
      return !(await becomes(async () => at((await service.edda.get(one)).json, '/state') === 'Failed', 700));
    },
  },
  'fresh17b.usual-timeout-in-the-retry': {
    source: 'extensions: Payloads by extension type, row ExternalTask',
    breaks: 'The payload tells the time that the task has, in a retry too.',
    variant: replaces('requests', 'requestFor', (right, areas, delivery, callee, attempt) =>
      right(
        areas,
        delivery.kind === 'task' && attempt > 1
          ? { ...delivery, payload: { ...(delivery.payload as object), timeout: 600 } }
          : delivery,
        callee,
        attempt,
      ),
    ),
    async shows(service) {
      const host = await service.host([task], first503);
      await scheduleInput(service, 'a.csv', 77);
      await failTimes(service, host, 1);
      const [, call] = await awaitCalls(host, 2);
      return at(call?.json, '/payload/timeout') === 600;
    },
  },
  'fresh17b.verdict-from-before-the-edit': {
    source: 'extensions: Extension metadata record, capability use',
    breaks: 'The object is validated as it is at the promote, whatever was found before an edit of it.',
    variant: replaces('validation', 'askValidator', async (right, areas, call, object, asked) => {
      const key = `${object.oid} ${asked.recordId}`;
      const verdict = verdictsOf(areas).get(key) ?? (await right(areas, call, object, asked));
      if (verdict.kind === 'invalid') verdictsOf(areas).set(key, verdict);
      return verdict;
    }),
    async shows(service) {
      const host = await service.host(
        [validator],
        [
          {
            steps: [
              { status: 200, json: { isValid: false, message: 'no' } },
              { status: 200, json: { isValid: true, message: '' } },
            ],
            afterwards: 'last',
          },
        ],
      );
      const made = await service.edda.make('Document', { title: 'a' });
      await service.edda.move(made, 1);
      await service.edda.merge(made, 1, { title: 'b' });
      await service.edda.move(made, 2);
      return callsOf(host, 'validation').length < 2;
    },
  },
  'fresh17b.validates-the-first-of-a-batch': {
    source: 'extensions: Extension metadata record, capability use',
    breaks: 'Each object of a listed SoftType is validated, the second one of a batch too.',
    variant: together(
      replaces('validatedWrites', 'validatedBatch', (right, areas, batch, table) => {
        const operations: unknown = JSON.parse(batch.body?.toString() ?? 'null');
        const first = Array.isArray(operations) ? operations.slice(0, 1) : operations;
        return right(areas, { ...batch, body: Buffer.from(JSON.stringify(first)) }, table).then((call) => ({
          ...call,
          body: batch.body,
        }));
      }),
      replaces('validation', 'assertValidated', async (right, areas, call, reading, object) => {
        if (
          call.isSibling === undefined ||
          (call.verdicts?.size !== undefined && call.verdicts.has(`${object.oid} ${object.version}`))
        )
          return right(areas, call, reading, object);
      }),
    ),
    async shows(service) {
      const host = await service.host([validator]);
      const [one, other] = [
        await service.edda.make('Document', { title: 'a' }),
        await service.edda.make('Document', { title: 'b' }),
      ];
      await service.edda.batch([promoteOf(one, 1), promoteOf(other, 1)]);
      return callsOf(host, 'validation').length < 2;
    },
  },
  'fresh17b.validators-of-the-start': {
    source: 'extensions: Metadata exchange',
    breaks: 'After an update the SoftTypes that the new metadata list are validated.',
    variant: replaces('registry', 'validatorsOf', async (right, areas, reading, softTypeId) => {
      const known = validatorsOf(areas);
      const found = (known.get(softTypeId) as never) ?? (await right(areas, reading, softTypeId));
      known.set(softTypeId, found as never);
      return found;
    }),
    async shows(service) {
      const host = await service.host([validatorOf('Part')]);
      await promoteOne(service);
      host.setRecords([{ ...recordOf('validator', 'ExternalValidation'), ...validatorOf('Part', 'Document') }]);
      await changeExtension(service, { hostUri: host.url });
      await promoteOne(service);
      return callsOf(host, 'validation').length === 0;
    },
  },
  'fresh17b.mail-trimmed': {
    source: 'extensions: Payloads by extension type, row Email',
    breaks: 'The body of a mail is sent as it is, white space at its ends too.',
    variant: changes('triggeredCalls', 'deliveryOf', (delivery) =>
      delivery.kind === 'email'
        ? {
            ...delivery,
            payload: {
              ...(delivery.payload as { body: string }),
              body: (delivery.payload as { body: string }).body.trim(),
            },
          }
        : delivery,
    ),
    async shows(service) {
      const host = await service.host([mailer]);
      await service.edda.post(mailPath, { ...mail, body: 'line\n\n-- \n' });
      const [call] = await awaitCalls(host);
      return at(call?.json, '/payload/body') === 'line\n\n--';
    },
  },
  'fresh17b.batch-of-one-unwrapped': {
    source: 'extensions: Payloads by extension type, action content payload',
    breaks: 'The payload of a form action is what the service would have sent, an array of one operation too.',
    variant: changes('triggers', 'formPayload', (payload) => {
      const content = at(payload, '/contentPayload');
      return Array.isArray(content) && content.length === 1
        ? { ...payload, contentPayload: content[0] as unknown }
        : payload;
    }),
    async shows(service) {
      const host = await service.host([recordOf('action', 'ExternalAction')]);
      await runAction(service, {
        kind: 'form',
        requestedRoute: '/api/space/main/batch',
        httpVerb: 'POST',
        contentPayload: [{ method: 'GET', href: '/api/space/main' }],
      });
      const [call] = await awaitCalls(host);
      return !Array.isArray(at(call?.json, '/payload/contentPayload'));
    },
  },
  'fresh17b.context-object-is-the-selected-one': {
    source: 'extensions: Payloads by extension type, action content payload',
    breaks: 'Where nothing is selected there is no selected object, also in the module of a context object.',
    variant: changes('triggers', 'ribbonPayload', (payload) => {
      const context = at(payload, '/contentPayload/contextObject');
      if (context === undefined || at(payload, '/contentPayload/selectedObject') !== undefined) return payload;
      return { contentPayload: { selectedObject: context, contextObject: context } };
    }),
    async shows(service) {
      const host = await service.host([recordOf('action', 'ExternalAction')]);
      const made = await service.edda.make('Document', { title: 'a' });
      await service.edda.post(actionPath, { kind: 'ribbon', contextObjectId: made.oid });
      const [call] = await awaitCalls(host);
      return at(call?.json, '/payload/contentPayload/selectedObject') !== undefined;
    },
  },
  'fresh17b.version-at-the-first-action': {
    source: 'extensions: Payloads by extension type, row ExternalAction',
    breaks: 'An action tells the version of the selected object, as it is after an edit too.',
    variant: changes('triggeredCalls', 'deliveryOf', (delivery, areas) => {
      const { objectId, svcUOIVersion } = delivery.payload as { objectId?: string; svcUOIVersion?: number };
      if (delivery.kind !== 'action' || objectId === undefined || svcUOIVersion === undefined) return delivery;
      const known = versionsOf(areas).get(objectId) ?? svcUOIVersion;
      versionsOf(areas).set(objectId, known);
      return { ...delivery, payload: { ...(delivery.payload as object), svcUOIVersion: known } };
    }),
    async shows(service) {
      const host = await service.host([recordOf('action', 'ExternalAction')]);
      const made = await service.edda.make('Document', { title: 'a' });
      await service.edda.post(actionPath, { kind: 'ribbon', objectId: made.oid });
      await service.edda.merge(made, 1, { title: 'b' });
      await service.edda.post(actionPath, { kind: 'ribbon', objectId: made.oid });
      const [, call] = await awaitCalls(host, 2);
      return at(call?.json, '/payload/svcUOIVersion') === 1;
    },
  },
  'fresh17b.cancels-by-correlation-id': {
    source: 'extensions: Events 3',
    breaks: 'Who deletes an event cancels that one, and no other of the same request id.',
    variant: breaks('queue', 'cancelDelivery', (right) => async (areas, writing, id) => {
      const delivery = await writing.delivery(id);
      const isQueued = await right(areas, writing, id);
      if (delivery === undefined) return isQueued;
      for (const other of await writing.readyDeliveries(delivery.endpoint, Number.MAX_SAFE_INTEGER, 100))
        if (other.envelopeId === delivery.envelopeId && other.id !== id) await right(areas, writing, other.id);
      return isQueued;
    }),
    async shows(service) {
      const host = await service.host([event], always(503));
      const headers = { 'X-Correlation-Id': '5f0f6d0e-6c1b-4d53-9b0e-0d3c0a4b7a11' };
      const one = await service.edda.sendEvent('event', { n: 1 }, headers);
      await service.edda.sendEvent('event', { n: 2 }, headers);
      await awaitCalls(host, 2);
      await becomes(async () => (await logEntries(service, 'transient-error')).length >= 2);
      await service.edda.delete(one.headers.get('location') ?? '');
      await service.pass(2);
      return (await awaitCallsOf(host, 'event', 3, 500)).length < 3;
    },
  },
  'fresh17b.backoff-of-the-endpoint': {
    source: 'extensions: Limits, retries',
    breaks: 'The waits of a call begin with 2 seconds, however often another call of its endpoint has failed.',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) => {
      const step = right(areas, delivery, policy, outcome);
      const failures = failuresOf(areas);
      if (step.kind !== 'retry') {
        failures.delete(policy.endpoint);
        return step;
      }
      const count = (failures.get(policy.endpoint) ?? 0) + 1;
      failures.set(policy.endpoint, count);
      return { ...step, delayMs: areas.policies.nextRetryDelay(count) };
    }),
    async shows(service) {
      const host = await service.host([event], always(503));
      await service.edda.sendEvent('event', { n: 1 });
      await awaitCalls(host, 1);
      await becomes(async () => (await logEntries(service, 'transient-error')).length >= 1);
      await service.edda.sendEvent('event', { n: 2 });
      await becomes(async () => (await logEntries(service, 'transient-error')).length >= 2);
      return at((await logEntries(service, 'transient-error'))[1], '/wait') !== 2;
    },
  },
  'fresh17b.second-pause-is-not-logged': {
    source: 'extensions: Errors 3',
    breaks: 'An entry is written when the rate limit is exceeded, the second time too.',
    variant: replaces('deliveryLog', 'logEntry', async (right, areas, writing, entry) => {
      const paused = pausedOf(areas);
      if (entry.kind === 'rate-limit' && paused.has(entry.endpoint)) return;
      if (entry.kind === 'rate-limit') paused.add(entry.endpoint);
      await right(areas, writing, entry);
    }),
    async shows(service) {
      await service.host([{ id: 'event', rateLimitNumberOfExecutions: 1 }]);
      for (let count = 0; count < 3; count += 1) await service.edda.sendEvent();
      await service.pass(1);
      await service.pass(61);
      await service.pass(1);
      return !(await becomes(async () => (await logEntries(service, 'rate-limit')).length > 1, 700));
    },
  },
  'fresh17b.validation-retries-out-of-five': {
    source: 'extensions: Errors 3',
    breaks: 'The entry of a retry tells its number out of the total, which is 3 for a validation.',
    variant: replaces('deliveries', 'logEntriesFor', (right, areas, delivery, policy, outcome, step) =>
      right(
        areas,
        delivery,
        policy && delivery.kind === 'validation' ? { ...policy, retries: 5 } : policy,
        outcome,
        step,
      ),
    ),
    async shows(service) {
      await service.host([validator], first503);
      const made = await service.edda.make('Document', { title: 'a' });
      const promoted = service.edda.move(made, 1);
      await becomes(async () => (await logEntries(service, 'transient-error')).length > 0);
      await service.pass(2);
      await promoted;
      return at((await logEntries(service, 'transient-error'))[0], '/total') === 5;
    },
  },
  'fresh17b.update-begins-a-new-minute': {
    source: 'extensions: Limits, rate limit',
    breaks: 'So many executions are allowed a minute, also where the extension is updated within it.',
    variant: together(
      changes('metadata', 'fetchMetadata', (answer, areas, { hostUri }) => {
        updatesOf(areas).set(hostUri, (updatesOf(areas).get(hostUri) ?? 0) + 1);
        return answer;
      }),
      changes('policies', 'policyOf', (policy, areas, callee) =>
        'extension' in callee
          ? { ...policy, rateKey: `${policy.rateKey} ${updatesOf(areas).get(callee.extension.hostUri) ?? 0}` }
          : policy,
      ),
    ),
    async shows(service) {
      const host = await service.host([{ id: 'event', rateLimitNumberOfExecutions: 1 }]);
      await service.edda.sendEvent();
      await awaitCalls(host, 1);
      await changeExtension(service, { hostUri: host.url });
      await service.edda.sendEvent();
      return (await awaitCallsOf(host, 'event', 2, 500)).length > 1;
    },
  },
  'fresh17b.timeout-of-whole-seconds': {
    source: 'extensions: Extension metadata record, row requestTimeout',
    breaks: 'The timeout of a record is a number, of which the part behind the point counts.',
    variant: changes('callees', 'requestTimeoutOf', (seconds) => Math.ceil(seconds)),
    async shows(service) {
      const host = await service.host([{ id: 'event', requestTimeout: 10.2 }], always({ never: true }));
      await service.edda.sendEvent();
      await awaitCalls(host);
      await service.pass(10.5);
      return !(await becomes(async () => (await logEntries(service, 'timeout')).length > 0, 700));
    },
  },
  'fresh17b.retry-signed-with-the-former-key': {
    source: 'extensions: Authentication 3',
    breaks:
      'A call is signed with the key of the extension, also where that was changed while the call waited for its retry.',
    variant: replaces('requests', 'extensionRequest', (right, areas, delivery, callee) => {
      const apiKey = keyAt(areas).get(delivery.id) ?? callee.extension.apiKey;
      keyAt(areas).set(delivery.id, apiKey);
      return right(areas, delivery, { ...callee, extension: { ...callee.extension, apiKey } });
    }),
    async shows(service) {
      const host = await service.host([event], first503);
      await service.edda.sendEvent();
      await awaitCalls(host, 1);
      await becomes(async () => (await logEntries(service, 'transient-error')).length > 0);
      await changeExtension(service, { hostUri: host.url, apiKey: Buffer.alloc(64, 9).toString('base64') });
      await service.pass(2);
      const [, call] = await awaitCalls(host, 2);
      return call?.signature?.ok === true;
    },
  },
  'fresh17b.life-time-of-the-registration': {
    source: 'extensions: Registered extension, row tokenLifeTime',
    breaks: 'Tokens last as long as the registration says, after a change of it too.',
    variant: replaces('requests', 'extensionRequest', (right, areas, delivery, callee) => {
      const { id } = callee.extension;
      const tokenLifeTime = lifeTimesOf(areas).get(id) ?? callee.extension.tokenLifeTime;
      lifeTimesOf(areas).set(id, tokenLifeTime);
      return right(areas, delivery, { ...callee, extension: { ...callee.extension, tokenLifeTime } });
    }),
    async shows(service) {
      const host = await service.host([event]);
      await service.edda.sendEvent();
      await awaitCalls(host, 1);
      await changeExtension(service, { hostUri: host.url, tokenLifeTime: 5 });
      await service.edda.sendEvent();
      const [, call] = await awaitCalls(host, 2);
      const claims: unknown = JSON.parse(
        Buffer.from(String(at(call?.json, '/accessToken')).split('.')[1] ?? '', 'base64url').toString(),
      );
      return Number(at(claims, '/exp')) - Number(at(claims, '/iat')) > 300;
    },
  },
  'fresh17b.late-reports-by-an-old-token': {
    source: 'extensions: Authentication 4',
    breaks: 'The token of a call is valid for its life time, and for no report behind that.',
    variant: replaces('dispatcher', 'carryOut', (right, areas, route, call) => {
      const token = /^Bearer (.*\..*\..*)$/.exec(call.headers['authorization'] ?? '')?.[1];
      const isMeant = route.method === 'PUT' && route.path.includes('/dx/') && token !== undefined;
      const [, payload = ''] = token?.split('.') ?? [];
      const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString() || '{}');
      if (!isMeant || at(claims, '/scope') !== 'impersonation') return right(areas, route, call);
      const user = areas.configuration.users.get(String(at(claims, '/sub')));
      const headers = { ...call.headers, ...(user && { authorization: `Bearer ${user.pat}` }) };
      return right(areas, route, { ...call, headers });
    }),
    async shows(service) {
      const host = await service.host([task]);
      const job = await scheduleTask(service, { timeout: 100_000 });
      const [entry] = await awaitCalls(host);
      await service.pass(61 * 60);
      const authorization = `Bearer ${entry?.envelope?.accessToken}`;
      const answer = await service.nobody.send('PUT', `${job}/progress`, {
        headers: { authorization },
        body: { message: 'late' },
      });
      return answer.status < 300;
    },
  },
  'fresh17b.ids-in-another-letter-case': {
    source: 'extensions: Extension metadata record, row id',
    breaks: 'Two records whose ids differ in the case of letters are two.',
    variant: changes('metadata', 'usableRecords', ({ records, complaints }) => ({
      records: [
        ...new Map(records.toReversed().map((record) => [record.id.toLowerCase(), record])).values(),
      ].toReversed(),
      complaints,
    })),
    async shows(service) {
      await service.host([{ id: 'event' }, { id: 'Event', endpoint: '/other' }]);
      return (await service.edda.sendEvent('Event')).status >= 400;
    },
  },
};
