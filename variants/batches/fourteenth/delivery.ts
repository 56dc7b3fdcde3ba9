import type { Script } from '../../../simulator/extension/script.ts';
import { breaks, within, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { callsTo, logged } from '../proofs.ts';
import { at, type Service } from '../service.ts';

export const deliveryMistakes: Batch = {
  'delivery.created-mail': {
    source: 'extensions: Calls to extensions',
    breaks: 'A mail that is answered by 201 is sent, and not sent again.',
    kind: 'place',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) => {
      const isCreated = delivery.kind === 'email' && outcome.kind === 'answered' && outcome.status === 201;
      return right(areas, delivery, policy, isCreated ? { ...outcome, status: 500 } : outcome);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'mail', extensionType: 'Email' }], always(201));
      const mail = { recordId: 'mail', to: 'a@b.example', subject: 'subject', body: 'body' };
      await service.edda.post('/api/space/main/externalEmail', mail);
      await service.pass(3, 2);
      return callsTo(host).length > 1;
    },
  },

  'delivery.timeout-status-of-a-validation': {
    source: 'extensions: Errors 1',
    breaks: 'A 408 is a transient error, that of a validation as well.',
    kind: 'place',
    variant: replaces('outgoingCalls', 'callWithRetries', (right, areas, delivery, retries) => {
      const strict = within(areas, {
        policies: {
          isTransient: (outcome) =>
            areas.policies.isTransient(outcome) && !(outcome.kind === 'answered' && outcome.status === 408),
        },
      });
      return right(delivery.kind === 'validation' ? strict : areas, delivery, retries);
    }),
    async shows(service) {
      const host = await service.host(() => [validator], always(408));
      await promoteInTime(service);
      return callsTo(host).length < 4;
    },
  },

  'delivery.even-gaps-of-a-validation': {
    source: 'extensions: Limits',
    breaks: 'The retries of a validation follow after 2, 4 and 8 seconds.',
    kind: 'moment',
    variant: replaces('outgoingCalls', 'callWithRetries', (right, areas, delivery, retries) => {
      const even = within(areas, { policies: { nextRetryDelay: () => 2000 } });
      return right(delivery.kind === 'validation' ? even : areas, delivery, retries);
    }),
    async shows(service) {
      await service.host(() => [validator], always(503));
      await promoteInTime(service);
      const waits = (await logged(service, 'transient-error')).map((entry) => at(entry, '/wait'));
      return waits.length === 3 && waits.join() !== '2,4,8';
    },
  },

  'delivery.longest-gap-is-a-power-of-two': {
    source: 'extensions: Errors 2',
    breaks: 'The gaps between retries grow up to five minutes.',
    kind: 'value',
    variant: replaces('policies', 'nextRetryDelay', (right, areas, retry) => Math.min(right(areas, retry), 256_000)),
    async shows(service) {
      await service.host(() => [{ id: 'event', retryForever: true }], always(503));
      await service.edda.sendEvent();
      await service.pass(301, 12);
      const waits = (await logged(service, 'transient-error')).map((entry) => at(entry, '/wait'));
      return waits.length > 8 && !waits.includes(300);
    },
  },

  'delivery.held-one-counts-twice': {
    source: 'extensions: Limits',
    breaks: 'After a pause as many executions are allowed as before it.',
    kind: 'moment',
    variant: replaces('policies', 'rateDecision', (right, areas, former, now, limit) => {
      const decision = right(areas, former, now, limit);
      const isFirst = decision.kind === 'run' && decision.window.executions === 1;
      if (!isFirst || former === undefined || former.pausedUntil === 0) return decision;
      return { ...decision, window: { ...decision.window, executions: 2 } };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', rateLimitNumberOfExecutions: 2 }]);
      for (let count = 0; count < 5; count += 1) await service.edda.sendEvent();
      await service.pass(10, 9);
      return callsTo(host).length === 3;
    },
  },

  'delivery.log-of-a-refusal': {
    source: 'extensions: Errors 3',
    breaks: 'The removal of an event is logged, also when it was refused at its first attempt.',
    kind: 'combination',
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    variant: replaces('deliveries', 'logEntriesFor', (right, areas, delivery, policy, outcome, step) => {
      const entries = right(areas, delivery, policy, outcome, step);
      const isRefused = outcome.kind === 'answered' && outcome.status < 500;
      return isRefused ? entries.filter(({ kind }) => kind !== 'removed') : entries;
    }),
    async shows(service) {
      await service.host(() => [{ id: 'event' }], always(400));
      await service.edda.sendEvent();
      await service.pass(1, 2);
      return (await logged(service, 'failed')).length > 0 && (await logged(service, 'removed')).length === 0;
    },
  },

  'delivery.log-of-the-second-pause': {
    source: 'extensions: Errors 3',
    breaks: 'It is logged when the rate limit is exceeded, each time.',
    kind: 'moment',
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    variant: breaks('deliveryLog', 'logEntry', (right) => {
      const told = new Set<string>();
      return async (areas, writing, entry) => {
        const isAgain = entry.kind === 'rate-limit' && told.has(entry.endpoint);
        if (entry.kind === 'rate-limit') told.add(entry.endpoint);
        if (!isAgain) await right(areas, writing, entry);
      };
    }),
    async shows(service) {
      await service.host(() => [{ id: 'event', rateLimitNumberOfExecutions: 1 }]);
      for (let count = 0; count < 4; count += 1) await service.edda.sendEvent();
      await service.pass(10, 14);
      return (await logged(service, 'rate-limit')).length === 1;
    },
  },

  'delivery.count-of-endless-retries': {
    source: 'extensions: Errors 3',
    breaks:
      'The entry about a transient error tells the number of the retry out of infinity where retries have no end.',
    kind: 'place',
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    variant: replaces('deliveries', 'logEntriesFor', (right, areas, delivery, policy, outcome, step) => {
      const finite = policy && { ...policy, retries: Math.min(policy.retries, 5) };
      return right(areas, delivery, finite, outcome, step);
    }),
    async shows(service) {
      await service.host(() => [{ id: 'event', retryForever: true }], always(503));
      await service.edda.sendEvent();
      await service.pass(3, 2);
      return at((await logged(service, 'transient-error'))[0], '/total') === 5;
    },
  },
};

const validator = {
  id: 'validation',
  extensionType: 'ExternalValidation',
  capabilities: [{ capabilityType: 'SoftType', capabilities: ['Document'] }],
};

/** Answers every call by the status. */
function always(status: number): Script {
  return [{ steps: [{ status }], afterwards: 'last' }];
}

/** Promotes an object while time goes by. */
async function promoteInTime({ edda, pass }: Service): Promise<void> {
  const made = await edda.make('Document', { title: 'validated' });
  const over = new AbortController();
  const promote = edda.move(made, 1).finally(() => over.abort());
  while (!over.signal.aborted) await pass(5);
  await promote;
}
