import { randomUUID } from 'node:crypto';
import { AsyncLocalStorage } from 'node:async_hooks';
import { headerNames, mediaTypes } from '../../../contract/names.ts';
import { deadlines } from '../../../reference-server/areas/jobs.ts';
import type { RecordAddress } from '../../../reference-server/areas/registry.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { startExtensionHost } from '../../../simulator/extension/host.ts';
import { breaks, replaces, together, type Variant, within } from '../../breaks.ts';
import {
  action,
  actionPath,
  always,
  awaitCalls,
  callsOf,
  callsTo,
  first503,
  recordOf,
  validator,
  validatorOf,
} from '../hosts.ts';
import type { Mistakes } from '../mistake.ts';
import {
  becomes,
  changeExtension,
  claimsOf,
  failTimes,
  logEntries,
  promoteOf,
  promotes,
  registerEndpoint,
  runningJob,
  scheduleTask,
  sendEvents,
  waitForRetries,
} from '../proofs.ts';
import { at, encoded, type Service } from '../service.ts';
import { changes, perServer } from '../variant-parts.ts';

/** Spaces of tokens that were issued for a call. */
function spaceIn(token: string): unknown {
  return at(claimsOf(token), '/space');
}

/** The calls that a failing endpoint gets, its first retry included. */
async function callsOfHook(service: Service, fields: object, kind: EndpointKind = 'externalEndpoint') {
  await using host = await startExtensionHost({ script: always(503) });
  await registerEndpoint(service, kind, { url: `${host.url}/hook`, ...fields });
  await service.edda.sendToEndpoint('hook', { a: 1 });
  await service.pass(1);
  await awaitCalls(host);
  await becomes(async () => (await logEntries(service, 'transient-error')).length > 0);
  await service.pass(2);
  return (await awaitCalls(host, 2)).slice();
}

type EndpointKind = 'externalEndpoint' | 'trustedExternalEndpoint';

/** The failures of each delivery since something. */
function countsFrom(): Map<string, number> {
  return new Map();
}

export const fresh16CallsMistakes: Mistakes = {
  'fresh16b.retries-signed-with-the-former-key': {
    source: 'extensions: Authentication 3',
    breaks: 'A call is signed with the key of the extension, also a retry behind a change of that key.',
    variant: breaks('requests', 'requestFor', (right) => {
      const kept = new Map<string, string>();
      return async (areas, delivery, callee, attempt) => {
        const request = await right(areas, delivery, callee, attempt);
        const signature = kept.get(delivery.id) ?? request.headers['Authorization'];
        if (signature === undefined) return request;
        kept.set(delivery.id, signature);
        return { ...request, headers: { ...request.headers, Authorization: signature } };
      };
    }),
    async shows(service) {
      const host = await service.host([{ id: 'event' }], first503);
      await service.edda.sendEvent();
      await service.pass(1);
      await awaitCalls(host);
      const other = Buffer.alloc(64, 9).toString('base64');
      await changeExtension(service, { hostUri: host.url, apiKey: other });
      await service.pass(2);
      const [first, second] = await awaitCalls(host, 2);
      return second?.signature?.presented === first?.signature?.presented;
    },
  },
  'fresh16b.endpoint-headers-at-first-alone': {
    source: 'extensions: Registered external endpoint, row headers',
    breaks: 'The configured headers are set on every call, retries included.',
    variant: replaces('requests', 'requestFor', async (right, areas, delivery, callee, attempt) => {
      const request = await right(areas, delivery, callee, attempt);
      if (attempt === 1 || !('endpoint' in callee)) return request;
      const kept = Object.entries(request.headers).filter(([name]) => name.toLowerCase() === 'content-type');
      return { ...request, headers: Object.fromEntries(kept) };
    }),
    async shows(service) {
      const calls = await callsOfHook(service, {
        headers: [
          { name: 'content-type', value: mediaTypes.json },
          { name: 'x-api-key', value: 'k' },
        ],
      });
      return calls[1]?.headers.every(([name]) => name.toLowerCase() !== 'x-api-key') ?? false;
    },
  },
  'fresh16b.endpoint-body-read-once': {
    source: 'extensions: Registered external endpoint, paragraph below the table',
    breaks: 'A call by POST, PUT or PATCH carries the configured body, retries included.',
    variant: replaces('requests', 'requestFor', async (right, areas, delivery, callee, attempt) => {
      const { body, ...request } = await right(areas, delivery, callee, attempt);
      if (attempt > 1 && 'endpoint' in callee && callee.endpoint.method === 'PATCH') return request;
      return { ...request, ...(body !== undefined && { body }) };
    }),
    async shows(service) {
      const calls = await callsOfHook(service, { method: 'PATCH' });
      return calls[1]?.body.length === 0;
    },
  },
  'fresh16b.tokens-pile-up-in-the-query': {
    source: 'extensions: Registered trusted external endpoint',
    breaks: 'A call of a trusted endpoint has one access token behind the registered query, retries included.',
    variant: breaks('requests', 'endpointUrl', (right) => {
      const urls = new Map<string, string>();
      return async (areas, delivery, callee) => {
        const { endpoint } = callee;
        const url = await right(areas, delivery, {
          ...callee,
          endpoint: { ...endpoint, url: urls.get(delivery.id) ?? endpoint.url },
        });
        urls.set(delivery.id, url);
        return url;
      };
    }),
    async shows(service) {
      const calls = await callsOfHook(service, {}, 'trustedExternalEndpoint');
      return (calls[1]?.target.match(/access_token=/g) ?? []).length === 2;
    },
  },
  'fresh16b.forever-but-not-after-408': {
    source: 'extensions: Registered external endpoint, row retryForever; Errors 1',
    breaks: 'An endpoint that is retried forever is retried so after 408 as well.',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) => {
      const isLate = outcome.kind === 'answered' && outcome.status === 408;
      return right(areas, delivery, isLate ? { ...policy, retries: Math.min(policy.retries, 5) } : policy, outcome);
    }),
    async shows(service) {
      const host = await service.host([{ id: 'event', retryForever: true }], always(408));
      await service.edda.sendEvent();
      await failTimes(service, host, 6);
      await service.pass(70);
      return callsTo(host).length === 6;
    },
  },
  'fresh16b.metadata-asked-for-after-404': {
    source: 'extensions: Metadata exchange',
    breaks:
      'Metadata are asked for when an extension is added or updated and at no other time, also when a call finds nothing.',
    variant: replaces('deliveries', 'recordOutcome', async (right, areas, writing, attempt) => {
      const { callee, delivery, outcome } = attempt;
      if ('extension' in callee && outcome.kind === 'answered' && outcome.status === 404)
        setTimeout(
          () => void areas.metadata.fetchMetadata(callee.extension, delivery.envelopeId).catch(() => undefined),
        );
      await right(areas, writing, attempt);
    }),
    async shows(service) {
      const host = await service.host([{ id: 'event' }], always(404));
      await sendEvents(service);
      await awaitCalls(host);
      return becomes(async () => callsOf(host, 'metadata').length > 1, 1000);
    },
  },
  'fresh16b.validates-what-left-the-metadata': {
    source: 'extensions: Extension metadata record, paragraph on capability use; Versioning',
    breaks: 'A validation applies to the SoftTypes that the metadata list since the last update.',
    variant: breaks('registry', 'validatorsOf', (right) => {
      const known = new Map<string, RecordAddress>();
      return async (areas, reading, softType) => {
        for (const address of await right(areas, reading, softType))
          known.set(`${softType} ${address.registrationId} ${address.recordId}`, address);
        return [...known].filter(([key]) => key.startsWith(`${softType} `)).map(([, address]) => address);
      };
    }),
    async shows(service) {
      const host = await service.host([validator]);
      const made = await service.edda.make('Document');
      await promotes(service.edda, made);
      host.setRecords([{ ...recordOf('validator'), ...validatorOf('Part') }]);
      await changeExtension(service, { hostUri: host.url });
      await promotes(service.edda, await service.edda.make('Document'));
      return callsOf(host, 'validation').length === 2;
    },
  },
  'fresh16b.one-event-a-correlation-id': {
    source: 'extensions: Events 4',
    breaks: 'Two requests with one correlation id cause two calls.',
    variant: breaks('queue', 'enqueue', (right) => {
      const seen = new Set<string>();
      return async (areas, writing, delivery) => {
        const key = `${delivery.kind} ${delivery.registrationId} ${delivery.recordId} ${delivery.envelopeId}`;
        if (seen.has(key)) return true;
        seen.add(key);
        return right(areas, writing, delivery);
      };
    }),
    async shows(service) {
      const host = await service.host([{ id: 'event' }]);
      for (const part of ['a', 'b']) await service.edda.sendEvent('event', { part }, { 'X-Correlation-Id': 'one' });
      await service.pass(1);
      return (await awaitCalls(host, 2, 1000)).length === 1;
    },
  },
  'fresh16b.filter-of-the-latest-request': {
    source: 'extensions: Call envelope, row informationFilter',
    breaks:
      'The filter of the envelope is that of the request that set the call off, also when the user sent another since.',
    variant: (() => {
      const latestOf = perServer(() => new Map<string, string>());
      return together(
        changes('triggeredCalls', 'passedFilter', (filter, areas, call) => {
          latestOf(areas).set(call.user.name, filter);
          return filter;
        }),
        replaces('requests', 'requestFor', (right, areas, delivery, callee, attempt) => {
          const informationFilter = latestOf(areas).get(delivery.userName) ?? delivery.informationFilter;
          return right(areas, { ...delivery, informationFilter }, callee, attempt);
        }),
      );
    })(),
    async shows(service) {
      const host = await service.host([{ id: 'event' }], first503);
      const filters = ['2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z'].map((time) => encoded({ time }));
      await service.edda.sendEvent('event', {}, { [headerNames.informationFilter]: filters[0] ?? '' });
      await service.pass(1);
      await awaitCalls(host);
      await service.edda.sendEvent('event', {}, { [headerNames.informationFilter]: filters[1] ?? '' });
      await service.pass(2);
      const calls = await awaitCalls(host, 3);
      return calls.slice(1).every(({ envelope }) => envelope?.informationFilter === filters[1]);
    },
  },
  'fresh16b.token-of-a-call-opens-its-space-alone': {
    source: 'extensions: Authentication 4',
    breaks: 'The token of a call lets its holder do what the user may, in every space.',
    variant: together(
      replaces('requests', 'extensionRequest', (right, areas, delivery, callee) => {
        const impersonationToken = (sub: string, minutes: number): Promise<string> => {
          const iat = areas.tokens.secondsNow();
          const claims = { sub, iat, exp: iat + minutes * 60, jti: randomUUID(), space: delivery.spaceId };
          return areas.tokens.signClaims(claims);
        };
        return right(within(areas, { requests: { impersonationToken } }), delivery, callee);
      }),
      replaces('dispatcher', 'carryOut', (right, areas, route, call) => {
        const token = /^Bearer (.+\..+)/.exec(call.headers['authorization'] ?? '')?.[1] ?? '';
        const space = token === '' ? undefined : spaceIn(token);
        const { spaceId } = call.params;
        if (typeof space === 'string' && spaceId !== undefined && spaceId !== space)
          throw new Refusal(403, 'The token is one for another space.');
        return right(areas, route, call);
      }),
    ),
    async shows(service) {
      const host = await service.host([{ id: 'event' }]);
      const made = await service.edda.make('Dossier');
      await sendEvents(service);
      const [call] = await awaitCalls(host);
      const authorization = `Bearer ${call?.envelope?.accessToken}`;
      return (await service.edda.get(made.path, { authorization })).status === 403;
    },
  },
  'fresh16b.action-with-the-version-of-the-first-look': {
    source: 'extensions: Payloads by extension type, row ExternalAction',
    breaks: 'An action is told the version that its object has, also after an edit.',
    variant: breaks('requests', 'payloadOf', (right) => {
      const versions = new Map<unknown, unknown>();
      return (areas, delivery, token) => {
        const payload = right(areas, delivery, token);
        if (delivery.kind !== 'action' || typeof payload !== 'object' || payload === null) return payload;
        const oid = at(payload, '/objectId');
        if (oid === undefined) return payload;
        if (!versions.has(oid)) versions.set(oid, at(payload, '/svcUOIVersion'));
        return { ...payload, svcUOIVersion: versions.get(oid) };
      };
    }),
    async shows(service) {
      const host = await service.host([action]);
      const made = await service.edda.make('Document');
      const body = { kind: 'ribbon', objectId: made.oid };
      await service.edda.post(actionPath, body);
      await service.edda.merge(made, 1, { title: 'later' });
      await service.edda.post(actionPath, body);
      return callsTo(host).every(({ envelope }) => at(envelope, '/payload/svcUOIVersion') === 1);
    },
  },
  'fresh16b.another-event-id-on-a-retry': {
    source: 'extensions: Payloads by extension type, row ExternalEvent',
    breaks: 'The id in the payload is that of the event, on every attempt.',
    variant: replaces('requests', 'requestFor', (right, areas, delivery, callee, attempt) => {
      const { payload } = delivery;
      const isOther = delivery.kind === 'event' && attempt > 1 && typeof payload === 'object' && payload !== null;
      return right(
        areas,
        isOther ? { ...delivery, payload: { ...payload, id: randomUUID() } } : delivery,
        callee,
        attempt,
      );
    }),
    async shows(service) {
      const host = await service.host([{ id: 'event' }], first503);
      await sendEvents(service);
      await awaitCalls(host);
      await service.pass(2);
      const [one, other] = await awaitCalls(host, 2);
      return at(one?.envelope, '/payload/id') !== at(other?.envelope, '/payload/id') && other !== undefined;
    },
  },
  'fresh16b.settings-of-the-task-before': {
    source: 'extensions: Payloads by extension type, row ExternalTask',
    breaks: 'A task has the settings that were configured for it, and none of the task before.',
    variant: breaks('triggers', 'taskPayload', (right) => {
      let before: object = {};
      return (areas, body) => {
        const payload = right(areas, body);
        before = { ...before, ...payload.taskSettings };
        return { ...payload, taskSettings: before };
      };
    }),
    async shows(service) {
      const host = await service.host([{ id: 'task', extensionType: 'ExternalTask' }]);
      await scheduleTask(service, { taskSettings: { one: 1 } });
      await scheduleTask(service, { taskSettings: { two: 2 } });
      const calls = await awaitCalls(host, 2);
      return calls.some(({ envelope }) => Object.keys(at(envelope, '/payload/taskSettings') ?? {}).length === 2);
    },
  },
  'fresh16b.created-is-no-success-of-a-retry': {
    source: 'extensions: Events 2',
    breaks: '201 is success, also of a retry.',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) => {
      const isMeant = delivery.attempts > 0 && outcome.kind === 'answered' && outcome.status === 201;
      return right(areas, delivery, policy, isMeant ? { ...outcome, status: 500 } : outcome);
    }),
    async shows(service) {
      const host = await service.host(
        [{ id: 'event' }],
        [{ steps: [{ status: 503 }, { status: 201 }], afterwards: 'last' }],
      );
      await sendEvents(service);
      await waitForRetries(service, host, 1);
      await service.pass(5);
      return (await awaitCalls(host, 3, 1000)).length > 2;
    },
  },
  'fresh16b.pause-lets-all-out': {
    source: 'extensions: Limits, rate limit',
    breaks: 'What was queued in a pause is delivered within the limit as well.',
    variant: replaces('policies', 'rateDecision', (right, areas, window, now, limit) => {
      const isJustOver = window !== undefined && window.pausedUntil > 0 && now >= window.pausedUntil;
      if (isJustOver && now < window.pausedUntil + 1000) return { kind: 'run', window };
      return right(areas, window, now, limit);
    }),
    async shows(service) {
      const host = await service.host([{ id: 'event', rateLimitNumberOfExecutions: 2 }]);
      await sendEvents(service, 8);
      await awaitCalls(host, 2);
      await service.pass(62);
      return (await awaitCalls(host, 8, 1000)).length === 8;
    },
  },
  'fresh16b.deletion-by-correlation-id': {
    source: 'extensions: Events 3',
    breaks: 'The deletion of an event cancels that one alone, and none beside it that has the same correlation id.',
    variant: (() => {
      const idsOf = perServer(() => new Map<string, Set<string>>());
      return together(
        changes('queue', 'enqueue', (queued, areas, _writing, { id, envelopeId }) => {
          idsOf(areas).set(envelopeId, (idsOf(areas).get(envelopeId) ?? new Set()).add(id));
          return queued;
        }),
        replaces('queue', 'cancelDelivery', async (right, areas, writing, id) => {
          const alike = [...idsOf(areas).values()].find((ids) => ids.has(id)) ?? [];
          for (const each of alike) if (each !== id) await right(areas, writing, each);
          return right(areas, writing, id);
        }),
      );
    })(),
    async shows(service) {
      const host = await service.host([{ id: 'event' }], always(503));
      const header = { 'X-Correlation-Id': 'one' };
      const first = await service.edda.sendEvent('event', {}, header);
      await service.edda.sendEvent('event', {}, header);
      await service.pass(1);
      await awaitCalls(host, 2);
      await service.edda.delete(first.headers.get('location') ?? '');
      await service.pass(5);
      return (await awaitCalls(host, 3, 1000)).length === 2;
    },
  },
  'fresh16b.update-begins-retries-anew': {
    source: 'extensions: Limits, retries',
    breaks: 'A call is retried five times, also when its extension is updated meanwhile.',
    variant: (() => {
      const updatesOf = perServer(() => ({ count: 0, seen: countsFrom(), from: countsFrom() }));
      return together(
        changes('registrations', 'putExtension', (answer, areas) => {
          updatesOf(areas).count += 1;
          return answer;
        }),
        replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) => {
          const updates = updatesOf(areas);
          const isFirst = !updates.seen.has(delivery.id);
          if (updates.seen.get(delivery.id) !== updates.count)
            updates.from.set(delivery.id, isFirst ? 0 : delivery.attempts);
          updates.seen.set(delivery.id, updates.count);
          const attempts = delivery.attempts - (updates.from.get(delivery.id) ?? 0);
          const step = right(areas, { ...delivery, attempts }, policy, outcome);
          return step.kind === 'retry' ? { ...step, attempts: delivery.attempts + 1 } : step;
        }),
      );
    })(),
    async shows(service) {
      const host = await service.host([{ id: 'event' }], always(503));
      await sendEvents(service);
      await failTimes(service, host, 3);
      await changeExtension(service, { hostUri: host.url });
      await service.pass(10, 12);
      return (await awaitCalls(host, 7, 1500)).length > 6;
    },
  },
  'fresh16b.waits-counted-by-endpoint': {
    source: 'extensions: Limits, retries',
    breaks: 'The waits before retries grow with the failures of their call, and not with those of its neighbours.',
    variant: (() => {
      const failuresOf = perServer(countsFrom);
      return changes('policies', 'nextStepOf', (step, areas, _delivery, { rateKey }) => {
        const failures = failuresOf(areas);
        if (step.kind === 'delivered') failures.set(rateKey, 0);
        if (step.kind !== 'retry') return step;
        const count = (failures.get(rateKey) ?? 0) + 1;
        failures.set(rateKey, count);
        return { ...step, delayMs: areas.policies.nextRetryDelay(count) };
      });
    })(),
    async shows(service) {
      const host = await service.host([{ id: 'event' }], [{ steps: [{ status: 503 }, { status: 503 }] }]);
      await sendEvents(service, 2);
      await awaitCalls(host, 2);
      await becomes(async () => (await logEntries(service, 'transient-error')).length >= 2);
      const waits = (await logEntries(service, 'transient-error')).map((entry) => at(entry, '/wait'));
      return waits.includes(4);
    },
  },
  'fresh16b.timeouts-in-whole-seconds': {
    source: 'extensions: Extension metadata record, row requestTimeout',
    breaks: 'A requestTimeout is a number, fractions of seconds included.',
    variant: changes('callees', 'requestTimeoutOf', (seconds) => Math.max(1, Math.floor(seconds))),
    async shows(service) {
      const host = await service.host([{ id: 'event', requestTimeout: 1.5 }], always({ never: true }));
      await service.edda.sendEvent();
      await awaitCalls(host);
      await service.pass(1.1);
      return becomes(async () => (await logEntries(service, 'timeout')).length > 0, 1000);
    },
  },
  'fresh16b.batch-asks-for-its-first-promote': {
    source: 'extensions: Extension metadata record, paragraph on capability use',
    breaks: 'Every object that a batch promotes is validated.',
    variant: (() => {
      const batch = new AsyncLocalStorage<{ isAsked: boolean }>();
      const inBatch: Variant = breaks(
        'validatedWrites',
        'validatedBatch',
        (right) =>
          (areas, ...args) =>
            batch.run({ isAsked: false }, () => right(areas, ...args)),
      );
      return together(
        inBatch,
        replaces('validation', 'verdictOn', async (right, areas, call, object, validators) => {
          const store = batch.getStore();
          if (store?.isAsked === true) return { kind: 'valid', message: '' };
          if (store !== undefined) store.isAsked = true;
          return right(areas, call, object, validators);
        }),
      );
    })(),
    async shows(service) {
      const host = await service.host([validator]);
      const [one, other] = [await service.edda.make('Document'), await service.edda.make('Document')];
      await service.edda.batch([promoteOf(one, 1), promoteOf(other, 1)]);
      return callsOf(host, 'validation').length === 1;
    },
  },
  'fresh16b.validation-retried-as-its-record-says': {
    source: 'extensions: Limits, retries row 2',
    breaks:
      'A validation has three retries, also where its record is to be retried forever: only the timeout is configurable.',
    variant: replaces('outgoingCalls', 'callWithRetries', async (right, areas, delivery, retries) => {
      const callee = await areas.store.read((reading) => areas.callees.calleeOf(reading, delivery));
      return right(areas, delivery, delivery.kind === 'validation' && callee?.retryForever === true ? 5 : retries);
    }),
    async shows(service) {
      const host = await service.host([{ ...validator, retryForever: true }], always(503));
      const made = await service.edda.make('Document');
      const promoted = promotes(service.edda, made);
      await waitForRetries(service, host, 5);
      await promoted;
      return callsTo(host).length === 6;
    },
  },
  'fresh16b.verdict-outlives-an-edit': {
    source: 'extensions: Extension metadata record, paragraph on capability use',
    breaks: 'An object is validated whenever its level is to change, also when it was found invalid before an edit.',
    variant: breaks('validation', 'askValidator', (right) => {
      const invalid = new Map<string, Awaited<ReturnType<typeof right>>>();
      return async (areas, call, object, one) => {
        const key = `${object.oid} ${one.registrationId} ${one.recordId}`;
        const verdict = invalid.get(key) ?? (await right(areas, call, object, one));
        if (verdict.kind === 'invalid') invalid.set(key, verdict);
        return verdict;
      };
    }),
    async shows(service) {
      const host = await service.host(
        [validator],
        [{ steps: [{ status: 200, json: { isValid: false, message: 'no' } }] }],
      );
      const made = await service.edda.make('Document');
      await promotes(service.edda, made);
      await service.edda.merge(made, 1, { title: 'better' });
      await service.edda.move(made, 2);
      return callsOf(host, 'validation').length === 1;
    },
  },
  'fresh16b.only-the-last-task-runs-out-of-time': {
    source: 'extensions: Payloads by extension type, row ExternalTask',
    breaks: 'A task fails when its time is over, also where another began after it.',
    variant: changes('jobs', 'noteTaskStart', async (_nothing, _areas, writing, id) => {
      for (const each of await deadlines(writing))
        if (each.id !== id) await writing.deleteDocument('taskDeadline', each.id);
    }),
    async shows(service) {
      await service.host([{ id: 'task', extensionType: 'ExternalTask' }]);
      const jobs = [await runningJob(service), await runningJob(service)];
      await service.pass(700);
      await becomes(async () => at((await service.edda.get(jobs[1] ?? '')).json, '/state') === 'Failed');
      return at((await service.edda.get(jobs[0] ?? '')).json, '/state') === 'Running';
    },
  },
};
