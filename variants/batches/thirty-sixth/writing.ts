import { isContent } from '../../../reference-server/areas/content.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';

export const writingMistakes: Batch = {
  'operations.nothing-in-front': {
    source: 'core: Operations-based PATCH rules 2',
    breaks: 'The members of an operation stand in any order, also where the value comes first and is an empty text.',
    kind: 'combination',
    variant: replaces('operations', 'operationOf', (right, areas, item, place) => {
      if (isContent(item) && Object.keys(item)[0] === 'value' && !item['value'])
        throw new Refusal(400, 'There is no value.');
      return right(areas, item, place);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', note: 'n' });
      const operation = { value: '', op: 'replace', path: '/note' };
      return (await edda.operate(made, 1, [operation])).status >= 300;
    },
  },
};
