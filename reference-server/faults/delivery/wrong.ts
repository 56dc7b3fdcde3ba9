import type {
  CallKind,
  CallOutcome,
  Delivery,
  DeliveryPolicy,
  NextStep,
  QueuedDelivery,
} from '../../delivery/delivery.ts';
import { replacing, type Fault } from '../fault.ts';

/** Whether an outcome is an answer with that status. */
export function isStatus(outcome: CallOutcome, status: number): boolean {
  return outcome.kind === 'answered' && outcome.status === status;
}

/** What is wrong about the class of an outcome; undefined where nothing is. */
export function transientWhere(wrong: (outcome: CallOutcome) => boolean | undefined): Fault {
  return replacing('isTransient', (right) => (outcome) => wrong(outcome) ?? right(outcome));
}

/** What is known when the next step is chosen. */
export interface Stepping {
  readonly delivery: QueuedDelivery;
  readonly policy: DeliveryPolicy;
  readonly outcome: CallOutcome;
  readonly isTransient: boolean;
  /** The retry that would come next, from 1. */
  readonly retry: number;
  readonly delayMs: number;
}

/** What is wrong about the step after an attempt; undefined where nothing is. */
export function stepWhere(wrong: (step: NextStep, stepping: Stepping) => NextStep | undefined): Fault {
  return replacing('nextStepOf', (right) => (service, delivery, policy, outcome) => {
    const step = right(service, delivery, policy, outcome);
    const retry = delivery.attempts + 1;
    const { isTransient, nextRetryDelay } = service.behaviours;
    return (
      wrong(step, {
        delivery,
        policy,
        outcome,
        retry,
        isTransient: isTransient(outcome),
        delayMs: nextRetryDelay(retry),
      }) ?? step
    );
  });
}

/** One retry more. */
export function oneMore({ retry, delayMs }: Stepping): NextStep {
  return { kind: 'retry', attempts: retry, retry, delayMs };
}

/** What is wrong about how deliveries of a kind are handled. */
export function policyWhere(
  kind: CallKind,
  wrong: (policy: DeliveryPolicy, delivery: Delivery) => Partial<DeliveryPolicy>,
): Fault {
  return replacing('policyOf', (right) => async (service, reading, delivery) => {
    const policy = await right(service, reading, delivery);
    return policy === undefined || delivery.kind !== kind ? policy : { ...policy, ...wrong(policy, delivery) };
  });
}

/** As policyWhere, for the endpoints of one kind of registration, unless they are retried for ever. */
export function calledOnce(kind: 'externalEndpoint' | 'trustedExternalEndpoint'): Fault {
  return replacing('policyOf', (right) => async (service, reading, delivery) => {
    const policy = await right(service, reading, delivery);
    const callee = await service.behaviours.calleeOf(service, reading, delivery);
    const isMeant = callee !== undefined && 'endpoint' in callee && callee.endpoint.kind === kind;
    return policy !== undefined && isMeant && Number.isFinite(policy.retries) ? { ...policy, retries: 0 } : policy;
  });
}
