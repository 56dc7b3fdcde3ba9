import { entriesPerPage } from '../../../contract/limits.ts';
import type { Answer } from '../../../reference-server/http/call.ts';
import { breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, listAt, many } from '../service.ts';

/** What reads and pages show. */
export const readingMistakes: Batch = {
  'system.no-oid-in-a-narrow-view': {
    source: 'core: System properties inside data, $oid',
    breaks: 'The data hold the identifier of the object, under an output schema with few members too.',
    kind: 'place',
    variant: replaces('instances', 'dataOf', (right, areas, space, object, view, slices) => {
      const data = right(areas, space, object, view, slices);
      const all = space.template.softTypes.get(object.softType)?.members.size ?? 0;
      if (view.names.size === all) return data;
      return Object.fromEntries(Object.entries(data).filter(([name]) => name !== '$oid')) as typeof data;
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Document', { title: 't' });
      const read = await edda.get(`/api/space/main/softtype/Document/documentSummary/${oid}`);
      return at(read.json, '/data/$oid') !== oid;
    },
  },

  'links.inner-pages-have-no-method': {
    source: 'core: Link object, method',
    breaks: 'A page link names its method, that of an array inside an entry too.',
    kind: 'place',
    variant: replaces('hypermedia', 'pageLinksOf', (right, areas, ...args) =>
      right(areas, ...args).map((link) =>
        link.sectionPath?.includes('/') ? (Object.assign({ ...link }, { method: undefined }) as never) : link,
      ),
    ),
    async shows({ edda }) {
      const revisions = many(11, (number) => ({ text: `l${number}` }));
      const read = await edda.read(await edda.make('Document', { title: 't', files: [{ name: 'n', revisions }] }));
      return listAt(read, '/links').some((link) => at(link, '/rel') === 'page' && at(link, '/method') !== 'GET');
    },
  },

  'paging.counter-that-nobody-turns-back': {
    source: 'core: Link object, totalNumber; Operations-based PATCH rules 8',
    breaks: 'totalNumber counts the entries that are there, also where one went because it lost a mandatory member.',
    kind: 'combination',
    variant: (classes) => {
      const gone = new Map<string, number>();
      return together(
        replaces('operations', 'cascadeTo', async (right, areas, run, entry) => {
          const key = `${run.object.oid} ${entry.port}`;
          gone.set(key, (gone.get(key) ?? 0) + 1);
          return right(areas, run, entry);
        }),
        replaces('entries', 'totalOf', async (right, areas, reading, object, section, filter) => {
          const counted = filter === undefined ? (gone.get(`${object.oid} ${section.port}`) ?? 0) : 0;
          return (await right(areas, reading, object, section, filter)) + counted;
        }),
      )(classes);
    },
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(12) });
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      await edda.operate(made, 1, [{ op: 'remove', path: `/files/${id}/name` }]);
      const link = listAt(await edda.read(made), '/links').find((each) => at(each, '/rel') === 'page');
      return at(link, '/totalNumber') === 12;
    },
  },

  'filter.one-page-is-linked': {
    source: 'core: Server side paging 2 and 5',
    breaks: 'There is a page link where more than ten entries pass the filter, not where ten do.',
    kind: 'combination',
    survives: 'Whether there may be a page link where none is needed is not said (page-link-when-not-needed).',
    variant: replaces('hypermedia', 'pageLinksOf', (right, areas, object, view, slice, filter) => {
      const links = right(areas, object, view, slice, filter);
      if (filter?.filter.port !== slice.section.port || slice.total !== entriesPerPage) return links;
      return [...links, areas.hypermedia.pageLink(object, view, slice.section, slice.total, filter)];
    }),
    async shows({ edda }) {
      const files = many(12, (number) => ({ name: 'n', category: number > 10 ? 'letter' : 'drawing' }));
      const read = await edda.read(await edda.make('Document', { title: 't', files }), '?softTypeFilterId=drawings');
      return listAt(read, '/links').some((link) => at(link, '/rel') === 'page');
    },
  },

  'filter.remembered-without-its-value': {
    source: 'core: Server side paging 5',
    breaks: 'A filter with a value in the query shows what has that value, whatever was asked for before.',
    kind: 'copy',
    variant: breaks('instances', 'readInstance', (right) => {
      const kept = new Map<string, Answer>();
      return async (areas, call, reading) => {
        const filter = call.query.get('softTypeFilterId');
        if (filter === null) return right(areas, call, reading);
        const { object, place } = call;
        const key = `${object.oid} ${object.version} ${place.view.id} ${call.user.name} ${filter}`;
        const answer = kept.get(key) ?? (await right(areas, call, reading));
        kept.set(key, answer);
        return answer;
      };
    }),
    async shows({ edda }) {
      const files = ['a', 'b', 'b'].map((category) => ({ name: 'n', category }));
      const made = await edda.make('Document', { title: 't', files });
      const [, second] = [
        await edda.read(made, '?softTypeFilterId=byCategory&fileGroup.category=a'),
        await edda.read(made, '?softTypeFilterId=byCategory&fileGroup.category=b'),
      ];
      return listAt(second, '/data/files').length !== 2;
    },
  },
};
