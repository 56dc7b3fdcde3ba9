import { defaultExecutionsPerMinute } from '../../../contract/limits.ts';
import type { MetadataRecord } from '../../metadata/record.ts';
import { replacing, type Fault } from '../fault.ts';
import { policyWhere } from './wrong.ts';

export const rateFaults = {
  'delivery.rate.default-five': limited(({ rateLimitNumberOfExecutions }) =>
    rateLimitNumberOfExecutions === undefined ? 10 : undefined,
  ),
  'delivery.rate.configured': limited(({ rateLimitNumberOfExecutions: limit }) =>
    limit !== undefined && limit > defaultExecutionsPerMinute ? defaultExecutionsPerMinute : undefined,
  ),
  'delivery.rate.endpoint-registrations': policyWhere('endpoint', () => ({ rateLimit: Infinity })),
  'delivery.rate.drains-in-windows': replacing('rateDecision', (right) => (window, now, limit) => {
    const wasPaused = window !== undefined && window.pausedUntil > 0 && now >= window.pausedUntil;
    return wasPaused ? { kind: 'run', window } : right(window, now, limit);
  }),
  'delivery.rate.none-lost-none-doubled': firstExcessDropped(),
  'delivery.rate.below-limit-not-delayed': replacing('rateDecision', (right) => (window, now, limit) => {
    if (window === undefined || window.pausedUntil > 0) return right(window, now, limit);
    return right({ ...window, startedAt: now }, now, limit);
  }),
  'delivery.rate.per-endpoint': replacing('policyOf', (right) => async (service, reading, delivery) => {
    const policy = await right(service, reading, delivery);
    return policy?.rateLimit === 4 ? { ...policy, rateKey: 'all' } : policy;
  }),

  'delivery.queue.failing-host-isolated': inSequence(20_000),
  'delivery.queue.delete-cancels': replacing('cancelDelivery', () => async () => true),
} as const;

/** What is wrong about the limit of a record; undefined where nothing is. */
function limited(wrong: (record: MetadataRecord) => number | undefined): Fault {
  return replacing('calleeOf', (right) => async (service, reading, address) => {
    const callee = await right(service, reading, address);
    const limit = callee !== undefined && 'record' in callee ? wrong(callee.record) : undefined;
    return callee === undefined || limit === undefined ? callee : { ...callee, rateLimitNumberOfExecutions: limit };
  });
}

/** Of each pause the delivery that started it. */
function firstExcessDropped(): Fault {
  const pauses = new Set<string>();
  return replacing('holdBack', (right) => async (service, writing, delivery, until) => {
    const pause = `${delivery.endpoint} ${until}`;
    if (pauses.has(pause)) return right(service, writing, delivery, until);
    pauses.add(pause);
    return service.behaviours.removeDelivery(service, writing, delivery, 'failed');
  });
}

/** Calls with that timeout are made one after another. */
function inSequence(timeoutMs: number): Fault {
  let last: Promise<unknown> = Promise.resolve();
  return replacing('call', (right) => (service, request) => {
    if (request.timeoutMs !== timeoutMs) return right(service, request);
    const outcome = last.then(() => right(service, request));
    last = outcome.catch(() => undefined);
    return outcome;
  });
}
