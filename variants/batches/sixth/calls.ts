import { randomUUID } from 'node:crypto';
import { headerNames } from '../../../contract/names.ts';
import type { MetadataRecord } from '../../../simulator/extension/metadata.ts';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { reached } from '../proofs.ts';

export const eventRecord = (): readonly Partial<MetadataRecord>[] => [{ id: 'proof' }];

const validator: Partial<MetadataRecord> = {
  id: 'proof',
  extensionType: 'ExternalValidation',
  capabilities: [{ capabilityType: 'SoftType', capabilities: ['Document'] }],
};

export const calls: Batch = {
  'calls.correlation-id-in-lower-case': {
    source: 'extensions: Call envelope, id',
    breaks: 'The id of the envelope is the GUID of the triggering request as it was written there.',
    kind: 'value',
    variant: replaces('triggeredCalls', 'envelopeIdOf', (right, areas, ...args) => right(areas, ...args).toLowerCase()),
    async shows(service) {
      const host = await service.host(eventRecord);
      const id = randomUUID().toUpperCase();
      await service.edda.sendEvent('proof', {}, { [headerNames.correlationId]: id });
      const [call] = await reached(host, 1);
      return call?.envelope?.id !== id;
    },
  },
  'calls.failed-validations-leave-no-line': {
    source: 'extensions: Errors 3',
    breaks: 'A transient error of a validation is logged as that of an event is.',
    kind: 'place',
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    variant: replaces('deliveries', 'logEntriesFor', (right, areas, delivery, policy, outcome, step) =>
      delivery.kind === 'validation' ? [] : right(areas, delivery, policy, outcome, step),
    ),
    async shows(service) {
      const { edda } = service;
      const host = await service.host(() => [validator], [{ steps: [{ status: 503 }] }]);
      const made = await edda.make('Document', { title: 't' });
      const moved = edda.move(made, 1);
      await reached(host, 1);
      await service.pass(2);
      await moved;
      return !(await service.cora.get('/api/admin/log')).text.includes('transient-error');
    },
  },
};
