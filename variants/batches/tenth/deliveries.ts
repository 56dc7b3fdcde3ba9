import { randomUUID } from 'node:crypto';
import { headerNames } from '../../../contract/names.ts';
import { breaks, within, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, movePath } from '../service.ts';
import { validator } from './proofs.ts';
import { callsTo, logged, reached } from '../proofs.ts';

const failing = [{ steps: [{ status: 503 }], afterwards: 'last' as const }];

export const deliveries: Batch = {
  'validation.array-around-the-verdict-is-taken': {
    source: 'extensions: Errors 5',
    breaks: 'The answer of a validation is an object; an array with one in it is malformed.',
    kind: 'value',
    variant: replaces('validation', 'verdictOf', (right, areas, outcome) => {
      if (outcome.kind !== 'answered' || !outcome.body.startsWith('[')) return right(areas, outcome);
      return right(areas, { ...outcome, body: JSON.stringify(at(JSON.parse(outcome.body), '/0')) });
    }),
    async shows({ host, edda }) {
      const json = [{ isValid: true, message: '' }];
      await host(() => [validator('v')], [{ steps: [{ status: 200, json }] }]);
      return (await edda.move(await edda.make('Document', { title: 't' }), 1)).status === 204;
    },
  },
  'validation.waits-grow-evenly': {
    source: 'extensions: Limits, retries',
    breaks: 'The third retry of a validation comes after 8 seconds, not after 6.',
    kind: 'value',
    variant: replaces('outgoingCalls', 'callWithRetries', (right, areas, ...args) =>
      right(within(areas, { policies: { nextRetryDelay: (attempt) => 2000 * attempt } }), ...args),
    ),
    async shows(service) {
      const host = await service.host(() => [validator('v')], failing);
      const { edda } = service;
      const promote = edda.move(await edda.make('Document', { title: 't' }), 1);
      await reached(host, 1);
      for (const [index, seconds] of [2, 4].entries()) {
        await service.pass(seconds);
        await reached(host, index + 2);
      }
      await service.pass(6.5);
      const early = callsTo(host).length;
      await service.pass(10);
      await promote;
      return early > 3;
    },
  },
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
  'delivery.mail-is-not-sent-again-after-408': {
    source: 'extensions: Errors 1',
    breaks: 'Status 408 is transient for mail too.',
    kind: 'combination',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) => {
      const isLost = delivery.kind === 'email' && outcome.kind === 'answered' && outcome.status === 408;
      return isLost ? { kind: 'failed' } : right(areas, delivery, policy, outcome);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'm', extensionType: 'Email' }], [{ steps: [{ status: 408 }] }]);
      const mail = { recordId: 'm', to: 'a@example.org', subject: 's', body: 'b' };
      await service.edda.post('/api/space/main/externalEmail', mail);
      await reached(host, 1);
      await service.pass(2);
      return (await reached(host, 2, 1000)).length < 2;
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
  'rate.endless-retries-lift-the-limit': {
    source: 'extensions: Limits, rate limit',
    breaks: 'An endpoint that is tried for ever has its rate limit like all others.',
    kind: 'combination',
    variant: replaces('policies', 'policyOf', (right, areas, ...args) => {
      const policy = right(areas, ...args);
      return policy.retries === Infinity ? { ...policy, rateLimit: Infinity } : policy;
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'e', retryForever: true, rateLimitNumberOfExecutions: 2 }]);
      for (const _ of [1, 2, 3]) await service.edda.sendEvent('e');
      await service.pass(0);
      return callsTo(host).length > 2;
    },
  },
  'rate.all-that-waited-go-at-once': {
    source: 'extensions: Registered external endpoint',
    breaks: 'What a pause has held back meets the limit again when it is over.',
    kind: 'moment',
    variant: replaces('policies', 'rateDecision', (right, areas, window, now, limit) => {
      const isOver = window !== undefined && window.pausedUntil > 0 && now >= window.pausedUntil;
      return isOver && now < window.pausedUntil + 1000 ? { kind: 'run', window } : right(areas, window, now, limit);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'e', rateLimitNumberOfExecutions: 2 }]);
      for (const _ of [1, 2, 3, 4, 5]) await service.edda.sendEvent('e');
      await reached(host, 2);
      await service.pass(60.5);
      return callsTo(host).length > 4;
    },
  },
  'rate.each-space-has-its-own': {
    source: 'extensions: Limits, rate limit',
    breaks: 'The limit is that of the endpoint, whatever spaces its calls come from.',
    kind: 'combination',
    variant: replaces('policies', 'policyOf', (right, areas, callee, delivery) => {
      const policy = right(areas, callee, delivery);
      return { ...policy, rateKey: `${policy.rateKey} ${delivery.spaceId}` };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'e', rateLimitNumberOfExecutions: 2 }]);
      for (const space of ['main', 'main', 'depot'])
        await service.edda.post(`/api/space/${space}/externalEvent`, { recordId: 'e', contentPayload: {} });
      await service.pass(0);
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
  'events.deleted-in-a-pause-still-go-out': {
    source: 'extensions: Events 3',
    breaks: 'An event that is deleted while the rate limit holds it back is cancelled.',
    kind: 'moment',
    variant: replaces('queue', 'cancelDelivery', async (right, areas, store, id) => {
      const delivery = await store.delivery(id);
      const isHeld = delivery?.attempts === 0 && (delivery.readyAt ?? 0) > areas.clock.now();
      return isHeld || right(areas, store, id);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'e', rateLimitNumberOfExecutions: 1 }]);
      const { edda } = service;
      await edda.sendEvent('e');
      await reached(host, 1);
      const held = await edda.sendEvent('e');
      await service.pass(1);
      await edda.delete(held.headers.get('location') ?? '');
      await service.pass(61);
      return callsTo(host).length > 1;
    },
  },
};
