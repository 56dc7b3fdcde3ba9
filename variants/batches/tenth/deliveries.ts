import { randomUUID } from 'node:crypto';
import { headerNames } from '../../../contract/names.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, movePath } from '../service.ts';
import { validator } from './proofs.ts';
import { callsTo, logged, reached } from '../proofs.ts';

export const deliveries: Batch = {
  'validation.retry-has-another-id': {
    source: 'extensions: Call envelope',
    breaks: 'A correlation id that was given is that of every attempt of a validation.',
    kind: 'moment',
    variant: replaces('outgoingCalls', 'preparedRequest', (right, areas, delivery, callee, count) => {
      const isAgain = delivery.kind === 'validation' && count > 1;
      return right(areas, isAgain ? { ...delivery, envelopeId: randomUUID() } : delivery, callee, count);
    }),
    async shows(service) {
      const host = await service.host(() => [validator('v')], [{ steps: [{ status: 503 }] }]);
      const { edda } = service;
      const made = await edda.make('Document', { title: 't' });
      const promote = edda.send('PUT', movePath(made), {
        headers: { [headerNames.version]: '1', [headerNames.correlationId]: 'tenth-given' },
      });
      await reached(host, 1);
      await service.pass(2);
      await promote;
      return callsTo(host)[1]?.envelope?.id !== 'tenth-given';
    },
  },
  'validation.log-tells-of-five-retries': {
    source: 'extensions: Errors 3',
    breaks: 'The log of a validation tells the retry out of the three that it has.',
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    kind: 'combination',
    variant: replaces('deliveries', 'logEntriesFor', (right, areas, delivery, policy, ...rest) => {
      const wrong = policy && delivery.kind === 'validation' ? { ...policy, retries: 5 } : policy;
      return right(areas, delivery, wrong, ...rest);
    }),
    async shows(service) {
      const host = await service.host(() => [validator('v')], [{ steps: [{ status: 503 }] }]);
      const { edda } = service;
      const promote = edda.move(await edda.make('Document', { title: 't' }), 1);
      await reached(host, 1);
      await service.pass(2);
      await promote;
      return at((await logged(service, 'transient-error'))[0], '/total') !== 3;
    },
  },
  'delivery.broken-connections-are-not-counted': {
    source: 'extensions: Limits, retries',
    breaks: 'Waits grow after each attempt, those that ended with a broken connection too.',
    kind: 'combination',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) =>
      right(areas, outcome.kind === 'failed' ? { ...delivery, attempts: 0 } : delivery, policy, outcome),
    ),
    async shows(service) {
      const host = await service.host(
        () => [{ id: 'e' }],
        [{ steps: [{ cut: 'before-answer', how: 'close' }], afterwards: 'last' }],
      );
      await service.edda.sendEvent('e');
      await reached(host, 1);
      await service.pass(2);
      await reached(host, 2);
      await service.pass(2.5);
      return callsTo(host).length > 2;
    },
  },
  'rate.second-pause-is-not-logged': {
    source: 'extensions: Errors 3',
    breaks: 'Each time that the rate limit is exceeded a log entry is written.',
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    kind: 'moment',
    variant: breaks('deliveryLog', 'logEntry', (right) => {
      const known = new Set<string>();
      return async (areas, store, entry) => {
        if (entry.kind === 'rate-limit' && known.has(entry.endpoint)) return;
        if (entry.kind === 'rate-limit') known.add(entry.endpoint);
        return right(areas, store, entry);
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'e', rateLimitNumberOfExecutions: 1 }]);
      for (const _ of [1, 2, 3]) await service.edda.sendEvent('e');
      await reached(host, 1);
      await service.pass(60.5);
      await reached(host, 2);
      return (await logged(service, 'rate-limit')).length < 2;
    },
  },
};
