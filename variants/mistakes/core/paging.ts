import { entriesPerPage } from '../../../contract/limits.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces, within } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import {
  append,
  filesOf,
  named,
  pageLinkIn,
  readOf,
  readPageLink,
  withContacts,
  withFiles,
  withRevisions,
} from '../proofs.ts';
import { at, type Client, listAt, type Made, many } from '../service.ts';
import { changes, during, whole } from '../variant-parts.ts';

const longestPageChars = 48 * 1024;

/** Tells what is done for a batch. */
export const pagingMistakes: Mistakes = {
  'reading.arrays-inside-paged-entries-are-whole': {
    source: 'core: Server side paging 1',
    breaks: 'An array inside an entry of a page holds ten entries at most.',
    variant: changes('paging', 'assemblePage', async (body, areas, ...args) => {
      const stored = await areas.entries.entriesOf(args[1], args[2], args[4], areas.paging.pageRange(args[5]), args[6]);
      const data = body.data.map((entry, index) => {
        const revisions = stored[index]?.content['revisions'];
        return Array.isArray(revisions) ? { ...entry, revisions } : entry;
      });
      return { ...body, data };
    }),
    async shows({ edda }) {
      const files = [{ name: 'f', revisions: many(12, (n) => ({ text: `r${n}` })) }];
      const made = await edda.make('Document', { files });
      return listAt((await edda.page(made, 'files', 0)).json, '/data/0/revisions').length > 10;
    },
  },
  'reading.nested-limit-over-all-parents': {
    source: 'core: Server side paging 1',
    breaks: 'Ten is the limit of each array, and arrays inside entries do not share it.',
    variant: changes('instances', 'dataOf', (data) => {
      const members = Object.entries(data).map(([name, value]: readonly [string, unknown]) => [
        name,
        Array.isArray(value) ? sharingALimit(value) : value,
      ]);
      return { ...data, ...Object.fromEntries(members) };
    }),
    async shows({ edda }) {
      const revisions = many(6, (number) => ({ text: `r${number}` }));
      const files = named(2).map((file) => ({ ...file, revisions }));
      const made = await edda.make('Document', { files });
      return listAt(await edda.read(made), '/data/files/1/revisions').length !== 6;
    },
  },
  'paging.long-reference-port': {
    source: 'core: Server side paging 1',
    breaks: 'Every array of a read has at most ten entries, one of references as well.',
    variant: replaces('entries', 'firstSlice', async (right, areas, reading, object, section, filter) => {
      if (section.member.kind !== 'references') return right(areas, reading, object, section, filter);
      const entries = await areas.entries.entriesOf(reading, object, section, whole, filter);
      return { section, entries, total: entries.length };
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Part', { name: 'described' });
      const describes = many(12, () => ({ value: { $oid: oid } }));
      const made = await edda.make('Document', { title: 'references', describes });
      return listAt(await edda.read(made), '/data/describes').length > 10;
    },
  },
  'paging.long-array-beside-a-filtered-one': {
    source: 'core: Server side paging 1',
    breaks: 'Every array of a read has ten entries at most, also one that the filter of the read is not about.',
    variant: changes('entries', 'firstSlice', async (slice, areas, reading, object, section, filter) => {
      if (filter === undefined || filter.filter.port === section.port) return slice;
      return { ...slice, entries: await areas.entries.entriesOf(reading, object, section, whole) };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'beside', contacts: named(12) });
      return listAt(await edda.read(made, '?softTypeFilterId=drawings'), '/data/contacts').length > 10;
    },
  },
  'reading.whole-nested-arrays-under-a-filter': {
    source: 'core: Server side paging 1',
    breaks: 'An array inside an entry holds at most ten, also in a read under a filter.',
    variant: replaces('instances', 'assembleInstance', (right, areas, call, reading, object, view, filter) =>
      right(
        filter === undefined
          ? areas
          : within(areas, { entries: { nestedReadRange: () => ({ from: 0, to: 100_000 }) } }),
        call,
        reading,
        object,
        view,
        filter,
      ),
    ),
    async shows({ edda }) {
      const revisions = many(11, (number) => ({ text: `r${number}` }));
      const made = await edda.make('Document', { files: [{ name: 'n', category: 'drawing', revisions }] });
      const read = await edda.read(made, '?softTypeFilterId=drawings');
      return listAt(read, '/data/files/0/revisions').length > 10;
    },
  },
  'batch.reads-without-a-limit': {
    source: 'core: Server side paging 1',
    breaks: 'An array of a read holds at most 10 entries, a read in a batch as well.',
    variant: during('batch', 'runBatch', (batch) =>
      replaces('entries', 'firstReadRange', (right, areas) => (batch.isOn() ? { from: 0, to: 1000 } : right(areas))),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'read', files: named(11) });
      return listAt((await edda.batch([readOf(made)])).json, '/0/body/data/files').length > 10;
    },
  },
  'reading.pages-never-get-fewer': {
    source: 'core: Server side paging 2',
    breaks: 'The link says of how many pages the array is now, also when it had more before.',
    variant: breaks('hypermedia', 'pageLink', (right) => {
      const most = new Map<string, number>();
      return (areas, object, view, section, ...rest) => {
        const link = right(areas, object, view, section, ...rest);
        const key = `${object.oid} ${section.path}`;
        const pages = Math.max(most.get(key) ?? 0, link.pages ?? 0);
        most.set(key, pages);
        return { ...link, pages };
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: many(21, (n) => ({ name: `f${n}` })) });
      const id = at(await edda.read(made), '/data/files/0/$entryId');
      await edda.operate(made, 1, [{ op: 'remove', path: `/files/${String(id)}/` }]);
      const links = listAt(await edda.read(made), '/links').filter((link) => at(link, '/rel') === 'page');
      return links.some((link) => at(link, '/pages') !== 2);
    },
  },
  'reading.page-link-of-references-has-no-total': {
    source: 'core: Server side paging 2',
    breaks: 'The page link of an array of references has its total number like the others.',
    variant: changes('hypermedia', 'pageLink', (link, _areas, _object, _view, section) => {
      if (section.member.kind !== 'references') return link;
      const { totalNumber: _gone, ...others } = link;
      return others;
    }),
    async shows({ edda }) {
      const part = await edda.make('Part');
      const made = await edda.make('Document', { describes: many(11, () => ({ value: { $oid: part.oid } })) });
      const links = listAt(await edda.read(made), '/links').filter((link) => at(link, '/rel') === 'page');
      return links.some((link) => at(link, '/totalNumber') !== 11);
    },
  },
  'reading.readers-get-one-page-link': {
    source: 'core: Server side paging 2',
    breaks: 'Each array of more than ten entries has its page link, whoever reads.',
    variant: changes('hypermedia', 'linksOf', (links, areas, call) => {
      if (areas.auth.mayUse(call.user, call.space, 'PUT')) return links;
      const first = links.find(({ rel }) => rel === 'page');
      return links.filter((link) => link.rel !== 'page' || link === first);
    }),
    async shows({ edda, rita }) {
      const made = await edda.make('Document', {
        files: many(11, (n) => ({ name: `f${n}` })),
        contacts: many(11, (n) => ({ name: `c${n}` })),
      });
      const links = listAt(await rita.read(made), '/links');
      return links.filter((link) => at(link, '/rel') === 'page').length !== 2;
    },
  },
  'paging.link-is-forgotten-when-the-array-grows-again': {
    source: 'core: Server side paging 2',
    breaks: 'An array that fell to ten entries and grew again has its page link again.',
    variant: breaks('hypermedia', 'pageLinksOf', (right) => {
      const seen = new Map<string, { wasLong: boolean; fell: boolean }>();
      return (areas, object, view, slice, filter) => {
        const key = `${object.oid} ${slice.section.path}`;
        const state = seen.get(key) ?? { wasLong: false, fell: false };
        seen.set(key, state);
        if (slice.total > 10) state.wasLong = true;
        else if (state.wasLong) state.fell = true;
        const links = right(areas, object, view, slice, filter);
        return state.fell ? links.filter((link) => link.sectionPath !== slice.section.path) : links;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: filesOf(11) });
      await edda.read(made);
      await edda.operate(made, 1, [{ op: 'remove', path: '/files/3/' }]);
      await edda.read(made);
      await append(edda, made, 2, filesOf(2, 'model', 'again'));
      return pageLinkIn(await edda.read(made), 'files') === undefined;
    },
  },
  'paging.second-long-array-has-the-href-of-the-first': {
    source: 'core: Server side paging 2 and 3',
    breaks: 'Each array that is too long has a link of its own, which leads to its own pages.',
    variant: changes('hypermedia', 'linksOf', (links) => {
      const first = links.find(({ rel }) => rel === 'page');
      return links.map((link) => (link.rel === 'page' && first !== undefined ? { ...link, href: first.href } : link));
    }),
    shows: async ({ edda }) => {
      const made = await edda.make('Document', {
        title: 'two long ones',
        files: many(11, (number) => ({ name: `f${number}` })),
        contacts: many(12, (number) => ({ role: `r${number}` })),
      });
      const page = await follow(edda, await edda.read(made), 'contacts', 1);
      return at(page, '/data/0/role') !== 'r11';
    },
  },
  'links.one-of-all-inner-arrays': {
    source: 'core: Server side paging 2',
    breaks: 'Every array of more than ten entries has its page link, also the same member of a second entry.',
    variant: changes('hypermedia', 'pageLinksOf', (links) => {
      const seen = new Set<string>();
      return links.filter(({ sectionPath = '' }) => {
        const ports = sectionPath.split('/').filter((_part, index) => index % 2 === 0);
        const key = ports.join('/');
        const isNew = !seen.has(key);
        seen.add(key);
        return isNew;
      });
    }),
    async shows({ edda }) {
      const revisions = many(11, (number) => ({ text: `r${number}` }));
      const made = await edda.make('Document', {
        files: [
          { name: 'a', revisions },
          { name: 'b', revisions },
        ],
      });
      return listAt(await edda.read(made), '/links').filter((link) => at(link, '/rel') === 'page').length < 2;
    },
  },
  'paging.one-page-too-many': {
    source: 'core: Server side paging 2',
    breaks: 'An array of twenty entries has two pages.',
    variant: replaces('paging', 'pagesOf', (_right, _areas, total) => Math.floor(total / 10) + 1),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'twenty', files: named(20) });
      const link = listAt(await edda.read(made), '/links').find((each) => at(each, '/sectionPath') === 'files');
      return at(link, '/pages') !== 2;
    },
  },
  'paging.empty-page-behind-full-ones': {
    source: 'core: Server side paging 2',
    breaks: 'The pages of an array are those that its entries fill, so 20 entries are 2 pages.',
    museum: true,
    variant: replaces('paging', 'pagesOf', (_right, _areas, total) => Math.floor(total / entriesPerPage) + 1),
    async shows({ edda }) {
      return at(await readPageLink(edda, await withFiles(edda, 20)), '/pages') === 3;
    },
  },
  'paging.page-of-two-digits': {
    source: 'core: Server side paging 2',
    breaks: 'Sets of ten are delivered to the end of an array, also behind the tenth.',
    variant: replaces('paging', 'pageNumberOf', (right, areas, call) => {
      if (call.params.pageNumber?.length === 2) throw new Refusal(404, 'There is no such page.');
      return right(areas, call);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'long', files: named(101) });
      return (await edda.page(made, 'files', 10)).status !== 200;
    },
  },
  'reading.pages-count-ids': {
    source: 'core: Server side paging 2 and 4',
    breaks: 'Pages are sets of 10 of the entries that there are, after some were removed as well.',
    variant: replaces('entries', 'entriesOf', async (right, areas, reading, object, section, range, filter) => {
      if (filter !== undefined || section.items !== undefined)
        return right(areas, reading, object, section, range, filter);
      const all = await right(areas, reading, object, section, { from: 0, to: 100_000 });
      return all.filter(({ entryId }) => entryId > range.from && entryId <= range.to);
    }),
    async shows({ edda }) {
      const made = await withContacts(edda, 12);
      const third = at(await edda.read(made), '/data/contacts/2/$entryId');
      await edda.operate(made, 1, [{ op: 'remove', path: `/contacts/${String(third)}/` }]);
      return listAt(await edda.read(made), '/data/contacts').length !== 10;
    },
  },
  'paging.no-links-for-readers': {
    source: 'core: Server side paging 2',
    breaks: 'A user who may only read gets the page links as well.',
    variant: changes('hypermedia', 'linksOf', (links, areas, call) =>
      areas.auth.mayUse(call.user, call.space, 'PUT') ? links : links.filter(({ rel }) => rel === 'self'),
    ),
    async shows({ edda, rita }) {
      const made = await makeWithFiles(edda, 11);
      return pageLinkIn(await rita.read(made), 'files') === undefined;
    },
  },
  'reading.second-entry-with-a-long-array': {
    source: 'core: Server side paging 2',
    breaks: 'Each array that is longer than ten has a page link, in the second entry that holds such a one as well.',
    variant: replaces('hypermedia', 'linksOf', (right, areas, ...args) => {
      const known = new Set<string>();
      return right(areas, ...args).filter((link) => {
        const path = link.sectionPath ?? '';
        if (link.rel !== 'page' || !path.includes('/')) return true;
        const name = path.replaceAll(/\/\d+\//g, '/');
        return !known.has(name) && known.add(name);
      });
    }),
    async shows({ edda }) {
      const revisions = many(11, (n) => ({ text: `revision ${n}` }));
      const files = many(2, (n) => ({ name: `file ${n}`, revisions }));
      const made = await edda.make('Document', { title: 'nested', files });
      return listAt(await edda.read(made), '/links').filter((link) => at(link, '/rel') === 'page').length !== 2;
    },
  },
  'paging.page-ends-where-it-gets-long': {
    source: 'core: Server side paging 2',
    breaks: 'A page holds ten entries, however long their texts are.',
    variant: changes('paging', 'assemblePage', (page) => {
      let left = longestPageChars;
      return { ...page, data: page.data.filter((entry) => (left -= JSON.stringify(entry).length) > 0) };
    }),
    async shows({ edda }) {
      const files = many(20, (number) => ({ name: `n${number}`, comment: 'x'.repeat(6000) }));
      const made = await edda.make('Document', { files });
      return listAt((await edda.page(made, 'files', 1)).json, '/data').length !== 10;
    },
  },
  'paging.counts-of-the-first-array': {
    source: 'core: Server side paging 2',
    breaks: 'The page link of each array tells of that array.',
    variant: changes('hypermedia', 'linksOf', (links) => {
      const [first] = links.flatMap((link) => (link.rel === 'page' ? [link] : []));
      return links.map((link) =>
        link.rel === 'page' && first?.pages !== undefined && first.totalNumber !== undefined
          ? { ...link, pages: first.pages, totalNumber: first.totalNumber }
          : link,
      );
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'two arrays', files: named(12), contacts: named(25) });
      const link = listAt(await edda.read(made), '/links').find((each) => at(each, '/sectionPath') === 'contacts');
      return at(link, '/totalNumber') !== 25;
    },
  },
  'pages.filtered-ones-hold-whole-inner-arrays': {
    source: 'core: Limits, entries per array in a read',
    breaks: 'An array inside an entry holds ten entries at most, on a page that is filtered too.',
    variant: replaces('paging', 'assemblePage', (right, areas, call, reading, object, view, section, page, filter) => {
      const whole = within(areas, { entries: { nestedReadRange: () => ({ from: 0, to: Infinity }) } });
      return right(filter === undefined ? areas : whole, call, reading, object, view, section, page, filter);
    }),
    async shows(service) {
      const { made } = await withRevisions(service, 11);
      const page = await service.edda.page(made, 'files', 0, '?softTypeFilter=drawings');
      return listAt(page.json, '/data/0/revisions').length > 10;
    },
  },
  'paging.references-have-one-more-page': {
    source: 'core: Limits, entries per array in a read',
    breaks: 'A page holds no more than ten entries, one of references as well.',
    variant: replaces('paging', 'assemblePage', (right, areas, call, reading, object, view, section, page, filter) => {
      const whole = within(areas, {
        paging: { pageRange: (number) => ({ from: number * 10, to: number * 10 + 1000 }) },
      });
      const isWhole = section.member.kind === 'references' && page > 0;
      return right(isWhole ? whole : areas, call, reading, object, view, section, page, filter);
    }),
    async shows({ edda }) {
      const part = await edda.make('Part');
      const describes = many(21, () => ({ value: { $oid: part.oid } }));
      const made = await edda.make('Document', { describes });
      return listAt((await edda.page(made, 'describes', 1)).json, '/data').length > 10;
    },
  },
};

/** Pages of the first array with that sectionPath, as a client asks for them. */
async function follow(edda: Client, read: unknown, section: string, page: number): Promise<unknown> {
  const link = listAt(read, '/links').find((item) => at(item, '/sectionPath') === section);
  const href = String(at(link, '/href')).replace('{pageNumber}', String(page));
  return (await edda.get(href)).json;
}

/** The entries, of whose own arrays so many items are left in all: a limit that the parents share. */
function sharingALimit(entries: readonly unknown[]): readonly unknown[] {
  const left = new Map<string, number>();
  return entries.map((entry) => {
    if (!isContent(entry)) return entry;
    const members = Object.entries(entry).map(([name, value]) => {
      if (!Array.isArray(value)) return [name, value] as const;
      const taken = value.slice(0, left.get(name) ?? entriesPerPage);
      left.set(name, (left.get(name) ?? entriesPerPage) - taken.length);
      return [name, taken] as const;
    });
    return Object.fromEntries(members);
  });
}

function makeWithFiles(client: Client, count: number): Promise<Made> {
  return client.make('Document', { files: many(count, (number) => ({ name: `file ${number}` })) });
}
