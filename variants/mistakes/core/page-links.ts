import { pageNumberTemplate } from '../../../contract/names.ts';
import type { Link } from '../../../contract/wire.ts';
import { itemsOf } from '../../../reference-server/areas/content.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import type { StoredEntry } from '../../../reference-server/ports/store.ts';
import { breaks, replaces, together } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import {
  filesOf,
  membersAt,
  mergeOf,
  named,
  pageLinkIn,
  pageLinks,
  readOf,
  readPageLink,
  withFiles,
  withRevisions,
} from '../proofs.ts';
import { at, listAt, many } from '../service.ts';
import { changes, keeps, whole } from '../variant-parts.ts';

const drawings = { name: 'n', category: 'drawing' };

export const pageLinksMistakes: Mistakes = {
  'links.nested-total-counts-removed': {
    source: 'core: Link object, totalNumber',
    breaks: 'totalNumber counts the entries that are there, of an array inside an entry as well.',
    variant: changes('hypermedia', 'pageLink', (link, _areas, _object, _view, { items }) =>
      items === undefined ? link : { ...link, totalNumber: Math.max(...items.map(({ entryId }) => entryId)) },
    ),
    async shows(service) {
      const { made, port } = await withRevisions(service, 12);
      await service.edda.operate(made, 1, [{ op: 'remove', path: `/${port}/3/` }]);
      return at(pageLinkIn(await service.edda.read(made), port), '/totalNumber') === 12;
    },
  },
  'paging.counts-up-to-a-hundred': {
    source: 'core: Link object, row totalNumber',
    breaks: 'The total number is that of all entries, also where they are more than a hundred.',
    variant: replaces('entries', 'totalOf', async (right, areas, reading, object, section, filter) =>
      Math.min(await right(areas, reading, object, section, filter), 100),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: many(104, (number) => ({ name: `n${number}` })) });
      const [link] = listAt(await edda.read(made), '/links').filter((each) => at(each, '/rel') === 'page');
      return at(link, '/totalNumber') !== 104;
    },
  },
  'paging.section-that-grew-last': {
    source: 'core: Link object, sectionPath',
    breaks: 'A link names the array whose pages it leads to, also after another array has grown.',
    variant: (classes) => {
      const grown = new Map<string, string>();
      return together(
        replaces('operations', 'appendToPort', async (right, areas, run, target, contents) => {
          await right(areas, run, target, contents);
          grown.set(run.object.oid, target.steps.at(-1)?.name ?? '');
        }),
        changes('hypermedia', 'pageLink', (link, _areas, object, _view, section) => ({
          ...link,
          sectionPath: grown.get(object.oid) ?? section.path,
        })),
      )(classes);
    },
    async shows({ edda }) {
      const made = await edda.make('Document', { files: named(11) });
      await edda.operate(made, 1, [{ op: 'add', path: '/contacts', value: { name: 'c' } }]);
      const link = await readPageLink(edda, made);
      return at(link, '/sectionPath') !== 'files';
    },
  },
  'paging.counted-to-a-hundred': {
    source: 'core: Link object, totalNumber',
    breaks: 'A link tells how many entries there are, also beyond a hundred.',
    variant: replaces('hypermedia', 'pageLink', (right, areas, object, view, section, total, filter) => ({
      ...right(areas, object, view, section, total, filter),
      totalNumber: Math.min(total, 100),
    })),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: named(101) });
      const link = await readPageLink(edda, made);
      return at(link, '/totalNumber') !== 101;
    },
  },
  'links.one-for-arrays-of-one-length': {
    source: 'core: Link object, sectionPath',
    breaks: 'A page link names the array that it belongs to, also where another one is as long.',
    variant: keeps(
      'hypermedia',
      'pageLink',
      (object, view, _section, total, filter) =>
        `${object.oid} ${object.version} ${view.id} ${total} ${filter?.filter.id} ${filter?.value}`,
    ),
    async shows({ edda }) {
      const read = await edda.read(await edda.make('Document', { files: named(12), contacts: named(12) }));
      const sections = listAt(read, '/links').flatMap((link) => at(link, '/sectionPath') ?? []);
      return !sections.includes('contacts');
    },
  },
  'paging.nested-pages-of-full-sets': {
    source: 'core: Link object, row pages',
    breaks: 'The pages of an array inside an entry are as many as it takes, and none is empty.',
    variant: changes('hypermedia', 'pageLink', (link, _areas, _object, _view, section, total) =>
      section.items === undefined ? link : { ...link, pages: Math.floor(total / 10) + 1 },
    ),
    async shows({ edda }) {
      const revisions = many(20, (number) => ({ text: `r${number}`, author: 'a' }));
      const made = await edda.make('Document', { files: [{ name: 'n', revisions }] });
      const link = await readPageLink(edda, made);
      return at(link, '/totalNumber') === 20 && at(link, '/pages') !== 2;
    },
  },
  'paging.total-of-a-filtered-read-is-kept': {
    source: 'core: Link object, row totalNumber',
    breaks: 'The total number is that of the array, also when somebody has read it through a filter before.',
    variant: breaks('entries', 'totalOf', (right) => {
      const kept = new Map<string, number>();
      return async (areas, reading, object, section, filter) => {
        if (section.items !== undefined) return right(areas, reading, object, section, filter);
        const key = `${object.oid} ${object.version} ${section.port}`;
        const total = kept.get(key) ?? (await right(areas, reading, object, section, filter));
        kept.set(key, total);
        return total;
      };
    }),
    async shows({ edda }) {
      const files = many(24, (number) => ({ name: `n${number}`, category: number % 2 === 0 ? 'drawing' : 'text' }));
      const made = await edda.make('Document', { files });
      await edda.read(made, '?softTypeFilterId=drawings');
      const link = await readPageLink(edda, made);
      return at(link, '/totalNumber') !== 24;
    },
  },
  'paging.total-of-a-version-that-was-undone': {
    source: 'core: Link object, totalNumber',
    breaks: 'The link tells how many entries there are, also at a version whose number a batch had that failed.',
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
      const made = await edda.make('Document', { files: many(11, (number) => ({ name: `n${number}` })) });
      await edda.batch([
        mergeOf(made, 1, { files: many(25, (number) => ({ name: `m${number}` })) }),
        readOf(made),
        { method: 'GET', href: '/api/space/main/softtype/none' },
      ]);
      await edda.merge(made, 1, { note: 'n' });
      const link = await readPageLink(edda, made);
      return at(link, '/totalNumber') !== 11;
    },
  },
  'paging.filtered-pages-of-twenty': {
    source: 'core: Link object, row pages',
    breaks: 'As many pages as the admitted entries fill, also where the last one is full.',
    variant: changes('hypermedia', 'pageLink', (link, _areas, _object, _view, _section, total, filter) =>
      filter === undefined ? link : { ...link, pages: Math.floor(total / 10) + 1 },
    ),
    async shows({ edda }) {
      const files = [
        ...many(20, (number) => ({ name: `n${number}`, category: 'drawing' })),
        ...many(3, (number) => ({ name: `m${number}` })),
      ];
      const made = await edda.make('Document', { files });
      const read = await edda.read(made, '?softTypeFilterId=drawings');
      return listAt(read, '/links').some((link) => at(link, '/rel') === 'page' && at(link, '/pages') !== 2);
    },
  },
  'reading.references-by-their-target': {
    source: 'core: Link object, sectionPath',
    breaks: 'sectionPath is the name of the array, also of one that holds references.',
    survives: 'ledger section-path-form: which text stands for an array is open',
    variant: changes('hypermedia', 'pageLink', (link, _areas, _object, _view, section) =>
      section.member.kind === 'references' ? { ...link, sectionPath: section.member.to } : link,
    ),
    async shows({ edda }) {
      const { oid } = await edda.make('Part');
      const describes = many(11, (number) => ({ id: `r${number}`, value: { $oid: oid } }));
      const made = await edda.make('Document', { title: 'references', describes });
      return !listAt(await edda.read(made), '/links').some((link) => at(link, '/sectionPath') === 'describes');
    },
  },
  'paging.one-page-too-many-of-references': {
    source: 'core: Link object, row pages',
    breaks: 'The number of pages of an array of references is right, also where the last page is full.',
    variant: changes('hypermedia', 'pageLink', (link, _areas, _object, _view, section, total) =>
      section.member.kind === 'references' ? { ...link, pages: Math.floor(total / 10) + 1 } : link,
    ),
    async shows({ edda }) {
      const part = await edda.make('Part');
      const made = await edda.make('Document', { describes: many(20, () => ({ value: { $oid: part.oid } })) });
      const link = await readPageLink(edda, made);
      return at(link, '/pages') !== 2;
    },
  },
  'paging.counter-that-nobody-turns-back': {
    source: 'core: Link object, totalNumber; Operations-based PATCH rules 8',
    breaks: 'totalNumber counts the entries that are there, also where one went because it lost a mandatory member.',
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
      const made = await edda.make('Document', { files: named(12) });
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      await edda.operate(made, 1, [{ op: 'remove', path: `/files/${id}/name` }]);
      const link = await readPageLink(edda, made);
      return at(link, '/totalNumber') === 12;
    },
  },
  'page.ten-is-page-zero': {
    source: 'core: Server side paging 3',
    breaks: 'The number that a client puts in may have two digits.',
    variant: replaces('paging', 'pageNumberOf', (right, areas, call) => right(areas, call) % 10),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: filesOf(103) });
      const { json } = await edda.page(made, 'files', 10);
      return membersAt(json, '/data', 'name')[0] === 'f1';
    },
  },
  'paging.page-zero-of-inner-arrays-is-falsy': {
    source: 'core: Server side paging 3',
    breaks: 'Page 0 is the first one of an array inside an entry as well.',
    variant: replaces('paging', 'assemblePage', (right, areas, call, reading, object, view, section, page, filter) => {
      const isLong = (section.items?.length ?? 0) > 10;
      return right(areas, call, reading, object, view, section, isLong ? page || 1 : page, filter);
    }),
    async shows({ edda }) {
      const revisions = many(11, (number) => ({ text: `r${number}` }));
      const made = await edda.make('Document', { files: [{ name: 'n', revisions }] });
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      return listAt((await edda.page(made, `files/${id}/revisions`, 0)).json, '/data').length !== 10;
    },
  },
  'links.template-is-encoded-before-a-query': {
    source: 'core: Server side paging 3',
    breaks: 'The href of a page link holds the template as it is written, under a filter as well.',
    variant: changes('hypermedia', 'pageLink', (link) =>
      link.href.includes('?') ? { ...link, href: link.href.replace('{', '%7B').replace('}', '%7D') } : link,
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: many(11, () => drawings) });
      const links = listAt(await edda.read(made, '?softTypeFilterId=drawings'), '/links');
      return links.some((link) => String(at(link, '/href')).includes('%7B'));
    },
  },
  'paging.template-is-encoded': {
    source: 'core: Server side paging 3',
    breaks: 'The href of a page link holds the template with its braces, for the client to fill in.',
    museum: true,
    variant: breaks('hypermedia', 'pageLink', (right) => (areas, ...rest): Link => {
      const link = right(areas, ...rest);
      return { ...link, href: link.href.replace(pageNumberTemplate, encodeURIComponent(pageNumberTemplate)) };
    }),
    async shows({ edda }) {
      return !String(at(await readPageLink(edda, await withFiles(edda, 11)), '/href')).includes(pageNumberTemplate);
    },
  },
  'paging.encoded-template': {
    source: 'core: Server side paging 3',
    breaks: 'The template of the page number stands in the link as it is, also where a value of the request filters.',
    variant: changes('entries', 'pageHref', (href, _areas, _object, _view, _section, _page, filter) => {
      const isGiven = filter !== undefined && filter.filter.equals === undefined;
      return isGiven ? href.replace('{pageNumber}', '%7BpageNumber%7D') : href;
    }),
    async shows({ edda }) {
      const files = many(11, (index) => ({ name: `n${index}`, category: 'a' }));
      const made = await edda.make('Document', { files });
      const read = await edda.read(made, '?softTypeFilterId=byCategory&fileGroup.category=a');
      return !String(at(pageLinks(read)[0], '/href')).includes('{pageNumber}');
    },
  },
  'hypermedia.second-array-links-to-the-first': {
    source: 'core: Server side paging 3',
    breaks:
      'A page link leads to the pages of the array that it names, also of the second long one in a filtered read.',
    variant: changes('hypermedia', 'linksOf', (links, _areas, _call, _object, _view, _slices, filter) => {
      const first = links.find(({ rel }) => rel === 'page');
      if (filter === undefined || first === undefined) return links;
      return links.map((link) => (link.rel === 'page' ? { ...link, href: first.href } : link));
    }),
    async shows({ edda }) {
      const files = many(11, (number) => ({ name: `n${number}`, category: 'drawing' }));
      const made = await edda.make('Document', { files, contacts: many(11, () => ({ role: 'r' })) });
      const pages = listAt(await edda.read(made, '?softTypeFilterId=drawings'), '/links').filter(
        (link) => at(link, '/rel') === 'page',
      );
      return new Set(pages.map((link) => at(link, '/href'))).size < pages.length;
    },
  },
  'paging.no-pages-left-to-number': {
    source: 'core: Server side paging 3',
    breaks: 'Page 0 is there after the array has become short enough for one read.',
    variant: replaces(
      'paging',
      'assemblePage',
      async (right, areas, call, reading, object, view, section, page, filter) => {
        const total = await areas.entries.totalOf(reading, object, section, filter);
        if (page === 0 && object.version > 1 && total > 0 && total <= 10)
          throw new Refusal(404, 'The array is not paged.');
        return right(areas, call, reading, object, view, section, page, filter);
      },
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { contacts: named(11) });
      const id = String(at(await edda.read(made), '/data/contacts/0/$entryId'));
      await edda.operate(made, 1, [{ op: 'remove', path: `/contacts/${id}/` }]);
      return (await edda.page(made, 'contacts', 0)).status !== 200;
    },
  },
  'paging.nothing-inside-the-tenth-entry': {
    source: 'core: Server side paging 2',
    breaks: 'A long array inside the last entry that a read shows has its link as one inside any other has.',
    variant: replaces('hypermedia', 'pageLinksOf', (right, areas, object, view, slice, filter) =>
      right(areas, object, view, { ...slice, entries: slice.entries.slice(0, 9) }, filter),
    ),
    async shows({ edda }) {
      const revisions = (file: number) => many(file === 10 ? 11 : 0, (number) => ({ text: `r${number}` }));
      const files = many(10, (number) => ({ name: `f${number}`, revisions: revisions(number) }));
      return pageLinks(await edda.read(await edda.make('Document', { files }))).length === 0;
    },
  },
  'links.of-inner-arrays-by-place': {
    source: 'core: Link object, sectionPath and href',
    breaks: 'The link of an array inside an entry leads to that entry, also behind one that has gone.',
    variant: replaces('hypermedia', 'linksOf', (right, areas, call, object, view, slices, filter) => {
      const places = slices.flatMap(({ section, entries }) =>
        entries.map(({ entryId }, index) => [`${section.path}/${entryId}/`, `${section.path}/${index + 1}/`] as const),
      );
      return right(areas, call, object, view, slices, filter).map((link) => {
        const [id = '', place = ''] = places.find(([id]) => link.sectionPath?.startsWith(id)) ?? [];
        const { sectionPath = '', href } = link;
        if (id === '') return link;
        const [from, to] = [id, place].map(encodeURIComponent);
        return { ...link, sectionPath: sectionPath.replace(id, place), href: href.replace(from ?? '', to ?? '') };
      });
    }),
    async shows({ edda }) {
      const revisions = many(11, (number) => ({ text: `r${number}` }));
      const made = await edda.make('Document', { files: [{ name: 'a' }, { name: 'b', revisions }] });
      await edda.operate(made, 1, [{ op: 'remove', path: '/files/1/' }]);
      return pageLinkIn(await edda.read(made), 'files/1/revisions') !== undefined;
    },
  },
  'links.ten-at-most': {
    source: 'core: Server side paging 2',
    breaks: 'Each array of more than ten entries has its link, however many there are.',
    variant: changes('hypermedia', 'linksOf', (links) => links.slice(0, 10)),
    async shows({ edda }) {
      const revisions = many(11, (number) => ({ text: `r${number}` }));
      const made = await edda.make('Document', { files: many(6, () => ({ name: 'n', revisions })) });
      return pageLinks(await edda.read(made)).length < 6;
    },
  },
  'links.of-inner-arrays-without-a-filter': {
    source: 'core: Server side paging 2 and 5',
    breaks: 'An array of more than ten entries has its link, inside an entry that a filter admits too.',
    variant: changes('hypermedia', 'linksOf', (links, _areas, _call, _object, _view, _slices, filter) =>
      filter === undefined ? links : links.filter(({ sectionPath = '' }) => !sectionPath.includes('/')),
    ),
    async shows({ edda }) {
      const revisions = many(11, (number) => ({ text: `r${number}` }));
      const made = await edda.make('Document', { files: [{ ...drawings, revisions }] });
      return pageLinks(await edda.read(made, '?softTypeFilterId=drawings')).length === 0;
    },
  },
  'links.of-long-route-without-filter': {
    source: 'core: Server side paging 5',
    breaks: 'Links that keep the filter on one route of an instance keep it on the other.',
    variant: replaces('hypermedia', 'linksOf', (right, areas, call, object, view, slices, filter) =>
      right(areas, call, object, view, slices, call.params['outputSchemaId'] === undefined ? filter : undefined),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: filesOf(12) });
      const path = `/api/space/main/softtype/Document/documentFull/${made.oid}?softTypeFilterId=drawings`;
      return !String(at(pageLinkIn((await edda.get(path)).json, 'files'), '/href')).includes('?');
    },
  },
  'links.of-readers-without-filter': {
    source: 'core: Server side paging 5',
    breaks: 'Links that keep the filter for one user keep it for another.',
    variant: replaces('hypermedia', 'linksOf', (right, areas, call, object, view, slices, filter) =>
      right(areas, call, object, view, slices, areas.auth.mayUse(call.user, call.space, 'PUT') ? filter : undefined),
    ),
    async shows({ edda, rita }) {
      const made = await edda.make('Document', { files: filesOf(12) });
      const read = await rita.read(made, '?softTypeFilterId=drawings');
      return !String(at(pageLinkIn(read, 'files'), '/href')).includes('?');
    },
  },
  'links.inner-by-position-under-a-filter': {
    source: 'core: Server side paging 2, 3 and 5',
    breaks: 'The link of an array inside an entry leads into that entry, whatever the filter left out before it.',
    variant: changes('hypermedia', 'linksOf', (links, _areas, _call, _object, _view, slices, filter) =>
      links.map((link) => {
        const [port, id, inner] = (link.sectionPath ?? '').split('/');
        const entries = slices.find(({ section }) => section.path === port)?.entries ?? [];
        const place = entries.findIndex(({ entryId }) => String(entryId) === id);
        if (filter === undefined || inner === undefined || place < 0) return link;
        const sectionPath = `${port}/${place + 1}/${inner}`;
        const [own, other] = [link.sectionPath ?? '', sectionPath].map(encodeURIComponent);
        return { ...link, sectionPath, href: link.href.replace(own ?? '', other ?? '') };
      }),
    ),
    async shows({ edda }) {
      const revisions = many(12, (number) => ({ text: `r${number}` }));
      const files = [{ name: 'a' }, { ...drawings, revisions }];
      const made = await edda.make('Document', { files });
      return pageLinkIn(await edda.read(made, '?softTypeFilterId=drawings'), 'files/2/revisions') === undefined;
    },
  },
  'paging.references-counted-by-target': {
    source: 'core: Link object, totalNumber',
    breaks: 'totalNumber counts every entry, several references to one object too.',
    variant: replaces('entries', 'totalOf', async (right, areas, reading, object, section, filter) => {
      if (section.member.kind !== 'references') return right(areas, reading, object, section, filter);
      const entries = await reading.entries(object.oid, section.port, whole);
      return Math.max(new Set(entries.map(({ content }) => JSON.stringify(content['value']))).size, 11);
    }),
    async shows({ edda }) {
      const { oid: $oid } = await edda.make('Part');
      const made = await edda.make('Document', { describes: many(13, () => ({ value: { $oid } })) });
      return at(await readPageLink(edda, made), '/totalNumber') === 11;
    },
  },
  'paging.references-paged-by-target': {
    source: 'core: Link object, pages',
    breaks: 'pages counts every entry, several references to one object too.',
    variant: changes('hypermedia', 'pageLink', (link, _areas, _object, _view, { member }) =>
      member.kind === 'references' ? { ...link, pages: 2 } : link,
    ),
    async shows({ edda }) {
      const { oid: $oid } = await edda.make('Part');
      const made = await edda.make('Document', { describes: many(21, () => ({ value: { $oid } })) });
      return at(await readPageLink(edda, made), '/pages') === 2;
    },
  },
  'links.none-to-pages-through-another-schema': {
    source: 'core: Server side paging 2',
    breaks: 'An array that another schema shows as well has its page link there too.',
    variant: changes('hypermedia', 'linksOf', (links, _areas, _call, _object, view) =>
      view.id === 'documentSummary' ? links.filter(({ rel }) => rel !== 'page') : links,
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { contacts: many(11, (number) => ({ name: `c${number}` })) });
      const { json } = await edda.get(`/api/space/main/softtype/Document/documentSummary/${made.oid}`);
      return listAt(json, '/data/contacts').length === 10 && pageLinks(json).length === 0;
    },
  },
  'paging.pages-of-another-schema-come-late': {
    source: 'core: Server side paging 3',
    breaks: 'Page 1 follows what the read shows, through whatever schema.',
    variant: replaces('paging', 'assemblePage', (right, areas, call, reading, object, view, section, page, filter) =>
      right(areas, call, reading, object, view, section, view.id === 'documentSummary' ? page + 1 : page, filter),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { contacts: many(12, (number) => ({ name: `c${number}` })) });
      const { json } = await edda.get(`/api/space/main/softtype/page/Document/documentSummary/contacts/${made.oid}/1`);
      return listAt(json, '/data').length === 0;
    },
  },
  'paging.totals-count-joined-rows': {
    source: 'core: Link object, totalNumber',
    breaks: 'The total counts the entries of the array, and none twice that has several entries inside.',
    variant: changes('entries', 'totalOf', async (total, areas, reading, object, section, filter) => {
      if (section.items !== undefined) return total;
      return rowsOf(await areas.entries.entriesOf(reading, object, section, whole, filter)).length;
    }),
    async shows({ edda }) {
      const revisions = many(3, (number) => ({ text: `r${number}` }));
      const made = await edda.make('Document', { files: [{ name: 'f', revisions }, ...filesOf(10)] });
      return at(pageLinkIn(await edda.read(made), 'files'), '/totalNumber') !== 11;
    },
  },
};

/** Each entry as often as a join with the arrays inside it has rows of it. */
function rowsOf(entries: readonly StoredEntry[]): readonly StoredEntry[] {
  return entries.flatMap((entry) => {
    const inner = Object.keys(entry.content).reduce(
      (most, name) => Math.max(most, itemsOf(entry.content, name).length),
      1,
    );
    return many(inner, () => entry);
  });
}
