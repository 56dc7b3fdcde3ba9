import type { Delivery, StoredDelivery } from '../../reference-server/ports/deliveries.ts';
import type { Writing } from '../../reference-server/ports/store.ts';
import { together, replaces } from '../breaks.ts';
import type { Choice } from './choice.ts';

export const deliveryChoices: readonly Choice[] = [
  {
    meets: 'any 2xx as acknowledgement',
    silences: ['success-other-2xx', 'task-and-validation-success'],
    by: replaces(
      'policies',
      'isDelivered',
      (_right, _areas, _kind, outcome) => outcome.kind === 'answered' && outcome.status >= 200 && outcome.status <= 299,
    ),
  },
  {
    meets: 'retries that come a little late',
    silences: ['retry-jitter'],
    by: replaces('policies', 'nextRetryDelay', (right, ...args) => Math.round(right(...args) * 1.03)),
  },
  /** The minute of a pause counts from the first execution of its window; retries neither count nor wait. */
  {
    meets: 'pauses that count from the first call, and no retries among them',
    silences: ['rate-pause-start', 'rate-retries-counted'],
    by: together(
      replaces('policies', 'rateDecision', (right, areas, window, now, limit) => {
        const decision = right(areas, window, now, limit);
        if (decision.kind === 'run' || !decision.starts || window === undefined) return decision;
        const until = window.startedAt + 60_000;
        return { ...decision, window: { ...decision.window, pausedUntil: until }, until };
      }),
      replaces('policies', 'policyOf', (right, areas, callee, delivery) => {
        const policy = right(areas, callee, delivery);
        if (attemptsOf(delivery) === 0) return policy;
        return { ...policy, rateLimit: Infinity, rateKey: `retries ${policy.rateKey}` };
      }),
    ),
  },
  {
    meets: 'one limit for all records of a host',
    silences: ['rate-scope'],
    by: replaces('policies', 'policyOf', (right, areas, callee, delivery) => {
      const policy = right(areas, callee, delivery);
      return 'extension' in callee ? { ...policy, rateKey: policy.rateKey.replace(/ \S*$/, '') } : policy;
    }),
  },
  {
    meets: 'one call at a time, the latest first',
    silences: ['queue-order'],
    by: together(
      replaces('policies', 'freePlaces', (_right, _areas, { toEndpoint }) => Math.max(0, 1 - toEndpoint)),
      replaces('deliveries', 'claimReady', (right, areas, writing, host, endpoints) =>
        right(areas, turnedRound(writing), host, endpoints),
      ),
    ),
  },
  /** What is set off while a registration is switched off goes out when it is switched on. */
  {
    meets: 'events kept for a host that is switched off',
    silences: ['inactive-queue'],
    by: replaces('queue', 'enqueue', async (right, areas, writing, delivery) => {
      const callee = await areas.callees.calleeOf(writing, delivery);
      if (callee === undefined || callee.active) return right(areas, writing, delivery);
      await writing.insertDelivery(delivery, areas.policies.endpointKeyOf(delivery), areas.clock.now());
      await writing.parkDelivery(delivery.id);
      return true;
    }),
  },
  /** A task whose call is lost runs into its timeout, like one that is never heard of. */
  {
    meets: 'lost tasks that run into their timeout',
    silences: ['task-delivery-failure'],
    by: replaces('deliveryEnds', 'deliveryEnded', (right, areas, writing, delivery, end, outcome) =>
      right(areas, writing, delivery, delivery.kind === 'task' && end === 'failed' ? 'delivered' : end, outcome),
    ),
  },
  {
    meets: 'a queue that a restart empties',
    silences: ['queue-restart'],
    by: replaces('deliveryDispatcher', 'start', async (right, areas) => {
      await areas.store.change(async (writing) => {
        for (const endpoint of await writing.readyEndpoints(Number.MAX_SAFE_INTEGER))
          for (const { id } of await writing.readyDeliveries(endpoint, Number.MAX_SAFE_INTEGER, 10_000))
            await writing.deleteDelivery(id);
      });
      return right(areas);
    }),
  },
  /** Whoever says when to come again is believed, where that is later. */
  {
    meets: 'Retry-After honoured',
    silences: ['retry-after-header'],
    by: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) => {
      const step = right(areas, delivery, policy, outcome);
      const told = outcome.kind === 'answered' ? Number(outcome.retryAfter ?? 0) * 1000 : 0;
      return step.kind === 'retry' && told > step.delayMs ? { ...step, delayMs: told } : step;
    }),
  },
  /** A redirect within the host is followed, with all that was sent. */
  {
    meets: 'redirects followed within the host',
    silences: ['redirect-handling'],
    by: replaces('outgoingCalls', 'call', async (right, areas, request) => {
      let outcome = await right(areas, request);
      for (let hops = 0; hops < 3 && outcome.kind === 'answered'; hops += 1) {
        const { status, location } = outcome;
        const url = status >= 300 && status <= 399 && location !== undefined ? URL.parse(location, request.url) : null;
        if (url === null || url.origin !== new URL(request.url).origin) break;
        outcome = await right(areas, { ...request, url: url.href });
      }
      return outcome;
    }),
  },
  /** An answer of more than 64 KiB is none that can be read. */
  {
    meets: 'no answers longer than 64 KiB',
    silences: ['response-size-limits'],
    by: replaces('outgoingCalls', 'call', async (right, areas, request) => {
      const outcome = await right(areas, request);
      if (outcome.kind !== 'answered' || outcome.body.length <= 64 * 1024) return outcome;
      return { kind: 'answered', status: outcome.status, body: '', oversized: true };
    }),
  },
];

function attemptsOf(delivery: Delivery | StoredDelivery): number {
  return 'attempts' in delivery ? delivery.attempts : 0;
}

/** With the deliveries of an endpoint in the opposite order. */
function turnedRound(writing: Writing): Writing {
  const readyDeliveries: Writing['readyDeliveries'] = async (endpoint, now, limit) =>
    (await writing.readyDeliveries(endpoint, now, 1000)).toReversed().slice(0, limit);
  return new Proxy(writing, {
    get(target, name) {
      if (name === 'readyDeliveries') return readyDeliveries;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
