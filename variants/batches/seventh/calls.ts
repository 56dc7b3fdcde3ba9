import type { Script } from '../../../simulator/extension/script.ts';
import { breaks } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { reached } from '../proofs.ts';
import type { Service } from '../service.ts';

/** Whatever is asked is answered so, and nothing more is done about it. */
const always = (status: number): Script => [{ steps: [{ status }], afterwards: 'last' }];

async function sendEvents({ edda }: Service, count: number): Promise<void> {
  for (let left = count; left > 0; left -= 1) await edda.sendEvent('proof');
}

export const calls: Batch = {
  'calls.events-share-their-retries': {
    source: 'extensions: Limits, retries',
    breaks: 'Each event has its five retries, whatever became of others at the same endpoint.',
    kind: 'combination',
    variant: breaks('policies', 'nextStepOf', (right) => {
      const failures = new Map<string, number>();
      return (areas, delivery, policy, outcome) => {
        const attempts = Math.max(delivery.attempts, failures.get(policy.endpoint) ?? 0);
        const step = right(areas, { ...delivery, attempts }, policy, outcome);
        failures.set(policy.endpoint, step.kind === 'retry' ? attempts + 1 : 0);
        return step;
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'proof' }], always(503));
      await sendEvents(service, 2);
      await service.pass(120);
      return (await reached(host, 12, 1500)).length < 12;
    },
  },
};
