import { requestPathOf } from '../../../reference-server/areas/signing.ts';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { administrationKey, signatureOver } from '../service.ts';

/** Who is let in. */
export const accessMistakes: Batch = {
  'bulk.signature-of-the-path-above': {
    source: 'core: Authentication 1',
    breaks: 'An administrative route asks for the key over its own path, not for that of a route above it.',
    kind: 'place',
    variant: replaces('bulkUpload', 'requireAdministrationKey', async (right, areas, call) => {
      const above = requestPathOf(call).replace(/\/[^/]*$/, '');
      try {
        await right(areas, call);
      } catch {
        await right(areas, { ...call, url: above });
      }
    }),
    async shows({ nobody, directory }) {
      const body = { sourceDirectory: await directory(), writeLog: false };
      const signature = signatureOver('/admin/fileupload', administrationKey);
      const answer = await nobody.post('/admin/fileupload/main', body, { authorization: `Bearer ${signature}` });
      return answer.status === 200;
    },
  },
};
