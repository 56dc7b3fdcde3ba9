import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';

export const batchingMistakes: Batch = {
  'batch.one-alone-has-its-own-status': {
    source: 'core: Batch rules 3',
    breaks: 'A batch that failed answers 500, also where it had one operation only.',
    kind: 'value',
    variant: replaces('batch', 'batchStatus', (right, areas, results) => {
      const [only, ...more] = results;
      return only !== undefined && more.length === 0 && only.statusCode >= 400
        ? only.statusCode
        : right(areas, results);
    }),
    shows: async ({ edda }) =>
      (await edda.batch([{ method: 'GET', href: '/api/space/main/softtype/none' }])).status !== 500,
  },
};
