import type { CallOutcome } from '../../../reference-server/ports/deliveries.ts';
import { startExtensionHost } from '../../../simulator/extension/host.ts';
import { breaks, replaces, type Variant } from '../../breaks.ts';
import { always, awaitCalls, awaitCallsOf, callsOf, callsTo, event, task } from '../hosts.ts';
import type { Mistakes } from '../mistake.ts';
import { attempts, failingEvent, logEntries, logEntriesOf, registerEndpoint, scheduleTask } from '../proofs.ts';

export const transientErrorsMistakes: Mistakes = {
  'calls.not-implemented-is-for-good': {
    source: 'extensions: Errors 1',
    breaks: 'Each 5xx is transient, 501 too.',
    variant: replaces(
      'policies',
      'isTransient',
      (right, areas, outcome) => right(areas, outcome) && !(outcome.kind === 'answered' && outcome.status === 501),
    ),
    async shows(service) {
      const host = await service.host([{ id: 'e' }], [{ steps: [{ status: 501 }] }]);
      await service.edda.sendEvent('e');
      await awaitCallsOf(host, 'event', 1);
      await service.pass(2);
      return (await awaitCallsOf(host, 'event', 2)).length < 2;
    },
  },
  'retries.behind-a-lock': {
    source: 'extensions: Errors 1',
    breaks: 'Of all 4xx only 408 is transient: 423, 425 and 449 are not, whatever they say of later.',
    variant: replaces(
      'policies',
      'isTransient',
      (right, areas, outcome) =>
        right(areas, outcome) || (outcome.kind === 'answered' && [423, 425, 449].includes(outcome.status)),
    ),
    async shows(service) {
      const host = await service.host([{ id: 'e' }], [{ steps: [{ status: 423 }] }]);
      await service.edda.sendEvent('e');
      await awaitCallsOf(host, 'event', 1);
      await service.pass(2);
      return (await awaitCallsOf(host, 'event', 2)).length === 2;
    },
  },
  'retries.not-where-storage-is-full': {
    source: 'extensions: Errors 1',
    breaks: 'Each 5xx is transient, 507 and 508 too.',
    variant: replaces(
      'policies',
      'isTransient',
      (right, areas, outcome) =>
        right(areas, outcome) && !(outcome.kind === 'answered' && [507, 508].includes(outcome.status)),
    ),
    async shows(service) {
      const host = await service.host([{ id: 'e' }], [{ steps: [{ status: 507 }] }]);
      await service.edda.sendEvent('e');
      await awaitCallsOf(host, 'event', 1);
      await service.pass(2);
      return (await awaitCallsOf(host, 'event', 2)).length < 2;
    },
  },
  'retries.second-408-is-the-end': {
    source: 'extensions: Errors 1',
    breaks: 'A 408 is transient each time.',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) =>
      outcome.kind === 'answered' && outcome.status === 408 && delivery.attempts > 0
        ? { kind: 'failed' }
        : right(areas, delivery, policy, outcome),
    ),
    async shows(service) {
      const host = await service.host([event], [{ steps: [{ status: 408 }, { status: 408 }] }]);
      await failingEvent(service, host, 'slow', [2]);
      return (await logEntriesOf(service, 'slow', 'removed', 1)).length === 1;
    },
  },
  'retries.four-statuses-alone': {
    source: 'extensions: Errors 1',
    breaks: 'Every status from 500 to 599 is transient, and not only the four that are seen most.',
    variant: replaces('policies', 'isTransient', (right, areas, outcome) => {
      const isRare =
        outcome.kind === 'answered' && outcome.status >= 500 && ![500, 502, 503, 504].includes(outcome.status);
      return !isRare && right(areas, outcome);
    }),
    async shows(service) {
      const host = await service.host([{ id: 'event' }], always(507));
      await service.edda.sendEvent();
      await awaitCalls(host);
      await service.pass(3);
      return (await logEntries(service, 'failed')).length > 0;
    },
  },
  'retries.never-for-ever-after-408': {
    source: 'extensions: Errors 1; Extension metadata record, retryForever',
    breaks: 'With retryForever every transient error is retried for ever, 408 too.',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) => {
      const isTimeout = outcome.kind === 'answered' && outcome.status === 408;
      return right(areas, delivery, isTimeout ? { ...policy, retries: Math.min(policy.retries, 5) } : policy, outcome);
    }),
    async shows(service) {
      const host = await service.host([{ id: 'event', retryForever: true }], always(408));
      await service.edda.sendEvent();
      for (const seconds of [1, 3, 5, 9, 17, 33, 65]) await service.pass(seconds);
      return callsTo(host).length === 6;
    },
  },
  'retries.not-behind-a-refusal': {
    source: 'extensions: Errors 1',
    breaks: 'A 503 is transient, whatever the endpoint answered to an event before.',
    variant: breaks('policies', 'nextStepOf', (right) => {
      const refusing = new Set<string>();
      return (areas, delivery, policy, outcome) => {
        const step = right(areas, delivery, policy, outcome);
        if (step.kind === 'failed' && !areas.policies.isTransient(outcome)) refusing.add(policy.endpoint);
        return step.kind === 'retry' && refusing.has(policy.endpoint) ? { kind: 'failed' } : step;
      };
    }),
    async shows(service) {
      const steps = [{ status: 404 }, { status: 503 }];
      const host = await service.host([{ id: 'event' }], [{ steps }]);
      await service.edda.sendEvent();
      await service.pass(1);
      await awaitCalls(host);
      await service.edda.sendEvent();
      await service.pass(1, 5);
      return (await awaitCalls(host, 3, 1500)).length === 2;
    },
  },
  'retry.not-after-408': {
    source: 'extensions: Errors 1',
    breaks: 'A 408 is transient, though it is a status below 500.',
    museum: true,
    variant: transientUnless(({ status }) => status === 408, false),
    async shows(service) {
      const { entries } = await attempts(service, [{ steps: [{ status: 408 }] }]);
      return entries.length < 2;
    },
  },
  'retry.after-statuses-above-410': {
    source: 'extensions: Errors 1',
    breaks: 'An answer that is no transient error ends the delivery, be it of the rarer ones.',
    museum: true,
    variant: transientUnless(({ status }) => status > 410 && status < 500 && status !== 429, true),
    async shows(service) {
      const { entries } = await attempts(service, [{ steps: [{ status: 422 }] }]);
      return entries.length > 1;
    },
  },
  'retries.once-transient-for-good': {
    source: 'extensions: Errors 1',
    breaks: 'An error that is not transient ends the retries, also where one before it was.',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) => {
      const isLater = delivery.attempts > 0 && outcome.kind === 'answered' && outcome.status >= 400;
      return right(areas, delivery, policy, isLater ? { ...outcome, status: 503 } : outcome);
    }),
    async shows(service) {
      const script = [{ steps: [{ status: 503 }, { status: 400 }], afterwards: 'last' as const }];
      const host = await service.host([{ id: 'event' }], script);
      await service.edda.sendEvent();
      await service.pass(2, 12);
      return callsTo(host).length > 2;
    },
  },
  'delivery.broken-on-a-retry': {
    source: 'extensions: Errors 1',
    breaks: 'A connection that fails is transient, also where the attempt before had an answer.',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) =>
      delivery.attempts > 0 && outcome.kind === 'failed' ? { kind: 'failed' } : right(areas, delivery, policy, outcome),
    ),
    async shows(service) {
      const steps = [{ status: 503 }, { cut: 'before-answer' }] as const;
      const host = await service.host([{ id: 'event' }], [{ steps: [...steps] }]);
      await service.edda.sendEvent();
      await service.pass(5, 4);
      return callsOf(host, 'event').length < 3;
    },
  },
  'retries.not-of-unimplemented-methods': {
    source: 'extensions: Errors 1',
    breaks: 'Any 5xx of an endpoint is transient, 501 as well.',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) =>
      delivery.kind === 'endpoint' && outcome.kind === 'answered' && outcome.status === 501
        ? { kind: 'failed' }
        : right(areas, delivery, policy, outcome),
    ),
    async shows(service) {
      await using host = await startExtensionHost({ script: always(501) });
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook` });
      await service.edda.sendToEndpoint();
      await service.pass(1, 4);
      return host.entries(({ target }) => target.startsWith('/hook')).length < 2;
    },
  },
  'tasks.not-found-may-come-up': {
    source: 'extensions: Errors 1',
    breaks: 'An error that is not transient is not tried again, 404 to the call of a task neither.',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) => {
      const isMissing = delivery.kind === 'task' && outcome.kind === 'answered' && outcome.status === 404;
      return right(areas, delivery, policy, isMissing ? { ...outcome, status: 503 } : outcome);
    }),
    async shows(service) {
      const host = await service.host([task], always(404));
      await scheduleTask(service);
      await service.pass(1, 6);
      return callsOf(host, 'task').length > 1;
    },
  },
  'retries.after-a-closed-connection': {
    source: 'extensions: Errors 1',
    breaks: 'A connection that ends without an answer is a transient error, also when it was closed in order.',
    variant: replaces('policies', 'isTransient', (right, areas, outcome) => {
      const isClosed = outcome.kind === 'failed' && outcome.reason.startsWith('UND_ERR_SOCKET');
      return !isClosed && right(areas, outcome);
    }),
    async shows(service) {
      const steps = [{ cut: 'before-answer', how: 'close' } as const];
      const host = await service.host([{ id: 'event' }], [{ steps }]);
      await service.edda.sendEvent();
      await service.pass(3, 2);
      return callsOf(host, 'event').length < 2;
    },
  },
};

/** Takes answers that are meant for transient, or for none that are. */
function transientUnless(
  isMeant: (outcome: Extract<CallOutcome, { readonly kind: 'answered' }>) => boolean,
  isTransient: boolean,
): Variant {
  return replaces('policies', 'isTransient', (right, areas, outcome) => {
    return outcome.kind === 'answered' && isMeant(outcome) ? isTransient : right(areas, outcome);
  });
}
