import { Refusal } from '../../../reference-server/http/refusal.ts';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { editPath, versionHeader } from '../service.ts';

export const batchMistakes: Batch = {
  'batch.multi-status': {
    source: 'core: Batch rules 3',
    breaks: 'A batch of which an operation failed is answered with 500.',
    kind: 'place',
    variant: replaces('batch', 'batchStatus', (right, areas, results) => {
      const status = right(areas, results);
      return status === 500 && results.length > 1 ? 207 : status;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'multi' });
      const operations = [1, 9].map((version) => ({
        method: 'PATCH',
        href: editPath(made),
        headers: versionHeader(version),
        body: { note: 'edited' },
      }));
      return (await edda.batch(operations)).status !== 500;
    },
  },
};

export const accessMistakes: Batch = {
  'auth.nobody-at-the-administration': {
    source: 'core: Authentication 6',
    breaks: 'A missing token gives 401, at the routes of the administration too.',
    kind: 'place',
    variant: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      try {
        return await right(areas, route, call);
      } catch (error) {
        const isAnonymous = error instanceof Refusal && error.status === 401 && !call.headers['authorization'];
        throw isAnonymous && call.url.startsWith('/api/admin/') ? new Refusal(403, 'Access is denied.') : error;
      }
    }),
    async shows({ nobody }) {
      return (await nobody.post('/api/admin/svcExtension', {})).status !== 401;
    },
  },
};
