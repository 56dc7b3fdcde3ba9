import { storedStates } from '../../../reference-server/areas/soft-type.ts';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, listAt, many } from '../service.ts';

export const readingMistakes: Batch = {
  'paging.rel-after-a-promote': {
    source: 'core: Link object, rel',
    breaks: 'The link to the pages of an array has the rel page, whatever state the object has reached.',
    kind: 'moment',
    variant: replaces('hypermedia', 'pageLink', (right, areas, object, ...rest) => {
      const link = right(areas, object, ...rest);
      return storedStates(object)['engineering']?.state === 'reviewed' ? { ...link, rel: 'pages' } : link;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(11) });
      await edda.move(made, 1);
      return pageLinks(await edda.read(made)).length === 0;
    },
  },
  'paging.encoded-template': {
    source: 'core: Server side paging 3',
    breaks: 'The template of the page number stands in the link as it is, also where a value of the request filters.',
    kind: 'value',
    variant: replaces('entries', 'pageHref', (right, areas, object, view, section, page, filter) => {
      const href = right(areas, object, view, section, page, filter);
      const isGiven = filter !== undefined && filter.filter.equals === undefined;
      return isGiven ? href.replace('{pageNumber}', '%7BpageNumber%7D') : href;
    }),
    async shows({ edda }) {
      const files = many(11, (index) => ({ name: `n${index}`, category: 'a' }));
      const made = await edda.make('Document', { title: 't', files });
      const read = await edda.read(made, '?softTypeFilterId=byCategory&fileGroup.category=a');
      return !String(at(pageLinks(read)[0], '/href')).includes('{pageNumber}');
    },
  },
};

function pageLinks(read: unknown): readonly unknown[] {
  return listAt(read, '/links').filter((link) => at(link, '/rel') === 'page');
}
