import { startExtensionHost } from '../../../simulator/extension/host.ts';
import { breaks, replaces } from '../../breaks.ts';
import { always, awaitCalls, event, validator } from '../hosts.ts';
import type { Mistakes } from '../mistake.ts';
import { failingEvent, logEntries, logEntriesOf, registerEndpoint } from '../proofs.ts';
import { at } from '../service.ts';
import { changes } from '../variant-parts.ts';

export const deliveryLogMistakes: Mistakes = {
  'log.total-counts-down': {
    source: 'extensions: Errors 3',
    breaks: 'The third entry tells the third retry out of the total, which stays what it was.',
    variant: replaces('deliveries', 'logEntriesFor', (right, areas, delivery, policy, outcome, step) => {
      const isLate = step.kind === 'retry' && step.retry >= 3 && policy !== undefined;
      return right(
        areas,
        delivery,
        isLate ? { ...policy, retries: policy.retries - step.retry + 1 } : policy,
        outcome,
        step,
      );
    }),
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    async shows(service) {
      const host = await service.host([event], always(503));
      await failingEvent(service, host, 'log', [2, 4]);
      return at((await logEntriesOf(service, 'log', 'transient-error', 3))[2], '/total') === 3;
    },
  },
  'log.timeouts-are-added-up': {
    source: 'extensions: Errors 3',
    breaks: 'The time in the entry of a timeout is what was waited for that attempt.',
    variant: breaks('deliveries', 'logEntriesFor', (right) => {
      const waited = new Map<string, number>();
      return (areas, delivery, policy, outcome, step) => {
        if (outcome.kind !== 'timeout') return right(areas, delivery, policy, outcome, step);
        const sum = (waited.get(delivery.id) ?? 0) + outcome.waitedMs;
        waited.set(delivery.id, sum);
        return right(areas, delivery, policy, { ...outcome, waitedMs: sum }, step);
      };
    }),
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    async shows(service) {
      const host = await service.host([{ ...event, requestTimeout: 10 }], always({ never: true }));
      const headers = { 'X-Correlation-Id': 'late' };
      await service.edda.sendEvent('event', {}, headers);
      await awaitCalls(host);
      await service.pass(10);
      await logEntriesOf(service, 'late', 'timeout', 1);
      await service.pass(2);
      await awaitCalls(host, 2);
      await service.pass(10);
      return at((await logEntriesOf(service, 'late', 'timeout', 2))[1], '/wait') === 20;
    },
  },
  'delivery.same-lines-logged-once': {
    source: 'extensions: Errors 3',
    breaks: 'Each transient error leaves an entry, also where that of another call says the same at the same time.',
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    variant: breaks('deliveryLog', 'logEntry', (right) => {
      let last = '';
      let lastAt = -Infinity;
      return async (areas, writing, entry) => {
        const line = `${entry.kind} ${entry.endpoint} ${entry.message}`;
        const isRepeated = entry.kind === 'transient-error' && line === last && entry.at - lastAt < 1000;
        [last, lastAt] = [line, entry.at];
        if (!isRepeated) await right(areas, writing, entry);
      };
    }),
    async shows(service) {
      const host = await service.host([{ id: 'event' }], always(503));
      await service.edda.sendEvent();
      await service.edda.sendEvent();
      await awaitCalls(host, 2);
      await service.pass(1);
      return (await logEntries(service, 'transient-error')).length === 1;
    },
  },
  'delivery.log-of-a-refusal': {
    source: 'extensions: Errors 3',
    breaks: 'The removal of an event is logged, also when it was refused at its first attempt.',
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    variant: changes('deliveries', 'logEntriesFor', (entries, _areas, _delivery, _policy, outcome) => {
      const isRefused = outcome.kind === 'answered' && outcome.status < 500;
      return isRefused ? entries.filter(({ kind }) => kind !== 'removed') : entries;
    }),
    async shows(service) {
      await service.host([{ id: 'event' }], always(400));
      await service.edda.sendEvent();
      await service.pass(1, 2);
      return (await logEntries(service, 'failed')).length > 0 && (await logEntries(service, 'removed')).length === 0;
    },
  },
  'rate.second-pause-not-logged': {
    source: 'extensions: Errors 3',
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    breaks: 'Each time that the limit is exceeded leaves an entry in the log.',
    variant: breaks('deliveryLog', 'logEntry', (right) => {
      const told = new Set<string>();
      return async (areas, writing, entry) => {
        if (entry.kind === 'rate-limit' && told.has(entry.endpoint)) return;
        if (entry.kind === 'rate-limit') told.add(entry.endpoint);
        await right(areas, writing, entry);
      };
    }),
    async shows(service) {
      await service.host([{ ...event, rateLimitNumberOfExecutions: 1 }]);
      for (let count = 0; count < 3; count += 1) await service.edda.sendEvent(event.id);
      for (let count = 0; count < 4; count += 1) await service.pass(61);
      return (await logEntries(service, 'rate-limit')).length < 2;
    },
  },
  'calls.endless-retries-are-logged-as-five': {
    source: 'extensions: Errors 3',
    breaks: 'The log entry of a transient error says that retries are endless where they are.',
    variant: replaces('deliveries', 'logEntriesFor', (right, areas, delivery, policy, outcome, step) =>
      right(areas, delivery, policy && { ...policy, retries: Math.min(policy.retries, 5) }, outcome, step),
    ),
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    async shows(service) {
      await service.host([{ ...event, retryForever: true }], always(503));
      await service.edda.sendEvent();
      await service.pass(1);
      return at((await logEntries(service, 'transient-error'))[0], '/total') !== 'infinity';
    },
  },
  'calls.timeout-is-logged-with-the-default': {
    source: 'extensions: Errors 3',
    breaks:
      'The log entry of a request timeout holds the time that was waited, also where another timeout is configured.',
    variant: replaces('deliveries', 'logEntriesFor', (right, areas, ...args) =>
      right(areas, ...args).map((entry) => (entry.kind === 'timeout' ? { ...entry, waitMs: 100_000 } : entry)),
    ),
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    async shows(service) {
      await service.host([{ ...event, requestTimeout: 7 }], always({ never: true }));
      await service.edda.sendEvent();
      await service.pass(1, 8);
      return at((await logEntries(service, 'timeout'))[0], '/wait') !== 7;
    },
  },
  'calls.failed-validations-leave-no-line': {
    source: 'extensions: Errors 3',
    breaks: 'A transient error of a validation is logged as that of an event is.',
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    variant: replaces('deliveries', 'logEntriesFor', (right, areas, delivery, policy, outcome, step) =>
      delivery.kind === 'validation' ? [] : right(areas, delivery, policy, outcome, step),
    ),
    async shows(service) {
      const { edda } = service;
      const host = await service.host([validator], [{ steps: [{ status: 503 }] }]);
      const made = await edda.make('Document');
      const moved = edda.move(made, 1);
      await awaitCalls(host);
      await service.pass(2);
      await moved;
      return !(await service.cora.get('/api/admin/log')).text.includes('transient-error');
    },
  },
  'validation.log-tells-of-five-retries': {
    source: 'extensions: Errors 3',
    breaks: 'The log of a validation tells the retry out of the three that it has.',
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    variant: replaces('deliveries', 'logEntriesFor', (right, areas, delivery, policy, ...rest) => {
      const wrong = policy && delivery.kind === 'validation' ? { ...policy, retries: 5 } : policy;
      return right(areas, delivery, wrong, ...rest);
    }),
    async shows(service) {
      const host = await service.host([validator], [{ steps: [{ status: 503 }] }]);
      const { edda } = service;
      const promote = edda.move(await edda.make('Document'), 1);
      await awaitCalls(host);
      await service.pass(2);
      await promote;
      return at((await logEntries(service, 'transient-error'))[0], '/total') !== 3;
    },
  },
  'delivery-log.retries-of-endpoints-from-zero': {
    source: 'extensions: Errors 3',
    breaks: 'The log tells the number of the retry out of the total, for the calls of an endpoint as well.',
    variant: replaces('deliveries', 'logEntriesFor', (right, areas, delivery, policy, outcome, step) =>
      right(areas, delivery, policy, outcome, step).map((entry) =>
        delivery.kind === 'endpoint' && entry.retry !== undefined ? { ...entry, retry: entry.retry - 1 } : entry,
      ),
    ),
    survives: 'ledger log-access: the entries are listed without a form or a way to read them.',
    async shows(service) {
      await using host = await startExtensionHost({ script: always(503) });
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook` });
      await service.edda.sendToEndpoint();
      await awaitCalls(host);
      await service.pass(1);
      const [entry] = await logEntries(service, 'transient-error');
      return at(entry, '/retry') === 0;
    },
  },
  'log.retries-of-the-endpoint': {
    source: 'extensions: Errors 3',
    breaks: 'The entry has the number of the retry of its own event, whatever was retried before.',
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    variant: breaks('deliveries', 'logEntriesFor', (right) => {
      const counts = new Map<string, number>();
      return (areas, delivery, policy, outcome, step) => {
        if (step.kind !== 'retry') return right(areas, delivery, policy, outcome, step);
        const retry = (counts.get(delivery.registrationId) ?? 0) + 1;
        counts.set(delivery.registrationId, retry);
        return right(areas, delivery, policy, outcome, { ...step, retry });
      };
    }),
    async shows(service) {
      await service.host([{ id: 'event' }], [{ steps: [{ status: 503 }, { status: 200 }], afterwards: 'again' }]);
      for (let left = 2; left > 0; left -= 1) {
        await service.edda.sendEvent();
        await service.pass(1, 6);
      }
      return at((await logEntries(service, 'transient-error'))[1], '/retry') === 2;
    },
  },
  'delivery.timeout-of-the-last-attempt': {
    source: 'extensions: Errors 3',
    breaks: 'Every request timeout is logged, that of the last attempt as well.',
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    variant: replaces('deliveries', 'logEntriesFor', (right, areas, delivery, policy, outcome, step) =>
      right(areas, delivery, policy, outcome, step).filter(({ kind }) => kind !== 'timeout' || step.kind === 'retry'),
    ),
    async shows(service) {
      await service.host([{ id: 'event', requestTimeout: 2 }], always({ never: true }));
      await service.edda.sendEvent();
      await service.pass(35, 14);
      return (await logEntries(service, 'timeout')).length === 5;
    },
  },
};
