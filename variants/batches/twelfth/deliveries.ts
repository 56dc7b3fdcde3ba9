import { headerNames } from '../../../contract/names.ts';
import type { ScriptedAnswer } from '../../../simulator/extension/step.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { many, signatureOver, hostKey } from '../service.ts';
import { callsAfter } from './proofs.ts';
import { callsTo, logged } from '../proofs.ts';

const busy: ScriptedAnswer = { steps: [{ status: 503 }], afterwards: 'last' };

/** The first of a text becomes another one, and no further. */
function replaceFirst(signature: string): string {
  const [head = '', ...rest] = signature.split('-');
  return rest.length === 0 ? head : `${head}-${rest.join('+')}`;
}

export const deliveries: Batch = {
  'signing.first-plus-alone-is-replaced': {
    source: 'extensions: Authentication 2',
    breaks: 'Every plus of the Base64 becomes a minus, not the first one only.',
    kind: 'value',
    variant: replaces('signing', 'signPath', (right, areas, ...args) => replaceFirst(right(areas, ...args))),
    async shows(service) {
      const endpoints = many(40, (number) => `/endpoint-${number}`);
      const endpoint = endpoints.find((path) => signatureOver(path, hostKey).split('-').length > 2) ?? '';
      const host = await service.host(() => [{ id: 'e', endpoint }]);
      await service.edda.sendEvent('e');
      await service.pass(1);
      return callsTo(host)[0]?.signature?.ok === false;
    },
  },
  'retries.only-the-well-known-5xx-are-transient': {
    source: 'extensions: Errors 1',
    breaks: 'Any status from 500 to 599 is a transient error.',
    kind: 'value',
    variant: replaces(
      'policies',
      'isTransient',
      (right, areas, outcome) => right(areas, outcome) && !(outcome.kind === 'answered' && outcome.status > 511),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'e' }], [{ steps: [{ status: 520 }] }]);
      await service.edda.sendEvent('e');
      return (await callsAfter(service, host, 2, 1)).length < 2;
    },
  },
  'retries.another-error-begins-the-backoff-anew': {
    source: 'extensions: Limits, retries',
    breaks: 'The second retry waits four seconds, whichever transient error came before it.',
    kind: 'combination',
    variant: breaks('policies', 'nextStepOf', (right) => {
      const last = new Map<string, string>();
      return (areas, delivery, policy, outcome) => {
        const step = right(areas, delivery, policy, outcome);
        const now = outcome.kind === 'answered' ? String(outcome.status) : outcome.kind;
        const isOther = last.has(delivery.id) && last.get(delivery.id) !== now;
        last.set(delivery.id, now);
        return step.kind === 'retry' && isOther ? { ...step, delayMs: 2000 } : step;
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'e' }], [{ steps: [{ status: 503 }, { status: 408 }] }]);
      await service.edda.sendEvent('e');
      await service.pass(2);
      await service.pass(2.5);
      return callsTo(host).length > 2;
    },
  },
  'retries.delay-overflows-after-thirty': {
    source: 'extensions: Errors 2',
    breaks: 'A delivery that is retried for ever is retried every five minutes, also after the thirtieth time.',
    kind: 'value',
    variant: replaces('policies', 'nextRetryDelay', (_right, _areas, attempt) => Math.min(1 << attempt, 300) * 1000),
    async shows(service) {
      const record = { id: 'e', retryForever: true };
      const host = await service.host(() => [record], [busy]);
      await service.edda.sendEvent('e');
      await callsAfter(service, host, 31, 300);
      await service.pass(250);
      await service.pass(40);
      return callsTo(host).length > 32;
    },
  },
  'rate.after-a-pause-one-at-a-time': {
    source: 'extensions: Registered external endpoint (simple)',
    breaks: 'After the pause as many executions are allowed a minute as before it.',
    kind: 'moment',
    variant: replaces('policies', 'rateDecision', (right, areas, window, now, limit) => {
      const decision = right(areas, window, now, limit);
      const isAfterPause = decision.kind === 'run' && window !== undefined && window.pausedUntil > 0;
      if (!isAfterPause || decision.window.executions !== 1) return decision;
      return { ...decision, window: { ...decision.window, executions: limit } };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'e', rateLimitNumberOfExecutions: 3 }]);
      for (let left = 6; left > 0; left -= 1) await service.edda.sendEvent('e');
      await service.pass(1);
      await service.pass(65);
      await service.pass(1);
      return callsTo(host).length < 6;
    },
  },
  'log.pause-is-told-once-an-endpoint': {
    source: 'extensions: Errors 3',
    breaks: 'Every time that the rate limit is exceeded there is an entry, not only the first time.',
    kind: 'moment',
    variant: breaks('deliveryLog', 'logEntry', (right) => {
      const told = new Set<string>();
      return async (areas, writing, entry) => {
        if (entry.kind === 'rate-limit' && told.has(entry.endpoint)) return;
        if (entry.kind === 'rate-limit') told.add(entry.endpoint);
        await right(areas, writing, entry);
      };
    }),
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    async shows(service) {
      await service.host(() => [{ id: 'e', rateLimitNumberOfExecutions: 1 }]);
      for (let left = 4; left > 0; left -= 1) await service.edda.sendEvent('e');
      await service.pass(1);
      await service.pass(65);
      await service.pass(65);
      return (await logged(service, 'rate-limit')).length < 2;
    },
  },
  'events.cancelled-between-retries-is-not-logged': {
    source: 'extensions: Events 3',
    breaks: 'An event that a user deletes leaves an entry, also when it waits for a retry.',
    kind: 'combination',
    variant: replaces('queue', 'cancelDelivery', async (right, areas, writing, id) => {
      const delivery = await writing.delivery(id);
      if (delivery === undefined || delivery.attempts === 0) return right(areas, writing, id);
      await areas.queue.removeDelivery(writing, delivery, 'cancelled');
      return true;
    }),
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    async shows(service) {
      const { edda } = service;
      const host = await service.host(() => [{ id: 'e' }], [busy]);
      const event = await edda.sendEvent('e');
      await callsAfter(service, host, 2, 1);
      await edda.delete(event.headers.get('location') ?? '');
      return (await logged(service, 'cancelled')).length === 0;
    },
  },
  'events.deleted-in-a-pause-goes-out': {
    source: 'extensions: Events 3',
    breaks: 'A deleted event is cancelled, also one that the rate limit holds back.',
    kind: 'combination',
    variant: replaces('queue', 'cancelDelivery', async (right, areas, writing, id) => {
      const delivery = await writing.delivery(id);
      const isHeld = delivery?.leaseOwner === undefined && (delivery?.readyAt ?? 0) > areas.clock.now();
      return isHeld && delivery?.attempts === 0 ? true : right(areas, writing, id);
    }),
    async shows(service) {
      const { edda } = service;
      const host = await service.host(() => [{ id: 'e', rateLimitNumberOfExecutions: 1 }]);
      await edda.sendEvent('e');
      await service.pass(1);
      const event = await edda.sendEvent('e');
      await service.pass(1);
      await edda.delete(event.headers.get('location') ?? '');
      await service.pass(130);
      return callsTo(host).length > 1;
    },
  },
  'retries.filter-is-lost-behind-the-first-attempt': {
    source: 'extensions: Call envelope',
    breaks: 'The envelope of a retry holds the information filter, as that of the first attempt does.',
    kind: 'moment',
    variant: replaces('requests', 'requestFor', (right, areas, delivery, callee, attempt) =>
      right(areas, attempt > 1 ? { ...delivery, informationFilter: 'e30=' } : delivery, callee, attempt),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'e' }], [{ steps: [{ status: 503 }] }]);
      const filter = Buffer.from('{"time":"2024-03-10T00:00:00Z"}').toString('base64');
      await service.edda.sendEvent('e', {}, { [headerNames.informationFilter]: filter });
      const [, retry] = await callsAfter(service, host, 2, 1);
      return retry?.envelope?.informationFilter !== filter;
    },
  },
};
