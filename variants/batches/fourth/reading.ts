import { type Variant, Step, breaks, together, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { type Client, type Made, at, listAt, many } from '../service.ts';

/** Reads, pages, filters and links. */
export const reading: Batch = {
  'paging.one-digit': {
    source: 'core: Page response',
    breaks: 'The href of a page is the URI of that page, the eleventh page and those behind it included.',
    kind: 'place',
    variant: replaces('entries', 'pageHref', (right, areas, object, view, section, page, filter) =>
      right(areas, object, view, section, typeof page === 'number' ? firstDigit(page) : page, filter),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', documentWith(101));
      const page = (await edda.page(made, 'files', 10)).json;
      const again = (await edda.get(String(at(page, '/href')))).json;
      return JSON.stringify(at(again, '/data')) !== JSON.stringify(at(page, '/data'));
    },
  },
  'paging.remembered-total': {
    source: 'core: Server side paging 5',
    breaks: 'The filter shapes the links of each read: their number of entries is that of now.',
    kind: 'copy',
    variant: breaks('entries', 'totalOf', (right) => {
      const totals = new Map<string, number>();
      return async (areas, reading, object, section, filter) => {
        if (filter === undefined) return right(areas, reading, object, section, filter);
        const key = `${object.oid} ${section.path} ${filter.filter.id} ${filter.value}`;
        const total = totals.get(key) ?? (await right(areas, reading, object, section, filter));
        totals.set(key, total);
        return total;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', documentWith(12, { category: 'drawing' }));
      const before = await edda.read(made, drawings);
      const first = at(listAt(before, '/data/files')[0], '/$entryId');
      await edda.operate(made, 1, [{ op: 'remove', path: `/files/${String(first)}/` }]);
      return at(pageLink(await edda.read(made, drawings), 'files'), '/totalNumber') === 12;
    },
  },
  'paging.long-inside-a-later-page': {
    source: 'core: Limits, entries per array in a read',
    breaks: 'An array inside an entry holds at most 10 entries in a page too.',
    kind: 'place',
    variant: nestedUnlimitedOnLaterPages(),
    async shows({ edda }) {
      const files = many(11, (number) => ({
        name: `file ${number}`,
        revisions: many(12, (text) => ({ text: `${text}` })),
      }));
      const made = await edda.make('Document', { title: 'deep', files });
      return listAt((await edda.page(made, 'files', 1)).json, '/data/0/revisions').length > 10;
    },
  },
  'paging.version-before-the-promote': {
    source: 'core: Page response, version',
    breaks: 'A page tells the system version of the object, the one after a promote as well.',
    kind: 'moment',
    variant: pagesBehindPromotes(),
    async shows({ edda }) {
      const made = await edda.make('Document', documentWith(12));
      await edda.move(made, 1);
      return at((await edda.page(made, 'files', 1)).json, '/version') === 1;
    },
  },
  'filter.not-on-the-long-route': {
    source: 'core: Endpoint table, GET softtype',
    breaks: 'The filter is taken on both forms of the instance GET.',
    kind: 'place',
    variant: replaces('entries', 'filterOf', (right, areas, call, softType, parameter) =>
      parameter === 'softTypeFilterId' && call.params['outputSchemaId'] !== undefined
        ? undefined
        : right(areas, call, softType, parameter),
    ),
    async shows({ edda }) {
      const files = [
        { name: 'one', category: 'drawing' },
        { name: 'two', category: 'letter' },
      ];
      const made = await edda.make('Document', { title: 'filtered', files });
      return listAt((await edda.get(longPath(made, 'documentFull') + drawings)).json, '/data/files').length === 2;
    },
  },
  'links.filtered-for-everybody': {
    source: 'core: What the service does (hypermedia conventions)',
    breaks: 'Links describe what the current user may do, in a filtered read as well.',
    kind: 'role',
    variant: replaces('hypermedia', 'linksOf', (right, areas, call, object, view, slices, filter) => {
      const links = right(areas, call, object, view, slices, filter);
      if (filter === undefined) return links;
      const softType = areas.objects.softTypeOf(call.space, object.softType);
      const pages = links.filter(({ rel }) => rel === 'page');
      return [...areas.hypermedia.operationLinks(object, softType, view), ...pages];
    }),
    async shows({ edda, rita }) {
      const made = await edda.make('Document', documentWith(1, { category: 'drawing' }));
      const links = listAt(await rita.read(made, drawings), '/links');
      return links.some((link) => at(link, '/method') !== 'GET');
    },
  },
  'reading.other-view-before-the-promote': {
    source: 'core: SoftType read response, version',
    breaks: 'A read tells the current version, under each output schema and whoever read it before.',
    kind: 'copy',
    variant: otherViewsBehindPromotes(),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'kept' });
      const path = longPath(made, 'documentSummary');
      await edda.get(path);
      await edda.move(made, 1);
      return at((await edda.get(path)).json, '/version') === 1;
    },
  },
  'reading.empty-text-inside': {
    source: 'core: SoftType read response, data',
    breaks: 'Data is the content of the instance: an empty text in an array inside an entry is one.',
    kind: 'value',
    variant: replaces('entries', 'entryOut', (right, areas, space, member, entry) => {
      const out = right(areas, space, member, entry);
      const inner = Object.entries(out).flatMap(([name, value]) =>
        Array.isArray(value) ? [[name, value.map(withoutEmptyTexts)] as const] : [],
      );
      return { ...out, ...Object.fromEntries(inner) };
    }),
    async shows({ edda }) {
      const files = [{ name: 'file', comment: '', revisions: [{ text: '', author: 'someone' }] }];
      const made = await edda.make('Document', { title: 'empty', files });
      return at(await edda.read(made), '/data/files/0/revisions/0/text') === undefined;
    },
  },
};

const drawings = '?softTypeFilterId=drawings';

function documentWith(count: number, member: object = {}): object {
  return { title: 'long', files: many(count, (number) => ({ name: `file ${number}`, ...member })) };
}

function longPath({ definition, oid }: Made, view: string): string {
  return `/api/space/main/softtype/${definition}/${view}/${oid}`;
}

function pageLink(read: Awaited<ReturnType<Client['read']>>, section: string): unknown {
  return listAt(read, '/links').find((link) => at(link, '/sectionPath') === section);
}

function firstDigit(page: number): number {
  return Number(String(page).charAt(0));
}

function withoutEmptyTexts(item: unknown): unknown {
  if (typeof item !== 'object' || item === null) return item;
  return Object.fromEntries(Object.entries(item).filter(([, value]) => value !== ''));
}

function nestedUnlimitedOnLaterPages(): Variant {
  const later = new Step();
  return together(
    replaces('paging', 'assemblePage', (right, areas, ...args) =>
      args[5] > 0 ? later.run(() => right(areas, ...args)) : right(areas, ...args),
    ),
    replaces('entries', 'nestedReadRange', (right, areas) =>
      later.isOn() ? { from: 0, to: Number.MAX_SAFE_INTEGER } : right(areas),
    ),
  );
}

/** Notes of every promote which version it started from. */
function notesPromotes(versions: Map<string, number>): Variant {
  return replaces('maturity', 'versionAfterPromote', (right, areas, object) => {
    versions.set(object.oid, object.version);
    return right(areas, object);
  });
}

function pagesBehindPromotes(): Variant {
  const before = new Map<string, number>();
  return together(
    notesPromotes(before),
    replaces('paging', 'assemblePage', async (right, areas, ...args) => {
      const page = await right(areas, ...args);
      const former = before.get(args[2].oid);
      return former === page.version - 1 ? { ...page, version: former } : page;
    }),
  );
}

function otherViewsBehindPromotes(): Variant {
  const before = new Map<string, number>();
  return together(
    notesPromotes(before),
    breaks('memory', 'rememberedRead', (right) => {
      const kept = new Map<string, { version: number; answer: Awaited<ReturnType<typeof right>> }>();
      return async (areas, call, reading, object, view, assemble) => {
        const { softType, version, oid } = object;
        const usual = areas.objects.outputViewOf(areas.objects.softTypeOf(call.space, softType), undefined);
        if (view === usual) return right(areas, call, reading, object, view, assemble);
        const key = `${oid} ${view.id} ${call.user.name}`;
        const known = kept.get(key);
        if (known !== undefined && known.version === before.get(oid) && version === known.version + 1)
          return known.answer;
        const answer = await right(areas, call, reading, object, view, assemble);
        kept.set(key, { version, answer });
        return answer;
      };
    }),
  );
}
