import { Refusal } from '../../../reference-server/http/refusal.ts';
import { replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, encoded, listAt } from '../service.ts';

/** Longest header that a column of the table takes. */
const longestFilter = 255;

/** Long arrays, their links, pages and filters. */
export const listsMistakes: Batch = {
  'paging.another-kind-behind-a-value': {
    source: 'core: Link object, rel',
    breaks: 'A link to pages has page as its rel, whatever the filter takes its value from.',
    kind: 'value',
    variant: replaces('hypermedia', 'pageLink', (right, areas, object, view, section, total, filter) => {
      const link = right(areas, object, view, section, total, filter);
      return filter !== undefined && filter.filter.equals === undefined ? { ...link, rel: 'filteredPage' } : link;
    }),
    async shows({ edda }) {
      const files = named(11).map((file) => ({ ...file, category: 'c' }));
      const made = await edda.make('Document', { title: 't', files });
      const read = await edda.read(made, '?softTypeFilterId=byCategory&fileGroup.category=c');
      return !listAt(read, '/links').some((link) => at(link, '/rel') === 'page');
    },
  },

  'paging.section-that-grew-last': {
    source: 'core: Link object, sectionPath',
    breaks: 'A link names the array whose pages it leads to, also after another array has grown.',
    kind: 'moment',
    variant: (classes) => {
      const grown = new Map<string, string>();
      return together(
        replaces('operations', 'appendToPort', async (right, areas, run, target, contents) => {
          await right(areas, run, target, contents);
          grown.set(run.object.oid, target.steps.at(-1)?.name ?? '');
        }),
        replaces('hypermedia', 'pageLink', (right, areas, object, view, section, total, filter) => {
          const link = right(areas, object, view, section, total, filter);
          return { ...link, sectionPath: grown.get(object.oid) ?? section.path };
        }),
      )(classes);
    },
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(11) });
      await edda.operate(made, 1, [{ op: 'add', path: '/contacts', value: { name: 'c' } }]);
      const link = listAt(await edda.read(made), '/links').find((each) => at(each, '/rel') === 'page');
      return at(link, '/sectionPath') !== 'files';
    },
  },

  'paging.counted-to-a-hundred': {
    source: 'core: Link object, totalNumber',
    breaks: 'A link tells how many entries there are, also beyond a hundred.',
    kind: 'value',
    variant: replaces('hypermedia', 'pageLink', (right, areas, object, view, section, total, filter) => ({
      ...right(areas, object, view, section, total, filter),
      totalNumber: Math.min(total, 100),
    })),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(101) });
      const link = listAt(await edda.read(made), '/links').find((each) => at(each, '/rel') === 'page');
      return at(link, '/totalNumber') !== 101;
    },
  },

  'headers.filter-of-256-characters': {
    source: 'core: Common request headers, Svc-InformationFilter',
    breaks: 'An information filter is taken, also where its Base64 is longer than 255 characters.',
    kind: 'value',
    variant: replaces('messages', 'informationFilterOf', (right, areas, call) => {
      if ((call.headers['svc-informationfilter']?.length ?? 0) > longestFilter)
        throw new Refusal(400, `Expected an information filter of at most ${longestFilter} characters.`);
      return right(areas, call);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const filter = encoded({ time: '2020-01-02T03:04:05Z', role: 'r'.repeat(200) });
      return (await edda.get(made.path, { 'Svc-InformationFilter': filter })).status !== 200;
    },
  },

  'filters.value-with-an-equals-sign': {
    source: 'core: Endpoint table, GET softtype',
    breaks: 'The value of a filter is what stands behind the name of its parameter, an equals sign in it included.',
    kind: 'value',
    variant: replaces('entries', 'filterOf', (right, areas, call, softType, parameter) => {
      const applied = right(areas, call, softType, parameter);
      return applied && { ...applied, value: applied.value.split('=', 1)[0] ?? '' };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'n', category: 'a=b' }] });
      const read = await edda.read(made, '?softTypeFilterId=byCategory&fileGroup.category=a%3Db');
      return listAt(read, '/data/files').length === 0;
    },
  },

  'filters.value-ahead-of-the-filter': {
    source: 'core: Server side paging 5',
    breaks: 'A filter is applied with its value, in whatever order the query names the two.',
    kind: 'combination',
    variant: replaces('entries', 'filterOf', (right, areas, call, softType, parameter) => {
      const applied = right(areas, call, softType, parameter);
      if (applied === undefined || applied.filter.equals !== undefined) return applied;
      const names = [...call.query.keys()];
      const { groupId, criteriaPort } = applied.filter;
      if (names.indexOf(`${groupId}.${criteriaPort}`) < names.indexOf(parameter))
        throw new Refusal(400, 'The filter has no value.');
      return applied;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'n', category: 'c' }] });
      return (await edda.get(`${made.path}?fileGroup.category=c&softTypeFilterId=byCategory`)).status !== 200;
    },
  },

  'filters.links-of-other-arrays': {
    source: 'core: Server side paging 2 and 5',
    breaks: 'An array of more than ten entries has its link, also one that the filter is not about.',
    kind: 'place',
    variant: replaces('hypermedia', 'pageLinksOf', (right, areas, object, view, slice, filter) =>
      filter !== undefined && slice.section.port !== filter.filter.port
        ? []
        : right(areas, object, view, slice, filter),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', contacts: named(11) });
      const read = await edda.read(made, '?softTypeFilterId=drawings');
      return !listAt(read, '/links').some((link) => at(link, '/sectionPath') === 'contacts');
    },
  },
};
