import { defaultExecutionsPerMinute, defaultRequestTimeoutSeconds } from '../../../contract/limits.ts';
import type { Delivery } from '../../../reference-server/ports/deliveries.ts';
import { type Variants, together, replaces } from '../../breaks.ts';
import { stepWhere } from '../delivery.ts';

const second = 1000;

const minute = 60 * second;

/** What a pause is cut down to. */
const shortPauseMs = 20 * second;

/** Wrong in a late step of a schedule only. */
const scheduleFaults = {
  /** What is read of an answer has an end, behind which its status counts for nothing. */
  'subtle.success.long-answer-is-none': replaces(
    'policies',
    'nextStepOf',
    (right, areas, delivery, policy, outcome) => {
      const isLong = outcome.kind === 'answered' && outcome.body.length > 65_536;
      return right(areas, delivery, policy, isLong ? { ...outcome, status: 503 } : outcome);
    },
  ),

  'subtle.retry.fourth-gap-of-tasks': stepWhere((step, { delivery, retry }) =>
    step.kind === 'retry' && delivery.kind === 'task' && retry === 4 ? { ...step, delayMs: 12 * second } : undefined,
  ),

  'subtle.retry.first-gap-of-events-halved': stepWhere((step, { delivery, retry }) =>
    step.kind === 'retry' && delivery.kind === 'event' && retry === 1 ? { ...step, delayMs: second } : undefined,
  ),

  /** Two gaps of trusted endpoints are the same: the last one does not grow any more. */
  'subtle.retry.last-gap-of-trusted-endpoints': replaces(
    'deliveries',
    'recordOutcome',
    async (right, areas, writing, attempt) => {
      await right(areas, writing, attempt);
      const { callee } = attempt;
      const isMeant = 'endpoint' in callee && callee.endpoint.kind === 'trustedExternalEndpoint';
      const kept = await writing.delivery(attempt.delivery.id);
      if (isMeant && kept?.attempts === 5 && kept.leaseOwner === undefined)
        await writing.scheduleDelivery(kept.id, kept.attempts, attempt.endedAt + areas.policies.nextRetryDelay(4));
    },
  ),

  /** The cap is there for the ninth retry, and lifts again after it. */
  'subtle.retry.cap-lifts-after-ninth': replaces('policies', 'nextRetryDelay', (right, areas, attempt) =>
    attempt > 9 ? 2 * right(areas, attempt) : right(areas, attempt),
  ),

  /** From the third retry on a gap counts from the start of an attempt that timed out. */
  'subtle.retry.late-gap-counts-from-start': stepWhere((step, { outcome, retry }) =>
    step.kind === 'retry' && outcome.kind === 'timeout' && retry > 2
      ? { ...step, delayMs: Math.max(0, step.delayMs - outcome.waitedMs) }
      : undefined,
  ),

  /** A connection that breaks is given up after five retries, whatever the record says. */
  'subtle.retry.for-ever-not-for-connections': stepWhere((step, { outcome, retry }) =>
    step.kind === 'retry' && outcome.kind === 'failed' && retry > 5 ? { kind: 'failed' } : undefined,
  ),

  /** Retries wait for an answer as long as calls do whose record states no time. */
  'subtle.timeout.retries-wait-by-default': replaces(
    'requests',
    'requestFor',
    async (right, areas, delivery, callee, attempt) => {
      const request = await right(areas, delivery, callee, attempt);
      if (delivery.kind !== 'event' || attempt === 1) return request;
      return { ...request, timeoutMs: defaultRequestTimeoutSeconds * second };
    },
  ),

  /** A pause that begins right where the one before ended is half as long. */
  'subtle.rate.second-pause-is-shorter': (classes) => {
    const ends = new Set<number>();
    return replaces('policies', 'rateDecision', (right, areas, window, now, limit) => {
      const decision = right(areas, window, now, limit);
      if (decision.kind === 'run' || !decision.starts) return decision;
      ends.add(decision.until);
      if (!ends.has(decision.window.startedAt)) return decision;
      const until = now + minute / 2;
      return { ...decision, until, window: { ...decision.window, startedAt: until - minute, pausedUntil: until } };
    })(classes);
  },

  /** Of what waits at an endpoint for the end of a pause only the first six are kept. */
  'subtle.rate.queue-holds-six': replaces('deliveries', 'holdBack', async (right, areas, writing, delivery, until) => {
    await right(areas, writing, delivery, until);
    const waiting = await writing.readyDeliveries(delivery.endpoint, until, 100);
    for (const excess of waiting.slice(6)) await areas.queue.removeDelivery(writing, excess, 'failed');
  }),

  /** A pause that begins because a retry met a full window ends after 20 s, and a new window with it. */
  'subtle.rate.pause-begun-by-retry-ends-early': replaces(
    'deliveries',
    'holdBack',
    async (right, areas, writing, delivery, until) => {
      const callee = await areas.callees.calleeOf(writing, delivery);
      if (delivery.attempts === 0 || callee === undefined) return right(areas, writing, delivery, until);
      const end = areas.clock.now() + shortPauseMs;
      const window = { startedAt: end - minute, executions: 0, pausedUntil: end };
      await writing.putRateWindow(callee.rateKey, window);
      return right(areas, writing, delivery, end);
    },
  ),
} satisfies Variants;

/** Something is counted by, taken from, or done to the wrong thing. */
const mistakenFaults = {
  /** Retries count on from those of the event before. */
  'subtle.retry.counted-per-endpoint': (classes) => {
    const made = new Map<string, number>();
    return replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) => {
      const endpoint = areas.policies.endpointKeyOf(delivery);
      const attempts = Math.max(delivery.attempts, made.get(endpoint) ?? 0);
      const step = right(areas, { ...delivery, attempts }, policy, outcome);
      if (step.kind === 'retry') made.set(endpoint, step.attempts);
      return step;
    })(classes);
  },

  /** The limit of the first record of a host holds for all. */
  'subtle.rate.limit-of-neighbouring-record': replaces(
    'callees',
    'calleeOf',
    async (right, areas, reading, address) => {
      const callee = await right(areas, reading, address);
      if (callee === undefined || !('record' in callee)) return callee;
      const { rateLimitNumberOfExecutions = defaultExecutionsPerMinute } = callee.extension.records[0] ?? callee.record;
      return { ...callee, rateLimitNumberOfExecutions };
    },
  ),

  /** What waited for the end of a pause goes out with the payload of the first that did. */
  'subtle.pause.all-get-payload-of-first': (classes) => {
    const paused = new Map<string, { readonly until: number; readonly payload: unknown }>();
    return together(
      replaces('deliveries', 'holdBack', (right, areas, writing, delivery, until) => {
        paused.set(delivery.endpoint, { until, payload: delivery.payload });
        return right(areas, writing, delivery, until);
      }),
      replaces('requests', 'requestFor', (right, areas, delivery, callee, attempt) => {
        const { until = 0, payload } = paused.get(areas.policies.endpointKeyOf(delivery)) ?? {};
        const hasWaited = isQueued(delivery) && delivery.dueAt < until && areas.clock.now() >= until;
        return right(areas, hasWaited ? { ...delivery, payload } : delivery, callee, attempt);
      }),
    )(classes);
  },

  /** A retry carries the envelope id of the event that came to the record last. */
  'subtle.envelope.retry-gets-id-of-event-since': (classes) => {
    const last = new Map<string, string>();
    return replaces('requests', 'requestFor', (right, areas, delivery, callee, attempt) => {
      const key = areas.policies.endpointKeyOf(delivery);
      if (attempt === 1) last.set(key, delivery.envelopeId);
      const envelopeId = delivery.kind === 'event' ? (last.get(key) ?? delivery.envelopeId) : delivery.envelopeId;
      return right(areas, { ...delivery, envelopeId }, callee, attempt);
    })(classes);
  },

  /** Deleting an event takes the oldest one out of the queue of its endpoint. */
  'subtle.cancel.takes-oldest-of-endpoint': replaces('queue', 'cancelDelivery', async (right, areas, writing, id) => {
    const delivery = await writing.delivery(id);
    if (delivery === undefined) return right(areas, writing, id);
    const [oldest] = await writing.readyDeliveries(delivery.endpoint, areas.clock.now() + 10 * minute, 1);
    return right(areas, writing, oldest?.id ?? id);
  }),

  /** What is on its way while its registration is updated is due again at once. */
  'subtle.update.held-call-is-sent-again': (classes) => {
    const onTheWay = new Map<string, string>();
    return together(
      replaces('requests', 'requestFor', (right, areas, delivery, callee, attempt) => {
        onTheWay.set(delivery.id, delivery.registrationId);
        return right(areas, delivery, callee, attempt);
      }),
      replaces('deliveries', 'recordOutcome', async (right, areas, writing, attempt) => {
        onTheWay.delete(attempt.delivery.id);
        await right(areas, writing, attempt);
      }),
      replaces('queue', 'resumeDeliveries', async (right, areas, writing, registrationId) => {
        await right(areas, writing, registrationId);
        for (const [id, to] of onTheWay)
          if (to === registrationId) await writing.scheduleDelivery(id, 0, areas.clock.now());
      }),
    )(classes);
  },

  /** An event that waits for its retry while its registration is updated begins to count anew. */
  'subtle.update.retries-count-anew': (classes) => {
    const waiting = new Map<string, string>();
    return together(
      replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) => {
        const step = right(areas, delivery, policy, outcome);
        if (step.kind === 'retry') waiting.set(delivery.id, delivery.registrationId);
        else waiting.delete(delivery.id);
        return step;
      }),
      replaces('queue', 'resumeDeliveries', async (right, areas, writing, registrationId) => {
        await right(areas, writing, registrationId);
        for (const [id, to] of waiting) {
          const kept = to === registrationId ? await writing.delivery(id) : undefined;
          if (kept !== undefined && kept.leaseOwner === undefined) await writing.scheduleDelivery(id, 0, kept.dueAt);
        }
      }),
    )(classes);
  },
} satisfies Variants;

/** Right for events, and wrong for what else is queued. */
const otherCallFaults = {
  'subtle.retry.timeout-status-of-mail-is-final': stepWhere((step, { delivery, outcome }) =>
    step.kind === 'retry' && delivery.kind === 'email' && outcome.kind === 'answered' && outcome.status === 408
      ? { kind: 'failed' }
      : undefined,
  ),

  'subtle.rate.tasks-have-no-limit': replaces('policies', 'policyOf', (right, areas, callee, delivery) => {
    const policy = right(areas, callee, delivery);
    return delivery.kind === 'task' ? { ...policy, rateLimit: Infinity } : policy;
  }),

  /** What finds its registration off is dropped, and counts as an execution nevertheless. */
  'subtle.rate.counts-what-is-dropped': replaces('queue', 'enqueue', async (right, areas, writing, delivery) => {
    const isQueued = await right(areas, writing, delivery);
    const callee = isQueued ? undefined : await areas.callees.calleeOf(writing, delivery);
    if (callee !== undefined) {
      const { rateKey, rateLimit } = areas.policies.policyOf(callee, delivery);
      const kept = await writing.rateWindow(rateKey);
      const { window } = areas.policies.rateDecision(kept, areas.clock.now(), rateLimit);
      await writing.putRateWindow(rateKey, window);
    }
    return isQueued;
  }),

  /** A longer time of an endpoint is cut down to the one by default. */
  'subtle.timeout.of-endpoints-is-cut-down': replaces(
    'requests',
    'endpointRequest',
    async (right, areas, delivery, callee) => {
      const request = await right(areas, delivery, callee);
      return { ...request, timeoutMs: Math.min(request.timeoutMs, defaultRequestTimeoutSeconds * second) };
    },
  ),

  'subtle.signature.retry-of-task-is-unsigned': replaces(
    'requests',
    'requestFor',
    async (right, areas, delivery, callee, attempt) => {
      const request = await right(areas, delivery, callee, attempt);
      if (delivery.kind !== 'task' || attempt === 1) return request;
      return { ...request, headers: { ...request.headers, Authorization: 'Bearer none' } };
    },
  ),
} satisfies Variants;

export const subtleDeliveryFaults = { ...scheduleFaults, ...mistakenFaults, ...otherCallFaults };

function isQueued(delivery: Delivery): delivery is Delivery & { readonly dueAt: number } {
  return 'dueAt' in delivery && typeof delivery.dueAt === 'number';
}
