import type { AppliedFilter } from '../../../reference-server/areas/entries.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, listAt, many } from '../service.ts';

export const readingMistakes: Batch = {
  'links.method-of-inner-pages': {
    source: 'core: Link object',
    breaks: 'The method of a link is the one of HTTP, in its letters, for an array inside an entry as well.',
    kind: 'place',
    variant: replaces('hypermedia', 'pageLink', (right, areas, object, view, section, ...rest) => {
      const link = right(areas, object, view, section, ...rest);
      return section.items === undefined ? link : { ...link, method: link.method.toLowerCase() };
    }),
    async shows({ edda }) {
      const revisions = many(11, (number) => ({ text: `r${number}` }));
      const made = await edda.make('Document', { title: 'links', files: [{ name: 'one', revisions }] });
      return listAt(await edda.read(made), '/links').some((link) => at(link, '/method') === 'get');
    },
  },

  'filters.value-of-the-first-read': {
    source: 'core: Server side paging 5',
    breaks: 'A filter whose value is blank takes the value of the request, also when another request gave another one.',
    kind: 'copy',
    variant: breaks('entries', 'filterOf', (right) => {
      const known = new Map<string, AppliedFilter>();
      return (areas, call, softType, parameter) => {
        const key = [call.params.objectId, call.query.get(parameter)].join(' ');
        const applied = known.get(key) ?? right(areas, call, softType, parameter);
        if (applied !== undefined) known.set(key, applied);
        return applied;
      };
    }),
    async shows({ edda }) {
      const files = ['text', 'drawing', 'text'].map((category) => ({ name: category, category }));
      const made = await edda.make('Document', { title: 'filters', files });
      const read = (value: string) => edda.read(made, `?softTypeFilterId=byCategory&fileGroup.category=${value}`);
      await read('text');
      return listAt(await read('drawing'), '/data/files').length !== 1;
    },
  },
};
