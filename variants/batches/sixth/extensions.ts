import { Misfit } from '../../../reference-server/areas/records.ts';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';

export const extensions: Batch = {
  'metadata.no-pre-releases': {
    source: 'extensions: Extension metadata record, version',
    breaks: 'A pre-release is a version that SemVer knows.',
    kind: 'value',
    variant: replaces('metadata', 'recordFrom', (right, areas, item) => {
      const record = right(areas, item);
      return !(record instanceof Misfit) && record.version.includes('-')
        ? new Misfit('/version', 'must be three numbers')
        : record;
    }),
    async shows({ host, edda }) {
      await host(() => [{ id: 'proof', version: '2.0.0-rc.1+build.5' }]);
      return (await edda.sendEvent('proof')).status >= 400;
    },
  },
};
