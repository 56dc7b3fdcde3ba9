import { headerNames, mediaTypes } from '../../../contract/names.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, operationsPath } from '../service.ts';

export const editingMistakes: Batch = {
  'versioning.operations-in-a-batch': {
    source: 'core: Endpoint table, PATCH (operations)',
    breaks: 'Operations answer with the new version, also where a batch tells it.',
    kind: 'combination',
    variant: replaces('batch', 'writtenBody', (right, areas, call, answer) => {
      const body = right(areas, call, answer);
      const isOperations = call.headers['content-type'] === mediaTypes.operations;
      if (!isOperations || !isContent(body)) return body;
      return { ...body, version: Number(body['version']) - 1 };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'version' });
      const { json } = await edda.batch([
        {
          method: 'PATCH',
          href: operationsPath(made),
          headers: { [headerNames.version]: '1', 'Content-Type': mediaTypes.operations },
          body: [{ op: 'add', path: '/note', value: 'added' }],
        },
      ]);
      return at(json, '/0/body/version') !== 2;
    },
  },
};
