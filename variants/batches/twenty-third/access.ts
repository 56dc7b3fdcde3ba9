import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { pagePath } from '../service.ts';

const filterName = 'svc-informationfilter';

export const accessMistakes: Batch = {
  'headers.filter-of-a-page': {
    source: 'core: Common request headers, Svc-InformationFilter',
    breaks: 'The information filter is required for a page as for the instance.',
    kind: 'place',
    variant: replaces('messages', 'informationFilterOf', (right, areas, call) =>
      call.headers[filterName] === undefined && call.url.includes('/softtype/page/') ? {} : right(areas, call),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(1) });
      return (await edda.get(pagePath(made, 'files', 0), { [filterName]: '' })).status === 200;
    },
  },
};
