import type { Delivery, StoredDelivery } from '../../reference-server/ports/deliveries.ts';
import type { Writing } from '../../reference-server/ports/store.ts';
import { type Variant, together, replaces } from '../breaks.ts';

/** Any status from 200 to 299 acknowledges, whatever the kind of the call. */
export const anySuccess: Variant = replaces(
  'policies',
  'isDelivered',
  (_right, _areas, _kind, outcome) => outcome.kind === 'answered' && outcome.status >= 200 && outcome.status <= 299,
);

export const jitteredRetries: Variant = replaces('policies', 'nextRetryDelay', (right, ...args) =>
  Math.round(right(...args) * 1.03),
);

/** Whoever says when to come again is believed, where that is later. */
export const comingAgainAsTold: Variant = replaces(
  'policies',
  'nextStepOf',
  (right, areas, delivery, policy, outcome) => {
    const step = right(areas, delivery, policy, outcome);
    const told = outcome.kind === 'answered' ? Number(outcome.retryAfter ?? 0) * 1000 : 0;
    return step.kind === 'retry' && told > step.delayMs ? { ...step, delayMs: told } : step;
  },
);

/** A redirect within the host is followed, with all that was sent. */
export const redirectsFollowed: Variant = replaces('outgoingCalls', 'call', async (right, areas, request) => {
  let outcome = await right(areas, request);
  for (let hops = 0; hops < 3 && outcome.kind === 'answered'; hops += 1) {
    const { status, location } = outcome;
    const url = status >= 300 && status <= 399 && location !== undefined ? URL.parse(location, request.url) : null;
    if (url === null || url.origin !== new URL(request.url).origin) break;
    outcome = await right(areas, { ...request, url: url.href });
  }
  return outcome;
});

/** An answer of more than 64 KiB is none that can be read. */
export const shortAnswersOnly: Variant = replaces('outgoingCalls', 'call', async (right, areas, request) => {
  const outcome = await right(areas, request);
  if (outcome.kind !== 'answered' || outcome.body.length <= 64 * 1024) return outcome;
  return { kind: 'answered', status: outcome.status, body: '', oversized: true };
});

/** The minute of a pause counts from the first execution of its window; retries neither count nor wait. */
export const pausesFromTheFirst: Variant = together(
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
);

export const limitsOfHosts: Variant = replaces('policies', 'policyOf', (right, areas, callee, delivery) => {
  const policy = right(areas, callee, delivery);
  return 'extension' in callee ? { ...policy, rateKey: policy.rateKey.replace(/ \S*$/, '') } : policy;
});

export const latestFirst: Variant = together(
  replaces('policies', 'freePlaces', (_right, _areas, { toEndpoint }) => Math.max(0, 1 - toEndpoint)),
  replaces('deliveries', 'claimReady', (right, areas, writing, host, endpoints) =>
    right(areas, turnedRound(writing), host, endpoints),
  ),
);

/** What is set off while a registration is switched off goes out when it is switched on. */
export const keptWhileInactive: Variant = replaces('queue', 'enqueue', async (right, areas, writing, delivery) => {
  const callee = await areas.callees.calleeOf(writing, delivery);
  if (callee === undefined || callee.active) return right(areas, writing, delivery);
  await writing.insertDelivery(delivery, areas.policies.endpointKeyOf(delivery), areas.clock.now());
  await writing.parkDelivery(delivery.id);
  return true;
});

/** A task whose call is lost runs into its timeout, like one that is never heard of. */
export const lostTasksTimeOut: Variant = replaces(
  'deliveryEnds',
  'deliveryEnded',
  (right, areas, writing, delivery, end, outcome) =>
    right(areas, writing, delivery, delivery.kind === 'task' && end === 'failed' ? 'delivered' : end, outcome),
);

export const emptyAfterRestart: Variant = replaces('deliveryDispatcher', 'start', async (right, areas) => {
  await areas.store.change(async (writing) => {
    for (const endpoint of await writing.readyEndpoints(Number.MAX_SAFE_INTEGER))
      for (const { id } of await writing.readyDeliveries(endpoint, Number.MAX_SAFE_INTEGER, 10_000))
        await writing.deleteDelivery(id);
  });
  return right(areas);
});

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
