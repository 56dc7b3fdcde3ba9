import { isContent } from '../../../reference-server/areas/content.ts';
import { Undone } from '../../../reference-server/http/refusal.ts';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, editPath, listAt, many, movePath, versionHeader } from '../service.ts';

/** Operations of which one change set takes no more. */
const portion = 100;

/** Many operations by one request. */
export const manyMistakes: Batch = {
  'batch.portions-of-a-hundred': {
    source: 'core: Batch rules 1, first part',
    breaks:
      'All that a batch creates and updates is one change set, also where there are more than a hundred operations.',
    kind: 'value',
    variant: replaces('batch', 'runBatch', async (right, areas, call, writing, table) => {
      try {
        return await right(areas, call, writing, table);
      } catch (error) {
        const results = error instanceof Undone && Array.isArray(error.answer.body) ? error.answer.body : [];
        const failed = results.findIndex((result) => isContent(result) && result['statusCode'] !== 424);
        if (!(error instanceof Undone) || failed < portion) throw error;
        return error.answer;
      }
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const edit = { method: 'PATCH', href: editPath(made), headers: versionHeader(1), body: { note: 'n' } };
      const reads = many(99, () => ({ method: 'GET', href: made.path }));
      await edda.batch([edit, ...reads, { method: 'GET', href: `${made.path}-gone` }]);
      return at(await edda.read(made), '/version') !== 1;
    },
  },

  'batch.status-of-moves-as-text': {
    source: 'core: Batch result, statusCode',
    breaks: 'The status of an operation is an integer, that of a promote as well.',
    kind: 'place',
    variant: replaces('batch', 'operationResult', (right, areas, call, answer) => {
      const result = right(areas, call, answer);
      if (call.method !== 'PUT' || !call.url.includes('/maturityAction/')) return result;
      return { ...result, statusCode: String(result.statusCode) as never };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const answer = await edda.batch([{ method: 'PUT', href: movePath(made), headers: versionHeader(1) }]);
      return at(answer.json, '/0/statusCode') !== 204;
    },
  },

  'batch.results-of-the-first-hundred': {
    source: 'core: Endpoint table, POST batch',
    breaks: 'There is a result for every operation of a batch, however many there are.',
    kind: 'value',
    variant: replaces('batch', 'batchAnswer', (right, areas, results) => ({
      ...right(areas, results),
      body: results.slice(0, portion),
    })),
    async shows({ edda }) {
      const { path } = await edda.make('Document', { title: 't' });
      const answer = await edda.batch(many(portion + 1, () => ({ method: 'GET', href: path })));
      return listAt(answer.json, '').length !== portion + 1;
    },
  },
};
