import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, editPath, listAt, many, versionHeader } from '../service.ts';

export const readingMistakes: Batch = {
  'access.a-refusal-sticks-to-the-user': {
    source: 'core: Authentication 7',
    breaks: 'Whoever has a role on a participant of a space may use it, also right after another space refused him.',
    kind: 'copy',
    variant: breaks('auth', 'authorize', (right) => {
      const refused = new Set<string>();
      return (areas, user, access, call) => {
        if (access === 'space' && refused.delete(user.name)) throw new Refusal(403, 'Refused a moment ago.');
        try {
          right(areas, user, access, call);
        } catch (error) {
          if (access === 'space' && error instanceof Refusal && error.status === 403) refused.add(user.name);
          throw error;
        }
      };
    }),
    async shows({ otto }) {
      const made = await otto.make('Dossier', { title: 't' });
      await otto.get('/api/space/main/softtype/none');
      return (await otto.get(made.path)).status === 403;
    },
  },

  'hypermedia.second-array-links-to-the-first': {
    source: 'core: Server side paging 3',
    breaks:
      'A page link leads to the pages of the array that it names, also of the second long one in a filtered read.',
    kind: 'place',
    variant: replaces('hypermedia', 'linksOf', (right, areas, call, object, view, slices, filter) => {
      const links = right(areas, call, object, view, slices, filter);
      const first = links.find(({ rel }) => rel === 'page');
      if (filter === undefined || first === undefined) return links;
      return links.map((link) => (link.rel === 'page' ? { ...link, href: first.href } : link));
    }),
    async shows({ edda }) {
      const files = many(11, (number) => ({ name: `n${number}`, category: 'drawing' }));
      const made = await edda.make('Document', { title: 't', files, contacts: many(11, () => ({ role: 'r' })) });
      const pages = listAt(await edda.read(made, '?softTypeFilterId=drawings'), '/links').filter(
        (link) => at(link, '/rel') === 'page',
      );
      return new Set(pages.map((link) => at(link, '/href'))).size < pages.length;
    },
  },

  'paging.total-of-a-version-that-was-undone': {
    source: 'core: Link object, totalNumber',
    breaks: 'The link tells how many entries there are, also at a version whose number a batch had that failed.',
    kind: 'combination',
    variant: breaks('entries', 'totalOf', (right) => {
      const totals = new Map<string, number>();
      return async (areas, reading, object, section, filter) => {
        const key = `${object.oid} ${object.version} ${section.path}`;
        if (filter !== undefined) return right(areas, reading, object, section, filter);
        const total = totals.get(key) ?? (await right(areas, reading, object, section, filter));
        totals.set(key, total);
        return total;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: many(11, (number) => ({ name: `n${number}` })) });
      await edda.batch([
        {
          method: 'PATCH',
          href: editPath(made),
          headers: versionHeader(1),
          body: { files: many(25, (number) => ({ name: `m${number}` })) },
        },
        { method: 'GET', href: made.path },
        { method: 'GET', href: '/api/space/main/softtype/none' },
      ]);
      await edda.merge(made, 1, { note: 'n' });
      const link = listAt(await edda.read(made), '/links').find((each) => at(each, '/rel') === 'page');
      return at(link, '/totalNumber') !== 11;
    },
  },

  'caching.no-tag-for-readers': {
    source: 'core: Common request headers',
    breaks: 'Data other than SoftTypes come with an ETag, whoever reads them.',
    kind: 'role',
    variant: replaces('openApi', 'readDynamicOpenApi', async (right, areas, call) => {
      const answer = await right(areas, call);
      if (areas.auth.mayUse(call.user, call.space, 'PUT')) return answer;
      const { ETag: _tag, ...headers } = answer.headers ?? {};
      return { ...answer, headers };
    }),
    async shows({ rita }) {
      const answer = await rita.get('/space/main/SoftType/dynamic/softtype.openApi');
      return answer.status === 200 && answer.headers.get('etag') === null;
    },
  },
};
