import { defaultExecutionsPerMinute, defaultRequestTimeoutSeconds } from '../../../contract/limits.ts';
import type { Delivery } from '../../delivery/delivery.ts';
import { stepWhere } from '../delivery/wrong.ts';
import { replacing, together, type Fault } from '../fault.ts';

const second = 1000;
const minute = 60 * second;
/** What a pause is cut down to. */
const shortPauseMs = 20 * second;

/** Wrong in a late step of a schedule only. */
const scheduleFaults = {
  'subtle.retry.fourth-gap-of-tasks': stepWhere((step, { delivery, retry }) =>
    step.kind === 'retry' && delivery.kind === 'task' && retry === 4 ? { ...step, delayMs: 12 * second } : undefined,
  ),

  'subtle.retry.first-gap-of-events-halved': stepWhere((step, { delivery, retry }) =>
    step.kind === 'retry' && delivery.kind === 'event' && retry === 1 ? { ...step, delayMs: second } : undefined,
  ),

  /** Two gaps of trusted endpoints are the same: the last one does not grow any more. */
  'subtle.retry.last-gap-of-trusted-endpoints': replacing(
    'recordOutcome',
    (right) => async (service, writing, attempt) => {
      const callee = await service.behaviours.calleeOf(service, writing, attempt.delivery);
      await right(service, writing, attempt);
      const isMeant =
        callee !== undefined && 'endpoint' in callee && callee.endpoint.kind === 'trustedExternalEndpoint';
      const kept = await writing.delivery(attempt.delivery.id);
      if (isMeant && kept?.attempts === 5 && kept.leaseOwner === undefined)
        await writing.scheduleDelivery(kept.id, kept.attempts, attempt.endedAt + service.behaviours.nextRetryDelay(4));
    },
  ),

  /** The cap is there for the ninth retry, and lifts again after it. */
  'subtle.retry.cap-lifts-after-ninth': replacing(
    'nextRetryDelay',
    (right) => (attempt) => (attempt > 9 ? 2 * right(attempt) : right(attempt)),
  ),

  /** From the third retry on a gap counts from the start of an attempt that timed out. */
  'subtle.retry.late-gap-counts-from-start': stepWhere((step, { outcome, retry }) =>
    step.kind === 'retry' && outcome.kind === 'timeout' && retry > 2
      ? { ...step, delayMs: Math.max(0, step.delayMs - outcome.waitedMs) }
      : undefined,
  ),

  /** Retries wait for an answer as long as calls do whose record states no time. */
  'subtle.timeout.retries-wait-by-default': replacing(
    'requestFor',
    (right) => async (service, reading, delivery, attempt) => {
      const request = await right(service, reading, delivery, attempt);
      if (request === undefined || delivery.kind !== 'event' || attempt === 1) return request;
      return { ...request, timeoutMs: defaultRequestTimeoutSeconds * second };
    },
  ),

  /** A pause that begins right where the one before ended is half as long. */
  'subtle.rate.second-pause-is-shorter': (behaviours) => {
    const ends = new Set<number>();
    return replacing('rateDecision', (right) => (window, now, limit) => {
      const decision = right(window, now, limit);
      if (decision.kind === 'run' || !decision.starts) return decision;
      ends.add(decision.until);
      if (!ends.has(decision.window.startedAt)) return decision;
      const until = now + minute / 2;
      return { ...decision, until, window: { ...decision.window, startedAt: until - minute, pausedUntil: until } };
    })(behaviours);
  },

  /** A pause that begins because a retry met a full window ends after 20 s, and a new window with it. */
  'subtle.rate.pause-begun-by-retry-ends-early': replacing(
    'holdBack',
    (right) => async (service, writing, delivery, until) => {
      const policy = await service.behaviours.policyOf(service, writing, delivery);
      if (delivery.attempts === 0 || policy === undefined) return right(service, writing, delivery, until);
      const end = service.clock.now() + shortPauseMs;
      const window = { startedAt: end - minute, executions: 0, pausedUntil: end };
      await writing.putRateWindow(policy.rateKey, window);
      return right(service, writing, delivery, end);
    },
  ),
} satisfies Readonly<Record<string, Fault>>;

/** Something is counted by, taken from, or done to the wrong thing. */
const mistakenFaults = {
  /** Retries count on from those of the event before. */
  'subtle.retry.counted-per-endpoint': (behaviours) => {
    const made = new Map<string, number>();
    return replacing('nextStepOf', (right) => (service, delivery, policy, outcome) => {
      const endpoint = service.behaviours.endpointKeyOf(delivery);
      const attempts = Math.max(delivery.attempts, made.get(endpoint) ?? 0);
      const step = right(service, { ...delivery, attempts }, policy, outcome);
      if (step.kind === 'retry') made.set(endpoint, step.attempts);
      return step;
    })(behaviours);
  },

  /** The limit of the first record of a host holds for all. */
  'subtle.rate.limit-of-neighbouring-record': replacing('calleeOf', (right) => async (service, reading, address) => {
    const callee = await right(service, reading, address);
    if (callee === undefined || !('record' in callee)) return callee;
    const { rateLimitNumberOfExecutions = defaultExecutionsPerMinute } = callee.extension.records[0] ?? callee.record;
    return { ...callee, rateLimitNumberOfExecutions };
  }),

  /** What waited for the end of a pause goes out with the payload of the first that did. */
  'subtle.pause.all-get-payload-of-first': (behaviours) => {
    const paused = new Map<string, { readonly until: number; readonly payload: unknown }>();
    return together(
      replacing('holdBack', (right) => (service, writing, delivery, until) => {
        paused.set(delivery.endpoint, { until, payload: delivery.payload });
        return right(service, writing, delivery, until);
      }),
      replacing('requestFor', (right) => (service, reading, delivery, attempt) => {
        const { until = 0, payload } = paused.get(service.behaviours.endpointKeyOf(delivery)) ?? {};
        const hasWaited = isQueued(delivery) && delivery.dueAt < until && service.clock.now() >= until;
        return right(service, reading, hasWaited ? { ...delivery, payload } : delivery, attempt);
      }),
    )(behaviours);
  },

  /** A retry carries the envelope id of the event that came to the record last. */
  'subtle.envelope.retry-gets-id-of-event-since': (behaviours) => {
    const last = new Map<string, string>();
    return replacing('requestFor', (right) => (service, reading, delivery, attempt) => {
      const key = service.behaviours.endpointKeyOf(delivery);
      if (attempt === 1) last.set(key, delivery.envelopeId);
      const envelopeId = delivery.kind === 'event' ? (last.get(key) ?? delivery.envelopeId) : delivery.envelopeId;
      return right(service, reading, { ...delivery, envelopeId }, attempt);
    })(behaviours);
  },

  /** Deleting an event takes the oldest one out of the queue of its endpoint. */
  'subtle.cancel.takes-oldest-of-endpoint': replacing('cancelDelivery', (right) => async (service, writing, id) => {
    const delivery = await writing.delivery(id);
    if (delivery === undefined) return right(service, writing, id);
    const [oldest] = await writing.readyDeliveries(delivery.endpoint, service.clock.now() + 10 * minute, 1);
    return right(service, writing, oldest?.id ?? id);
  }),

  /** What is on its way while its registration is updated is due again at once. */
  'subtle.update.held-call-is-sent-again': (behaviours) => {
    const onTheWay = new Map<string, string>();
    return together(
      replacing('requestFor', (right) => (service, reading, delivery, attempt) => {
        onTheWay.set(delivery.id, delivery.registrationId);
        return right(service, reading, delivery, attempt);
      }),
      replacing('recordOutcome', (right) => async (service, writing, attempt) => {
        onTheWay.delete(attempt.delivery.id);
        await right(service, writing, attempt);
      }),
      replacing('resumeDeliveries', (right) => async (service, writing, registrationId) => {
        await right(service, writing, registrationId);
        for (const [id, to] of onTheWay)
          if (to === registrationId) await writing.scheduleDelivery(id, 0, service.clock.now());
      }),
    )(behaviours);
  },

  /** An event that waits for its retry while its registration is updated begins to count anew. */
  'subtle.update.retries-count-anew': (behaviours) => {
    const waiting = new Map<string, string>();
    return together(
      replacing('nextStepOf', (right) => (service, delivery, policy, outcome) => {
        const step = right(service, delivery, policy, outcome);
        if (step.kind === 'retry') waiting.set(delivery.id, delivery.registrationId);
        else waiting.delete(delivery.id);
        return step;
      }),
      replacing('resumeDeliveries', (right) => async (service, writing, registrationId) => {
        await right(service, writing, registrationId);
        for (const [id, to] of waiting) {
          const kept = to === registrationId ? await writing.delivery(id) : undefined;
          if (kept !== undefined && kept.leaseOwner === undefined) await writing.scheduleDelivery(id, 0, kept.dueAt);
        }
      }),
    )(behaviours);
  },
} satisfies Readonly<Record<string, Fault>>;

export const subtleDeliveryFaults = { ...scheduleFaults, ...mistakenFaults };

function isQueued(delivery: Delivery): delivery is Delivery & { readonly dueAt: number } {
  return 'dueAt' in delivery && typeof delivery.dueAt === 'number';
}
