import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, changeExtension, logged, reached } from '../proofs.ts';

export const deliveryMistakes: Batch = {
  'delivery.endless-whatever-comes-later': {
    source: 'extensions: Registered external endpoint, retryForever',
    breaks: 'An error that is not transient ends the retries, also where transient ones came before it.',
    kind: 'moment',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) => {
      const isLate = policy.retries === Infinity && delivery.attempts > 0;
      const isRefusal = outcome.kind === 'answered' && outcome.status >= 400;
      return right(areas, delivery, policy, isLate && isRefusal ? { ...outcome, status: 503 } : outcome);
    }),
    async shows(service) {
      const steps = [{ status: 503 }, { status: 400 }];
      const host = await service.host(() => [{ id: 'event', retryForever: true }], [{ steps }]);
      await service.edda.sendEvent();
      await service.pass(5, 4);
      return callsOf(host, 'event').length > 2;
    },
  },
  'delivery.broken-on-a-retry': {
    source: 'extensions: Errors 1',
    breaks: 'A connection that fails is transient, also where the attempt before had an answer.',
    kind: 'moment',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) =>
      delivery.attempts > 0 && outcome.kind === 'failed' ? { kind: 'failed' } : right(areas, delivery, policy, outcome),
    ),
    async shows(service) {
      const steps = [{ status: 503 }, { cut: 'before-answer' }] as const;
      const host = await service.host(() => [{ id: 'event' }], [{ steps: [...steps] }]);
      await service.edda.sendEvent();
      await service.pass(5, 4);
      return callsOf(host, 'event').length < 3;
    },
  },
  'delivery.mail-without-a-limit': {
    source: 'extensions: Extension metadata record, rateLimitNumberOfExecutions',
    breaks: 'Five calls a minute are the default for mail as for events.',
    kind: 'role',
    variant: replaces('policies', 'policyOf', (right, areas, callee, delivery) => {
      const policy = right(areas, callee, delivery);
      const isUnlimited =
        delivery.kind === 'email' && 'record' in callee && callee.record.rateLimitNumberOfExecutions === undefined;
      return isUnlimited ? { ...policy, rateLimit: Infinity } : policy;
    }),
    async shows(service) {
      const record = { id: 'mail', version: '1.0.0', name: 'mail', endpoint: '/mail', category: 'proof' };
      const host = await service.host(() => []);
      host.setRecords([{ ...record, extensionType: 'Email' }]);
      await changeExtension(service, { hostUri: host.url });
      const mail = { recordId: 'mail', to: 'a@b.example', subject: 'subject', body: 'body' };
      for (let count = 0; count < 7; count += 1) await service.edda.post('/api/space/main/externalEmail', mail);
      await service.pass(1, 4);
      return callsOf(host, 'email').length > 5;
    },
  },
  'delivery.one-line-for-equal-ends': {
    source: 'extensions: Events 3',
    breaks: 'The removal of every event that finally fails is logged, also where one before it ended alike.',
    kind: 'copy',
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    variant: breaks('deliveryLog', 'logEntry', (right) => {
      const known = new Set<string>();
      return async (areas, writing, entry) => {
        const line = `${entry.endpoint} ${entry.message}`;
        if (entry.kind === 'removed' && known.has(line)) return;
        known.add(line);
        await right(areas, writing, entry);
      };
    }),
    async shows(service) {
      await service.host(() => [{ id: 'event' }], always({ status: 400 }));
      await service.edda.sendEvent();
      await service.edda.sendEvent();
      await service.pass(1, 2);
      return (await logged(service, 'removed')).length < 2;
    },
  },
  'delivery.five-minutes-of-patience': {
    source: 'extensions: Registered external endpoint, requestTimeout',
    breaks: 'The service waits as long as registered, also for more than five minutes.',
    kind: 'value',
    variant: replaces('callees', 'calleeOf', async (right, areas, reading, delivery) => {
      const callee = await right(areas, reading, delivery);
      return callee && { ...callee, timeoutMs: Math.min(callee.timeoutMs, 300_000) };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', requestTimeout: 400 }], always({ never: true }));
      await service.edda.sendEvent();
      await service.pass(1);
      await reached(host, 1);
      await service.pass(78, 4);
      return (await logged(service, 'timeout')).length > 0;
    },
  },
};
