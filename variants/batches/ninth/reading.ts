import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, listAt } from '../service.ts';
import { withContacts } from './proofs.ts';

export const reading: Batch = {
  'reading.pages-count-ids': {
    source: 'core: Server side paging 2 and 4',
    breaks: 'Pages are sets of 10 of the entries that there are, after some were removed as well.',
    kind: 'combination',
    variant: replaces('entries', 'entriesOf', async (right, areas, reading, object, section, range, filter) => {
      if (filter !== undefined || section.items !== undefined)
        return right(areas, reading, object, section, range, filter);
      const all = await right(areas, reading, object, section, { from: 0, to: 100_000 });
      return all.filter(({ entryId }) => entryId > range.from && entryId <= range.to);
    }),
    async shows({ edda }) {
      const made = await withContacts(edda, 12);
      const third = at(await edda.read(made), '/data/contacts/2/$entryId');
      await edda.operate(made, 1, [{ op: 'remove', path: `/contacts/${String(third)}/` }]);
      return listAt(await edda.read(made), '/data/contacts').length !== 10;
    },
  },
};
