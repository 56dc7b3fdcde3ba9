import type { CallOutcome } from '../../../reference-server/ports/deliveries.ts';
import type { ExtensionHost } from '../../../simulator/extension/host.ts';
import { textOf } from '../../../simulator/extension/entry.ts';
import type { ScriptedAnswer } from '../../../simulator/extension/step.ts';
import { breaks, together, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { registerEndpoint } from '../proofs.ts';

const eventsPath = '/api/space/main/externalEvent';

const failing: ScriptedAnswer = { when: { kind: 'event' }, steps: [{ status: 503 }], afterwards: 'last' };

function eventsAt(host: ExtensionHost): number {
  return host.entries(({ kind }) => kind === 'event').length;
}

/** What arrived at a path of the host. */
function arrived(host: ExtensionHost, path: string): ReturnType<ExtensionHost['entries']> {
  return host.entries((entry) => entry.path === path);
}

/** Whether the answer has a body that is no JSON. */
function isProse(outcome: CallOutcome): boolean {
  if (outcome.kind !== 'answered' || outcome.body === '') return false;
  try {
    JSON.parse(outcome.body);
    return false;
  } catch {
    return true;
  }
}

function isSuccess(outcome: CallOutcome): boolean {
  return outcome.kind === 'answered' && (outcome.status === 200 || outcome.status === 201);
}

export const calls: Batch = {
  'endpoints.false-is-no-content': {
    source: 'extensions: Registered external endpoint (text below the table)',
    breaks: 'The body of a call is what was configured, be it nothing but the word false.',
    kind: 'value',
    variant: replaces('requests', 'endpointRequest', async (right, areas, delivery, callee) => {
      const { body, ...request } = await right(areas, delivery, callee);
      return delivery.payload === false || body === undefined ? request : { ...request, body };
    }),
    shows: async (service) => {
      const host = await service.host(() => []);
      await registerEndpoint(service, 'externalEndpoint', {
        rateLimitNumberOfExecutions: 1000,
        id: 'plain',
        url: `${host.url}/hook`,
      });
      await service.edda.post(eventsPath, { endpointId: 'plain', contentPayload: false });
      await service.pass(1);
      const [call] = arrived(host, '/hook');
      return call === undefined || textOf(call.body) !== 'false';
    },
  },
  'endpoints.parameter-that-looks-like-the-token': {
    source: 'extensions: Registered trusted external endpoint',
    breaks: 'The token is appended to the query that the address has, also where a parameter there is named alike.',
    kind: 'value',
    variant: replaces('requests', 'endpointUrl', async (right, areas, delivery, callee) =>
      callee.endpoint.url.includes('access_token') ? callee.endpoint.url : right(areas, delivery, callee),
    ),
    shows: async (service) => {
      const host = await service.host(() => []);
      const url = `${host.url}/hook?access_token_type=jwt`;
      await registerEndpoint(service, 'trustedExternalEndpoint', {
        rateLimitNumberOfExecutions: 1000,
        id: 'trusted',
        url,
        tokenLifeTime: 5,
      });
      await service.edda.post(eventsPath, { endpointId: 'trusted', contentPayload: {} });
      await service.pass(1);
      const [call] = arrived(host, '/hook');
      return !/[?&]access_token=/.test(call?.target ?? '');
    },
  },
  'deliveries.retries-have-the-usual-time': {
    source: 'extensions: Limits, request timeout',
    breaks: 'A retry waits for its answer as long as the endpoint says, like the first attempt.',
    kind: 'moment',
    variant: replaces('requests', 'requestFor', async (right, areas, delivery, callee, attempt) => {
      const request = await right(areas, delivery, callee, attempt);
      return attempt > 1 ? { ...request, timeoutMs: 100_000 } : request;
    }),
    shows: async (service) => {
      const script = [{ when: { kind: 'event' }, steps: [{ status: 503 }, { never: true as const }] }];
      const host = await service.host(() => [{ id: 'slow', requestTimeout: 5 }], script);
      await service.edda.sendEvent('slow');
      await service.pass(3);
      await service.pass(12);
      return eventsAt(host) < 3;
    },
  },
  'rate-limit.one-by-one-after-a-pause': {
    source: 'extensions: Limits, rate limit',
    breaks: 'After a pause as many executions as before are allowed again.',
    kind: 'moment',
    variant: replaces('policies', 'rateDecision', (right, areas, window, now, limit) => {
      const decision = right(areas, window, now, limit);
      const wasPaused = window !== undefined && window.pausedUntil > 0 && now >= window.pausedUntil;
      if (!wasPaused || decision.kind !== 'run') return decision;
      return { ...decision, window: { ...decision.window, executions: limit } };
    }),
    shows: async (service) => {
      const host = await service.host(() => [{ id: 'limited', rateLimitNumberOfExecutions: 3 }]);
      for (let count = 0; count < 6; count += 1) await service.edda.sendEvent('limited');
      await service.pass(1);
      await service.pass(62);
      return eventsAt(host) < 6;
    },
  },
  'rate-limit.counted-by-address': {
    source: 'extensions: Limits, rate limit',
    breaks: 'Each endpoint has a limit of its own, also where two have one address.',
    kind: 'combination',
    variant: replaces('policies', 'policyOf', (right, areas, callee, delivery) => {
      const policy = right(areas, callee, delivery);
      return 'endpoint' in callee ? { ...policy, rateKey: callee.url } : policy;
    }),
    shows: async (service) => {
      const host = await service.host(() => []);
      const url = `${host.url}/shared`;
      for (const id of ['one', 'other']) {
        await registerEndpoint(service, 'externalEndpoint', { id, url, rateLimitNumberOfExecutions: 1 });
        await service.edda.post(eventsPath, { endpointId: id, contentPayload: {} });
      }
      await service.pass(1);
      return arrived(host, '/shared').length < 2;
    },
  },
  'deliveries.backoff-is-that-of-the-endpoint': {
    source: 'extensions: Limits, retries',
    breaks: 'The first retry of an event comes after two seconds, whatever else failed at the same endpoint.',
    kind: 'combination',
    variant: breaks('policies', 'nextStepOf', (right) => {
      const failures = new Map<string, number>();
      return (areas, delivery, policy, outcome) => {
        const step = right(areas, delivery, policy, outcome);
        const count = step.kind === 'delivered' ? 0 : (failures.get(policy.endpoint) ?? 0) + 1;
        failures.set(policy.endpoint, count);
        return step.kind === 'retry' ? { ...step, delayMs: areas.policies.nextRetryDelay(count) } : step;
      };
    }),
    shows: async (service) => {
      const host = await service.host(() => [{ id: 'failing' }], [failing]);
      await service.edda.sendEvent('failing');
      await service.edda.sendEvent('failing');
      await service.pass(1);
      await service.pass(2);
      return eventsAt(host) < 4;
    },
  },
  'deliveries.backoff-overflows': {
    source: 'extensions: Errors 2',
    breaks: 'Once it is five minutes, the time between two retries stays so, however many there are.',
    kind: 'moment',
    variant: replaces('policies', 'nextRetryDelay', (right, areas, attempt) =>
      Math.max(0, Math.min(right(areas, attempt), (1 << attempt) * 1000)),
    ),
    shows: async (service) => {
      const host = await service.host(() => [{ id: 'endless', retryForever: true }], [failing]);
      await service.edda.sendEvent('endless');
      await service.pass(7300);
      return eventsAt(host) > 33;
    },
  },
  'events.acknowledged-by-a-text-comes-again': {
    source: 'extensions: Events 2',
    breaks: 'An answer of 200 is a success, whatever its body is, and the event is not sent again.',
    kind: 'value',
    variant: together(
      replaces(
        'policies',
        'isDelivered',
        (right, areas, kind, outcome) => right(areas, kind, outcome) && (kind !== 'event' || !isProse(outcome)),
      ),
      replaces(
        'policies',
        'isTransient',
        (right, areas, outcome) => right(areas, outcome) || (isSuccess(outcome) && isProse(outcome)),
      ),
    ),
    shows: async (service) => {
      const script = [{ when: { kind: 'event' }, steps: [{ status: 200, text: 'Thank you' }] }];
      const host = await service.host(() => [{ id: 'polite' }], script);
      await service.edda.sendEvent('polite');
      await service.pass(1);
      await service.pass(5);
      return eventsAt(host) > 1;
    },
  },
  'events.deleted-in-a-pause-goes-out': {
    source: 'extensions: Events 3',
    breaks: 'An event that a user deletes is cancelled, also while a rate limit holds it back.',
    kind: 'combination',
    variant: replaces('queue', 'cancelDelivery', async (right, areas, writing, id) => {
      const delivery = await writing.delivery(id);
      const isHeld = delivery?.attempts === 0 && (delivery.readyAt ?? 0) > areas.clock.now();
      return isHeld && delivery.leaseOwner === undefined ? false : right(areas, writing, id);
    }),
    shows: async (service) => {
      const host = await service.host(() => [{ id: 'limited', rateLimitNumberOfExecutions: 1 }]);
      await service.edda.sendEvent('limited');
      const second = await service.edda.sendEvent('limited');
      await service.pass(1);
      await service.edda.delete(second.headers.get('location') ?? '');
      await service.pass(130);
      return eventsAt(host) > 1;
    },
  },
};
