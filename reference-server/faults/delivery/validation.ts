import type { MetadataRecord } from '../../metadata/record.ts';
import { replacing, type Fault } from '../fault.ts';
import { stepWhere } from './wrong.ts';

export const validationFaults = {
  'delivery.validation.retry-gaps': retried(5),
  'delivery.validation.no-fourth-retry': retried(4),
  'delivery.validation.retry-forever-ignored': replacing(
    'callWithRetries',
    (right) => async (service, delivery, retries) => {
      const callee = await service.store.read((reading) => service.behaviours.calleeOf(service, reading, delivery));
      return right(
        service,
        delivery,
        delivery.kind === 'validation' && callee?.retryForever === true ? Infinity : retries,
      );
    },
  ),
  'delivery.validation.recovers': replacing('attempt', (right) => async (service, delivery, count) => {
    const outcome = await right(service, delivery, count);
    const isLate = delivery.kind === 'validation' && count > 1 && outcome.kind === 'answered';
    return isLate ? { kind: 'failed', reason: 'the first attempt failed' } : outcome;
  }),

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
  'delivery.timeout.slow-answer-accepted': replacing('call', (right) => async (service, request) => {
    const startedAt = service.clock.now();
    const outcome = await right(service, request);
    const waitedMs = service.clock.now() - startedAt;
    return outcome.kind === 'answered' && waitedMs > request.timeoutMs / 2 ? { kind: 'timeout', waitedMs } : outcome;
  }),
  'delivery.timeout.exhausted': stepWhere((step, { delivery, outcome, isTransient, retry, delayMs }) => {
    const isOver = step.kind === 'failed' && isTransient && outcome.kind === 'timeout';
    return isOver ? { kind: 'retry', attempts: delivery.attempts, retry, delayMs } : undefined;
  }),
} as const;

function retried(times: number): Fault {
  return replacing(
    'callWithRetries',
    (right) => (service, delivery, retries) =>
      right(service, delivery, delivery.kind === 'validation' ? times : retries),
  );
}

/** What is wrong about the timeout of a record, in seconds; undefined where nothing is. */
function timedOut(wrong: (record: MetadataRecord) => number | undefined): Fault {
  return replacing('requestTimeoutOf', (right) => (record) => wrong(record) ?? right(record));
}
