import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, listAt, many, type Client, type Made } from '../service.ts';

export const readingMistakes: Batch = {
  'paging.no-links-for-readers': {
    source: 'core: Server side paging 2',
    breaks: 'A user who may only read gets the page links as well.',
    kind: 'role',
    variant: replaces('hypermedia', 'linksOf', (right, areas, call, object, view, slices, filter) => {
      const links = right(areas, call, object, view, slices, filter);
      return areas.auth.mayUse(call.user, call.space, 'PUT') ? links : links.filter(({ rel }) => rel === 'self');
    }),
    async shows({ edda, rita }) {
      const made = await makeWithFiles(edda, 11);
      return pageLink(await rita.read(made), 'files') === undefined;
    },
  },
};

function makeWithFiles(client: Client, count: number): Promise<Made> {
  return client.make('Document', { title: 'title', files: many(count, (number) => ({ name: `file ${number}` })) });
}

function pageLink(read: unknown, sectionPath: string): unknown {
  return listAt(read, '/links').find((link) => at(link, '/rel') === 'page' && at(link, '/sectionPath') === sectionPath);
}
