import { randomUUID } from 'node:crypto';
import { defaultExecutionsPerMinute } from '../../contract/limits.ts';
import type { MetadataRecord } from '../../reference-server/areas/records.ts';
import type {
  CallKind,
  CallOutcome,
  Delivery,
  DeliveryPolicy,
  NextStep,
  QueuedDelivery,
} from '../../reference-server/ports/deliveries.ts';
import { type Variant, type Variants, breaks, together, replaces } from '../breaks.ts';

/** What is known when the next step is chosen. */
interface Stepping {
  readonly delivery: QueuedDelivery;
  readonly policy: DeliveryPolicy;
  readonly outcome: CallOutcome;
  readonly isTransient: boolean;
  /** The retry that would come next, from 1. */
  readonly retry: number;
  readonly delayMs: number;
}

const rateFaults = {
  'delivery.rate.default-five': limited(({ rateLimitNumberOfExecutions }) =>
    rateLimitNumberOfExecutions === undefined ? 10 : undefined,
  ),
  'delivery.rate.configured': limited(({ rateLimitNumberOfExecutions: limit }) =>
    limit !== undefined && limit > defaultExecutionsPerMinute ? defaultExecutionsPerMinute : undefined,
  ),
  'delivery.rate.endpoint-registrations': policyWhere('endpoint', () => ({ rateLimit: Infinity })),
  'delivery.rate.drains-in-windows': replaces('policies', 'rateDecision', (right, areas, window, now, limit) => {
    const wasPaused = window !== undefined && window.pausedUntil > 0 && now >= window.pausedUntil;
    return wasPaused ? { kind: 'run', window } : right(areas, window, now, limit);
  }),
  'delivery.rate.none-lost-none-doubled': firstExcessDropped(),
  'delivery.rate.below-limit-not-delayed': replaces('policies', 'rateDecision', (right, areas, window, now, limit) => {
    if (window === undefined || window.pausedUntil > 0) return right(areas, window, now, limit);
    return right(areas, { ...window, startedAt: now }, now, limit);
  }),
  'delivery.rate.per-endpoint': replaces('policies', 'policyOf', (right, areas, callee, delivery) => {
    const policy = right(areas, callee, delivery);
    return policy.rateLimit === 4 ? { ...policy, rateKey: 'all' } : policy;
  }),

  'delivery.queue.failing-host-isolated': inSequence(20_000),
  'delivery.queue.delete-cancels': replaces('queue', 'cancelDelivery', async () => true),
  'delivery.history.matches-model': soonerBehindUpdates(),
  'delivery.queue.equal-ones': breaks('queue', 'enqueue', (right) => {
    const queued = new Set<string>();
    return async (areas, writing, delivery) => {
      const { registrationId, recordId, kind, payload } = delivery;
      const { id: _own, ...content } = Object(payload) as Readonly<Record<string, unknown>>;
      const key = JSON.stringify([registrationId, recordId, kind, content]);
      if (kind !== 'task' && queued.has(key)) return true;
      queued.add(key);
      return right(areas, writing, delivery);
    };
  }),
} as const;

const retryFaults = {
  'delivery.success.not-sent-after-restart': deliveredComesBack(),
  'delivery.success.200-sent-once': stepWhere((step, stepping) => {
    const { outcome, delivery } = stepping;
    const isForgotten = step.kind === 'delivered' && isStatus(outcome, 200) && 'body' in outcome && outcome.body === '';
    return isForgotten && delivery.attempts === 0 ? oneMore(stepping) : undefined;
  }),
  'delivery.success.201-sent-once': together(
    replaces(
      'policies',
      'isDelivered',
      (right, areas, kind, outcome) => right(areas, kind, outcome) && !isStatus(outcome, 201),
    ),
    transientWhere((outcome) => (isStatus(outcome, 201) ? true : undefined)),
  ),

  'delivery.success.action-called-once': replaces('triggers', 'runAction', async (right, areas, call) => {
    const answer = await right(areas, call);
    return answer.status === 200 && answer.raw === undefined ? right(areas, call) : answer;
  }),

  'delivery.transient.connection-refused': transientWhere((outcome) => (isRefused(outcome) ? false : undefined)),
  'delivery.transient.connection-reset': replaces(
    'policies',
    'isDelivered',
    (right, areas, kind, outcome) => right(areas, kind, outcome) || (outcome.kind === 'failed' && !isRefused(outcome)),
  ),
  'delivery.transient.server-errors': transientWhere((outcome) => (isStatus(outcome, 501) ? false : undefined)),
  'delivery.transient.request-timeout-status': transientWhere((outcome) =>
    isStatus(outcome, 408) ? false : undefined,
  ),
  'delivery.transient.no-response-in-time': transientWhere((outcome) =>
    outcome.kind === 'timeout' ? false : undefined,
  ),

  'delivery.permanent.client-errors': transientWhere((outcome) => (isStatus(outcome, 429) ? true : undefined)),
  'delivery.permanent.after-transient': stepWhere((step, stepping) => {
    const { delivery, policy, isTransient, retry } = stepping;
    const goesOn = step.kind === 'failed' && !isTransient && delivery.attempts > 0 && retry <= policy.retries;
    return goesOn && Number.isFinite(policy.retries) ? oneMore(stepping) : undefined;
  }),

  'delivery.event.retry-gaps': stepWhere((step, { delivery, retry, outcome }) =>
    step.kind === 'retry' && delivery.kind === 'event' && outcome.kind === 'answered' && retry === 4
      ? { ...step, delayMs: 12_000 }
      : undefined,
  ),
  'delivery.event.no-sixth-retry': stepWhere((step, stepping) => {
    const { delivery, outcome, isTransient, retry } = stepping;
    const isSixth = step.kind === 'failed' && isTransient && retry === 6;
    return isSixth && delivery.kind === 'event' && outcome.kind === 'answered' ? oneMore(stepping) : undefined;
  }),
  'delivery.event.recovery-stops-retries': stepWhere((step, stepping) => {
    const { delivery, policy, retry } = stepping;
    const isLast = step.kind === 'delivered' && delivery.kind === 'event' && retry === 6;
    return isLast && Number.isFinite(policy.retries) ? oneMore(stepping) : undefined;
  }),
  'delivery.event.same-content-on-retry': replaces(
    'requests',
    'requestFor',
    (right, areas, delivery, callee, attempt) => {
      const isAnew = delivery.kind === 'event' && attempt > 1;
      return right(areas, isAnew ? { ...delivery, envelopeId: randomUUID() } : delivery, callee, attempt);
    },
  ),
  'delivery.task.retry-gaps': policyWhere('task', () => ({ retries: 0 })),
  'delivery.email.retry-gaps': policyWhere('email', () => ({ retries: 3 })),
  'delivery.simple-endpoint.retry-gaps': calledOnce('externalEndpoint'),
  'delivery.trusted-endpoint.retry-gaps': calledOnce('trustedExternalEndpoint'),

  'delivery.retry-forever.continues': policyWhere('event', ({ retries }) => ({ retries: Math.min(retries, 5) })),
  'delivery.retry-forever.cap': replaces('policies', 'nextRetryDelay', (right, areas, attempt) =>
    Math.max(right(areas, attempt), 2 ** attempt * 1000),
  ),
  'delivery.retry-forever.permanent-error-stops': stepWhere((step, stepping) =>
    step.kind === 'failed' && stepping.policy.retries === Infinity ? oneMore(stepping) : undefined,
  ),
  'delivery.retry-forever.endpoints': policyWhere('endpoint', ({ retries }) => ({ retries: Math.min(retries, 5) })),
} as const;

const validationFaults = {
  'delivery.validation.retry-gaps': retried(5),
  'delivery.validation.no-fourth-retry': retried(4),
  'delivery.validation.retry-forever-ignored': replaces(
    'outgoingCalls',
    'callWithRetries',
    async (right, areas, delivery, retries) => {
      const callee = await areas.store.read((reading) => areas.callees.calleeOf(reading, delivery));
      return right(
        areas,
        delivery,
        delivery.kind === 'validation' && callee?.retryForever === true ? Infinity : retries,
      );
    },
  ),
  'delivery.validation.recovers': replaces(
    'outgoingCalls',
    'attempt',
    async (right, areas, delivery, callee, count) => {
      const outcome = await right(areas, delivery, callee, count);
      const isLate = delivery.kind === 'validation' && count > 1 && outcome.kind === 'answered';
      return isLate ? { kind: 'failed', reason: 'the first attempt failed' } : outcome;
    },
  ),

  'delivery.timeout.default': timedOut(({ requestTimeout, extensionType }) =>
    requestTimeout === undefined && extensionType !== 'Email' ? 30 : undefined,
  ),
  'delivery.timeout.configured': timedOut(({ requestTimeout, extensionType }) =>
    requestTimeout !== undefined && extensionType === 'ExternalEvent' ? requestTimeout / 1000 : undefined,
  ),
  'delivery.timeout.email-default': timedOut(({ requestTimeout, extensionType }) =>
    requestTimeout === undefined && extensionType === 'Email' ? 100 : undefined,
  ),
  'delivery.timeout.validation': timedOut(({ extensionType }) =>
    extensionType === 'ExternalValidation' ? 100 : undefined,
  ),
  'delivery.timeout.slow-answer-accepted': replaces('outgoingCalls', 'call', async (right, areas, request) => {
    const startedAt = areas.clock.now();
    const outcome = await right(areas, request);
    const waitedMs = areas.clock.now() - startedAt;
    return outcome.kind === 'answered' && waitedMs > request.timeoutMs / 2 ? { kind: 'timeout', waitedMs } : outcome;
  }),
  'delivery.timeout.exhausted': stepWhere((step, { delivery, outcome, isTransient, retry, delayMs }) => {
    const isOver = step.kind === 'failed' && isTransient && outcome.kind === 'timeout';
    return isOver ? { kind: 'retry', attempts: delivery.attempts, retry, delayMs } : undefined;
  }),
} as const;

export const deliveryFaults = { ...retryFaults, ...validationFaults, ...rateFaults } satisfies Variants;

/** Whether an outcome is an answer with that status. */
function isStatus(outcome: CallOutcome, status: number): boolean {
  return outcome.kind === 'answered' && outcome.status === status;
}

/** What is wrong about the class of an outcome; undefined where nothing is. */
function transientWhere(wrong: (outcome: CallOutcome) => boolean | undefined): Variant {
  return replaces('policies', 'isTransient', (right, areas, outcome) => wrong(outcome) ?? right(areas, outcome));
}

/** What is wrong about the step after an attempt; undefined where nothing is. */
export function stepWhere(wrong: (step: NextStep, stepping: Stepping) => NextStep | undefined): Variant {
  return replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) => {
    const step = right(areas, delivery, policy, outcome);
    const retry = delivery.attempts + 1;

    return (
      wrong(step, {
        delivery,
        policy,
        outcome,
        retry,
        isTransient: areas.policies.isTransient(outcome),
        delayMs: areas.policies.nextRetryDelay(retry),
      }) ?? step
    );
  });
}

/** One retry more. */
function oneMore({ retry, delayMs }: Stepping): NextStep {
  return { kind: 'retry', attempts: retry, retry, delayMs };
}

/** What is wrong about how deliveries of a kind are handled. */
function policyWhere(
  kind: CallKind,
  wrong: (policy: DeliveryPolicy, delivery: Delivery) => Partial<DeliveryPolicy>,
): Variant {
  return replaces('policies', 'policyOf', (right, areas, callee, delivery) => {
    const policy = right(areas, callee, delivery);
    return delivery.kind !== kind ? policy : { ...policy, ...wrong(policy, delivery) };
  });
}

/** As policyWhere, for the endpoints of one kind of registration, unless they are retried for ever. */
function calledOnce(kind: 'externalEndpoint' | 'trustedExternalEndpoint'): Variant {
  return replaces('policies', 'policyOf', (right, areas, callee, delivery) => {
    const policy = right(areas, callee, delivery);
    const isMeant = 'endpoint' in callee && callee.endpoint.kind === kind;
    return isMeant && Number.isFinite(policy.retries) ? { ...policy, retries: 0 } : policy;
  });
}

/** What is wrong about the limit of a record; undefined where nothing is. */
function limited(wrong: (record: MetadataRecord) => number | undefined): Variant {
  return replaces('callees', 'calleeOf', async (right, areas, reading, address) => {
    const callee = await right(areas, reading, address);
    const limit = callee !== undefined && 'record' in callee ? wrong(callee.record) : undefined;
    return callee === undefined || limit === undefined ? callee : { ...callee, rateLimitNumberOfExecutions: limit };
  });
}

/** Of each pause the delivery that started it. */
function firstExcessDropped(): Variant {
  const pauses = new Set<string>();
  return replaces('deliveries', 'holdBack', async (right, areas, writing, delivery, until) => {
    const pause = `${delivery.endpoint} ${until}`;
    if (pauses.has(pause)) return right(areas, writing, delivery, until);
    pauses.add(pause);
    return areas.queue.removeDelivery(writing, delivery, 'failed');
  });
}

/** Calls with that timeout are made one after another. */
function inSequence(timeoutMs: number): Variant {
  let last: Promise<unknown> = Promise.resolve();
  return replaces('outgoingCalls', 'call', (right, areas, request) => {
    if (request.timeoutMs !== timeoutMs) return right(areas, request);
    const outcome = last.then(() => right(areas, request));
    last = outcome.catch(() => undefined);
    return outcome;
  });
}

function isRefused(outcome: Parameters<Parameters<typeof transientWhere>[0]>[0]): boolean {
  return outcome.kind === 'failed' && outcome.reason.startsWith('ECONNREFUSED');
}

function retried(times: number): Variant {
  return replaces('outgoingCalls', 'callWithRetries', (right, areas, delivery, retries) =>
    right(areas, delivery, delivery.kind === 'validation' ? times : retries),
  );
}

/** What is wrong about the timeout of a record, in seconds; undefined where nothing is. */
function timedOut(wrong: (record: MetadataRecord) => number | undefined): Variant {
  return replaces('callees', 'requestTimeoutOf', (right, areas, record) => wrong(record) ?? right(areas, record));
}

/** What was delivered before a restart is queued again with the first event after it. */
function deliveredComesBack(): Variant {
  // of each server, which keeps its clock over a restart
  const kept = new WeakMap<object, { readonly delivery: Delivery; readonly by: object }[]>();
  const deliveredOf = ({ clock }: { readonly clock: object }) => {
    const list = kept.get(clock) ?? [];
    kept.set(clock, list);
    return list;
  };
  return together(
    replaces('queue', 'removeDelivery', (right, areas, writing, delivery, end, outcome) => {
      if (end === 'delivered') deliveredOf(areas).push({ delivery, by: areas.outgoing });
      return right(areas, writing, delivery, end, outcome);
    }),
    replaces('queue', 'enqueue', async (right, areas, writing, delivery) => {
      const earlier = deliveredOf(areas).filter(({ by }) => by !== areas.outgoing);
      if (earlier.length > 0) deliveredOf(areas).splice(0);
      for (const { delivery: again } of earlier) await right(areas, writing, again);
      return right(areas, writing, delivery);
    }),
  );
}

/** The first retry that is planned behind an update of its extension comes as soon as the first of all. */
function soonerBehindUpdates(): Variant {
  return (classes) => {
    // of each extension that was updated, the deliveries that were planned since
    const updated = new Map<string, Set<string>>();
    return together(
      replaces('registrations', 'putExtension', async (right, areas, call) => {
        updated.set(call.params.id ?? '', new Set());
        return right(areas, call);
      }),
      replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) => {
        const step = right(areas, delivery, policy, outcome);
        const planned = updated.get(delivery.registrationId);
        if (step.kind !== 'retry' || planned === undefined || planned.has(delivery.id)) return step;
        planned.add(delivery.id);
        return { ...step, delayMs: areas.policies.nextRetryDelay(1) };
      }),
    )(classes);
  };
}
