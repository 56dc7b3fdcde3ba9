import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { acquire } from './proofs.ts';

export const registered: Batch = {
  'metadata.last-type-of-the-list-is-not-known': {
    source: 'extensions: Extension metadata record',
    breaks:
      'Each of the thirteen types is supported; an Identity extension may acquire the keys that it is configured for.',
    kind: 'value',
    variant: replaces('metadata', 'isSupportedType', (right, areas, type) => type !== 'Identity' && right(areas, type)),
    survives: 'Which of the types a service supports is not said: records of those that it does not are ignored.',
    async shows(service) {
      const { status } = await acquire(service, ['AuthorizationAPI'], { extensionType: 'Identity' });
      return status >= 300;
    },
  },
};
