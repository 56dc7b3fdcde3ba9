import type { Script } from '../../../simulator/extension/script.ts';
import { breaks } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { callsTo, logged } from '../proofs.ts';
import { at, type Received, type Service, type UserName } from '../service.ts';

export const deliveryMistakes: Batch = {
  'delivery.end-of-for-ever': {
    source: 'extensions: Registered external endpoint',
    breaks: 'Who retries for ever goes on after the fifteenth retry as well.',
    kind: 'moment',
    variant: breaks('policies', 'nextStepOf', (right) => (areas, delivery, policy, outcome) => {
      const step = right(areas, delivery, policy, outcome);
      return step.kind === 'retry' && step.retry > 15 ? { kind: 'failed' } : step;
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', retryForever: true }], failing);
      await sendEvent(service);
      await passSteps(service, 24, 301);
      return callsTo(host).length <= 16;
    },
  },

  'delivery.equal-events-once': {
    source: 'extensions: Events 1',
    breaks: 'Each event is delivered, also one whose content is that of another a moment ago.',
    kind: 'combination',
    variant: breaks('queue', 'enqueue', (right) => {
      const queued = new Map<string, number>();
      return async (areas, writing, delivery) => {
        const now = areas.clock.now();
        const key = JSON.stringify([
          delivery.registrationId,
          delivery.recordId,
          at(delivery.payload, '/contentPayload'),
        ]);
        const isTwin = delivery.kind === 'event' && now - (queued.get(key) ?? -Infinity) < 300_000;
        queued.set(key, now);
        return isTwin || right(areas, writing, delivery);
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      for (let count = 0; count < 2; count += 1) await sendEvent(service, { contentPayload: { same: true } });
      await passSteps(service, 1, 1);
      return callsTo(host).length < 2;
    },
  },

  'delivery.circuit-breaker': {
    source: 'extensions: Limits',
    breaks: 'Each event has its own five retries, also while others to the same endpoint fail.',
    kind: 'combination',
    variant: breaks('policies', 'nextStepOf', (right) => {
      const failures = new Map<string, number>();
      return (areas, delivery, policy, outcome) => {
        const step = right(areas, delivery, policy, outcome);
        const key = areas.policies.endpointKeyOf(delivery);
        const count = step.kind === 'delivered' ? 0 : (failures.get(key) ?? 0) + 1;
        failures.set(key, count);
        return step.kind === 'retry' && count > 6 ? { kind: 'failed' } : step;
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }], failing);
      for (const name of ['one', 'other']) await sendEvent(service, { contentPayload: { name } });
      await passSteps(service, 16, 5);
      return callsTo(host).length < 12;
    },
  },

  'delivery.text-behind-an-acknowledgement': {
    source: 'extensions: Events 2',
    breaks: 'A 200 is a success, whatever the body of the answer.',
    kind: 'value',
    variant: breaks('policies', 'isDelivered', (right) => (areas, kind, outcome) => {
      const isText = outcome.kind === 'answered' && outcome.body !== '' && !/^\s*[[{"]/.test(outcome.body);
      return right(areas, kind, outcome) && !isText;
    }),
    async shows(service) {
      await service.host(() => [{ id: 'event' }], [{ steps: [{ status: 200, text: 'OK' }] }]);
      await sendEvent(service);
      await passSteps(service, 2, 1);
      return (await logged(service, 'delivered')).length === 0;
    },
  },

  'log.cancelled-between-retries': {
    source: 'extensions: Events 3',
    breaks: 'When a user deletes an event a log entry is written, also for one that was tried before.',
    kind: 'moment',
    survives: 'How log entries are read is not shown: those of a cancellation are recorded by delivery.log.entries.',
    variant: breaks('queue', 'cancelDelivery', (right) => async (areas, writing, id) => {
      const delivery = await writing.delivery(id);
      if (delivery === undefined || delivery.attempts === 0) return right(areas, writing, id);
      await areas.queue.removeDelivery(writing, delivery, 'cancelled');
      return true;
    }),
    async shows(service) {
      await service.host(() => [{ id: 'event' }], failing);
      const event = await sendEvent(service);
      await passSteps(service, 4, 1);
      await service.edda.delete(event.headers.get('location') ?? '');
      return (await logged(service, 'cancelled')).length === 0;
    },
  },
};

/** Fails every call. */
const failing: Script = [{ steps: [{ status: 503 }], afterwards: 'last' }];

interface Trigger {
  readonly user?: UserName;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An event to the record with the id `event`. */
export function sendEvent(
  { as }: Service,
  body: object = {},
  { user = 'edda', headers = {} }: Trigger = {},
): Promise<Received> {
  return as(user).post('/api/space/main/externalEvent', { recordId: 'event', contentPayload: {}, ...body }, headers);
}

/** Small steps, so that what a call leads to is due in the next one. */
export async function passSteps({ pass }: Service, count: number, seconds: number): Promise<void> {
  for (let step = 0; step < count; step += 1) await pass(seconds);
}
