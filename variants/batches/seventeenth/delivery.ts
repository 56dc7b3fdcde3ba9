import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { callsTo, registerEndpoint } from '../proofs.ts';
import { passSteps, sendEvent } from './scenes.ts';

export const deliveryMistakes: Batch = {
  'retries.once-transient-for-good': {
    source: 'extensions: Errors 1',
    breaks: 'An error that is not transient ends the retries, also where one before it was.',
    kind: 'moment',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) => {
      const isLater = delivery.attempts > 0 && outcome.kind === 'answered' && outcome.status >= 400;
      return right(areas, delivery, policy, isLater ? { ...outcome, status: 503 } : outcome);
    }),
    async shows(service) {
      const script = [{ steps: [{ status: 503 }, { status: 400 }], afterwards: 'last' as const }];
      const host = await service.host(() => [{ id: 'event' }], script);
      await sendEvent(service);
      await passSteps(service, 12, 2);
      return callsTo(host).length > 2;
    },
  },

  'events.acknowledged-in-words': {
    source: 'extensions: Events 2',
    breaks: 'Status 200 is success, whatever else the answer says, and such an event is not sent again.',
    kind: 'value',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) => {
      const isDoubted = outcome.kind === 'answered' && outcome.status === 200 && /^[^{["]/.test(outcome.body);
      return right(areas, delivery, policy, isDoubted ? { ...outcome, status: 503 } : outcome);
    }),
    async shows(service) {
      const script = [{ steps: [{ status: 200, text: 'received' }], afterwards: 'last' as const }];
      const host = await service.host(() => [{ id: 'event' }], script);
      await sendEvent(service);
      await passSteps(service, 5);
      return callsTo(host).length > 1;
    },
  },

  'endpoints.id-taken-for-a-number': {
    source: 'extensions: Registered external endpoint',
    breaks: 'The id of an endpoint is a text: 007 is another one than 7.',
    kind: 'value',
    variant: replaces('registry', 'registrationOf', async (right, areas, reading, id) => {
      const asNumber = /^\d+$/.test(id) ? String(Number(id)) : id;
      return (await right(areas, reading, asNumber)) ?? right(areas, reading, id);
    }),
    async shows(service) {
      const host = await service.host(() => []);
      for (const id of ['7', '007'])
        await registerEndpoint(service, 'externalEndpoint', { id, url: `${host.url}/at-${id}` });
      await service.edda.post('/api/space/main/externalEvent', { endpointId: '007', contentPayload: {} });
      await passSteps(service, 2);
      return callsTo(host).some(({ path }) => path === '/at-7');
    },
  },
};
