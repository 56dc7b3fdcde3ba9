import { entriesPerPage } from '../../../contract/limits.ts';
import type { Areas } from '../../../reference-server/areas.ts';
import type { AppliedFilter } from '../../../reference-server/areas/entries.ts';
import type { Answer } from '../../../reference-server/http/call.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import type { Reading, StoredEntry, StoredObject } from '../../../reference-server/ports/store.ts';
import { breaks, replaces, together, within } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import { append, membersAt, named, readPageLink } from '../proofs.ts';
import { at, listAt, many, pagePath } from '../service.ts';
import { changes, decodeIfEncoded, isInstanceRead, sharesReads, whole } from '../variant-parts.ts';

/** What filters compare, by entry, as it was when a filter first met the entry. */
const indexes = new WeakMap<object, Map<string, string>>();

/** What a filter leaves of a page of files. */
const ofCategory = '?softTypeFilterId=byCategory&fileGroup.category=';

const drawingsAlone = '?softTypeFilterId=drawings';

const byCategory = (category: string) => `?softTypeFilterId=byCategory&fileGroup.category=${category}`;

export const filtersMistakes: Mistakes = {
  'filters.link-value-as-latin1': {
    source: 'core: Server side paging 5',
    breaks: 'A page link that keeps the value of a filter keeps the one that was given, umlauts and all.',
    variant: changes('entries', 'pageHref', (href, _areas, _object, _view, _section, page) =>
      typeof page === 'number'
        ? href
        : href.replaceAll(/%C3%([89AB])/g, (_whole, digit: string) => `%${'CDEF'.charAt('89AB'.indexOf(digit))}`),
    ),
    async shows({ edda }) {
      const files = many(12, (number) => ({ name: `n${number}`, category: 'ä' }));
      const made = await edda.make('Document', { files });
      const link = await readPageLink(edda, made, '?softTypeFilterId=byCategory&fileGroup.category=%C3%A4');
      return String(at(link, '/href')).includes('%E4');
    },
  },
  'filters.value-by-the-port-alone': {
    source: 'core: Endpoint table, page route',
    breaks: 'The value of a filter is that of its own parameter, and not that of another group with such a port.',
    variant: changes('entries', 'filterOf', (applied, _areas, call) => {
      if (applied === undefined || applied.filter.equals !== undefined) return applied;
      const [, value = applied.value] =
        [...call.query].find(([name]) => name.endsWith(`.${applied.filter.criteriaPort}`)) ?? [];
      return { ...applied, value };
    }),
    async shows({ edda }) {
      const files = ['one', 'two'].map((category) => ({ name: category, category }));
      const made = await edda.make('Document', { files });
      const query = '?softTypeFilter=byCategory&otherGroup.category=two&fileGroup.category=one';
      return at((await edda.page(made, 'files', 0, query)).json, '/data/0/name') === 'two';
    },
  },
  'filters.comma-means-any-of': {
    source: 'core: Endpoint table, GET softtype',
    breaks: 'The value of a filter is what stands in its parameter, commas included.',
    variant: changes(
      'entries',
      'filterOf',
      (filter) => filter && { ...filter, value: filter.value.split(',', 1)[0] ?? '' },
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: [{ name: 'n', category: 'plans, old' }] });
      const read = await edda.read(made, ofCategory + encodeURIComponent('plans, old'));
      return listAt(read, '/data/files').length === 0;
    },
  },
  'filters.value-with-an-equals-sign': {
    source: 'core: Endpoint table, GET softtype',
    breaks: 'The value of a filter is what stands behind the name of its parameter, an equals sign in it included.',
    variant: changes(
      'entries',
      'filterOf',
      (applied) => applied && { ...applied, value: applied.value.split('=', 1)[0] ?? '' },
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: [{ name: 'n', category: 'a=b' }] });
      const read = await edda.read(made, '?softTypeFilterId=byCategory&fileGroup.category=a%3Db');
      return listAt(read, '/data/files').length === 0;
    },
  },
  'filters.no-limit': {
    source: 'core: Endpoint table, GET softtype',
    breaks: 'An array in a read has ten entries at most, also when a filter was asked for.',
    variant: replaces('entries', 'firstSlice', (right, areas, reading, object, section, filter) => {
      const unlimited = within(areas, { entries: { firstReadRange: () => whole } });
      return right(filter === undefined ? areas : unlimited, reading, object, section, filter);
    }),
    async shows({ edda }) {
      const files = named(12).map((file) => ({ ...file, category: 'drawing' }));
      const made = await edda.make('Document', { title: 'filtered', files });
      return listAt(await edda.read(made, drawingsAlone), '/data/files').length > 10;
    },
  },
  'filters.links-of-other-arrays': {
    source: 'core: Server side paging 2 and 5',
    breaks: 'An array of more than ten entries has its link, also one that the filter is not about.',
    variant: replaces('hypermedia', 'pageLinksOf', (right, areas, object, view, slice, filter) =>
      filter !== undefined && slice.section.port !== filter.filter.port
        ? []
        : right(areas, object, view, slice, filter),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { contacts: named(11) });
      const read = await edda.read(made, '?softTypeFilterId=drawings');
      return !listAt(read, '/links').some((link) => at(link, '/sectionPath') === 'contacts');
    },
  },
  'filter.one-page-is-linked': {
    source: 'core: Server side paging 2 and 5',
    breaks: 'There is a page link where more than ten entries pass the filter, not where ten do.',
    survives: 'Whether there may be a page link where none is needed is not said (page-link-when-not-needed).',
    variant: changes('hypermedia', 'pageLinksOf', (links, areas, object, view, slice, filter) => {
      if (filter?.filter.port !== slice.section.port || slice.total !== entriesPerPage) return links;
      return [...links, areas.hypermedia.pageLink(object, view, slice.section, slice.total, filter)];
    }),
    async shows({ edda }) {
      const files = many(12, (number) => ({ name: 'n', category: number > 10 ? 'letter' : 'drawing' }));
      const read = await edda.read(await edda.make('Document', { files }), '?softTypeFilterId=drawings');
      return listAt(read, '/links').some((link) => at(link, '/rel') === 'page');
    },
  },
  'paging.link-without-the-value': {
    source: 'core: Server side paging 3 and 5',
    breaks:
      'A page link leads to a page once its number is put in, also where the filter takes its value from the query.',
    variant: changes('entries', 'pageHref', (href, _areas, _object, _view, _section, _page, filter) =>
      filter !== undefined && filter.filter.equals === undefined ? href.replace(/&.*$/, '') : href,
    ),
    async shows({ edda }) {
      const files = Array.from({ length: 11 }, (_empty, index) => ({ name: `n${index}`, category: 'c' }));
      const made = await edda.make('Document', { files });
      const read = await edda.read(made, '?softTypeFilterId=byCategory&fileGroup.category=c');
      const link = listAt(read, '/links').find((each) => at(each, '/rel') === 'page');
      return (await edda.get(String(at(link, '/href')).replace('{pageNumber}', '1'))).status !== 200;
    },
  },
  'reading.plus-in-filter-value-is-space': {
    source: 'core: Server side paging 5',
    breaks: 'The value that is supplied to a filter of a page is taken as it was encoded, a plus sign included.',
    variant: changes('entries', 'filterOf', (applied, _areas, _call, _softType, parameter) => {
      if (applied === undefined || parameter !== 'softTypeFilter') return applied;
      return { ...applied, value: applied.value.replaceAll('+', ' ') };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', {
        files: [
          { name: 'n', category: 'a b' },
          { name: 'm', category: 'a+b' },
        ],
      });
      const query = '?softTypeFilter=byCategory&fileGroup.category=a%2Bb';
      return at((await edda.page(made, 'files', 0, query)).json, '/data/0/name') !== 'm';
    },
  },
  'filter.ends-behind-page-one': {
    source: 'core: Server side paging 5',
    breaks: 'A filter applies to every page, the third as well.',
    variant: replaces('paging', 'assemblePage', (right, areas, call, reading, object, view, section, page, filter) =>
      right(areas, call, reading, object, view, section, page, page >= 2 ? undefined : filter),
    ),
    async shows({ edda }) {
      const files = many(50, (number) => ({ name: `f${number}`, category: number % 2 === 0 ? 'drawing' : 'model' }));
      const made = await edda.make('Document', { files });
      const { json } = await edda.page(made, 'files', 2, '?softTypeFilter=drawings');
      return membersAt(json, '/data', 'category').includes('model');
    },
  },
  'paging.value-decoded-twice': {
    source: 'core: Server side paging 5',
    breaks: 'The value of a filter is what the query says, decoded once.',
    variant: changes(
      'entries',
      'filterOf',
      (applied) => applied && { ...applied, value: decodeIfEncoded(applied.value) },
    ),
    async shows({ edda }) {
      const files = ['a b', 'a%20b'].map((category) => ({ name: category, category }));
      const made = await edda.make('Document', { title: 'decoded', files });
      const read = await edda.read(made, '?softTypeFilterId=byCategory&fileGroup.category=a%2520b');
      return at(read, '/data/files/0/category') !== 'a%20b';
    },
  },
  'paging.filter-knows-former-values': {
    source: 'core: Server side paging 5',
    breaks:
      'A filter admits entries by the values that they have now, also where one was edited after a filtered read.',
    variant: together(
      replaces('entries', 'entriesOf', async (right, areas, reading, object, section, range, applied) => {
        if (applied === undefined || section.port !== applied.filter.port)
          return right(areas, reading, object, section, range, applied);
        return (await entriesAdmitted(areas, reading, object, section.port, applied)).slice(range.from, range.to);
      }),
      replaces('entries', 'totalOf', async (right, areas, reading, object, section, applied) => {
        if (applied === undefined || section.port !== applied.filter.port)
          return right(areas, reading, object, section, applied);
        return (await entriesAdmitted(areas, reading, object, section.port, applied)).length;
      }),
    ),
    shows: async ({ edda }) => {
      const files = [{ name: 'a', category: 'letter' }];
      const made = await edda.make('Document', { title: 'becomes a drawing', files });
      const query = '?softTypeFilterId=drawings';
      const entry = String(at(await edda.read(made), '/data/files/0/$entryId'));
      await edda.read(made, query);
      await edda.operate(made, 1, [{ op: 'replace', path: `/files/${entry}/category`, value: 'drawing' }]);
      return listAt(await edda.read(made, query), '/data/files').length !== 1;
    },
  },
  'filters.a-parameter-overrides-what-is-configured': {
    source: 'core: Server side paging 5, first sentence',
    breaks: 'A filter that is configured with a value has that one, whatever the query says beside it.',
    survives: 'What a value in the query means for a filter that has one is not said.',
    variant: changes('entries', 'filterOf', (applied, _areas, call) => {
      if (applied?.filter.equals === undefined) return applied;
      const [, value = applied.value] =
        [...call.query].find(([name]) => name.endsWith(`.${applied.filter.member}`)) ?? [];
      return { ...applied, value };
    }),
    async shows({ edda }) {
      const files = ['drawing', 'photo'].map((category) => ({ name: category, category }));
      const made = await edda.make('Document', { files });
      const read = await edda.read(made, '?softTypeFilterId=drawings&fileGroup.category=photo');
      return at(read, '/data/files/0/name') === 'photo';
    },
  },
  'filters.letter-case-on-pages': {
    source: 'core: Server side paging 5, second sentence',
    breaks: 'A page applies the filter that the read of the instance applies, letter case included.',
    variant: replaces('paging', 'assemblePage', (right, areas, call, reading, object, view, section, page, filter) => {
      if (filter === undefined || section.items !== undefined || section.port !== filter.filter.port)
        return right(areas, call, reading, object, view, section, page, filter);
      const wanted = filter.value.toLowerCase();
      const entriesOf: typeof areas.entries.entriesOf = async (_reading, _object, _section, range) => {
        const all = await reading.entries(object.oid, section.port, { from: 0, to: 10_000 });
        return all
          .filter(({ content }) => String(content[filter.filter.member]).toLowerCase() === wanted)
          .slice(range.from, range.to);
      };
      return right(within(areas, { entries: { entriesOf } }), call, reading, object, view, section, page, filter);
    }),
    async shows({ edda }) {
      const files = ['drawing', 'Drawing'].map((category) => ({ name: category, category }));
      const made = await edda.make('Document', { files });
      const page = await edda.page(made, 'files', 0, '?softTypeFilter=drawings');
      return listAt(page.json, '/data').length === 2;
    },
  },
  'filters.offset-before-the-filter': {
    source: 'core: Server side paging 5',
    breaks:
      'A later page under a filter goes on behind what the filter has admitted, and not behind the first ten of all.',
    variant: replaces('entries', 'entriesOf', async (right, areas, reading, object, section, range, filter) => {
      if (filter === undefined || range.from === 0 || section.port !== filter.filter.port)
        return right(areas, reading, object, section, range, filter);
      const entries = await right(areas, reading, object, section, range);
      return entries.filter(({ content }) => content[filter.filter.member] === filter.value);
    }),
    async shows({ edda }) {
      const files = many(24, (number) => ({ name: `n${number}`, category: number % 2 === 0 ? 'drawing' : 'photo' }));
      const made = await edda.make('Document', { files });
      const page = await edda.page(made, 'files', 1, '?softTypeFilter=drawings');
      return listAt(page.json, '/data').length !== 2;
    },
  },
  'filters.kept-without-their-value': {
    source: 'core: Server side paging 5, second sentence',
    breaks: 'The value that comes with the request decides, also when the filter has just been asked with another one.',
    variant: breaks('instances', 'readInstance', (right) => {
      const kept = new Map<string, Answer>();
      return async (areas, call, reading) => {
        const { object, user } = call;
        const id = call.query.get('softTypeFilterId');
        const [path = ''] = call.url.split('?', 1);
        const key = JSON.stringify([object.oid, object.version, user.name, path, id]);
        const answer = kept.get(key) ?? (await right(areas, call, reading));
        if (id !== null) kept.set(key, answer);
        return answer;
      };
    }),
    async shows({ edda }) {
      const files = ['plan', 'photo'].map((category) => ({ name: category, category }));
      const made = await edda.make('Document', { files });
      const query = '?softTypeFilterId=byCategory&fileGroup.category=';
      await edda.read(made, `${query}plan`);
      return at(await edda.read(made, `${query}photo`), '/data/files/0/name') !== 'photo';
    },
  },
  'paging.filter-by-prefix': {
    source: 'core: Server side paging 5',
    breaks: 'A filter with a value lets through what has that value, and nothing that only begins with it.',
    variant: together(
      replaces('entries', 'entriesOf', async (right, areas, reading, object, section, range, filter) => {
        if (filter === undefined || section.port !== filter.filter.port)
          return right(areas, reading, object, section, range, filter);
        const all = await right(areas, reading, object, section, whole);
        return all.filter(beginsWith(filter.filter.member, filter.value)).slice(range.from, range.to);
      }),
      replaces('entries', 'totalOf', async (right, areas, reading, object, section, filter) => {
        if (filter === undefined) return right(areas, reading, object, section);
        return (await areas.entries.entriesOf(reading, object, section, whole, filter)).length;
      }),
    ),
    async shows({ edda }) {
      const files = ['draw', 'drawing', 'letter'].map((category) => ({ name: category, category }));
      const made = await edda.make('Document', { title: 'prefix', files });
      const read = await edda.read(made, '?softTypeFilterId=byCategory&fileGroup.category=draw');
      return listAt(read, '/data/files').length !== 1;
    },
  },
  'filters.value-ahead-of-the-filter': {
    source: 'core: Server side paging 5',
    breaks: 'A filter is applied with its value, in whatever order the query names the two.',
    variant: changes('entries', 'filterOf', (applied, _areas, call, _softType, parameter) => {
      if (applied === undefined || applied.filter.equals !== undefined) return applied;
      const names = [...call.query.keys()];
      const { groupId, criteriaPort } = applied.filter;
      if (names.indexOf(`${groupId}.${criteriaPort}`) < names.indexOf(parameter))
        throw new Refusal(400, 'The filter has no value.');
      return applied;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: [{ name: 'n', category: 'c' }] });
      return (await edda.get(`${made.path}?fileGroup.category=c&softTypeFilterId=byCategory`)).status !== 200;
    },
  },
  'batch.page-without-its-filter': {
    source: 'core: Server side paging 5; Batch rules 2',
    breaks: 'A filter shapes a page that is read by an operation of a batch too.',
    variant: changes('batch', 'pathOfHref', (path) =>
      path?.includes('/softtype/page/') ? path.split('?', 1)[0] : path,
    ),
    async shows({ edda }) {
      const files = ['drawing', 'letter'].map((category) => ({ name: 'n', category }));
      const made = await edda.make('Document', { files });
      const href = `${pagePath(made, 'files', 0)}?softTypeFilter=drawings`;
      return listAt((await edda.batch([{ method: 'GET', href }])).json, '/0/body/data').length !== 1;
    },
  },
  'filter.none-on-the-long-route': {
    source: 'core: Server side paging 5',
    breaks: 'A filter is applied by its identifier on the instance GET, on its longer path too.',
    variant: replaces('entries', 'filterOf', (right, areas, call, softType, parameter) =>
      parameter === 'softTypeFilterId' && call.params['outputSchemaId'] !== undefined
        ? undefined
        : right(areas, call, softType, parameter),
    ),
    async shows({ edda }) {
      const files = ['drawing', 'letter'].map((category) => ({ name: 'n', category }));
      const { oid } = await edda.make('Document', { files });
      const read = await edda.get(`/api/space/main/softtype/Document/documentFull/${oid}?softTypeFilterId=drawings`);
      return listAt(read.json, '/data/files').length === 2;
    },
  },
  'paging.page-of-another-value': {
    source: 'core: Server side paging 5',
    breaks: 'A page holds what its own filter value admits, whatever value was asked for before.',
    variant: breaks('paging', 'assemblePage', (right) => {
      const pages = new Map<string, Awaited<ReturnType<typeof right>>>();
      return async (areas, call, reading, object, view, section, page, filter) => {
        const key = [object.oid, object.version, view.id, section.path, page, filter?.filter.id].join(' ');
        const body = pages.get(key) ?? (await right(areas, call, reading, object, view, section, page, filter));
        if (filter !== undefined) pages.set(key, body);
        return body;
      };
    }),
    async shows({ edda }) {
      const files = ['c', 'd'].map((category) => ({ name: category, category }));
      const made = await edda.make('Document', { files });
      const pageOf = (value: string) =>
        edda.get(`${pagePath(made, 'files', 0)}?softTypeFilter=byCategory&fileGroup.category=${value}`);
      await pageOf('c');
      return at((await pageOf('d')).json, '/data/0/name') === 'c';
    },
  },
  'paging.total-of-all': {
    source: 'core: Server side paging 5',
    breaks: 'A filter shapes what a page link tells of the array: it counts what the filter admits.',
    museum: true,
    variant: replaces('entries', 'totalOf', (right, areas, reading, object, section) =>
      right(areas, reading, object, section),
    ),
    async shows({ edda }) {
      const files = many(17, (number) => ({ name: `${number}`, category: number < 13 ? 'drawing' : 'letter' }));
      const made = await edda.make('Document', { files });
      return at(await readPageLink(edda, made, '?softTypeFilterId=drawings'), '/totalNumber') === 17;
    },
  },
  'filters.total-of-twenty-at-most': {
    source: 'core: Server side paging 5',
    breaks: 'The page link of a filtered read counts all that the filter admits, on more than two pages too.',
    variant: replaces('entries', 'totalOf', async (right, areas, reading, object, section, filter) => {
      const total = await right(areas, reading, object, section, filter);
      return filter === undefined ? total : Math.min(total, 20);
    }),
    async shows({ edda }) {
      const files = many(25, (number) => ({ name: `n${number}`, category: 'drawing' }));
      const made = await edda.make('Document', { files });
      return at(await readPageLink(edda, made, '?softTypeFilterId=drawings'), '/totalNumber') !== 25;
    },
  },
  'filters.kept-for-the-next-read': {
    source: 'core: Server side paging 5',
    breaks: 'A filter counts for the request that names it, and not for the read behind it.',
    variant: breaks('instances', 'readInstance', (right) => {
      const kept = new Map<string, Answer>();
      return async (areas, call, reading) => {
        const { oid, version } = call.object;
        const key = [oid, version, call.place.view.id, areas.memory.rightsOf(call)].join(' ');
        const answer = kept.get(key);
        if (answer !== undefined && !call.query.has('softTypeFilterId')) return answer;
        const fresh = await right(areas, call, reading);
        if (call.query.has('softTypeFilterId')) kept.set(key, fresh);
        return fresh;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'kept', files: named(3) });
      await edda.read(made, drawingsAlone);
      return listAt(await edda.read(made), '/data/files').length !== 3;
    },
  },
  'batch.reads-are-not-filtered': {
    source: 'core: Server side paging 5',
    breaks: 'A GET in a batch applies the filter that its href names.',
    variant: replaces('entries', 'filterOf', (right, areas, call, ...rest) =>
      call.isSibling === undefined ? right(areas, call, ...rest) : undefined,
    ),
    async shows({ edda }) {
      const files = [{ name: 'a', category: 'drawing' }, { name: 'b' }];
      const { path } = await edda.make('Document', { files });
      const answer = await edda.batch([{ method: 'GET', href: `${path}?softTypeFilterId=drawings` }]);
      return listAt(answer.json, '/0/body/data/files').length !== 1;
    },
  },
  'reading.one-value-for-readers': {
    source: 'core: Server side paging 5',
    breaks: 'The value that a request gives decides what a blank filter admits, for those who may only read as well.',
    variant: breaks('instances', 'readInstance', (right) => {
      const kept = new Map<string, Answer>();
      return async (areas, call, reading) => {
        const filter = call.query.get('softTypeFilterId');
        if (filter === null || areas.auth.mayUse(call.user, call.space, 'PUT')) return right(areas, call, reading);
        const key = `${call.object.oid} ${call.object.version} ${call.place.view.id} ${filter}`;
        const answer = kept.get(key) ?? (await right(areas, call, reading));
        kept.set(key, answer);
        return answer;
      };
    }),
    async shows({ edda, rita }) {
      const files = ['a', 'b', 'b'].map((category, index) => ({ name: `n${index}`, category }));
      const made = await edda.make('Document', { files });
      await rita.read(made, byCategory('a'));
      return listAt(await rita.read(made, byCategory('b')), '/data/files').length !== 2;
    },
  },
  'filters.value-of-the-first-read': {
    source: 'core: Server side paging 5',
    breaks: 'A filter whose value is blank takes the value of the request, also when another request gave another one.',
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
  'filters.value-of-digits': {
    source: 'core: Server side paging 5',
    breaks: 'The value of a filter is the text of the query, also when it looks like a number.',
    variant: changes('entries', 'filterOf', (applied) => {
      if (applied === undefined || !/^\d+$/.test(applied.value)) return applied;
      return { ...applied, value: String(Number(applied.value)) };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: [{ name: 'n', category: '007' }] });
      const read = await edda.read(made, '?softTypeFilterId=byCategory&fileGroup.category=007');
      return listAt(read, '/data/files').length === 0;
    },
  },
  'filters.of-who-reads-at-the-same-time': {
    source: 'core: Server side paging 5',
    breaks: 'A filter is for the read that names it, not for one at the same moment that does not.',
    variant: sharesReads((route, { url, user }) =>
      isInstanceRead(route) ? `${url.split('?', 1)[0]} ${user.name}` : undefined,
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: named(2) });
      const [, filtered] = await Promise.all([edda.read(made), edda.read(made, drawingsAlone)]);
      return listAt(filtered, '/data/files').length === 2;
    },
  },
  'filters.entries-without-what-is-inside': {
    source: 'core: Server side paging 5',
    breaks: 'A filter chooses entries, and those that it admits hold what they hold without it.',
    variant: changes('entries', 'entriesOf', (entries, _areas, _reading, _object, section, _range, filter) => {
      if (filter === undefined || section.items !== undefined) return entries;
      return entries.map((entry) => ({
        ...entry,
        content: Object.fromEntries(Object.entries(entry.content).filter(([, value]) => !Array.isArray(value))),
      }));
    }),
    async shows({ edda }) {
      const files = [{ name: 'n', category: 'drawing', revisions: [{ text: 'r' }] }];
      const made = await edda.make('Document', { files });
      return listAt(await edda.read(made, drawingsAlone), '/data/files/0/revisions').length === 0;
    },
  },
  'filters.nothing-is-remembered': {
    source: 'core: Server side paging 5',
    breaks: 'A filter admits what fits it now, also where nothing did before.',
    variant: breaks('entries', 'entriesOf', (right) => {
      const empty = new Set<string>();
      return async (areas, reading, object, section, range, filter) => {
        const key = JSON.stringify([object.oid, section.path, filter?.filter.id, filter?.value]);
        if (filter !== undefined && empty.has(key)) return [];
        const entries = await right(areas, reading, object, section, range, filter);
        if (entries.length === 0 && range.from === 0) empty.add(key);
        return entries;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: named(1) });
      await edda.read(made, drawingsAlone);
      await append(edda, made, 1, [{ name: 'n', category: 'drawing' }]);
      return listAt(await edda.read(made, drawingsAlone), '/data/files').length === 0;
    },
  },
};

async function entriesAdmitted(
  { store }: Areas,
  reading: Reading,
  { oid }: StoredObject,
  port: string,
  { filter, value }: AppliedFilter,
): Promise<readonly StoredEntry[]> {
  const index = indexes.get(store) ?? new Map<string, string>();
  indexes.set(store, index);
  const entries = await reading.entries(oid, port, { from: 0, to: 100_000 });
  return entries.filter(({ entryId, content }) => {
    const key = `${oid} ${port} ${entryId} ${filter.member}`;
    const known = index.get(key) ?? String(content[filter.member]);
    index.set(key, known);
    return known === value;
  });
}

function beginsWith(member: string, value: string): (entry: StoredEntry) => boolean {
  return ({ content }) => typeof content[member] === 'string' && content[member].startsWith(value);
}
