import type { Script } from '../../../simulator/extension/script.ts';
import { breaks, within, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { logged } from '../proofs.ts';
import { at, type Service } from '../service.ts';

export const deliveryMistakes: Batch = {
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
