import { longestRetryDelaySeconds } from '../../../contract/limits.ts';
import type { CallOutcome } from '../../../reference-server/ports/deliveries.ts';
import type { Script } from '../../../simulator/extension/script.ts';
import { type Variant, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { type Service, at, listAt, many } from '../service.ts';
import { arrived } from './calls.ts';

const first503: Script = [{ steps: [{ status: 503 }] }];

const always503: Script = [{ steps: [{ status: 503 }], afterwards: 'last' }];

/** Enough for a first retry to be due. */
const retrySeconds = 3;

/** Attempts that are made again. */
const retries: Batch = {
  'retry.without-body': {
    source: 'extensions: Events 1',
    breaks: 'Each attempt to deliver an event carries the envelope.',
    kind: 'moment',
    variant: replaces('requests', 'requestFor', async (right, areas, reading, delivery, attempt) => {
      const request = await right(areas, reading, delivery, attempt);
      return request === undefined || attempt === 1 ? request : { ...request, body: '' };
    }),
    async shows(service) {
      const { entries } = await attempts(service, first503);
      return entries[1]?.body.length === 0;
    },
  },

  'retry.backoff-overflows': {
    source: 'extensions: Errors 2',
    breaks: 'After the gaps have grown to five minutes they stay there, however many retries follow.',
    kind: 'moment',
    variant: replaces('policies', 'nextRetryDelay', (_right, _areas, attempt) => {
      const delayMs = (2 ** attempt * 1000) | 0;
      return Math.min(Math.max(0, delayMs), longestRetryDelaySeconds * 1000);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'taken', retryForever: true, rateLimitNumberOfExecutions: 5 }]);
      host.setScript(always503);
      await service.edda.sendEvent('taken');
      await arrived(host);
      for (let seconds = 0; seconds < 6000; seconds += longestRetryDelaySeconds)
        await service.pass(longestRetryDelaySeconds);
      const log = await service.cora.get('/api/admin/log');
      return listAt(log.json, '/data').some((entry) => Number(at(entry, '/retry')) > 40);
    },
  },

  'retry.one-too-few': {
    source: 'extensions: Limits, retries',
    breaks: 'An event gets five retries after its first attempt.',
    kind: 'value',
    variant: replaces('policies', 'policyOf', (right, areas, callee, delivery) => {
      const policy = right(areas, callee, delivery);
      return { ...policy, retries: policy.retries - 1 };
    }),
    async shows(service) {
      const { entries } = await attempts(
        service,
        always503,
        many(5, (number) => 2 ** number + 1),
        6,
      );
      return entries.length < 6;
    },
  },

  'retry.not-after-408': {
    source: 'extensions: Errors 1',
    breaks: 'A 408 is transient, though it is a status below 500.',
    kind: 'value',
    variant: transientUnless(({ status }) => status === 408, false),
    async shows(service) {
      const { entries } = await attempts(service, [{ steps: [{ status: 408 }] }]);
      return entries.length < 2;
    },
  },

  'retry.after-statuses-above-410': {
    source: 'extensions: Errors 1',
    breaks: 'An answer that is no transient error ends the delivery, be it of the rarer ones.',
    kind: 'value',
    variant: transientUnless(({ status }) => status > 410 && status < 500 && status !== 429, true),
    async shows(service) {
      const { entries } = await attempts(service, [{ steps: [{ status: 422 }] }]);
      return entries.length > 1;
    },
  },

  'retry.after-success-without-json': {
    source: 'extensions: Events 2',
    breaks: 'A 200 ends the delivery, whatever is in its body.',
    kind: 'value',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) => {
      const isUnread = outcome.kind === 'answered' && outcome.status < 300 && !isJson(outcome.body);
      return right(areas, delivery, policy, isUnread ? { kind: 'failed', reason: 'no JSON' } : outcome);
    }),
    async shows(service) {
      const { entries } = await attempts(service, [{ steps: [{ status: 200, text: 'ok' }] }]);
      return entries.length > 1;
    },
  },

  'cancel.retry-goes-on': {
    source: 'extensions: Events 3',
    breaks: 'An event that a user deletes is cancelled, also while it waits for a retry.',
    kind: 'combination',
    variant: replaces('queue', 'cancelDelivery', async (right, areas, writing, id) => {
      const delivery = await writing.delivery(id);
      return delivery !== undefined && delivery.attempts > 0 ? true : right(areas, writing, id);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'taken' }]);
      host.setScript(first503);
      const { headers, json } = await service.edda.sendEvent('taken');
      await arrived(host);
      await service.pass(1);
      const path = headers.get('location') ?? `/api/space/main/externalEvent/${String(at(json, '/id'))}`;
      await service.edda.delete(path);
      await service.pass(retrySeconds);
      return (await settled(service, host)).length > 1;
    },
  },

  'timeout.cut-at-a-minute': {
    source: 'extensions: Limits, request timeout',
    breaks: 'A call waits for its answer as long as its record says, more than a minute too.',
    kind: 'value',
    variant: replaces('callees', 'calleeOf', async (right, areas, reading, address) => {
      const callee = await right(areas, reading, address);
      return callee && { ...callee, timeoutMs: Math.min(callee.timeoutMs, 60_000) };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'taken', requestTimeout: 150 }]);
      host.setScript([{ steps: [{ never: true }] }]);
      await service.edda.sendEvent('taken');
      await arrived(host);
      await service.pass(70);
      return (await settled(service, host)).length > 1;
    },
  },
};

/** Executions that are counted. */
const rates: Batch = {
  'rate.one-more': {
    source: 'extensions: Limits, rate limit',
    breaks: 'As many executions as were registered start within a minute, and none more.',
    kind: 'value',
    variant: replaces('policies', 'rateDecision', (right, areas, window, now, limit) =>
      right(areas, window, now, limit + 1),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'taken', rateLimitNumberOfExecutions: 2 }]);
      for (const _ of many(4, Number)) await service.edda.sendEvent('taken');
      return (await settled(service, host)).length > 2;
    },
  },

  'rate.later-windows-one-fewer': {
    source: 'extensions: Limits, rate limit',
    breaks: 'Every minute has room for as many executions as were registered, later ones too.',
    kind: 'moment',
    variant: replaces('policies', 'rateDecision', (right, areas, window, now, limit) => {
      const decision = right(areas, window, now, limit);
      const isLater = window !== undefined && decision.kind === 'run' && decision.window.startedAt !== window.startedAt;
      if (!isLater || limit < 2) return decision;
      return { ...decision, window: { ...decision.window, executions: decision.window.executions + 1 } };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'taken', rateLimitNumberOfExecutions: 2 }]);
      await service.edda.sendEvent('taken');
      await arrived(host);
      await service.pass(90);
      for (const _ of many(2, Number)) await service.edda.sendEvent('taken');
      return (await settled(service, host)).length < 3;
    },
  },

  'rate.counted-by-its-limit': {
    source: 'extensions: Limits, rate limit',
    breaks: 'Each endpoint has executions of its own, also beside one with the same limit.',
    kind: 'copy',
    variant: replaces('policies', 'policyOf', (right, areas, callee, delivery) => {
      const policy = right(areas, callee, delivery);
      return { ...policy, rateKey: `limit ${policy.rateLimit}` };
    }),
    async shows(service) {
      const host = await service.host(() => [
        { id: 'loud', rateLimitNumberOfExecutions: 5 },
        { id: 'quiet', rateLimitNumberOfExecutions: 5 },
      ]);
      for (const _ of many(5, Number)) await service.edda.sendEvent('loud');
      await arrived(host, 5);
      await service.edda.sendEvent('quiet');
      return !(await settled(service, host)).some(({ recordId }) => recordId === 'quiet');
    },
  },
};

/** Mistakes that others made about retries, timeouts and rates. */
export const deliveryExhibits: Batch = { ...retries, ...rates };

/** What one event leads to while the clock moves by these gaps. */
async function attempts(service: Service, script: Script, gaps: readonly number[] = [retrySeconds], most = 2) {
  const host = await service.host(() => [{ id: 'taken' }]);
  host.setScript(script);
  await service.edda.sendEvent('taken');
  for (const [index, seconds] of gaps.entries()) {
    await arrived(host, Math.min(index + 1, most - 1));
    await service.pass(seconds);
  }
  return { entries: await settled(service, host) };
}

/** What came, once the service has had time for whatever is due. */
async function settled({ pass }: Service, host: Parameters<typeof arrived>[0]) {
  await pass(0.001);
  return arrived(host, 0);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Takes answers that are meant for transient, or for none that are. */
function transientUnless(
  isMeant: (outcome: Extract<CallOutcome, { readonly kind: 'answered' }>) => boolean,
  isTransient: boolean,
): Variant {
  return replaces('policies', 'isTransient', (right, areas, outcome) => {
    return outcome.kind === 'answered' && isMeant(outcome) ? isTransient : right(areas, outcome);
  });
}
