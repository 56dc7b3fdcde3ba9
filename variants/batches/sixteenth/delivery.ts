import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { logged, registerEndpoint } from '../proofs.ts';
import { at } from '../service.ts';

export const deliveryMistakes: Batch = {
  'metadata.one-record-of-a-name': {
    source: 'extensions: Extension metadata record',
    breaks: 'Records are told apart by their id; two may have one name.',
    kind: 'value',
    variant: replaces('metadata', 'usableRecords', (right, areas, items) => {
      const { records, complaints } = right(areas, items);
      return { records: [...new Map(records.map((record) => [record.name, record])).values()], complaints };
    }),
    async shows({ host, edda }) {
      await host(() => ['event', 'other'].map((id) => ({ id, name: 'Notifier', endpoint: `/${id}` })));
      return (await edda.sendEvent()).status >= 400;
    },
  },

  'metadata.empty-description': {
    source: 'extensions: Extension metadata record',
    breaks: 'The description of a record is any text or none, an empty one as well.',
    kind: 'value',
    variant: replaces('metadata', 'usableRecords', (right, areas, items) => {
      return right(
        areas,
        items.filter((item) => at(item, '/description') !== ''),
      );
    }),
    async shows({ host, edda }) {
      await host(() => [{ id: 'event', description: '' }]);
      return (await edda.sendEvent()).status >= 400;
    },
  },

  'delivery.retries-of-an-endpoint': {
    source: 'extensions: Limits',
    breaks: 'A call to an endpoint is retried five times, as an event is.',
    kind: 'place',
    variant: replaces('policies', 'policyOf', (right, areas, callee, delivery) => {
      const policy = right(areas, callee, delivery);
      return { ...policy, retries: Math.min(policy.retries, delivery.kind === 'endpoint' ? 3 : Infinity) };
    }),
    async shows(service) {
      await registerEndpoint(service, 'externalEndpoint', {
        url: 'http://127.0.0.1:9/hook',
        rateLimitNumberOfExecutions: 1000,
      });
      await service.edda.sendToEndpoint();
      await service.pass(5, 16);
      return (await logged(service, 'transient-error')).length < 5;
    },
  },
};
