import { breaks, replaces } from '../../breaks.ts';
import { always, awaitCalls, bareEvent, callsOf, mailPath, validator } from '../hosts.ts';
import type { Mistakes } from '../mistake.ts';
import { becomes, callsOnceDue, failTimes, logEntries, promotes, scheduleTask, waitForRetries } from '../proofs.ts';
import { changes, perServer } from '../variant-parts.ts';

export const timeoutsMistakes: Mistakes = {
  'validation.one-timeout-for-all-attempts': {
    source: 'extensions: Limits, retries of a validation and request timeout',
    breaks: 'Each attempt of a validation has the time of its requestTimeout, not what those before have left.',
    variant: replaces('requests', 'requestFor', async (right, areas, delivery, callee, attempt) => {
      const request = await right(areas, delivery, callee, attempt);
      if (delivery.kind !== 'validation') return request;
      const now = areas.clock.now();
      const since = begunAt(areas).get(delivery.id) ?? now;
      begunAt(areas).set(delivery.id, since);
      return { ...request, timeoutMs: Math.max(1, request.timeoutMs - (now - since)) };
    }),
    async shows(service) {
      const host = await service.host(
        [{ ...validator, requestTimeout: 10 }],
        [{ steps: [{ status: 503 }, { never: true }] }],
      );
      const made = await service.edda.make('Document');
      const promoted = promotes(service.edda, made);
      await failTimes(service, host, 1);
      await awaitCalls(host, 2);
      await service.pass(9);
      const gaveUp = await becomes(async () => (await logEntries(service, 'timeout')).length > 0, 500);
      await service.pass(1, 30);
      await promoted;
      return gaveUp;
    },
  },
  'extensions.timeout-of-mail': {
    source: 'extensions: Limits, request timeout',
    breaks: 'The timeout of a record is what it says, for mail as well.',
    variant: replaces('callees', 'requestTimeoutOf', (right, areas, { requestTimeout, ...record }) =>
      right(
        areas,
        record.extensionType === 'Email' || requestTimeout === undefined ? record : { ...record, requestTimeout },
      ),
    ),
    async shows(service) {
      const mail = { ...bareEvent, id: 'mail', extensionType: 'Email', requestTimeout: 5 };
      await service.host([mail], always({ never: true }));
      const body = { recordId: 'mail', to: 'a@b.example', subject: 's', body: 'b' };
      await service.edda.post(mailPath, body);
      await service.pass(3, 4);
      return (await logEntries(service, 'timeout')).length === 0;
    },
  },
  'deliveries.retries-have-the-usual-time': {
    source: 'extensions: Limits, request timeout',
    breaks: 'A retry waits for its answer as long as the endpoint says, like the first attempt.',
    variant: changes('requests', 'requestFor', (request, _areas, _delivery, _callee, attempt) =>
      attempt > 1 ? { ...request, timeoutMs: 100_000 } : request,
    ),
    shows: async (service) => {
      const script = [{ when: { kind: 'event' }, steps: [{ status: 503 }, { never: true as const }] }];
      const host = await service.host([{ id: 'slow', requestTimeout: 5 }], script);
      await service.edda.sendEvent('slow');
      await service.pass(3);
      await service.pass(12);
      return callsOf(host, 'event').length < 3;
    },
  },
  'deliveries.retries-of-tasks-wait-longer': {
    source: 'extensions: Limits, request timeout',
    breaks: 'A retry of a task waits for its answer as long as the record says, like the first attempt.',
    variant: changes('requests', 'requestFor', (request, _areas, { kind }, _callee, attempt) =>
      kind === 'task' && attempt > 1 ? { ...request, timeoutMs: 3 * request.timeoutMs } : request,
    ),
    shows: async (service) => {
      const script = [{ when: { kind: 'task' }, steps: [{ status: 503 }, { never: true as const }] }];
      const host = await service.host([{ id: 'slow', extensionType: 'ExternalTask', requestTimeout: 5 }], script);
      await scheduleTask(service, { recordId: 'slow' });
      await service.pass(3);
      await service.pass(12);
      return callsOf(host, 'task').length < 3;
    },
  },
  'timeout.cut-at-a-minute': {
    source: 'extensions: Limits, request timeout',
    breaks: 'A call waits for its answer as long as its record says, more than a minute too.',
    museum: true,
    variant: changes(
      'callees',
      'calleeOf',
      (callee) => callee && { ...callee, timeoutMs: Math.min(callee.timeoutMs, 60_000) },
    ),
    async shows(service) {
      const host = await service.host([{ id: 'taken', requestTimeout: 150 }]);
      host.setScript([{ steps: [{ never: true }] }]);
      await service.edda.sendEvent('taken');
      await awaitCalls(host);
      await service.pass(70);
      return (await callsOnceDue(service, host)).length > 1;
    },
  },
  'timeout.default-at-a-retry': {
    source: 'extensions: Limits, request timeout and retries, row 2',
    breaks: 'Retries of a validation wait 100 s, whatever its record says.',
    variant: replaces('requests', 'requestFor', async (right, areas, delivery, callee, attempt) => {
      const request = await right(areas, delivery, callee, attempt);
      return delivery.kind === 'validation' && attempt > 1 ? { ...request, timeoutMs: 100_000 } : request;
    }),
    async shows(service) {
      const host = await service.host([{ ...validator, requestTimeout: 5 }]);
      host.setScript([
        { steps: [{ status: 503 }, { never: true }, { status: 200, json: { isValid: true, message: '' } }] },
      ]);
      const made = await service.edda.make('Document');
      const moved = service.edda.move(made, 1);
      await waitForRetries(service, host, 1);
      await service.pass(1, 12);
      const { length } = await awaitCalls(host, 3, 1000);
      await service.pass(1, 120);
      await moved;
      return length < 3;
    },
  },
  'timeouts.of-the-record-called-first': {
    source: 'extensions: Extension metadata record, row requestTimeout',
    breaks: 'Each record of a host has its own time limit.',
    variant: breaks('callees', 'calleeOf', (right) => {
      const kept = new Map<string, number>();
      return async (areas, reading, delivery) => {
        const callee = await right(areas, reading, delivery);
        if (callee === undefined || !('record' in callee)) return callee;
        const key = `${callee.extension.id} ${JSON.stringify(callee.extension.records)}`;
        const timeoutMs = kept.get(key) ?? callee.timeoutMs;
        kept.set(key, timeoutMs);
        return { ...callee, timeoutMs };
      };
    }),
    async shows(service) {
      const host = await service.host([
        { id: 'slow', requestTimeout: 500 },
        { id: 'event', requestTimeout: 2 },
      ]);
      await service.edda.sendEvent('slow');
      await awaitCalls(host, 1);
      host.setScript([{ steps: [{ status: 200, never: true }], afterwards: 'last' }]);
      await service.edda.sendEvent('event');
      await awaitCalls(host, 2);
      await service.pass(3);
      return !(await becomes(async () => (await logEntries(service, 'timeout')).length > 0, 800));
    },
  },
};

/** When the first attempt of a validation began, by its id. */
const begunAt = perServer(() => new Map<string, number>());
