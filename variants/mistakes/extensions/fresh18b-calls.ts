import { AsyncLocalStorage } from 'node:async_hooks';
import { keyPeriodSeconds } from '../../../contract/limits.ts';
import { Outdated } from '../../../reference-server/http/refusal.ts';
import { startExtensionHost } from '../../../simulator/extension/host.ts';
import { breaks, replaces, together } from '../../breaks.ts';
import {
  action,
  always,
  awaitCalls,
  awaitCallsOf,
  callsTo,
  first503,
  mail,
  mailer,
  mailPath,
  task,
  validatorOf,
} from '../hosts.ts';
import type { Mistakes } from '../mistake.ts';
import {
  acquireKeys,
  askForKeys,
  changeExtension,
  claimsIn,
  holderAt,
  keyHost,
  promoteOf,
  registerEndpoint,
  runAction,
  scheduleInput,
  waitForRetries,
} from '../proofs.ts';
import { at, hostKey, signatureOver } from '../service.ts';
import { changes, keeps, mapTexts, perServer } from '../variant-parts.ts';

const togglesIn = perServer(() => new Map<string, 'off' | 'on again'>());
const signaturesIn = perServer(() => new Map<string, string>());
const idsIn = perServer(() => ({ at: 0, id: '' }));
const tokensIn = perServer(() => new Map<string, { readonly token: string; readonly expiresAt: number }>());
const promotedIn = perServer(() => new Set<string>());
const contextIn = perServer(() => new Map<string, string>());
const sentIn = perServer(() => new Map<string, number>());
const settingsIn = perServer(() => ({ all: {} as object }));
const askedIn = perServer(() => new Map<string, number>());
const grantedIn = perServer(() => new Map<string, Set<string>>());

/** Between two values of a coarse clock that ids are made from. */
const clockTickMs = 15;

const offsetTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?[+-]\d\d:\d\d$/;

export const fresh18bCallsMistakes: Mistakes = {
  'fresh18b.second-switch-off-is-lost': {
    source: 'extensions: Registered extension',
    breaks: 'An extension can be switched off as often as one likes.',
    variant: together(
      replaces('queue', 'resumeDeliveries', async (right, areas, writing, id) => {
        const registration = await areas.registry.registrationOf(writing, id);
        const toggles = togglesIn(areas);
        if (registration?.active === false && toggles.get(id) === undefined) toggles.set(id, 'off');
        if (registration?.active === true && toggles.get(id) === 'off') toggles.set(id, 'on again');
        await right(areas, writing, id);
      }),
      replaces(
        'callees',
        'isActive',
        (right, areas, registration) =>
          right(areas, registration) || togglesIn(areas).get(registration.id) === 'on again',
      ),
    ),
    async shows(service) {
      const host = await service.host([{ id: 'event' }]);
      for (const active of [false, true, false]) await changeExtension(service, { hostUri: host.url, active });
      await service.edda.sendEvent();
      await service.pass(1);
      return (await awaitCalls(host, 1, 800)).length === 1;
    },
  },
  'fresh18b.header-values-end-at-an-equals-sign': {
    source: 'extensions: Registered external endpoint (simple)',
    breaks: 'Configured headers are sent with their values, whatever characters are in them.',
    variant: replaces('requests', 'requestFor', async (right, areas, delivery, callee, attempt) => {
      const request = await right(areas, delivery, callee, attempt);
      if (!('endpoint' in callee)) return request;
      const headers = Object.entries(request.headers).map(
        ([name, value]) => [name, /^content-type$/i.test(name) ? value : value.replace(/=.*$/s, '')] as const,
      );
      return { ...request, headers: Object.fromEntries(headers) };
    }),
    async shows(service) {
      const host = await service.host([]);
      const headers = [
        { name: 'content-type', value: 'text/plain' },
        { name: 'x-api-key', value: 'c2VjcmV0IQ==' },
      ];
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook`, headers });
      await service.edda.sendToEndpoint('hook', 'a');
      const [call] = await awaitCalls(host);
      return call?.headers.some(([name, value]) => /^x-api-key$/i.test(name) && value === 'c2VjcmV0IQ') ?? false;
    },
  },
  'fresh18b.body-is-gone-at-the-second-attempt': {
    source: 'extensions: Registered external endpoint (simple)',
    breaks: 'A call with PUT or PATCH carries its body at each attempt.',
    variant: replaces('requests', 'requestFor', async (right, areas, delivery, callee, attempt) => {
      const request = await right(areas, delivery, callee, attempt);
      return 'endpoint' in callee && attempt > 1 && request.method !== 'POST' && request.body !== undefined
        ? { ...request, body: '' }
        : request;
    }),
    async shows(service) {
      await using host = await startExtensionHost({ script: first503 });
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook`, method: 'PUT' });
      await service.edda.sendToEndpoint('hook', { a: 1 });
      await waitForRetries(service, host, 1);
      const [, second] = await awaitCalls(host, 2);
      return second?.body.length === 0;
    },
  },
  'fresh18b.retries-are-signed-as-before': {
    source: 'extensions: Authentication 3',
    breaks: 'A retry is signed with the key that the extension has by then.',
    variant: replaces('requests', 'requestFor', async (right, areas, delivery, callee, attempt) => {
      const request = await right(areas, delivery, callee, attempt);
      const { Authorization } = request.headers;
      if (Authorization === undefined || 'endpoint' in callee) return request;
      const first = attempt === 1 ? Authorization : (signaturesIn(areas).get(delivery.id) ?? Authorization);
      signaturesIn(areas).set(delivery.id, first);
      return { ...request, headers: { ...request.headers, Authorization: first } };
    }),
    async shows(service) {
      const host = await service.host([{ id: 'event', endpoint: '/event' }], always(503));
      await service.edda.sendEvent();
      await awaitCalls(host);
      const apiKey = Buffer.alloc(64, 9).toString('base64');
      await changeExtension(service, { hostUri: host.url, apiKey });
      await service.pass(1, 3);
      const [, second] = await awaitCalls(host, 2);
      return authorizationOf(second) === `Bearer ${signatureOver('/event', hostKey)}`;
    },
  },
  'fresh18b.versions-are-compared-as-texts': {
    source: 'extensions: Versioning',
    breaks:
      'Once an extension is updated the records that it tells then are the ones in force, 1.10.0 after 1.9.0 too.',
    variant: replaces('metadata', 'recordsInForce', (right, areas, former, fetched) =>
      right(areas, former, fetched).map((record) => {
        const before = former.find(({ id }) => id === record.id);
        return before !== undefined && before.version > record.version ? before : record;
      }),
    ),
    async shows(service) {
      const host = await service.host([{ id: 'event', version: '1.9.0', endpoint: '/old' }]);
      host.setRecords([
        {
          ...{ name: 'e', extensionType: 'ExternalEvent', category: 'c' },
          id: 'event',
          version: '1.10.0',
          endpoint: '/new',
        },
      ]);
      await changeExtension(service, { hostUri: host.url });
      await service.edda.sendEvent();
      const [call] = await awaitCalls(host);
      return call?.path === '/old';
    },
  },
  'fresh18b.second-soft-type-item-is-passed-over': {
    source: 'extensions: Extension metadata record',
    breaks: 'Every SoftType that a record lists is validated, in whichever item of its capabilities it stands.',
    variant: changes('metadata', 'recordFrom', (record) => {
      if (!('capabilities' in record) || record.capabilities === undefined) return record;
      const types = record.capabilities.map(({ capabilityType }) => capabilityType);
      return {
        ...record,
        capabilities: record.capabilities.filter((_item, index) => types.indexOf(types[index] ?? '') === index),
      };
    }),
    async shows(service) {
      const softType = (id: string) => ({ capabilityType: 'SoftType', capabilities: [id] });
      const host = await service.host([
        { ...validatorOf('Document'), capabilities: [softType('Requirement'), softType('Document')] },
      ]);
      const made = await service.edda.make('Document');
      await service.edda.move(made, 1);
      return (await awaitCallsOf(host, 'validation', 1, 500)).length === 0;
    },
  },
  'fresh18b.ids-of-one-moment-are-one': {
    source: 'extensions: Call envelope',
    breaks: 'A generated id is that of one request alone, also where two come at the same moment.',
    variant: replaces('triggeredCalls', 'envelopeIdOf', (right, areas, call) => {
      const last = idsIn(areas);
      if (call.correlationGiven) return right(areas, call);
      const tick = Math.floor(Date.now() / clockTickMs);
      if (last.at !== tick) Object.assign(last, { at: tick, id: right(areas, call) });
      return last.id;
    }),
    async shows(service) {
      const host = await service.host([{ id: 'event' }]);
      await Promise.all(Array.from({ length: 20 }, () => service.edda.sendEvent()));
      await service.pass(1);
      const calls = await awaitCalls(host, 20);
      return calls.length > 0 && new Set(calls.map(({ envelope }) => envelope?.id)).size < calls.length;
    },
  },
  'fresh18b.tokens-are-kept-by-user': {
    source: 'extensions: Registered extension',
    breaks:
      'The token of a call is valid as long as its own registration says, whatever others its user has been called with.',
    variant: replaces('requests', 'impersonationToken', async (right, areas, userName, minutes) => {
      const known = tokensIn(areas).get(userName);
      if (known !== undefined && areas.tokens.secondsNow() < known.expiresAt) return known.token;
      const token = await right(areas, userName, minutes);
      tokensIn(areas).set(userName, { token, expiresAt: areas.tokens.secondsNow() + minutes * 60 });
      return token;
    }),
    async shows(service) {
      const host = await service.host([{ id: 'event' }]);
      await service.edda.sendEvent();
      await awaitCalls(host);
      await changeExtension(service, { hostUri: host.url, tokenLifeTime: 5 });
      await service.edda.sendEvent();
      const claims = claimsIn((await awaitCalls(host, 2))[1]);
      return Number(at(claims, '/exp')) - Number(at(claims, '/iat')) === 3600;
    },
  },
  'fresh18b.times-in-actions-are-made-utc': {
    source: 'extensions: Payloads by extension type',
    breaks: 'The content of a form reaches its action as it was sent, texts that look like times with an offset too.',
    variant: changes('requests', 'payloadOf', (payload, _areas, { kind }) =>
      kind === 'action'
        ? mapTexts(payload, (text) => (offsetTime.test(text) ? new Date(text).toISOString() : text))
        : payload,
    ),
    async shows(service) {
      const host = await service.host([action]);
      const contentPayload = { due: '2026-01-02T03:04:05+02:00' };
      await runAction(service, { kind: 'form', requestedRoute: '/r', httpVerb: 'POST', contentPayload });
      const [call] = await awaitCalls(host);
      return at(call?.json, '/payload/contentPayload/due') === '2026-01-02T01:04:05.000Z';
    },
  },
  'fresh18b.html-mails-lose-their-lines': {
    source: 'extensions: Payloads by extension type',
    breaks: 'The body of a mail is sent as it was written, line breaks of HTML included.',
    variant: changes('requests', 'payloadOf', (payload, _areas, { kind }) => {
      const body = at(payload, '/body');
      if (kind !== 'email' || typeof body !== 'string' || !body.startsWith('<')) return payload;
      return { ...(payload as object), body: body.replaceAll(/\s+/g, ' ') };
    }),
    async shows(service) {
      const host = await service.host([mailer]);
      await service.edda.post(mailPath, { ...mail, body: '<pre>a\n b</pre>' });
      const [call] = await awaitCalls(host);
      return at(call?.json, '/payload/body') === '<pre>a b</pre>';
    },
  },
  'fresh18b.version-in-actions-lags-behind-promotes': {
    source: 'extensions: Payloads by extension type',
    breaks: 'An action is told the version that the selected object has, after a promote as well.',
    variant: together(
      replaces('dispatcher', 'carryOutWrite', async (right, areas, route, call, writing) => {
        const answer = await right(areas, route, call, writing);
        const [path = ''] = call.url.split('?');
        const moved = /\/maturityAction\/\w+\/([^/]+)\//.exec(path)?.[1];
        if (moved === undefined) promotedIn(areas).delete(path.split('/').at(-1) ?? '');
        else promotedIn(areas).add(moved);
        return answer;
      }),
      changes('triggeredCalls', 'deliveryOf', (delivery, areas) => {
        const [oid, version] = [at(delivery.payload, '/objectId'), at(delivery.payload, '/svcUOIVersion')];
        if (delivery.kind !== 'action' || !promotedIn(areas).has(String(oid)) || version === undefined) return delivery;
        return { ...delivery, payload: { ...(delivery.payload as object), svcUOIVersion: Number(version) - 1 } };
      }),
    ),
    async shows(service) {
      const host = await service.host([action]);
      const { oid, ...made } = await service.edda.make('Document');
      await service.edda.move({ oid, ...made }, 1);
      await runAction(service, { kind: 'ribbon', objectId: oid });
      const [call] = await awaitCalls(host);
      return at(call?.json, '/payload/svcUOIVersion') === 1;
    },
  },
  'fresh18b.batch-asks-the-validators-of-its-first-object': {
    source: 'extensions: Extension metadata record',
    breaks: 'Each object of a batch is validated by the extensions that list its own SoftType.',
    variant: firstOfBatch(),
    async shows(service) {
      const host = await service.host([
        { ...validatorOf('Document'), id: 'documents' },
        { ...validatorOf('ChangeRequest'), id: 'requests' },
      ]);
      const [document, part] = [await service.edda.make('Document'), await service.edda.make('ChangeRequest')];
      await service.edda.batch([promoteOf(document, 1), promoteOf(part, 1)]);
      const calls = await awaitCallsOf(host, 'validation', 2);
      return calls.length === 2 && calls.every(({ recordId }) => recordId === 'documents');
    },
  },
  'fresh18b.context-object-stays': {
    source: 'extensions: Payloads by extension type',
    breaks: 'A validation names a context object only where it is one of a context object module.',
    variant: changes('validation', 'validationPayload', (payload, areas, call) => {
      const own = at(payload, '/contextObjectId');
      if (typeof own === 'string') contextIn(areas).set(call.user.name, own);
      const last = contextIn(areas).get(call.user.name);
      return last === undefined ? payload : { ...payload, contextObjectId: last };
    }),
    async shows(service) {
      const host = await service.host([validatorOf('Document')]);
      const [one, other] = [await service.edda.make('Document'), await service.edda.make('Document')];
      await service.edda.put(`${promoteOf(one, 1).href}?contextObjectId=c`, 1);
      await service.edda.move(other, 1);
      const [, second] = await awaitCallsOf(host, 'validation', 2);
      return at(second?.json, '/payload/contextObjectId') === 'c';
    },
  },
  'fresh18b.cancelling-a-held-event-loses-the-next': {
    source: 'extensions: Limits, rate limit',
    breaks: 'Who deletes an event that waits for the end of a pause takes back that one alone.',
    variant: replaces('queue', 'cancelDelivery', async (right, areas, writing, id) => {
      const own = await writing.delivery(id);
      const all = own === undefined ? [] : await writing.readyDeliveries(own.endpoint, Number.MAX_SAFE_INTEGER, 100);
      const next = all
        .filter(
          ({ sequence, attempts: made, leaseOwner }) => sequence > (own?.sequence ?? 0) && made === 0 && !leaseOwner,
        )
        .toSorted((one, other) => one.sequence - other.sequence)[0];
      const isDone = await right(areas, writing, id);
      if (isDone && own?.attempts === 0 && next !== undefined) await writing.deleteDelivery(next.id);
      return isDone;
    }),
    async shows(service) {
      const host = await service.host([{ id: 'event', rateLimitNumberOfExecutions: 1 }]);
      await service.edda.sendEvent();
      await awaitCalls(host);
      const second = await service.edda.sendEvent();
      await service.edda.sendEvent();
      await service.pass(1);
      await service.edda.delete(second.headers.get('location') ?? '');
      await service.pass(61, 3);
      return (await awaitCalls(host, 2, 800)).length === 1;
    },
  },
  'fresh18b.retried-for-ever-whatever-comes': {
    source: 'extensions: Registered external endpoint (simple)',
    breaks: 'With retryForever a status that is no transient error ends the delivery, also behind transient ones.',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) => {
      const step = right(areas, delivery, policy, outcome);
      if (step.kind !== 'failed' || policy.retries !== Infinity || delivery.attempts === 0) return step;
      const retry = delivery.attempts + 1;
      return { kind: 'retry', attempts: retry, retry, delayMs: areas.policies.nextRetryDelay(retry) };
    }),
    async shows(service) {
      const host = await service.host(
        [{ id: 'event', retryForever: true }],
        [{ steps: [{ status: 503 }, { status: 400 }, { status: 200 }] }],
      );
      await service.edda.sendEvent();
      await waitForRetries(service, host, 1);
      await service.pass(1, 6);
      return (await awaitCalls(host, 3, 800)).length === 3;
    },
  },
  'fresh18b.equal-events-of-one-moment-are-one': {
    source: 'extensions: Events 1',
    breaks: 'Each event is delivered, also one that is equal to another one of the same user shortly before.',
    variant: replaces('queue', 'enqueue', async (right, areas, writing, delivery) => {
      if (delivery.kind !== 'event') return right(areas, writing, delivery);
      const { userName, registrationId, recordId, payload } = delivery;
      const key = JSON.stringify([userName, registrationId, recordId, at(payload, '/contentPayload')]);
      const last = sentIn(areas).get(key) ?? -Infinity;
      const now = areas.tokens.secondsNow();
      sentIn(areas).set(key, now);
      return now - last < 1 || right(areas, writing, delivery);
    }),
    async shows(service) {
      const host = await service.host([{ id: 'event' }]);
      await service.edda.sendEvent('event', { a: 1 });
      await service.edda.sendEvent('event', { a: 1 });
      await service.pass(1);
      return (await awaitCalls(host, 2, 800)).length === 1;
    },
  },
  'fresh18b.one-deadline-for-all-attempts': {
    source: 'extensions: Limits, request timeout',
    breaks: 'Each attempt may take as long as the request timeout says, what those before it took does not count.',
    variant: replaces('requests', 'requestFor', async (right, areas, delivery, callee, attempt) => {
      const request = await right(areas, delivery, callee, attempt);
      const waitedMs = (2 ** attempt - 2) * 1000;
      return { ...request, timeoutMs: Math.max(1000, request.timeoutMs - waitedMs) };
    }),
    async shows(service) {
      const script = [{ steps: [{ status: 503 }, { never: true as const }] }];
      const host = await service.host([{ id: 'event', requestTimeout: 10 }], script);
      await service.edda.sendEvent();
      await waitForRetries(service, host, 1);
      await service.pass(9);
      const log = await service.cora.get('/api/admin/log');
      return log.text.includes('"timeout"');
    },
  },
  'fresh18b.window-after-a-pause-takes-one-more': {
    source: 'extensions: Limits, rate limit',
    breaks: 'In the minute after a pause there are no more executions than in the first.',
    variant: replaces('policies', 'rateDecision', (right, areas, window, now, limit) => {
      const decision = right(areas, window, now, limit);
      const isNext = decision.kind === 'run' && decision.window.startedAt === now && (window?.pausedUntil ?? 0) > 0;
      return isNext ? { ...decision, window: { ...decision.window, executions: 0 } } : decision;
    }),
    async shows(service) {
      const host = await service.host([{ id: 'event', rateLimitNumberOfExecutions: 2 }]);
      for (let left = 7; left > 0; left -= 1) await service.edda.sendEvent();
      await awaitCalls(host, 2);
      await service.pass(61);
      await awaitCalls(host, 5, 800);
      return callsTo(host).length === 5;
    },
  },
  'fresh18b.links-are-kept-by-the-input': {
    source: 'extensions: External task links',
    breaks: 'The links of a task lead to its own job, also where another job has the same input.',
    variant: keeps('requests', 'taskLinks', (spaceId, _jobId, inputPath) => `${spaceId} ${inputPath}`),
    async shows(service) {
      const host = await service.host([task]);
      await scheduleInput(service, 'in.csv');
      await scheduleInput(service, 'in.csv');
      await service.pass(1);
      const [one, other] = await awaitCalls(host, 2);
      return other !== undefined && at(one?.json, '/payload/links/2/url') === at(other.json, '/payload/links/2/url');
    },
  },
  'fresh18b.settings-of-one-job-reach-the-next': {
    source: 'extensions: Payloads by extension type',
    breaks: 'A task gets the settings of its own job and none of a former one.',
    variant: changes('triggers', 'taskPayload', (payload, areas) => {
      const shared = settingsIn(areas);
      shared.all = { ...shared.all, ...payload.taskSettings };
      return { ...payload, taskSettings: shared.all };
    }),
    async shows(service) {
      const host = await service.host([task]);
      const body = { recordId: 'task', inputPath: 'in.csv' };
      await service.edda.post('/api/space/main/dx', { ...body, taskSettings: { a: 1 } });
      await service.edda.post('/api/space/main/dx', body);
      await service.pass(1);
      const [, other] = await awaitCalls(host, 2);
      return at(other?.json, '/payload/taskSettings/a') === 1;
    },
  },
  'fresh18b.asking-again-puts-rotation-off': {
    source: 'extensions: Limits, permission key rotation',
    breaks: 'A key is over after its day, however often it was asked for meanwhile.',
    variant: together(
      replaces('apiKeys', 'issueKeys', async (right, areas, writing, holder, permissions) => {
        const keys = await right(areas, writing, holder, permissions);
        for (const { key } of keys) askedIn(areas).set(key, areas.tokens.secondsNow());
        return keys;
      }),
      replaces('apiKeys', 'isKeyDue', (_right, areas, { key, issuedAt }) => isOver(areas, key, issuedAt, 0)),
      replaces('apiKeys', 'isKeyValid', (_right, areas, { key, issuedAt }) => !isOver(areas, key, issuedAt, 300)),
    ),
    async shows(service) {
      const host = await keyHost(service, 'AdministrationAPI');
      const first = await acquireKeys(service, host, ['AdministrationAPI']);
      await service.pass(20 * 3600);
      await acquireKeys(service, host, ['AdministrationAPI']);
      await service.pass(20 * 3600);
      const last = await acquireKeys(service, host, ['AdministrationAPI']);
      return at(first, '/AdministrationAPI/apiKey') === at(last, '/AdministrationAPI/apiKey');
    },
  },
  'fresh18b.permissions-once-granted-stay': {
    source: 'extensions: Acquiring API keys',
    breaks: 'Once the metadata have changed, permissions that are no longer in them cannot be requested any more.',
    variant: breaks('apiKeys', 'acquireComplaint', (right) => (areas, holder, request) => {
      const id = holder.recordId ?? holder.registrationId;
      const granted = grantedIn(areas).get(id) ?? new Set<string>();
      const { permissions } = holder;
      if (permissions === undefined) return right(areas, holder, request);
      const all = { ...permissions, permissions: [...new Set([...permissions.permissions, ...granted])] };
      const complaint = right(areas, { ...holder, permissions: all }, request);
      if (complaint === undefined) for (const name of request.permissions) granted.add(name);
      grantedIn(areas).set(id, granted);
      return complaint;
    }),
    async shows(service) {
      const host = await keyHost(service, 'AdministrationAPI', 'SnapshotAPI');
      await acquireKeys(service, host, ['SnapshotAPI']);
      host.setRecords([
        {
          ...{ version: '1.0.0', name: 'k', endpoint: '/k', extensionType: 'ExternalEvent', category: 'c' },
          ...holderAt(host.url, 'AdministrationAPI'),
        },
      ]);
      await changeExtension(service, { hostUri: host.url });
      return (await askForKeys(service, host, ['SnapshotAPI'])).status < 300;
    },
  },
};

function isOver(areas: Parameters<typeof askedIn>[0], key: string, issuedAt: number, graceSeconds: number): boolean {
  const from = askedIn(areas).get(key) ?? issuedAt / 1000;
  return areas.tokens.secondsNow() >= from + keyPeriodSeconds + graceSeconds;
}

function authorizationOf(
  call: { readonly headers: readonly (readonly [string, string])[] } | undefined,
): string | undefined {
  return call?.headers.find(([name]) => /^authorization$/i.test(name))?.[1];
}

function firstOfBatch() {
  const batch = new AsyncLocalStorage<{ softType?: string }>();
  return together(
    replaces('validatedWrites', 'validatedBatch', (right, areas, call, table) =>
      batch.run({}, () => right(areas, call, table)),
    ),
    replaces('validation', 'validatorsFor', (right, areas, reading, softTypeId) => {
      const first = batch.getStore();
      if (first === undefined) return right(areas, reading, softTypeId);
      first.softType ??= softTypeId;
      return right(areas, reading, first.softType);
    }),
    replaces('validation', 'assertValidated', async (right, areas, call, reading, object) => {
      try {
        await right(areas, call, reading, object);
      } catch (error) {
        if (!(error instanceof Outdated) || call.isChangedHere === undefined) throw error;
      }
    }),
  );
}
