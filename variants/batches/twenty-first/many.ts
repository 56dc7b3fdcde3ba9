import { isContent } from '../../../reference-server/areas/content.ts';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at } from '../service.ts';

const create = { method: 'POST', href: '/api/space/main/softtype/Document/documentInput' };

export const batchMistakes: Batch = {
  'batch.status-after-a-read': {
    source: 'core: Batch rules 3',
    breaks: 'Each result has the status of its own operation, behind a read as before it.',
    kind: 'combination',
    variant: replaces('batch', 'batchAnswer', (right, areas, results) => {
      const read = results.findIndex(({ statusCode }) => statusCode === 200);
      const isAfter = (index: number) => read >= 0 && index > read;
      return right(
        areas,
        results.map((result, index) =>
          isAfter(index) && result.statusCode < 400 ? { ...result, statusCode: 200 } : result,
        ),
      );
    }),
    async shows({ edda }) {
      const { path: href } = await edda.make('Document', { title: 'read' });
      const { json } = await edda.batch([
        { method: 'GET', href },
        { ...create, body: { title: 'made' } },
      ]);
      return at(json, '/1/statusCode') !== 201;
    },
  },

  'batch.version-as-a-text': {
    source: 'core: Batch result',
    breaks: 'The version in a result is an integer, unlike the header that it stands for.',
    kind: 'value',
    variant: replaces('batch', 'writtenBody', (right, areas, ...args) => {
      const body = right(areas, ...args);
      return isContent(body) && 'version' in body ? { ...body, version: String(body['version']) } : body;
    }),
    async shows({ edda }) {
      const { json } = await edda.batch([{ ...create, body: { title: 'typed' } }]);
      return at(json, '/0/body/version') !== 1;
    },
  },
};
