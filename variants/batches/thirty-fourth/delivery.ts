import { jsonOf } from '../../../contract/json.ts';
import { type Variant, Step, breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, callsTo, reached } from '../proofs.ts';
import { at, movePath, versionHeader } from '../service.ts';

/** Asked about every Document. */
const validator = {
  id: 'check',
  extensionType: 'ExternalValidation',
  capabilities: [{ capabilityType: 'SoftType', capabilities: ['Document'] }],
} as const;

export const deliveryMistakes: Batch = {
  'delivery.gaps-of-the-endpoint': {
    source: 'extensions: Limits, retries row 1',
    breaks: 'The gaps of an event grow with its own attempts, not with those of another event to the same endpoint.',
    kind: 'copy',
    variant: breaks('policies', 'nextStepOf', (right) => {
      const failures = new Map<string, number>();
      return (areas, delivery, policy, outcome) => {
        const step = right(areas, delivery, policy, outcome);
        const count = (failures.get(policy.rateKey) ?? 0) + 1;
        failures.set(policy.rateKey, step.kind === 'retry' ? count : 0);
        return step.kind === 'retry' ? { ...step, delayMs: areas.policies.nextRetryDelay(count) } : step;
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }], always({ status: 503 }));
      await service.edda.sendEvent('event', {}, { 'X-Correlation-Id': 'first' });
      await reached(host, 1);
      await service.pass(3);
      await reached(host, 2);
      await service.edda.sendEvent('event', {}, { 'X-Correlation-Id': 'second' });
      await reached(host, 3);
      await service.pass(1, 3);
      await reached(host, 5, 500);
      return callsTo(host).filter(({ envelope }) => envelope?.id === 'second').length < 2;
    },
  },

  'delivery.permanent-behind-transient': {
    source: 'extensions: Errors 1',
    breaks: 'An error that is not transient ends the delivery, also on a later attempt.',
    kind: 'moment',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) => {
      const step = right(areas, delivery, policy, outcome);
      const retry = delivery.attempts + 1;
      const isPermanent = outcome.kind === 'answered' && outcome.status >= 400 && outcome.status < 500;
      if (step.kind !== 'failed' || !isPermanent || delivery.attempts === 0 || retry > policy.retries) return step;
      return { kind: 'retry', attempts: retry, retry, delayMs: areas.policies.nextRetryDelay(retry) };
    }),
    async shows(service) {
      const host = await service.host(
        () => [{ id: 'event' }],
        [{ steps: [{ status: 503 }, { status: 400 }], afterwards: 'last' }],
      );
      await service.edda.sendEvent();
      await reached(host, 1);
      await service.pass(3);
      await reached(host, 2);
      await service.pass(5);
      return (await reached(host, 3, 500)).length > 2;
    },
  },

  'delivery.no-limit-behind-a-pause': {
    source: 'extensions: Limits, rate limit',
    breaks: 'The executions of each minute are limited, also behind the first pause.',
    kind: 'moment',
    variant: replaces('policies', 'rateDecision', (right, areas, window, now, limit) =>
      window !== undefined && window.pausedUntil > 0 && now >= window.pausedUntil
        ? { kind: 'run', window: { ...window, executions: window.executions + 1 } }
        : right(areas, window, now, limit),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', rateLimitNumberOfExecutions: 1 }]);
      await service.edda.sendEvent();
      await service.edda.sendEvent();
      await reached(host, 1);
      await service.pass(61);
      await reached(host, 2);
      await service.edda.sendEvent();
      return (await reached(host, 3, 1500)).length > 2;
    },
  },

  'validation.second-level-is-not-validated': {
    source: 'extensions: Extension metadata record, capability use',
    breaks: 'An object of a listed SoftType is validated at each level, the second one as well.',
    kind: 'place',
    survives: 'Which configuration makes a level be validated is not shown (trigger-validation-binding).',
    variant: replaces('validation', 'verdictOn', async (right, areas, call, object, validators) =>
      call.params['levelId'] === 'approval' ? { kind: 'valid', message: '' } : right(areas, call, object, validators),
    ),
    async shows(service) {
      await service.host(() => [validator], always({ status: 200, json: { isValid: false, message: 'no' } }));
      const made = await service.edda.make('Document', { title: 't' });
      return (await service.edda.move(made, 1, 'promote', 'approval')).status < 300;
    },
  },

  'validation.verdict-in-an-array': {
    source: 'extensions: Errors 5',
    breaks: 'An answer that is no JSON object is an error of the validation, also an array that holds a verdict.',
    kind: 'value',
    variant: replaces('validation', 'verdictOf', (right, areas, outcome) => {
      const value = outcome.kind === 'answered' ? jsonOf(outcome.body) : undefined;
      if (outcome.kind !== 'answered' || !Array.isArray(value)) return right(areas, outcome);
      return right(areas, { ...outcome, body: JSON.stringify(value[0] ?? null) });
    }),
    async shows(service) {
      await service.host(() => [validator], always({ status: 200, json: [{ isValid: true, message: '' }] }));
      const made = await service.edda.make('Document', { title: 't' });
      return (await service.edda.move(made, 1)).status < 300;
    },
  },

  'validation.context-of-the-one-before': {
    source: 'extensions: Payloads by extension type, row ExternalValidation',
    breaks: 'A validation names a context object only where it has one, whatever the one before had.',
    kind: 'copy',
    variant: breaks('validation', 'validationPayload', (right) => {
      let context: unknown;
      return (areas, call, object) => {
        const payload = right(areas, call, object);
        context = at(payload, '/contextObjectId') ?? context;
        return context === undefined ? payload : { ...payload, contextObjectId: context };
      };
    }),
    async shows(service) {
      const host = await service.host(() => [validator], always({ status: 200, json: { isValid: true, message: '' } }));
      const made = await service.edda.make('Document', { title: 't' });
      await service.edda.put(`${movePath(made)}?contextObjectId=${made.oid}`, 1);
      await service.edda.move(made, 2);
      return at(callsOf(host, 'validation')[1]?.envelope?.payload, '/contextObjectId') !== undefined;
    },
  },

  'validation.of-a-batch-is-impatient': {
    source: 'extensions: Limits, retries row 2',
    breaks: 'A validation is tried again after a transient error, also where a batch asks for it.',
    kind: 'place',
    variant: impatientBatches(),
    async shows(service) {
      const host = await service.host(
        () => [validator],
        [{ steps: [{ status: 503 }, { status: 200, json: { isValid: true, message: '' } }], afterwards: 'last' }],
      );
      const made = await service.edda.make('Document', { title: 't' });
      const batch = service.edda.batch([{ method: 'PUT', href: movePath(made), headers: versionHeader(1) }]);
      await reached(host, 1);
      await service.pass(1, 3);
      return (await batch).status !== 200;
    },
  },
};

function impatientBatches(): Variant {
  return (classes) => {
    const batch = new Step();
    return together(
      replaces('validatedWrites', 'validatedBatch', (right, areas, call, table) =>
        batch.run(() => right(areas, call, table)),
      ),
      replaces('outgoingCalls', 'callWithRetries', (right, areas, delivery, retries) =>
        right(areas, delivery, batch.isOn() ? 0 : retries),
      ),
    )(classes);
  };
}
