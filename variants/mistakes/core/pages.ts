import { entriesPerPage } from '../../../contract/limits.ts';
import type { Page } from '../../../contract/wire.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import type { StoredEntry } from '../../../reference-server/ports/store.ts';
import { breaks, replaces, together, within } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import { append, firstFile, named, pageLinkIn, readPageLink, withFiles, withRevisions } from '../proofs.ts';
import { at, listAt, many } from '../service.ts';
import { changes, isRefusal, keeps, whole } from '../variant-parts.ts';

export const pagesMistakes: Mistakes = {
  'paging.tenth-page': {
    source: 'core: Endpoint table, page GET',
    breaks: 'The page number of the path is read whole: page 10 is not page 1.',
    variant: changes('paging', 'pageNumberOf', (page) => (page < 10 ? page : Number(String(page).slice(0, 1)))),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'pages', files: named(101) });
      return listAt((await edda.page(made, 'files', 10)).json, '/data').length !== 1;
    },
  },
  'paging.value-of-filter-ends-with-first-page': {
    source: 'core: Endpoint table, page route',
    breaks: 'A filter with a supplied value applies to every page, not to the first alone.',
    variant: changes('entries', 'filterOf', (applied, _areas, call) => {
      const isLater = (call.params['pageNumber'] ?? '0') !== '0';
      return isLater && applied?.filter.equals === undefined ? undefined : applied;
    }),
    async shows({ edda }) {
      const files = many(22, (number) => ({ name: `n${number}`, category: number % 2 === 0 ? 'a' : 'b' }));
      const made = await edda.make('Document', { files });
      const query = '?softTypeFilter=byCategory&fileGroup.category=a';
      return listAt((await edda.page(made, 'files', 1, query)).json, '/data').length !== 1;
    },
  },
  'paging.filter-beyond-a-hundred': {
    source: 'core: Endpoint table',
    breaks: 'A filter chooses from all entries of an array, however far back they stand.',
    variant: together(
      replaces('entries', 'entriesOf', async (right, areas, reading, object, section, range, filter) => {
        if (filter === undefined || section.port !== filter.filter.port)
          return right(areas, reading, object, section, range, filter);
        const scanned = await right(areas, reading, object, section, { from: 0, to: 100 });
        const { member } = filter.filter;
        return scanned.filter(({ content }) => content[member] === filter.value).slice(range.from, range.to);
      }),
      replaces('entries', 'totalOf', async (right, areas, reading, object, section, filter) => {
        if (filter === undefined) return right(areas, reading, object, section);
        return (await areas.entries.entriesOf(reading, object, section, { from: 0, to: 100 }, filter)).length;
      }),
    ),
    async shows({ edda }) {
      const files = many(103, (number) => ({ name: `n${number}`, category: number > 100 ? 'drawing' : 'letter' }));
      const made = await edda.make('Document', { title: 'far', files });
      const page = await edda.page(made, 'files', 0, '?softTypeFilter=drawings');
      return listAt(page.json, '/data').length !== 3;
    },
  },
  'paging.page-of-another-array': {
    source: 'core: Endpoint table, page GET',
    breaks: 'A page is one of the array that the path names, also when that of another array was read before.',
    variant: keeps('paging', 'assemblePage', (_call, _reading, object, view, _section, page, filter) =>
      filter === undefined ? `${object.oid} ${object.version} ${view.id} ${page}` : undefined,
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'pages', files: named(11), contacts: named(12) });
      await edda.page(made, 'files', 1);
      return listAt((await edda.page(made, 'contacts', 1)).json, '/data').length !== 2;
    },
  },
  'paging.pages-renewed-by-reads-of-the-object': {
    source: 'core: Server side paging 4',
    breaks: 'A page shows what is stored when it is asked for, whether or not the object was read since.',
    variant: (() => {
      const pages = new Map<string, Map<string, Page>>();
      return together(
        replaces('paging', 'assemblePage', async (right, areas, ...asked) => {
          const [call, , object, , , page, filter] = asked;
          const own = pages.get(object.oid) ?? new Map<string, Page>();
          pages.set(object.oid, own);
          const name = JSON.stringify([call.url, page, filter?.value]);
          const body = own.get(name) ?? (await right(areas, ...asked));
          own.set(name, body);
          return { ...body, version: object.version };
        }),
        replaces('instances', 'readInstance', (right, areas, call, reading) => {
          pages.delete(call.object.oid);
          return right(areas, call, reading);
        }),
      );
    })(),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'pages', files: named(12) });
      const first = await firstFile(edda, made);
      await edda.page(made, 'files', 1);
      await edda.operate(made, 1, [{ op: 'remove', path: `${first}/` }]);
      return listAt((await edda.page(made, 'files', 1)).json, '/data').length !== 1;
    },
  },
  'pages.inner-ones-by-their-ids': {
    source: 'core: Server side paging 4',
    breaks: 'The second page holds the rest, also of an array inside an entry that has lost one of its first.',
    variant: replaces('entries', 'entriesOf', async (right, areas, reading, object, section, range, filter) =>
      section.items === undefined
        ? right(areas, reading, object, section, range, filter)
        : section.items.filter(({ entryId }) => entryId > range.from && entryId <= range.to),
    ),
    async shows(service) {
      const { made, port } = await withRevisions(service, 12);
      await service.edda.operate(made, 1, [{ op: 'remove', path: `/${port}/1/` }]);
      return listAt((await service.edda.page(made, port, 1)).json, '/data').length !== 1;
    },
  },
  'paging.ids-sorted-as-texts': {
    source: 'core: Server side paging 4',
    breaks: 'Later pages hold what page 0 does not, also from the tenth entry on.',
    variant: changes(
      'paging',
      'assemblePage',
      async (body, areas, call, reading, object, _view, section, page, filter) => {
        const all = await areas.entries.entriesOf(reading, object, section, { from: 0, to: 100_000 }, filter);
        const sorted = all.toSorted((one, other) => (String(one.entryId) < String(other.entryId) ? -1 : 1));
        const shown = sorted.slice(page * entriesPerPage, (page + 1) * entriesPerPage);
        return { ...body, data: shown.map((entry) => areas.entries.entryOut(call.space, section.member, entry)) };
      },
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: named(12) });
      const page = await edda.page(made, 'files', 1);
      return at(page.json, '/data/0/name') !== 'n11';
    },
  },
  'pages.in-the-order-of-ids': {
    source: 'core: Server side paging 4',
    breaks: 'Page 0 is what the first read includes, after entries have changed places as well.',
    variant: changes('paging', 'assemblePage', async (page, areas, ...args) => {
      const [, reading, object, , section, number, filter] = args;
      if (filter !== undefined || section.items !== undefined) return page;
      const all = await areas.entries.entriesOf(reading, object, section, { from: 0, to: 1000 });
      const { from, to } = areas.paging.pageRange(number);
      const entries = all.toSorted((one, other) => one.entryId - other.entryId).slice(from, to);
      const ids = new Map(entries.map(({ entryId }, index) => [String(entryId), index]));
      const shown = new Map(page.data.map((entry) => [String(entry.$entryId), entry]));
      return [...ids.keys()].every((id) => shown.has(id))
        ? { ...page, data: [...ids.keys()].flatMap((id) => shown.get(id) ?? []) }
        : { ...page, data: entries.map((entry) => areas.entries.entryOut(args[0].space, section.member, entry)) };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: named(12) });
      const before = [
        ...listAt((await edda.page(made, 'files', 0)).json, '/data'),
        ...listAt((await edda.page(made, 'files', 1)).json, '/data'),
      ];
      const files = before
        .toReversed()
        .map((entry) => ({ $entryId: at(entry, '/$entryId'), name: at(entry, '/name') }));
      await edda.replace(made, 1, { title: 't', files });
      const first = listAt(await edda.read(made), '/data/files').map((entry) => at(entry, '/name'));
      const page = listAt((await edda.page(made, 'files', 0)).json, '/data').map((entry) => at(entry, '/name'));
      return first.join() !== page.join();
    },
  },
  'paging.equal-entries-change-places': {
    source: 'core: Server side paging 4',
    breaks: 'Later pages hold the rest of the array, also where entries hold the same.',
    museum: true,
    variant: replaces('entries', 'entriesOf', async (right, areas, reading, object, section, range, filter) => {
      if (range.from === 0 || section.items !== undefined) return right(areas, reading, object, section, range, filter);
      const entries = await right(areas, reading, object, section, whole, filter);
      return withTiesReversed(entries).slice(range.from, range.to);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: many(20, () => ({ name: 'b' })) });
      const first = listAt(await edda.read(made), '/data/files').map((entry) => at(entry, '/$entryId'));
      const second = listAt((await edda.page(made, 'files', 1)).json, '/data').map((entry) => at(entry, '/$entryId'));
      return second.some((id) => first.includes(id));
    },
  },
  'paging.last-page-is-full': {
    source: 'core: Server side paging 4',
    breaks: 'The last page holds what is left, and repeats nothing to be full.',
    museum: true,
    variant: replaces('entries', 'entriesOf', async (right, areas, reading, object, section, range, filter) => {
      const entries = await right(areas, reading, object, section, range, filter);
      const isShort = range.from > 0 && entries.length > 0 && entries.length < entriesPerPage;
      if (!isShort) return entries;
      const to = range.from + entries.length;
      return right(areas, reading, object, section, { from: to - entriesPerPage, to }, filter);
    }),
    async shows({ edda }) {
      const made = await withFiles(edda, 18);
      return listAt((await edda.page(made, 'files', 1)).json, '/data').length === entriesPerPage;
    },
  },
  'paging.by-entry-ids': {
    source: 'core: Server side paging 4',
    breaks: 'Page 0 is what the first read holds, ten entries, also when one of the first ten was removed before.',
    variant: replaces('paging', 'assemblePage', (right, areas, ...args) => {
      const entries: typeof areas.entries.entriesOf = async (reading, object, section, { from, to }, filter) => {
        const all = await areas.entries.entriesOf(reading, object, section, whole, filter);
        return all.filter(({ entryId }) => entryId > from && entryId <= to);
      };
      return right(within(areas, { entries: { entriesOf: entries } }), ...args);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'removed', files: named(12) });
      await edda.operate(made, 1, [{ op: 'remove', path: '/files/3/' }]);
      return listAt((await edda.page(made, 'files', 0)).json, '/data').length !== 10;
    },
  },
  'paging.fourth-page-begins-early': {
    source: 'core: Server side paging 4',
    breaks: 'Each later page goes on where the one before it ends.',
    variant: changes('paging', 'pageRange', ({ from, to }, _areas, page) =>
      page < 3 ? { from, to } : { from: from - 1, to: to - 1 },
    ),
    async shows(service) {
      const edda = service.edda;
      const made = await edda.make('Document', { contacts: named(35) });
      return at((await edda.page(made, 'contacts', 3)).json, '/data/0/name') !== 'n31';
    },
  },
  'paging.rounded-pages': {
    source: 'core: Server side paging 4',
    breaks: 'A rest of entries has a page of its own, also when it is less than half of one.',
    variant: replaces('paging', 'pagesOf', (_right, _areas, total) => Math.max(1, Math.round(total / entriesPerPage))),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'rest', contacts: named(13) });
      const page = await readPageLink(edda, made);
      return at(page, '/pages') !== 2;
    },
  },
  'paging.first-page-of-the-first-time': {
    source: 'core: Server side paging 4',
    breaks: 'Page 0 is what a read includes, also after an edit, when it was fetched before.',
    variant: breaks('paging', 'assemblePage', (right) => {
      const kept = new Map<string, Awaited<ReturnType<typeof right>>['data']>();
      return async (areas, call, reading, object, view, section, page, filter) => {
        const body = await right(areas, call, reading, object, view, section, page, filter);
        if (page > 0 || filter !== undefined) return body;
        const key = `${object.oid} ${view.id} ${section.path}`;
        const data = kept.get(key) ?? body.data;
        kept.set(key, data);
        return { ...body, data };
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'page', files: named(12) });
      await edda.page(made, 'files', 0);
      await edda.operate(made, 1, [{ op: 'replace', path: '/files/3/name', value: 'edited' }]);
      return at((await edda.page(made, 'files', 0)).json, '/data/2/name') !== 'edited';
    },
  },
  'paging.pages-one-edit-behind': {
    source: 'core: Server side paging 4',
    breaks: 'Later pages hold what page 0 left out, also when an entry of page 0 was just removed.',
    variant: breaks('paging', 'assemblePage', (right) => {
      const kept = new Map<string, Page>();
      return async (areas, call, reading, object, view, section, page, filter) => {
        const body = await right(areas, call, reading, object, view, section, page, filter);
        const known = kept.get(body.href);
        if (page > 0 && known?.version === object.version - 1) return { ...body, data: known.data };
        kept.set(body.href, body);
        return body;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: named(12) });
      await edda.page(made, 'files', 1);
      await edda.operate(made, 1, [{ op: 'remove', path: `${await firstFile(edda, made)}/` }]);
      return listAt((await edda.page(made, 'files', 1)).json, '/data').length !== 1;
    },
  },
  'pages.missing-is-remembered': {
    source: 'core: Server side paging 4',
    breaks: 'A later page holds the rest, also where it was asked for before it was there.',
    variant: breaks('paging', 'assemblePage', (right) => {
      const missing = new Set<string>();
      return async (areas, call, reading, object, view, section, page, filter) => {
        const key = JSON.stringify([object.oid, section.path, page]);
        if (missing.has(key)) throw new Refusal(404, 'There is no such page.');
        try {
          return await right(areas, call, reading, object, view, section, page, filter);
        } catch (error) {
          if (isRefusal(error, 404)) missing.add(key);
          throw error;
        }
      };
    }),
    async shows({ edda }) {
      const made = await withFiles(edda, entriesPerPage);
      await edda.page(made, 'files', 1);
      await append(edda, made, 1, [{ name: 'n' }]);
      return (await edda.page(made, 'files', 1)).status === 404;
    },
  },
  'pages.end-at-a-thousand': {
    source: 'core: Server side paging 4',
    breaks: 'Later pages hold the rest, also of an array with more than a thousand entries.',
    variant: replaces('entries', 'entriesOf', async (right, areas, reading, object, section, range, filter) =>
      range.from >= 1000 ? [] : right(areas, reading, object, section, range, filter),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: named(1001) });
      return (await edda.page(made, 'files', 100)).status !== 200;
    },
  },
  'pages.counted-up-to-a-thousand': {
    source: 'core: Server side paging 2',
    breaks: 'The link counts all entries, also where they are more than a thousand.',
    variant: changes('entries', 'totalOf', (total) => Math.min(total, 1000)),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: named(1001) });
      return at(pageLinkIn(await edda.read(made), 'files'), '/totalNumber') !== 1001;
    },
  },
  'pages.inside-entries-end-at-a-hundred': {
    source: 'core: Server side paging 4',
    breaks: 'Later pages hold the rest, also of more than a hundred entries inside an entry.',
    variant: replaces('entries', 'entriesOf', async (right, areas, reading, object, section, range, filter) =>
      section.items !== undefined && range.from >= 100 ? [] : right(areas, reading, object, section, range, filter),
    ),
    async shows(service) {
      const { made, port } = await withRevisions(service, 101);
      return (await service.edda.page(made, port, 10)).status !== 200;
    },
  },
  'pages.inside-entries-behind-the-first-page': {
    source: 'core: Server side paging 1 to 4',
    breaks: 'An array inside an entry of a later page has its pages too.',
    variant: replaces('paging', 'locateSection', async (right, areas, reading, object, view, softType, path) => {
      const [root = '', id] = path.split('/');
      const first = await reading.entries(object.oid, root, { from: 0, to: 10 });
      if (id !== undefined && !first.some(({ entryId }) => String(entryId) === id))
        throw new Refusal(404, `There is no entry ${id}.`);
      return right(areas, reading, object, view, softType, path);
    }),
    async shows({ edda }) {
      const files = many(11, (n) => ({ name: `f${n}`, revisions: many(11, (r) => ({ text: `r${r}` })) }));
      const made = await edda.make('Document', { files });
      const id = String(at((await edda.page(made, 'files', 1)).json, '/data/0/$entryId'));
      return (await edda.page(made, `files/${id}/revisions`, 1)).status !== 200;
    },
  },
};

/** Entries that hold the same stand in reverse order among themselves. */
function withTiesReversed(entries: readonly StoredEntry[]): readonly StoredEntry[] {
  const alike = Map.groupBy(entries, ({ content }) => JSON.stringify(content));
  return entries.flatMap(({ content }) => alike.get(JSON.stringify(content))?.pop() ?? []);
}
