import { breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, logged, reached } from '../proofs.ts';
import { at } from '../service.ts';

/** When a key was last asked for, in ms of the clock. */
const askedFor = new Map<string, number>();

const acquirePath = '/api/collection/externalExtension/acquireAccessToken/keys';

/** Deliveries, their retries and limits, tasks, and keys. */
export const deliveryMistakes: Batch = {
  'retries.four-statuses-alone': {
    source: 'extensions: Errors 1',
    breaks: 'Every status from 500 to 599 is transient, and not only the four that are seen most.',
    kind: 'value',
    variant: replaces('policies', 'isTransient', (right, areas, outcome) => {
      const isRare =
        outcome.kind === 'answered' && outcome.status >= 500 && ![500, 502, 503, 504].includes(outcome.status);
      return !isRare && right(areas, outcome);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }], always({ status: 507 }));
      await service.edda.sendEvent();
      await reached(host, 1);
      await service.pass(3);
      return (await logged(service, 'failed')).length > 0;
    },
  },

  'rate.minute-begins-anew': {
    source: 'extensions: Limits, rate limit',
    breaks: 'So many executions are allowed in a minute, and those of longer ago do not count.',
    kind: 'moment',
    variant: replaces('policies', 'rateDecision', (right, areas, window, now, limit) => {
      const decision = right(areas, window, now, limit);
      return decision.kind === 'run' ? { ...decision, window: { ...decision.window, startedAt: now } } : decision;
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', rateLimitNumberOfExecutions: 2 }]);
      for (const count of [1, 2]) {
        await service.edda.sendEvent();
        await reached(host, count);
        await service.pass(40);
      }
      await service.edda.sendEvent();
      await service.pass(1);
      return (await logged(service, 'rate-limit')).length > 0;
    },
  },

  'retries.shifted-out-of-range': {
    source: 'extensions: Errors 2',
    breaks: 'After five minutes there is one retry every five minutes, however many there have been.',
    kind: 'value',
    variant: replaces('policies', 'nextRetryDelay', (_right, _areas, attempt) =>
      Math.max(0, Math.min(1000 << attempt, 300_000)),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', retryForever: true }], always({ status: 503 }));
      await service.edda.sendEvent();
      await reached(host, 1);
      let waits: readonly unknown[] = [];
      for (let step = 0; waits.length === 0 && step < 40; step += 1) {
        await service.pass(301);
        await reached(host, step + 2, 100);
        const errors = await logged(service, 'transient-error');
        waits = errors.filter((entry) => at(entry, '/retry') === 22).map((entry) => at(entry, '/wait'));
      }
      return waits.some((wait) => wait !== 300);
    },
  },

  'api-keys.period-begins-with-each-request': {
    source: 'extensions: Limits, permission key rotation',
    breaks: 'Keys rotate every 24 hours, also those that are asked for more often.',
    kind: 'moment',
    variant: together(
      replaces('apiKeys', 'issueKeys', async (right, areas, writing, holder, permissions) => {
        const keys = await right(areas, writing, holder, permissions);
        for (const { key } of keys) askedFor.set(key, areas.clock.now());
        return keys;
      }),
      replaces('apiKeys', 'isKeyDue', (right, areas, key) =>
        right(areas, { ...key, issuedAt: askedFor.get(key.key) ?? key.issuedAt }),
      ),
      replaces('apiKeys', 'isKeyValid', (right, areas, key) =>
        right(areas, { ...key, issuedAt: askedFor.get(key.key) ?? key.issuedAt }),
      ),
    ),
    async shows(service) {
      const host = await service.host(
        (url) => [{ id: 'keys', permissions: { tokenCallback: `${url}/keys`, permissions: ['SnapshotAPI'] } }],
        always({ status: 200 }),
      );
      const body = { tokenCallback: `${host.url}/keys`, permissions: ['SnapshotAPI'] };
      for (const hours of [13, 13, 0]) {
        await service.cora.post(acquirePath, body);
        await service.pass(hours * 3600);
      }
      const [first, , third] = callsOf(host, 'other').map(({ json }) => at(json, '/SnapshotAPI/apiKey'));
      return third !== undefined && third === first;
    },
  },

  'events.held-ones-go-out-all-the-same': {
    source: 'extensions: Events 3, second part',
    breaks: 'An event that a user deletes is cancelled, also one that waits for the end of a pause.',
    kind: 'combination',
    variant: replaces('queue', 'cancelDelivery', async (right, areas, writing, id) => {
      const delivery = await writing.delivery(id);
      const isHeld = (delivery?.readyAt ?? 0) > areas.clock.now() && delivery?.leaseOwner === undefined;
      if (delivery === undefined || !isHeld || delivery.attempts > 0) return right(areas, writing, id);
      const entry = areas.deliveryLog.entryOf(delivery, undefined, 'cancelled', 'cancelled by a user');
      await areas.deliveryLog.logEntry(writing, entry);
      return true;
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', rateLimitNumberOfExecutions: 1 }]);
      await service.edda.sendEvent();
      await reached(host, 1);
      const held = await service.edda.sendEvent();
      await service.pass(1);
      await service.edda.delete(held.headers.get('location') ?? '');
      await service.pass(125);
      return (await reached(host, 2, 2000)).length > 1;
    },
  },

  'retries.counted-in-memory': {
    source: 'extensions: Limits, retries, row 1',
    breaks: 'There are five retries, also where the service was started anew between them.',
    kind: 'moment',
    survives: 'At which retry an event goes on behind a restart is not said.',
    variant: breaks('policies', 'nextStepOf', (right) => {
      const counts = new Map<string, number>();
      return (areas, delivery, policy, outcome) => {
        const step = right(areas, { ...delivery, attempts: counts.get(delivery.id) ?? 0 }, policy, outcome);
        if (step.kind === 'retry') counts.set(delivery.id, step.attempts);
        return step;
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }], always({ status: 503 }));
      await service.edda.sendEvent();
      await reached(host, 1);
      await service.pass(3);
      await reached(host, 2);
      await service.restart();
      for (let count = 3; count <= 7; count += 1) {
        await service.pass(40);
        await reached(host, count, 1000);
      }
      return (await reached(host, 7, 500)).length > 6;
    },
  },
};
