import { jsonOf } from '../../../contract/json.ts';
import type { Areas } from '../../../reference-server/areas.ts';
import { recordsNamed } from '../../../reference-server/areas/registry.ts';
import type { Call } from '../../../reference-server/http/call.ts';
import type { CallKind } from '../../../reference-server/ports/deliveries.ts';
import { detach } from '../../../reference-server/ports/store.ts';
import { breaks, replaces, together, type Variant } from '../../breaks.ts';
import {
  awaitCalls,
  awaitCallsOf,
  bareEvent,
  callsAt,
  callsTo,
  event,
  mail,
  mailer,
  mailPath,
  quietMs,
  task,
} from '../hosts.ts';
import type { Mistakes } from '../mistake.ts';
import { becomes, callsOnceDue, claimsIn, eventsPath, logEntries, registerEndpoint, scheduleTask } from '../proofs.ts';
import { at, many } from '../service.ts';
import { changes, perServer } from '../variant-parts.ts';

/** Deliveries that the limit held back. */
const heldOf = perServer(() => new Set<string>());

const ghostsForMs = 120_000;
const ghosts = perServer(() => new Map<string, number[]>());

/** So many wait in one pause. */
const placesOfPause = 20;

export const ratesMistakes: Mistakes = {
  'pause-queue-holds-twenty': {
    source: 'extensions: Limits, rate limit; Registered external endpoint, rateLimitNumberOfExecutions',
    breaks: 'Excess requests are queued and delivered later, more than twenty, too.',
    variant: replaces('queue', 'enqueue', async (right, areas, writing, delivery) => {
      const callee = await areas.callees.calleeOf(writing, delivery);
      const window = callee && (await writing.rateWindow(callee.rateKey));
      if (window === undefined || areas.clock.now() >= window.pausedUntil) return right(areas, writing, delivery);
      const endpoint = areas.policies.endpointKeyOf(delivery);
      const waiting = await writing.readyDeliveries(endpoint, Number.MAX_SAFE_INTEGER, placesOfPause);
      if (waiting.length < placesOfPause) return right(areas, writing, delivery);
      const entry = areas.deliveryLog.entryOf(delivery, undefined, 'dropped', 'dropped: too many wait');
      await areas.deliveryLog.logEntry(writing, entry);
      return false;
    }),
    async shows(service) {
      const host = await service.host([{ ...bareEvent, rateLimitNumberOfExecutions: 30 }]);
      for (let left = 31; left > 0; left -= 1) await service.edda.sendEvent();
      await becomes(async () => (await logEntries(service, 'rate-limit')).length > 0);
      for (let left = 24; left > 0; left -= 1) await service.edda.sendEvent();
      await awaitCalls(host, 30);
      await service.pass(61, 2);
      return (await awaitCalls(host, 55)).length < 55;
    },
  },
  'rate.refused-triggers-count': {
    source: 'extensions: Limits, rate limit',
    breaks: 'What counts are executions, and a trigger that was refused is none.',
    variant: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      try {
        return await right(areas, route, call);
      } catch (error) {
        if (route.method === 'POST' && route.path.endsWith('/externalEvent')) countExecution(areas, call);
        throw error;
      }
    }),
    async shows(service) {
      const host = await service.host([{ id: 'event', rateLimitNumberOfExecutions: 2 }]);
      for (const who of [service.nobody, service.nobody, service.edda]) await who.sendEvent();
      return (await awaitCallsOf(host, 'event', 1, quietMs)).length === 0;
    },
  },
  'calls.limit-of-one-is-the-default': {
    source: 'extensions: Limits, rate limit',
    breaks: 'A record may limit its executions to one a minute.',
    variant: changes('policies', 'policyOf', (policy) =>
      policy.rateLimit <= 1 ? { ...policy, rateLimit: 5 } : policy,
    ),
    async shows(service) {
      const host = await service.host([{ id: 'one', rateLimitNumberOfExecutions: 1 }]);
      for (let count = 0; count < 2; count += 1) await service.edda.sendEvent('one');
      return (await awaitCallsOf(host, 'event', 2, quietMs)).length > 1;
    },
  },
  'calls.limits-above-twenty-are-none': {
    source: 'extensions: Limits, rate limit',
    breaks: 'A limit holds whatever its number is, one of thirty a minute too.',
    variant: changes('policies', 'policyOf', (policy) =>
      policy.rateLimit > 20 && policy.rateLimit < 60 ? { ...policy, rateLimit: 1000 } : policy,
    ),
    async shows(service) {
      const host = await service.host([{ id: 'thirty', rateLimitNumberOfExecutions: 30 }]);
      for (let count = 0; count < 31; count += 1) await service.edda.sendEvent('thirty');
      return (await awaitCallsOf(host, 'event', 31, quietMs)).length > 30;
    },
  },
  'rate-limit.counted-by-address': {
    source: 'extensions: Limits, rate limit',
    breaks: 'Each endpoint has a limit of its own, also where two have one address.',
    variant: changes('policies', 'policyOf', (policy, _areas, callee) =>
      'endpoint' in callee ? { ...policy, rateKey: callee.url } : policy,
    ),
    shows: async (service) => {
      const host = await service.host([]);
      const url = `${host.url}/shared`;
      for (const id of ['one', 'other']) {
        await registerEndpoint(service, 'externalEndpoint', { id, url, rateLimitNumberOfExecutions: 1 });
        await service.edda.post(eventsPath, { endpointId: id, contentPayload: {} });
      }
      await service.pass(1);
      return callsAt(host, '/shared').length < 2;
    },
  },
  'rate.minute-begins-anew': {
    source: 'extensions: Limits, rate limit',
    breaks: 'So many executions are allowed in a minute, and those of longer ago do not count.',
    variant: changes('policies', 'rateDecision', (decision, _areas, _window, now) =>
      decision.kind === 'run' ? { ...decision, window: { ...decision.window, startedAt: now } } : decision,
    ),
    async shows(service) {
      const host = await service.host([{ id: 'event', rateLimitNumberOfExecutions: 2 }]);
      for (const count of [1, 2]) {
        await service.edda.sendEvent();
        await awaitCalls(host, count);
        await service.pass(40);
      }
      await service.edda.sendEvent();
      await service.pass(1);
      return (await logEntries(service, 'rate-limit')).length > 0;
    },
  },
  'rate.pause-that-begins-anew': {
    source: 'extensions: Limits, rate limit',
    breaks: 'The pause is one minute long, whatever comes during it.',
    variant: replaces('policies', 'rateDecision', (right, areas, window, now, limit) => {
      if (window === undefined || now >= window.pausedUntil) return right(areas, window, now, limit);
      const until = now + 60_000;
      return { kind: 'hold', window: { ...window, pausedUntil: until }, until, starts: false };
    }),
    async shows(service) {
      const host = await service.host([{ id: 'event', rateLimitNumberOfExecutions: 1 }]);
      for (const seconds of [1, 29, 35]) {
        await service.edda.sendEvent();
        await service.pass(seconds);
      }
      return callsTo(host).length < 2;
    },
  },
  'rate.held-calls-speak-for-the-last-user': {
    source: 'extensions: Call envelope, row accessToken',
    breaks: 'The token speaks for the user who set the call off, also where the rate held it back.',
    variant: heldForTheLastUser(),
    async shows(service) {
      const host = await service.host([{ id: 'event', rateLimitNumberOfExecutions: 1 }]);
      for (const who of [service.edda, service.edda, service.alma]) await who.sendEvent();
      await service.pass(1, 65);
      const [first, second] = await awaitCalls(host, 2);
      return at(claimsIn(first), '/sub') !== at(claimsIn(second), '/sub');
    },
  },
  'rate.forgotten-at-a-restart': {
    source: 'extensions: Limits, rate limit',
    breaks: 'So many executions are allowed a minute, also where the service starts again meanwhile.',
    survives: 'What of the queue, and of what it counts, outlives a restart is not said (queue-restart): recorded.',
    variant: breaks('policies', 'rateDecision', (right) => {
      let begun: number | undefined;
      return (areas, window, now, limit) => {
        begun ??= now + 1;
        return right(areas, window !== undefined && window.startedAt < begun - 1 ? undefined : window, now, limit);
      };
    }),
    async shows(service) {
      const host = await service.host([{ id: 'event', rateLimitNumberOfExecutions: 1 }]);
      await service.edda.sendEvent();
      await service.pass(2);
      await service.restart();
      await service.edda.sendEvent();
      await service.pass(2);
      return callsTo(host).length > 1;
    },
  },
  'rate.one-more': {
    source: 'extensions: Limits, rate limit',
    breaks: 'As many executions as were registered start within a minute, and none more.',
    museum: true,
    variant: replaces('policies', 'rateDecision', (right, areas, window, now, limit) =>
      right(areas, window, now, limit + 1),
    ),
    async shows(service) {
      const host = await service.host([{ id: 'taken', rateLimitNumberOfExecutions: 2 }]);
      for (const _ of many(4, Number)) await service.edda.sendEvent('taken');
      return (await callsOnceDue(service, host)).length > 2;
    },
  },
  'rate.later-windows-one-fewer': {
    source: 'extensions: Limits, rate limit',
    breaks: 'Every minute has room for as many executions as were registered, later ones too.',
    museum: true,
    variant: changes('policies', 'rateDecision', (decision, _areas, window, _now, limit) => {
      const isLater = window !== undefined && decision.kind === 'run' && decision.window.startedAt !== window.startedAt;
      if (!isLater || limit < 2) return decision;
      return { ...decision, window: { ...decision.window, executions: decision.window.executions + 1 } };
    }),
    async shows(service) {
      const host = await service.host([{ id: 'taken', rateLimitNumberOfExecutions: 2 }]);
      await service.edda.sendEvent('taken');
      await awaitCalls(host);
      await service.pass(90);
      for (const _ of many(2, Number)) await service.edda.sendEvent('taken');
      return (await callsOnceDue(service, host)).length < 3;
    },
  },
  'rate.counted-by-its-limit': {
    source: 'extensions: Limits, rate limit',
    breaks: 'Each endpoint has executions of its own, also beside one with the same limit.',
    museum: true,
    variant: changes('policies', 'policyOf', (policy) => ({ ...policy, rateKey: `limit ${policy.rateLimit}` })),
    async shows(service) {
      const host = await service.host([
        { id: 'loud', rateLimitNumberOfExecutions: 5 },
        { id: 'quiet', rateLimitNumberOfExecutions: 5 },
      ]);
      for (const _ of many(5, Number)) await service.edda.sendEvent('loud');
      await awaitCalls(host, 5);
      await service.edda.sendEvent('quiet');
      return !(await callsOnceDue(service, host)).some(({ recordId }) => recordId === 'quiet');
    },
  },
  'delivery.rate-shared-by-host': {
    source: 'extensions: Limits, rate limit',
    breaks: 'Each endpoint has executions of its own, also when another one leads to the same host.',
    variant: changes('policies', 'policyOf', (policy, _areas, callee) =>
      'endpoint' in callee ? { ...policy, rateKey: new URL(callee.url).origin } : policy,
    ),
    async shows(service) {
      const host = await service.host([]);
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
      return (await awaitCalls(host, 3, 1500)).length < 3;
    },
  },
  'rate.excess-mails-are-dropped': {
    source: 'extensions: Limits, rate limit',
    breaks: 'Mails beyond the limit are queued and delivered later.',
    variant: dropsExcessOf('email'),
    async shows(service) {
      const host = await service.host([{ ...mailer, rateLimitNumberOfExecutions: 1 }]);
      for (let left = 2; left > 0; left -= 1) await service.edda.post(mailPath, { recordId: 'mail', ...mail });
      await service.pass(61, 3);
      return (await awaitCalls(host, 2, 800)).length < 2;
    },
  },
  'rate.excess-tasks-are-dropped': {
    source: 'extensions: Limits, rate limit',
    breaks: 'Tasks beyond the limit are queued and delivered later.',
    variant: dropsExcessOf('task'),
    async shows(service) {
      const host = await service.host([{ ...task, rateLimitNumberOfExecutions: 1 }]);
      for (let left = 2; left > 0; left -= 1) await scheduleTask(service);
      await service.pass(61, 3);
      return (await awaitCalls(host, 2, 800)).length < 2;
    },
  },
  'rate.one-for-a-category': {
    source: 'extensions: Limits, rate limit',
    breaks: 'The limit is one of each endpoint, also where two records of a host have one category.',
    survives: 'Whether the endpoint that is limited is a record or its host is not said (rate-scope): recorded.',
    variant: changes('callees', 'calleeOf', (callee) =>
      callee !== undefined && 'record' in callee
        ? { ...callee, rateKey: `${callee.extension.id} ${callee.record.category}` }
        : callee,
    ),
    async shows(service) {
      const limit = { rateLimitNumberOfExecutions: 1, category: 'same' };
      const host = await service.host([
        { id: 'event', ...limit },
        { id: 'other', ...limit },
      ]);
      for (const id of ['event', 'other']) await service.edda.sendEvent(id);
      return (await awaitCalls(host, 2, 800)).length < 2;
    },
  },
  'rates.held-back-is-tried-once': {
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
  'rate.deleted-ones-count': {
    source: 'extensions: Limits, rate limit; Events, rule 3',
    breaks: 'An event that was deleted while it was queued is no execution.',
    variant: together(
      replaces('queue', 'removeDelivery', async (right, areas, writing, delivery, end, outcome) => {
        const callee = end === 'cancelled' && (await areas.callees.calleeOf(writing, delivery));
        if (callee && delivery.attempts === 0) {
          const all = ghosts(areas);
          all.set(callee.rateKey, [...(all.get(callee.rateKey) ?? []), areas.clock.now()]);
        }
        return right(areas, writing, delivery, end, outcome);
      }),
      changes('policies', 'policyOf', (policy, areas) => {
        const since = areas.clock.now() - ghostsForMs;
        const { length } = (ghosts(areas).get(policy.rateKey) ?? []).filter((time) => time > since);
        return { ...policy, rateLimit: Math.max(1, policy.rateLimit - length) };
      }),
    ),
    async shows(service) {
      const host = await service.host([{ ...event, rateLimitNumberOfExecutions: 3 }]);
      const sent = [];
      for (const _each of many(5, String)) sent.push(await service.edda.sendEvent());
      await awaitCalls(host, 3);
      await service.pass(0.1);
      for (const { headers } of sent.slice(3)) await service.edda.delete(headers.get('location') ?? '');
      await service.pass(61);
      for (const _each of many(3, String)) await service.edda.sendEvent();
      return (await awaitCalls(host, 6, 1500)).length < 6;
    },
  },
  'rates.deleted-after-a-failure-counted-twice': {
    source: 'extensions: Limits, rate limit; Events 3',
    breaks: 'Executions count against the limit; an attempt that never comes as its event was deleted does not.',
    variant: replaces('queue', 'cancelDelivery', async (right, areas, writing, id) => {
      const delivery = await writing.delivery(id);
      const callee = delivery && (await areas.callees.calleeOf(writing, delivery));
      if (delivery !== undefined && callee !== undefined && delivery.attempts > 0) {
        const { rateKey } = areas.policies.policyOf(callee, delivery);
        const window = await writing.rateWindow(rateKey);
        if (window !== undefined)
          await writing.putRateWindow(rateKey, { ...window, executions: window.executions + 1 });
      }
      return right(areas, writing, id);
    }),
    async shows(service) {
      const host = await service.host(
        [{ id: 'event', rateLimitNumberOfExecutions: 2 }],
        [{ steps: [{ status: 503 }, { status: 200 }] }],
      );
      const event = (await service.edda.sendEvent('event')).headers.get('location') ?? '';
      await awaitCalls(host, 1);
      await becomes(async () => (await logEntries(service, 'transient-error')).length > 0);
      await service.edda.delete(event);
      await service.edda.sendEvent('event');
      await service.pass(1);
      return (await awaitCalls(host, 2, 800)).length < 2;
    },
  },
};

/** What of a kind is beyond the limit leaves the queue. */
function dropsExcessOf(kind: CallKind): Variant {
  return replaces('deliveries', 'holdBack', async (right, areas, writing, delivery, until) =>
    delivery.kind === kind
      ? areas.queue.removeDelivery(writing, delivery, 'failed')
      : right(areas, writing, delivery, until),
  );
}

/** Counts one against the limit of the record that the body names. */
function countExecution(areas: Areas, { body }: Call): void {
  const recordId = String(at(jsonOf(String(body)), '/recordId'));
  const now = areas.clock.now();
  void detach(() =>
    areas.store.change(async (writing) => {
      const [address] = await recordsNamed(writing, recordId);
      const callee = address && (await areas.callees.calleeOf(writing, address));
      if (callee === undefined) return;
      const { rateKey, rateLimitNumberOfExecutions: limit } = callee;
      const decision = areas.policies.rateDecision(await writing.rateWindow(rateKey), now, limit);
      if (decision.kind === 'run') await writing.putRateWindow(rateKey, decision.window);
    }),
  );
}

/** Calls that were held back once have the token of whoever set off the last call of the extension. */
function heldForTheLastUser(): Variant {
  const held = new Set<string>();
  const lastUsers = new Map<string, string>();
  return together(
    replaces('queue', 'enqueue', (right, areas, writing, delivery) => {
      lastUsers.set(delivery.registrationId, delivery.userName);
      return right(areas, writing, delivery);
    }),
    replaces('deliveries', 'holdBack', (right, areas, writing, delivery, until) => {
      held.add(delivery.id);
      return right(areas, writing, delivery, until);
    }),
    replaces('requests', 'requestFor', (right, areas, delivery, callee, attempt) => {
      const last = held.has(delivery.id) ? lastUsers.get(delivery.registrationId) : undefined;
      return right(areas, { ...delivery, userName: last ?? delivery.userName }, callee, attempt);
    }),
  );
}
