import { randomUUID } from 'node:crypto';
import { replacing, together } from '../fault.ts';
import { calledOnce, isStatus, oneMore, policyWhere, stepWhere, transientWhere } from './wrong.ts';

export const retryFaults = {
  'delivery.success.200-sent-once': stepWhere((step, stepping) => {
    const { outcome, delivery } = stepping;
    const isForgotten = step.kind === 'delivered' && isStatus(outcome, 200) && 'body' in outcome && outcome.body === '';
    return isForgotten && delivery.attempts === 0 ? oneMore(stepping) : undefined;
  }),
  'delivery.success.201-sent-once': together(
    replacing('isDelivered', (right) => (kind, outcome) => right(kind, outcome) && !isStatus(outcome, 201)),
    transientWhere((outcome) => (isStatus(outcome, 201) ? true : undefined)),
  ),

  'delivery.transient.connection-refused': transientWhere((outcome) => (isRefused(outcome) ? false : undefined)),
  'delivery.transient.connection-reset': replacing(
    'isDelivered',
    (right) => (kind, outcome) => right(kind, outcome) || (outcome.kind === 'failed' && !isRefused(outcome)),
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
  'delivery.event.same-content-on-retry': replacing('requestFor', (right) => (service, reading, delivery, attempt) => {
    const isAnew = delivery.kind === 'event' && attempt > 1;
    return right(service, reading, isAnew ? { ...delivery, envelopeId: randomUUID() } : delivery, attempt);
  }),
  'delivery.task.retry-gaps': policyWhere('task', () => ({ retries: 0 })),
  'delivery.email.retry-gaps': policyWhere('email', () => ({ retries: 3 })),
  'delivery.simple-endpoint.retry-gaps': calledOnce('externalEndpoint'),
  'delivery.trusted-endpoint.retry-gaps': calledOnce('trustedExternalEndpoint'),

  'delivery.retry-forever.continues': policyWhere('event', ({ retries }) => ({ retries: Math.min(retries, 5) })),
  'delivery.retry-forever.cap': replacing(
    'nextRetryDelay',
    (right) => (attempt) => Math.max(right(attempt), 2 ** attempt * 1000),
  ),
  'delivery.retry-forever.permanent-error-stops': stepWhere((step, stepping) =>
    step.kind === 'failed' && stepping.policy.retries === Infinity ? oneMore(stepping) : undefined,
  ),
  'delivery.retry-forever.endpoints': policyWhere('endpoint', ({ retries }) => ({ retries: Math.min(retries, 5) })),
} as const;

function isRefused(outcome: Parameters<Parameters<typeof transientWhere>[0]>[0]): boolean {
  return outcome.kind === 'failed' && outcome.reason.startsWith('ECONNREFUSED');
}
