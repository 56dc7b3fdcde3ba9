import { breaks } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { listAt } from '../service.ts';

export const pagingMistakes: Batch = {
  'paging.value-of-the-read-before': {
    source: 'core: Server side paging 5',
    breaks: 'A blank filter value is the one of this request, whatever the one before it had.',
    kind: 'copy',
    variant: breaks('entries', 'filterOf', (right) => {
      const values = new Map<string, string>();
      return (areas, call, ...args) => {
        const applied = right(areas, call, ...args);
        if (applied === undefined) return undefined;
        const key = `${call.url.split('?', 1)[0]} ${applied.filter.id}`;
        const value = values.get(key) ?? applied.value;
        values.set(key, value);
        return { ...applied, value };
      };
    }),
    async shows({ edda }) {
      const files = ['drawing', 'letter', 'letter'].map((category) => ({ name: category, category }));
      const made = await edda.make('Document', { title: 'values', files });
      await edda.read(made, '?softTypeFilterId=byCategory&fileGroup.category=drawing');
      const again = await edda.read(made, '?softTypeFilterId=byCategory&fileGroup.category=letter');
      return listAt(again, '/data/files').length !== 2;
    },
  },
};
