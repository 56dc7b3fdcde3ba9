import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';

export const manyMistakes: Batch = {
  'batch.read-under-a-schema': {
    source: 'core: Batch rules 2',
    breaks: 'A batch supports the reads of SoftTypes, that with definition and output schema as well.',
    kind: 'place',
    variant: replaces('batch', 'operationRouteOf', (right, areas, table, method, path) => {
      const found = right(areas, table, method, path);
      return method === 'GET' && found?.params['outputSchemaId'] !== undefined ? undefined : found;
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Document', { title: 'long' });
      const href = `/api/space/main/softtype/Document/documentFull/${oid}`;
      return (await edda.batch([{ method: 'GET', href }])).status !== 200;
    },
  },
};
