import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, listAt } from '../service.ts';

export const pagingMistakes: Batch = {
  'paging.address-of-the-first-page': {
    source: 'core: Page response, row href',
    breaks: 'The address in a page is that of this page.',
    kind: 'place',
    variant: replaces(
      'paging',
      'assemblePage',
      async (right, areas, call, reading, object, view, section, page, filter) => {
        const body = await right(areas, call, reading, object, view, section, page, filter);
        return { ...body, href: areas.entries.pageHref(object, view, section, 0, filter) };
      },
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'address', files: named(12) });
      const { json } = await edda.page(made, 'files', 1);
      return listAt((await edda.get(String(at(json, '/href')))).json, '/data').length !== 2;
    },
  },
};
