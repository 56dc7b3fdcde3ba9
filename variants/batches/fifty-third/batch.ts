import { isContent } from '../../../reference-server/areas/content.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import type { Answer } from '../../../reference-server/http/call.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, listAt, many } from '../service.ts';
import { callsMistakes } from './calls.ts';
import { deliveryMistakes } from './delivery.ts';
import { filesMistakes } from './files.ts';
import { manyMistakes } from './many.ts';
import { rightsMistakes } from './rights.ts';
import { writingMistakes } from './writing.ts';

const perPage = 10;

/** The entries, of whose own arrays so many items are left in all: a limit that the parents share. */
function sharingALimit(entries: readonly unknown[]): readonly unknown[] {
  const left = new Map<string, number>();
  return entries.map((entry) => {
    if (!isContent(entry)) return entry;
    const members = Object.entries(entry).map(([name, value]) => {
      if (!Array.isArray(value)) return [name, value] as const;
      const taken = value.slice(0, left.get(name) ?? perPage);
      left.set(name, (left.get(name) ?? perPage) - taken.length);
      return [name, taken] as const;
    });
    return Object.fromEntries(members);
  });
}

/** Reads of objects, pages and filters. */
const readingMistakes: Batch = {
  'paging.page-number-of-one-digit': {
    source: 'core: Server side paging 3',
    breaks: 'A page number of any length takes the place of the template, ten as well as nine.',
    kind: 'value',
    variant: replaces('paging', 'pageNumberOf', (right, areas, call) => {
      const text = call.params['pageNumber'] ?? '';
      if (!/^\d$/.test(text)) throw new Refusal(404, `There is no route with a page ${text}.`);
      return right(areas, call);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(101) });
      return (await edda.page(made, 'files', 10)).status !== 200;
    },
  },

  'paging.one-page-more-at-full-tens': {
    source: 'core: Link object, row pages',
    breaks: 'Pages are as many as hold all entries, and there is no empty one behind twenty.',
    kind: 'value',
    variant: replaces('paging', 'pagesOf', (_right, _areas, total) => Math.floor(total / perPage) + 1),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(20) });
      const links = listAt(await edda.read(made), '/links');
      return links.some((link) => at(link, '/rel') === 'page' && at(link, '/pages') !== 2);
    },
  },

  'paging.ids-sorted-as-texts': {
    source: 'core: Server side paging 4',
    breaks: 'Later pages hold what page 0 does not, also from the tenth entry on.',
    kind: 'value',
    variant: replaces(
      'paging',
      'assemblePage',
      async (right, areas, call, reading, object, view, section, page, filter) => {
        const body = await right(areas, call, reading, object, view, section, page, filter);
        const all = await areas.entries.entriesOf(reading, object, section, { from: 0, to: 100_000 }, filter);
        const sorted = all.toSorted((one, other) => (String(one.entryId) < String(other.entryId) ? -1 : 1));
        const shown = sorted.slice(page * perPage, (page + 1) * perPage);
        return { ...body, data: shown.map((entry) => areas.entries.entryOut(call.space, section.member, entry)) };
      },
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(12) });
      const page = await edda.page(made, 'files', 1);
      return at(page.json, '/data/0/name') !== 'n11';
    },
  },

  'filters.offset-before-the-filter': {
    source: 'core: Server side paging 5',
    breaks:
      'A later page under a filter goes on behind what the filter has admitted, and not behind the first ten of all.',
    kind: 'combination',
    variant: replaces('entries', 'entriesOf', async (right, areas, reading, object, section, range, filter) => {
      if (filter === undefined || range.from === 0 || section.port !== filter.filter.port)
        return right(areas, reading, object, section, range, filter);
      const entries = await right(areas, reading, object, section, range);
      return entries.filter(({ content }) => content[filter.filter.member] === filter.value);
    }),
    async shows({ edda }) {
      const files = many(24, (number) => ({ name: `n${number}`, category: number % 2 === 0 ? 'drawing' : 'photo' }));
      const made = await edda.make('Document', { title: 't', files });
      const page = await edda.page(made, 'files', 1, '?softTypeFilter=drawings');
      return listAt(page.json, '/data').length !== 2;
    },
  },

  'filters.kept-without-their-value': {
    source: 'core: Server side paging 5, second sentence',
    breaks: 'The value that comes with the request decides, also when the filter has just been asked with another one.',
    kind: 'copy',
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
      const made = await edda.make('Document', { title: 't', files });
      const query = '?softTypeFilterId=byCategory&fileGroup.category=';
      await edda.read(made, `${query}plan`);
      return at(await edda.read(made, `${query}photo`), '/data/files/0/name') !== 'photo';
    },
  },

  'reading.nested-limit-over-all-parents': {
    source: 'core: Server side paging 1',
    breaks: 'Ten is the limit of each array, and arrays inside entries do not share it.',
    kind: 'combination',
    variant: replaces('instances', 'dataOf', (right, areas, space, object, view, slices) => {
      const data = right(areas, space, object, view, slices);
      const members = Object.entries(data).map(([name, value]: readonly [string, unknown]) => [
        name,
        Array.isArray(value) ? sharingALimit(value) : value,
      ]);
      return { ...data, ...Object.fromEntries(members) };
    }),
    async shows({ edda }) {
      const revisions = many(6, (number) => ({ text: `r${number}` }));
      const files = named(2).map((file) => ({ ...file, revisions }));
      const made = await edda.make('Document', { title: 't', files });
      return listAt(await edda.read(made), '/data/files/1/revisions').length !== 6;
    },
  },

  'reading.empty-values-omitted': {
    source: 'core: SoftType read response, row data',
    breaks: 'The content has every member with a value, also one of zero or false.',
    kind: 'value',
    variant: replaces('instances', 'dataOf', (right, areas, space, object, view, slices) => {
      const data = right(areas, space, object, view, slices);
      const full = Object.entries(data).filter(
        ([, value]: readonly [string, unknown]) => value !== 0 && value !== false,
      );
      return Object.fromEntries(full) as typeof data;
    }),
    async shows({ edda }) {
      const read = await edda.read(await edda.make('Document', { title: 't', pageCount: 0, confidential: false }));
      return at(read, '/data/pageCount') !== 0 || at(read, '/data/confidential') !== false;
    },
  },

  'paging.page-as-old-as-its-entries': {
    source: 'core: Page response, row version',
    breaks: 'The version of a page is that of the object, also when something else of it was edited.',
    kind: 'copy',
    variant: breaks('paging', 'assemblePage', (right) => {
      type Page = Awaited<ReturnType<typeof right>>;
      const kept = new Map<string, Page>();
      return async (areas, call, reading, object, view, section, page, filter) => {
        const fresh = await right(areas, call, reading, object, view, section, page, filter);
        const known = kept.get(fresh.href);
        if (known !== undefined && JSON.stringify(known.data) === JSON.stringify(fresh.data)) return known;
        kept.set(fresh.href, fresh);
        return fresh;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(11) });
      await edda.page(made, 'files', 1);
      await edda.merge(made, 1, { note: 'n' });
      return at((await edda.page(made, 'files', 1)).json, '/version') !== 2;
    },
  },
};

/** Of sixty mistakes of honest developers that get through a review of their code, by somebody who knew no check. */
export const fiftyThird: Batch = {
  ...readingMistakes,
  ...writingMistakes,
  ...manyMistakes,
  ...rightsMistakes,
  ...filesMistakes,
  ...callsMistakes,
  ...deliveryMistakes,
};
