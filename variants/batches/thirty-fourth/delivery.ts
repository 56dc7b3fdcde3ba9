import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always } from '../proofs.ts';

/** Asked about every Document. */
const validator = {
  id: 'check',
  extensionType: 'ExternalValidation',
  capabilities: [{ capabilityType: 'SoftType', capabilities: ['Document'] }],
} as const;

export const deliveryMistakes: Batch = {
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
};
