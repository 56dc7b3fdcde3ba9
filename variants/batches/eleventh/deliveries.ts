import { breaks, replaces } from '../../breaks.ts';
import { startExtensionHost } from '../../../simulator/extension/host.ts';
import type { Batch } from '../mistake.ts';
import { at } from '../service.ts';
import { endpoint, events, failingEvent, logged, sendEvent } from './proofs.ts';
import { callsTo, reached } from '../proofs.ts';

const failing = [{ steps: [{ status: 503 }], afterwards: 'last' as const }];

export const deliveries: Batch = {
  'retries.wait-as-long-as-those-of-the-event-before': {
    source: 'extensions: Limits, retries',
    breaks:
      'The first retry of an event comes after 2 seconds, also where another one to the endpoint has failed before.',
    kind: 'combination',
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
      const host = await service.host(() => [events()], failing);
      const { edda } = service;
      await sendEvent(edda, { recordId: 'e' }, { headers: { 'X-Correlation-Id': 'one' } });
      await logged(service, 'one', 'transient-error', 1);
      await sendEvent(edda, { recordId: 'e' }, { headers: { 'X-Correlation-Id': 'two' } });
      const [first] = await logged(service, 'two', 'transient-error', 1);
      return callsTo(host).length > 1 && at(first, '/wait') === 4;
    },
  },
  'log.total-counts-down': {
    source: 'extensions: Errors 3',
    breaks: 'The third entry tells the third retry out of the total, which stays what it was.',
    kind: 'moment',
    variant: replaces('deliveries', 'logEntriesFor', (right, areas, delivery, policy, outcome, step) => {
      const isLate = step.kind === 'retry' && step.retry >= 3 && policy !== undefined;
      return right(
        areas,
        delivery,
        isLate ? { ...policy, retries: policy.retries - step.retry + 1 } : policy,
        outcome,
        step,
      );
    }),
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    async shows(service) {
      const host = await service.host(() => [events()], failing);
      await failingEvent(service, host, 'log', [2, 4]);
      return at((await logged(service, 'log', 'transient-error', 3))[2], '/total') === 3;
    },
  },
  'retries.begin-anew-behind-a-restart': {
    source: 'extensions: Limits, retries',
    breaks: 'An event that outlives a restart goes on with the retry that is next.',
    kind: 'copy',
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
      const host = await service.host(() => [events()], failing);
      await failingEvent(service, host, 'again', [2, 4]);
      await logged(service, 'again', 'transient-error', 3);
      await service.restart();
      await service.pass(9);
      await reached(host, 4);
      return at((await logged(service, 'again', 'transient-error', 4))[3], '/wait') === 2;
    },
  },
  'retries.second-408-is-the-end': {
    source: 'extensions: Errors 1',
    breaks: 'A 408 is transient each time.',
    kind: 'moment',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) =>
      outcome.kind === 'answered' && outcome.status === 408 && delivery.attempts > 0
        ? { kind: 'failed' }
        : right(areas, delivery, policy, outcome),
    ),
    async shows(service) {
      const host = await service.host(() => [events()], [{ steps: [{ status: 408 }, { status: 408 }] }]);
      await failingEvent(service, host, 'slow', [2]);
      return (await logged(service, 'slow', 'removed', 1)).length === 1;
    },
  },
  'retries.are-counted-by-what-went-wrong': {
    source: 'extensions: Limits, retries',
    breaks: 'The second retry comes after 4 seconds, also where the second failure is of another kind.',
    kind: 'combination',
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
      const host = await service.host(() => [events()], [{ steps, afterwards: 'again' }]);
      await failingEvent(service, host, 'mixed', [2]);
      return at((await logged(service, 'mixed', 'transient-error', 2))[1], '/wait') === 2;
    },
  },
  'rate.counts-from-the-start-of-the-service': {
    source: 'extensions: Limits, rate limit',
    breaks: 'The executions of the minute before a restart count.',
    kind: 'copy',
    variant: breaks('policies', 'rateDecision', (right) => {
      const own = new Set<number>();
      return (areas, window, now, limit) => {
        const decision = right(
          areas,
          window !== undefined && own.has(window.startedAt) ? window : undefined,
          now,
          limit,
        );
        own.add(decision.window.startedAt);
        return decision;
      };
    }),
    survives: 'What outlives the process is not said (queue-restart): the count of a minute as little as the queue.',
    async shows(service) {
      const host = await service.host(() => [events({ rateLimitNumberOfExecutions: 2 })]);
      const { edda } = service;
      await sendEvent(edda, { recordId: 'e' });
      await sendEvent(edda, { recordId: 'e' });
      await reached(host, 2);
      await service.pass(1);
      await service.restart();
      await sendEvent(edda, { recordId: 'e' });
      return (await host.await(({ kind }) => kind === 'event', 3, AbortSignal.timeout(500))).length > 2;
    },
  },
  'envelope.third-attempt-has-an-empty-filter': {
    source: 'extensions: Call envelope',
    breaks: 'Every attempt has the information filter of the request that triggered it.',
    kind: 'moment',
    variant: replaces('requests', 'requestFor', (right, areas, delivery, callee, attempt) =>
      right(areas, attempt > 2 ? { ...delivery, informationFilter: 'e30=' } : delivery, callee, attempt),
    ),
    async shows(service) {
      const host = await service.host(() => [events()], failing);
      const filter = Buffer.from('{"role":"guest"}').toString('base64');
      const headers = { 'X-Correlation-Id': 'filter', 'Svc-InformationFilter': filter };
      await sendEvent(service.edda, { recordId: 'e' }, { headers });
      for (const [index, seconds] of [2, 4].entries()) {
        await logged(service, 'filter', 'transient-error', index + 1);
        await service.pass(seconds);
      }
      const calls = await reached(host, 3);
      return calls[2]?.envelope?.informationFilter === 'e30=';
    },
  },
  'retries.of-endpoints-are-three': {
    source: 'extensions: Limits, retries',
    breaks: 'A call of a trusted endpoint is retried five times.',
    kind: 'place',
    variant: replaces('policies', 'policyOf', (right, areas, callee, delivery) => {
      const policy = right(areas, callee, delivery);
      const isTrusted = 'endpoint' in callee && callee.endpoint.kind === 'trustedExternalEndpoint';
      return isTrusted ? { ...policy, retries: Math.min(policy.retries, 3) } : policy;
    }),
    async shows(service) {
      await using host = await startExtensionHost({ records: [], script: failing });
      await endpoint(service, { id: 'x', url: `${host.url}/x` }, true);
      const headers = { 'X-Correlation-Id': 'three' };
      await sendEvent(service.edda, { endpointId: 'x', contentPayload: {} }, { headers });
      return at((await logged(service, 'three', 'transient-error', 1))[0], '/total') === 3;
    },
  },
  'log.timeouts-are-added-up': {
    source: 'extensions: Errors 3',
    breaks: 'The time in the entry of a timeout is what was waited for that attempt.',
    kind: 'moment',
    variant: breaks('deliveries', 'logEntriesFor', (right) => {
      const waited = new Map<string, number>();
      return (areas, delivery, policy, outcome, step) => {
        if (outcome.kind !== 'timeout') return right(areas, delivery, policy, outcome, step);
        const sum = (waited.get(delivery.id) ?? 0) + outcome.waitedMs;
        waited.set(delivery.id, sum);
        return right(areas, delivery, policy, { ...outcome, waitedMs: sum }, step);
      };
    }),
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    async shows(service) {
      const host = await service.host(
        () => [events({ requestTimeout: 10 })],
        [{ steps: [{ never: true }], afterwards: 'last' }],
      );
      const headers = { 'X-Correlation-Id': 'late' };
      await sendEvent(service.edda, { recordId: 'e' }, { headers });
      await reached(host, 1);
      await service.pass(10);
      await logged(service, 'late', 'timeout', 1);
      await service.pass(2);
      await reached(host, 2);
      await service.pass(10);
      return at((await logged(service, 'late', 'timeout', 2))[1], '/wait') === 20;
    },
  },
  'log.third-retry-has-no-correlation': {
    source: 'core: Common request headers',
    breaks: 'A correlation id that was given is in all that is logged, of later retries too.',
    kind: 'moment',
    variant: replaces('deliveryLog', 'entryOf', (right, areas, delivery, ...rest) => {
      const { envelopeId: _id, ...entry } = right(areas, delivery, ...rest);
      return 'attempts' in delivery && Number(delivery.attempts) >= 2
        ? entry
        : { ...entry, envelopeId: delivery.envelopeId };
    }),
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    async shows(service) {
      const host = await service.host(() => [events()], failing);
      await failingEvent(service, host, 'third', [2, 4]);
      await reached(host, 3);
      return (await logged(service, 'third', 'transient-error', 3)).length === 2;
    },
  },
};
