import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, listAt, many } from '../service.ts';

type EntryOut = Readonly<Record<string, unknown>> & { readonly $entryId: number | string };

function withoutId({ $entryId: _gone, ...entry }: Readonly<Record<string, unknown>>): object {
  return entry;
}

/** An entry whose own arrays do not tell which object is which. */
function withAnonymousItems(entry: EntryOut): EntryOut {
  const members = Object.entries(entry).map(
    ([name, value]) => [name, Array.isArray(value) ? value.map(withoutId) : value] as const,
  );
  return { ...Object.fromEntries(members), $entryId: entry.$entryId };
}

function withTrimmedTexts(entry: EntryOut): EntryOut {
  const members = Object.entries(entry).map(
    ([name, value]) => [name, typeof value === 'string' ? value.trimEnd() : value] as const,
  );
  return { ...Object.fromEntries(members), $entryId: entry.$entryId };
}

export const reading: Batch = {
  'reading.ids-on-later-pages-are-positions': {
    source: 'core: System properties',
    breaks: 'On every page an entry has the id that identifies it, also when one before it has gone.',
    kind: 'combination',
    variant: replaces('paging', 'assemblePage', async (right, areas, ...args) => {
      const body = await right(areas, ...args);
      const page = args[5];
      if (page === 0) return body;
      return { ...body, data: body.data.map((entry, index) => ({ ...entry, $entryId: page * 10 + index + 1 })) };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: many(14, (n) => ({ name: `f${n}` })) });
      const first = at((await edda.page(made, 'files', 0)).json, '/data/0/$entryId');
      const before = at((await edda.page(made, 'files', 1)).json, '/data/1/$entryId');
      await edda.operate(made, 1, [{ op: 'remove', path: `/files/${String(first)}/` }]);
      return at((await edda.page(made, 'files', 1)).json, '/data/0/$entryId') !== before;
    },
  },
  'reading.page-texts-lose-trailing-space': {
    source: 'core: Page response',
    breaks: 'A page holds the entries as they are, spaces at the end of their texts included.',
    kind: 'value',
    variant: replaces('paging', 'assemblePage', async (right, areas, ...args) => {
      const body = await right(areas, ...args);
      return { ...body, data: body.data.map((entry) => withTrimmedTexts(entry)) };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', {
        title: 't',
        files: many(12, (n) => ({ name: `f${n}`, comment: 'c ' })),
      });
      return at((await edda.page(made, 'files', 1)).json, '/data/0/comment') !== 'c ';
    },
  },
  'reading.plus-in-filter-value-is-space': {
    source: 'core: Server side paging 5',
    breaks: 'The value that is supplied to a filter of a page is taken as it was encoded, a plus sign included.',
    kind: 'value',
    variant: replaces('entries', 'filterOf', (right, areas, call, softType, parameter) => {
      const applied = right(areas, call, softType, parameter);
      if (applied === undefined || parameter !== 'softTypeFilter') return applied;
      return { ...applied, value: applied.value.replaceAll('+', ' ') };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', {
        title: 't',
        files: [
          { name: 'n', category: 'a b' },
          { name: 'm', category: 'a+b' },
        ],
      });
      const query = '?softTypeFilter=byCategory&fileGroup.category=a%2Bb';
      return at((await edda.page(made, 'files', 0, query)).json, '/data/0/name') !== 'm';
    },
  },
  'reading.pages-never-get-fewer': {
    source: 'core: Server side paging 2',
    breaks: 'The link says of how many pages the array is now, also when it had more before.',
    kind: 'copy',
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
      const made = await edda.make('Document', { title: 't', files: many(21, (n) => ({ name: `f${n}` })) });
      const id = at(await edda.read(made), '/data/files/0/$entryId');
      await edda.operate(made, 1, [{ op: 'remove', path: `/files/${String(id)}/` }]);
      const links = listAt(await edda.read(made), '/links').filter((link) => at(link, '/rel') === 'page');
      return links.some((link) => at(link, '/pages') !== 2);
    },
  },
  'reading.page-link-of-references-has-no-total': {
    source: 'core: Server side paging 2',
    breaks: 'The page link of an array of references has its total number like the others.',
    kind: 'place',
    variant: replaces('hypermedia', 'pageLink', (right, areas, object, view, section, ...rest) => {
      const link = right(areas, object, view, section, ...rest);
      if (section.member.kind !== 'references') return link;
      const { totalNumber: _gone, ...others } = link;
      return others;
    }),
    async shows({ edda }) {
      const part = await edda.make('Part', { name: 'p' });
      const made = await edda.make('Document', {
        title: 't',
        describes: many(11, () => ({ value: { $oid: part.oid } })),
      });
      const links = listAt(await edda.read(made), '/links').filter((link) => at(link, '/rel') === 'page');
      return links.some((link) => at(link, '/totalNumber') !== 11);
    },
  },
  'reading.references-on-later-pages-have-no-id': {
    source: 'core: System properties',
    breaks: 'A reference on a later page has its entry id.',
    kind: 'place',
    variant: replaces('paging', 'assemblePage', async (right, areas, ...args) => {
      const body = await right(areas, ...args);
      const [, , , , section, page] = args;
      if (page === 0 || section.member.kind !== 'references') return body;
      return { ...body, data: body.data.map((entry) => withoutId(entry)) as typeof body.data };
    }),
    async shows({ edda }) {
      const part = await edda.make('Part', { name: 'p' });
      const made = await edda.make('Document', {
        title: 't',
        describes: many(11, () => ({ value: { $oid: part.oid } })),
      });
      return at((await edda.page(made, 'describes', 1)).json, '/data/0/$entryId') === undefined;
    },
  },
  'reading.items-inside-paged-entries-are-anonymous': {
    source: 'core: System properties',
    breaks: 'Objects in an array inside an entry have their ids on a page as well.',
    kind: 'place',
    variant: replaces('paging', 'assemblePage', async (right, areas, ...args) => {
      const body = await right(areas, ...args);
      return { ...body, data: body.data.map((entry) => withAnonymousItems(entry)) };
    }),
    async shows({ edda }) {
      const files = many(12, (n) => ({ name: `f${n}`, revisions: [{ text: 'r' }] }));
      const made = await edda.make('Document', { title: 't', files });
      return at((await edda.page(made, 'files', 1)).json, '/data/0/revisions/0/$entryId') === undefined;
    },
  },
  'reading.arrays-inside-paged-entries-are-whole': {
    source: 'core: Server side paging 1',
    breaks: 'An array inside an entry of a page holds ten entries at most.',
    kind: 'place',
    variant: replaces('paging', 'assemblePage', async (right, areas, ...args) => {
      const body = await right(areas, ...args);
      const stored = await areas.entries.entriesOf(args[1], args[2], args[4], areas.paging.pageRange(args[5]), args[6]);
      const data = body.data.map((entry, index) => {
        const revisions = stored[index]?.content['revisions'];
        return Array.isArray(revisions) ? { ...entry, revisions } : entry;
      });
      return { ...body, data };
    }),
    async shows({ edda }) {
      const files = [{ name: 'f', revisions: many(12, (n) => ({ text: `r${n}` })) }];
      const made = await edda.make('Document', { title: 't', files });
      return listAt((await edda.page(made, 'files', 0)).json, '/data/0/revisions').length > 10;
    },
  },
  'reading.filtered-data-has-no-definition': {
    source: 'core: System properties',
    breaks: 'A filtered read names the definition of the object in its data as well.',
    kind: 'combination',
    variant: replaces('instances', 'assembleInstance', async (right, areas, ...args) => {
      const body = await right(areas, ...args);
      if (args[4] === undefined) return body;
      const { $softType: _gone, ...data } = body.data;
      return { ...body, data: data as typeof body.data };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      return at(await edda.read(made, '?softTypeFilterId=drawings'), '/data/$softType') !== 'Document';
    },
  },
  'reading.readers-get-one-page-link': {
    source: 'core: Server side paging 2',
    breaks: 'Each array of more than ten entries has its page link, whoever reads.',
    kind: 'role',
    variant: replaces('hypermedia', 'linksOf', (right, areas, call, ...rest) => {
      const links = right(areas, call, ...rest);
      if (areas.auth.mayUse(call.user, call.space, 'PUT')) return links;
      const first = links.find(({ rel }) => rel === 'page');
      return links.filter((link) => link.rel !== 'page' || link === first);
    }),
    async shows({ edda, rita }) {
      const made = await edda.make('Document', {
        title: 't',
        files: many(11, (n) => ({ name: `f${n}` })),
        contacts: many(11, (n) => ({ name: `c${n}` })),
      });
      const links = listAt(await rita.read(made), '/links');
      return links.filter((link) => at(link, '/rel') === 'page').length !== 2;
    },
  },
  'reading.numbers-have-six-digits': {
    source: 'core: SoftType read response',
    breaks: 'A number reads as it was written, however small.',
    kind: 'value',
    variant: replaces('instances', 'dataOf', (right, areas, ...args) => {
      const data = right(areas, ...args);
      const rounded = Object.entries(data).map(
        ([name, value]) => [name, typeof value === 'number' ? Number(value.toFixed(6)) : value] as const,
      );
      return { ...data, ...Object.fromEntries(rounded) };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', weight: 0.000_000_25 });
      return at(await edda.read(made), '/data/weight') !== 0.000_000_25;
    },
  },
};
