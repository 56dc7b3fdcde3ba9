import { isContent } from '../../../reference-server/areas/content.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, listAt, many } from '../service.ts';

export const readingMistakes: Batch = {
  'reading.version-beside-a-filter': {
    source: 'core: SoftType read response, row version',
    breaks:
      'The version of a read is the current one, also of a filtered read after an edit that followed another read.',
    kind: 'combination',
    variant: breaks('instances', 'readInstance', (right) => {
      const versions = new Map<string, number>();
      return async (areas, call, reading) => {
        const answer = await right(areas, call, reading);
        const { oid, version } = call.object;
        if (!call.query.has('softTypeFilterId')) versions.set(oid, version);
        const kept = versions.get(oid) ?? version;
        return isContent(answer.body) ? { ...answer, body: { ...answer.body, version: kept } } : answer;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.read(made);
      await edda.merge(made, 1, { note: 'n' });
      return at(await edda.read(made, '?softTypeFilterId=drawings'), '/version') !== 2;
    },
  },

  'paging.filtered-pages-of-twenty': {
    source: 'core: Link object, row pages',
    breaks: 'As many pages as the admitted entries fill, also where the last one is full.',
    kind: 'combination',
    variant: replaces('hypermedia', 'pageLink', (right, areas, object, view, section, total, filter) => {
      const link = right(areas, object, view, section, total, filter);
      return filter === undefined ? link : { ...link, pages: Math.floor(total / 10) + 1 };
    }),
    async shows({ edda }) {
      const files = [
        ...many(20, (number) => ({ name: `n${number}`, category: 'drawing' })),
        ...many(3, (number) => ({ name: `m${number}` })),
      ];
      const made = await edda.make('Document', { title: 't', files });
      const read = await edda.read(made, '?softTypeFilterId=drawings');
      return listAt(read, '/links').some((link) => at(link, '/rel') === 'page' && at(link, '/pages') !== 2);
    },
  },
};
