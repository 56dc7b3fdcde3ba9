import type { Route } from '../route.ts';
import { attempt, call } from './call.ts';
import { claimReady, holdBack } from './claim.ts';
import { deliveryLogPath, logEntry, logEntryOut, readDeliveryLog } from './delivery-log.ts';
import { isOurs, logEntriesFor, recordOutcome } from './outcome.ts';
import {
  endpointKeyOf,
  freePlaces,
  isDelivered,
  isTransient,
  leaseFor,
  nextRetryDelay,
  nextStepOf,
  policyOf,
  rateDecision,
} from './policy.ts';
import { admits, cancelDelivery, enqueue, removeDelivery, resumeDeliveries } from './queue.ts';
import { callWithRetries } from './retries.ts';

export const deliveryBehaviours = {
  call,
  attempt,
  callWithRetries,
  enqueue,
  admits,
  cancelDelivery,
  removeDelivery,
  resumeDeliveries,
  claimReady,
  holdBack,
  recordOutcome,
  isOurs,
  logEntriesFor,
  logEntry,
  logEntryOut,
  readDeliveryLog,
  policyOf,
  endpointKeyOf,
  nextStepOf,
  isDelivered,
  isTransient,
  nextRetryDelay,
  rateDecision,
  freePlaces,
  leaseFor,
};

export const deliveryRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: deliveryLogPath,
    access: 'collection',
    effect: 'read',
    handle: (service, call, reading) => service.behaviours.readDeliveryLog(service, call, reading),
  },
];
