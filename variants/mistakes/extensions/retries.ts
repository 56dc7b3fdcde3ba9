import { longestRetryDelaySeconds } from '../../../contract/limits.ts';
import { startExtensionHost } from '../../../simulator/extension/host.ts';
import { breaks, replaces, Step, together, within } from '../../breaks.ts';
import { always, awaitCalls, awaitCallsOf, callsOf, callsTo, event, quietMs, task, validator } from '../hosts.ts';
import type { Mistakes } from '../mistake.ts';
import {
  attempts,
  becomes,
  eventsPath,
  failingEvent,
  failTimes,
  logEntries,
  logEntriesOf,
  promoteOf,
  registerEndpoint,
  scheduleTask,
  sendEvents,
} from '../proofs.ts';
import { at, listAt, many, type Service } from '../service.ts';
import { changes, during } from '../variant-parts.ts';

/** Retries that all validators of one request have together. */
const sharedRetries = 3;

export const retriesMistakes: Mistakes = {
  'delivery.held-retry-begins-anew': {
    source: 'extensions: Limits, retries',
    breaks: 'There are five retries in all, also where the rate limit holds some of them back.',
    variant: replaces('deliveries', 'holdBack', (_right, _areas, writing, delivery, until) =>
      writing.scheduleDelivery(delivery.id, 0, until),
    ),
    async shows(service) {
      const host = await service.host([{ id: 'event', rateLimitNumberOfExecutions: 2 }], always(503));
      await service.edda.sendEvent('event');
      for (let step = 0; step < 30; step += 1) {
        await service.pass(20);
        await becomes(async () => false, 60);
      }
      return callsTo(host).length > 6;
    },
  },
  'retries.none-of-tasks-behind-a-gateway': {
    source: 'extensions: Errors 1',
    breaks: 'Any 5xx status is a transient error, that of a gateway at the call of a task as well.',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) =>
      delivery.kind === 'task' && outcome.kind === 'answered' && [502, 504].includes(outcome.status)
        ? { kind: 'failed' }
        : right(areas, delivery, policy, outcome),
    ),
    async shows(service) {
      const host = await service.host([task], always(502));
      await scheduleTask(service);
      await service.pass(3, 3);
      return callsTo(host).length === 1;
    },
  },
  'calls.backoff-begins-again-after-ten': {
    source: 'extensions: Errors 2',
    breaks: 'Once the wait is five minutes it stays so.',
    variant: replaces('policies', 'nextRetryDelay', (right, areas, attempt) =>
      right(areas, attempt <= 10 ? attempt : ((attempt - 1) % 10) + 1),
    ),
    async shows(service) {
      const script = [{ when: { kind: 'event' }, steps: [{ status: 503 }], afterwards: 'last' as const }];
      const host = await service.host([{ id: 'e', retryForever: true }], script);
      await service.edda.sendEvent('e');
      for (let count = 1; count <= 10; count += 1) {
        if ((await awaitCallsOf(host, 'event', count)).length < count) return false;
        await service.pass(Math.min(2 ** count, 300));
      }
      await awaitCallsOf(host, 'event', 11);
      await service.pass(10);
      return (await awaitCallsOf(host, 'event', 12, quietMs)).length > 11;
    },
  },
  'delivery.ten-retries-are-for-ever': {
    source: 'extensions: Errors 2',
    breaks: 'With retryForever there is one more retry after each, also after the tenth.',
    variant: changes('policies', 'policyOf', (policy) => ({ ...policy, retries: Math.min(policy.retries, 10) })),
    async shows(service) {
      const host = await service.host([{ id: 'event', retryForever: true }], always(503));
      await service.edda.sendEvent();
      await service.pass(30, 70);
      return callsTo(host).length < 12;
    },
  },
  'retries.longest-wait-a-power-of-two': {
    source: 'extensions: Errors 2',
    breaks: 'Behind the growth of the waits there is one retry every five minutes.',
    variant: replaces('policies', 'nextRetryDelay', (right, areas, attempt) =>
      Math.min(right(areas, attempt), 256_000),
    ),
    async shows(service) {
      const host = await service.host([{ id: 'event', retryForever: true }], always(503));
      await service.edda.sendEvent();
      await failTimes(service, host, 9);
      await awaitCalls(host, 10);
      await becomes(async () => (await logEntries(service, 'transient-error')).length >= 10);
      const last = (await logEntries(service, 'transient-error')).find((entry) => at(entry, '/retry') === 10);
      return last !== undefined && at(last, '/wait') !== 300;
    },
  },
  'retries.at-whole-seconds': {
    source: 'extensions: Limits, retries',
    breaks: 'A retry comes once all of its gap is over, also where the call failed between two seconds.',
    variant: replaces('policies', 'nextRetryDelay', (right, areas, attempt) => {
      const now = areas.clock.now();
      return Math.floor((now + right(areas, attempt)) / 1000) * 1000 - now;
    }),
    async shows(service) {
      const host = await service.host([{ id: 'event' }], always(503));
      for (const [index, seconds] of [0.7, 0.5].entries()) {
        await service.pass(seconds);
        const before = callsTo(host).length;
        await service.edda.sendEvent('event');
        await awaitCalls(host, before + 1);
        await becomes(async () => (await logEntries(service, 'transient-error')).length > index);
        await service.pass(1.55);
        if (await becomes(async () => callsTo(host).length > before + 1, quietMs)) return true;
      }
      return false;
    },
  },
  'retry.backoff-overflows': {
    source: 'extensions: Errors 2',
    breaks: 'After the gaps have grown to five minutes they stay there, however many retries follow.',
    museum: true,
    variant: replaces('policies', 'nextRetryDelay', (_right, _areas, attempt) => {
      const delayMs = (2 ** attempt * 1000) | 0;
      return Math.min(Math.max(0, delayMs), longestRetryDelaySeconds * 1000);
    }),
    async shows(service) {
      const host = await service.host([{ id: 'taken', retryForever: true, rateLimitNumberOfExecutions: 5 }]);
      host.setScript(always(503));
      await service.edda.sendEvent('taken');
      await awaitCalls(host);
      for (let seconds = 0; seconds < 6000; seconds += longestRetryDelaySeconds)
        await service.pass(longestRetryDelaySeconds);
      const log = await service.cora.get('/api/admin/log');
      return listAt(log.json, '/data').some((entry) => Number(at(entry, '/retry')) > 40);
    },
  },
  'retries.wait-as-long-as-those-of-the-event-before': {
    source: 'extensions: Limits, retries',
    breaks:
      'The first retry of an event comes after 2 seconds, also where another one to the endpoint has failed before.',
    variant: breaks('policies', 'nextStepOf', (right) => {
      const failures = new Map<string, number>();
      return (areas, delivery, policy, outcome) => {
        const step = right(areas, delivery, policy, outcome);
        if (step.kind !== 'retry') return step;
        const count = (failures.get(policy.rateKey) ?? 0) + 1;
        failures.set(policy.rateKey, count);
        return { ...step, delayMs: areas.policies.nextRetryDelay(count) };
      };
    }),
    async shows(service) {
      const host = await service.host([event], always(503));
      const { edda } = service;
      await edda.sendEvent('event', {}, { 'X-Correlation-Id': 'one' });
      await logEntriesOf(service, 'one', 'transient-error', 1);
      await edda.sendEvent('event', {}, { 'X-Correlation-Id': 'two' });
      const [first] = await logEntriesOf(service, 'two', 'transient-error', 1);
      return callsTo(host).length > 1 && at(first, '/wait') === 4;
    },
  },
  'retries.begin-anew-behind-a-restart': {
    source: 'extensions: Limits, retries',
    breaks: 'An event that outlives a restart goes on with the retry that is next.',
    variant: breaks('policies', 'nextStepOf', (right) => {
      const attempts = new Map<string, number>();
      return (areas, delivery, policy, outcome) => {
        const known = attempts.get(delivery.id) ?? 0;
        attempts.set(delivery.id, known + 1);
        return right(areas, { ...delivery, attempts: known }, policy, outcome);
      };
    }),
    survives: 'What outlives the process is not said (queue-restart), nor at which retry an event goes on that does.',
    async shows(service) {
      const host = await service.host([event], always(503));
      await failingEvent(service, host, 'again', [2, 4]);
      await logEntriesOf(service, 'again', 'transient-error', 3);
      await service.restart();
      await service.pass(9);
      await awaitCalls(host, 4);
      return at((await logEntriesOf(service, 'again', 'transient-error', 4))[3], '/wait') === 2;
    },
  },
  'retries.are-counted-by-what-went-wrong': {
    source: 'extensions: Limits, retries',
    breaks: 'The second retry comes after 4 seconds, also where the second failure is of another kind.',
    variant: breaks('policies', 'nextStepOf', (right) => {
      const counts = new Map<string, number>();
      return (areas, delivery, policy, outcome) => {
        const step = right(areas, delivery, policy, outcome);
        if (step.kind !== 'retry') return step;
        const key = `${delivery.id} ${outcome.kind}`;
        counts.set(key, (counts.get(key) ?? 0) + 1);
        return { ...step, delayMs: areas.policies.nextRetryDelay(counts.get(key) ?? 1) };
      };
    }),
    async shows(service) {
      const steps = [{ status: 503 }, { cut: 'before-answer' as const }];
      const host = await service.host([event], [{ steps, afterwards: 'again' }]);
      await failingEvent(service, host, 'mixed', [2]);
      return at((await logEntriesOf(service, 'mixed', 'transient-error', 2))[1], '/wait') === 2;
    },
  },
  'retries.of-endpoints-are-three': {
    source: 'extensions: Limits, retries',
    breaks: 'A call of a trusted endpoint is retried five times.',
    variant: changes('policies', 'policyOf', (policy, _areas, callee) => {
      const isTrusted = 'endpoint' in callee && callee.endpoint.kind === 'trustedExternalEndpoint';
      return isTrusted ? { ...policy, retries: Math.min(policy.retries, 3) } : policy;
    }),
    async shows(service) {
      await using host = await startExtensionHost({ records: [], script: always(503) });
      await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/x` });
      const headers = { 'X-Correlation-Id': 'three' };
      await service.edda.post(eventsPath, { endpointId: 'hook' }, headers);
      return at((await logEntriesOf(service, 'three', 'transient-error', 1))[0], '/total') === 3;
    },
  },
  'delivery.even-gaps-of-a-validation': {
    source: 'extensions: Limits',
    breaks: 'The retries of a validation follow after 2, 4 and 8 seconds.',
    variant: replaces('outgoingCalls', 'callWithRetries', (right, areas, delivery, retries) => {
      const even = within(areas, { policies: { nextRetryDelay: () => 2000 } });
      return right(delivery.kind === 'validation' ? even : areas, delivery, retries);
    }),
    async shows(service) {
      await service.host([validator], always(503));
      await promoteInTime(service);
      const waits = (await logEntries(service, 'transient-error')).map((entry) => at(entry, '/wait'));
      return waits.length === 3 && waits.join() !== '2,4,8';
    },
  },
  'retry.one-too-few': {
    source: 'extensions: Limits, retries',
    breaks: 'An event gets five retries after its first attempt.',
    museum: true,
    variant: changes('policies', 'policyOf', (policy) => ({ ...policy, retries: policy.retries - 1 })),
    async shows(service) {
      const { entries } = await attempts(
        service,
        always(503),
        many(5, (number) => 2 ** number + 1),
        6,
      );
      return entries.length < 6;
    },
  },
  'calls.after-408-the-wait-does-not-grow': {
    source: 'extensions: Limits, retries',
    breaks: 'Waits double after a 408 as after any other transient error.',
    variant: changes('policies', 'nextStepOf', (step, _areas, _delivery, _policy, outcome) =>
      step.kind === 'retry' && outcome.kind === 'answered' && outcome.status === 408
        ? { ...step, delayMs: 2000 }
        : step,
    ),
    async shows(service) {
      const host = await service.host([event], always(408));
      await service.edda.sendEvent();
      await service.pass(1, 5);
      return callsTo(host).length > 2;
    },
  },
  'calls.another-error-begins-the-count-anew': {
    source: 'extensions: Limits, retries',
    breaks: 'There are five retries in all, also where one error follows on another.',
    variant: breaks('policies', 'nextStepOf', (right) => {
      const last = new Map<string, number>();
      return (areas, delivery, policy, outcome) => {
        const status = outcome.kind === 'answered' ? outcome.status : 0;
        const isOther = (last.get(delivery.id) ?? status) !== status;
        last.set(delivery.id, status);
        return right(areas, isOther ? { ...delivery, attempts: 0 } : delivery, policy, outcome);
      };
    }),
    async shows(service) {
      const steps = [{ status: 503 }, { status: 500 }];
      const host = await service.host([event], [{ steps, afterwards: 'again' }]);
      await service.edda.sendEvent();
      await service.pass(1, 70);
      return callsTo(host).length > 6;
    },
  },
  'calls.events-share-their-retries': {
    source: 'extensions: Limits, retries',
    breaks: 'Each event has its five retries, whatever became of others at the same endpoint.',
    variant: breaks('policies', 'nextStepOf', (right) => {
      const failures = new Map<string, number>();
      return (areas, delivery, policy, outcome) => {
        const attempts = Math.max(delivery.attempts, failures.get(policy.endpoint) ?? 0);
        const step = right(areas, { ...delivery, attempts }, policy, outcome);
        failures.set(policy.endpoint, step.kind === 'retry' ? attempts + 1 : 0);
        return step;
      };
    }),
    async shows(service) {
      const host = await service.host([event], always(503));
      await sendEvents(service, 2);
      await service.pass(120);
      return (await awaitCalls(host, 12, 1500)).length < 12;
    },
  },
  'delivery.retries-of-an-endpoint': {
    source: 'extensions: Limits',
    breaks: 'A call to an endpoint is retried five times, as an event is.',
    variant: changes('policies', 'policyOf', (policy, _areas, _callee, delivery) => ({
      ...policy,
      retries: Math.min(policy.retries, delivery.kind === 'endpoint' ? 3 : Infinity),
    })),
    async shows(service) {
      await registerEndpoint(service, 'externalEndpoint', {
        url: 'http://127.0.0.1:9/hook',
        rateLimitNumberOfExecutions: 1000,
      });
      await service.edda.sendToEndpoint();
      await service.pass(5, 16);
      return (await logEntries(service, 'transient-error')).length < 5;
    },
  },
  'delivery.broken-connections-are-not-counted': {
    source: 'extensions: Limits, retries',
    breaks: 'Waits grow after each attempt, those that ended with a broken connection too.',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) =>
      right(areas, outcome.kind === 'failed' ? { ...delivery, attempts: 0 } : delivery, policy, outcome),
    ),
    async shows(service) {
      const host = await service.host(
        [{ id: 'e' }],
        [{ steps: [{ cut: 'before-answer', how: 'close' }], afterwards: 'last' }],
      );
      await service.edda.sendEvent('e');
      await awaitCalls(host);
      await service.pass(2);
      await awaitCalls(host, 2);
      await service.pass(2.5);
      return callsTo(host).length > 2;
    },
  },
  'delivery.circuit-breaker': {
    source: 'extensions: Limits',
    breaks: 'Each event has its own five retries, also while others to the same endpoint fail.',
    variant: breaks('policies', 'nextStepOf', (right) => {
      const failures = new Map<string, number>();
      return (areas, delivery, policy, outcome) => {
        const step = right(areas, delivery, policy, outcome);
        const key = areas.policies.endpointKeyOf(delivery);
        const count = step.kind === 'delivered' ? 0 : (failures.get(key) ?? 0) + 1;
        failures.set(key, count);
        return step.kind === 'retry' && count > 6 ? { kind: 'failed' } : step;
      };
    }),
    async shows(service) {
      const host = await service.host([{ id: 'event' }], always(503));
      for (const name of ['one', 'other']) await service.edda.sendEvent('event', { name });
      await service.pass(5, 16);
      return callsTo(host).length < 12;
    },
  },
  'retries.held-back-counts-as-tried': {
    source: 'extensions: Limits, retries, row 1',
    breaks: 'There are five retries, also where the limit held one of them back.',
    survives: 'What a pause does to a retry that is due is not said (rate-retries-counted).',
    variant: replaces('deliveries', 'holdBack', async (right, areas, writing, delivery, until) => {
      if (delivery.attempts > 0) await writing.scheduleDelivery(delivery.id, delivery.attempts + 1, until);
      await right(areas, writing, delivery, until);
    }),
    async shows(service) {
      const host = await service.host([{ id: 'event', rateLimitNumberOfExecutions: 2 }], always(503));
      await service.edda.sendEvent();
      await awaitCalls(host);
      for (let step = 0; step < 40; step += 1) await service.pass(15);
      return (await awaitCalls(host, 6, 500)).length < 6;
    },
  },
  'delivery.fewer-retries-without-connection': {
    source: 'extensions: Limits, retries row 1',
    breaks: 'A delivery is retried five times, also one whose connections break.',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) =>
      right(
        areas,
        delivery,
        outcome.kind === 'failed' && policy.retries === 5 ? { ...policy, retries: 4 } : policy,
        outcome,
      ),
    ),
    async shows(service) {
      const host = await service.host([{ id: 'event' }], always({ cut: 'before-answer' }));
      await service.edda.sendEvent();
      await service.pass(2, 40);
      return callsOf(host, 'event').length < 6;
    },
  },
  'validation.retries-of-all-together': {
    source: 'extensions: Limits, retries, row 2',
    breaks: 'A validation has three retries, however often another one of the same request was tried again.',
    variant: breaks('outgoingCalls', 'attempt', (right) => {
      const used = new Map<string, number>();
      return async (areas, delivery, callee, count) => {
        const outcome = await right(areas, delivery, callee, count);
        if (delivery.kind !== 'validation') return outcome;
        if (count > 1) used.set(delivery.envelopeId, (used.get(delivery.envelopeId) ?? 0) + 1);
        const isOver = (used.get(delivery.envelopeId) ?? 0) >= sharedRetries;
        if (!isOver || !areas.policies.isTransient(outcome)) return outcome;
        return { kind: 'failed', reason: 'there are no retries left', barred: true };
      };
    }),
    async shows(service) {
      const host = await service.host(
        [validator, { ...validator, id: 'other' }],
        [{ when: { kind: 'validation' }, steps: [{ status: 503 }], afterwards: 'last' }],
      );
      const made = await service.edda.make('Document');
      const promote = service.edda.move(made, 1);
      for (const [index, seconds] of [2, 4, 8].entries()) {
        await awaitCalls(host, 2 * (index + 1), 1000);
        await service.pass(seconds);
      }
      await promote;
      return callsOf(host, 'validation').length < 8;
    },
  },
  'validation.which-errors-pass': {
    source: 'extensions: Limits, retries row 2',
    breaks: 'A validation is tried again after any 5xx.',
    variant: (classes) => {
      const step = new Step();
      return together(
        replaces('outgoingCalls', 'callWithRetries', (right, areas, delivery, retries) =>
          delivery.kind === 'validation'
            ? step.run(() => right(areas, delivery, retries))
            : right(areas, delivery, retries),
        ),
        replaces(
          'policies',
          'isTransient',
          (right, areas, outcome) =>
            right(areas, outcome) && !(step.isOn() && outcome.kind === 'answered' && outcome.status > 504),
        ),
      )(classes);
    },
    async shows(service) {
      const capabilities = [{ capabilityType: 'SoftType', capabilities: ['Document'] }];
      const host = await service.host(
        [{ id: 'check', extensionType: 'ExternalValidation', capabilities }],
        always(507),
      );
      const made = await service.edda.make('Document');
      const moved = service.edda.move(made, 1);
      await awaitCalls(host);
      await service.pass(1, 20);
      await moved;
      return callsOf(host, 'validation').length === 1;
    },
  },
  'validation.time-limit-over-all-attempts': {
    source: 'extensions: Limits, request timeout and retries, row 2',
    breaks: 'The time limit is that of one call, and each retry of a validation has its own.',
    variant: replaces('outgoingCalls', 'callWithRetries', async (right, areas, delivery, retries) => {
      const callee = await areas.store.read((reading) => areas.callees.calleeOf(reading, delivery));
      const inTime = [2000, 6000, 14_000].filter((atMs) => atMs < (callee?.timeoutMs ?? Infinity)).length;
      return right(areas, delivery, Math.min(retries, inTime));
    }),
    async shows(service) {
      const host = await service.host([{ ...validator, requestTimeout: 5 }], always(503));
      await promoteInTime(service);
      return callsOf(host, 'validation').length === 2;
    },
  },
  'validation.retries-of-the-record': {
    source: 'extensions: Limits, retries, row 2',
    breaks: 'A validation has three retries, whatever its record says of retries.',
    variant: replaces('outgoingCalls', 'callWithRetries', async (right, areas, delivery, retries) => {
      const callee = await areas.store.read((reading) => areas.callees.calleeOf(reading, delivery));
      return right(areas, delivery, delivery.kind === 'validation' && callee?.retryForever ? Infinity : retries);
    }),
    async shows(service) {
      const capabilities = [{ capabilityType: 'SoftType' as const, capabilities: ['Document'] }];
      const host = await service.host(
        [{ extensionType: 'ExternalValidation', retryForever: true, capabilities }],
        [{ steps: [503, 503, 503, 503].map((status) => ({ status })) }],
      );
      const moved = service.edda.move(await service.edda.make('Document'), 1);
      while ((await Promise.race([moved, new Promise((resolve) => setTimeout(resolve, 50, 'not yet'))])) === 'not yet')
        await service.pass(4);
      return callsTo(host).length > 4;
    },
  },
  'validation.fewer-retries-in-a-batch': {
    source: 'extensions: Limits, retries row 2',
    breaks: 'A validation that meets transient errors is tried three times more, also for a promote in a batch.',
    variant: during('validatedWrites', 'validatedBatch', (batch) =>
      replaces('outgoingCalls', 'callWithRetries', (right, areas, delivery, retries) =>
        right(areas, delivery, batch.isOn() ? Math.min(retries, 2) : retries),
      ),
    ),
    async shows(service) {
      const host = await service.host([{ ...validator, id: 'check' }], always(503));
      const made = await service.edda.make('Document');
      const answer = service.edda.batch([promoteOf(made, 1)]);
      for (let left = 20; left > 0; left -= 1) {
        await service.pass(1);
        await new Promise((resolve) => setTimeout(resolve, 15));
      }
      await answer;
      return callsOf(host, 'validation').length < 4;
    },
  },
};

/** Promotes an object while time goes by. */
async function promoteInTime({ edda, pass }: Service): Promise<void> {
  const made = await edda.make('Document', { title: 'validated' });
  const over = new AbortController();
  const promote = edda.move(made, 1).finally(() => over.abort());
  while (!over.signal.aborted) await pass(5);
  await promote;
}
