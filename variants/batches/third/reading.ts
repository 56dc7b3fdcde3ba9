import { entriesPerPage } from '../../../contract/limits.ts';
import type { Page } from '../../../contract/wire.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, listAt, many, type Client, type Made } from '../service.ts';

const draft = 'draft';

export const readingMistakes: Batch = {
  'reading.links-of-whoever-read-first': {
    source: 'core: What the service does',
    breaks:
      'The links of a response are those of the user who asks, also when another one read the same object before.',
    kind: 'copy',
    variant: replaces('memory', 'rightsOf', () => 'anybody'),
    async shows({ edda, rita }) {
      const made = await edda.make('Document', { title: 'title' });
      await edda.read(made);
      const links = listAt(await rita.read(made), '/links');
      return links.some((link) => at(link, '/method') !== 'GET');
    },
  },

  'reading.inner-version-behind-after-promote': {
    source: 'core: System properties inside data',
    breaks: '$version is the version of the response, also after a promote.',
    kind: 'moment',
    variant: replaces('instances', 'systemMembers', (right, areas, object) => {
      const members = right(areas, object);
      const isPromoted = at(object.content, '/$states/engineering/state') !== draft;
      const hasStates = at(object.content, '/$states/engineering') !== undefined;
      return hasStates && isPromoted ? { ...members, $version: members.$version - 1 } : members;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'title' });
      await edda.move(made, 1);
      const read = await edda.read(made);
      return at(read, '/version') !== at(read, '/data/$version');
    },
  },

  'paging.version-of-a-page-read-before': {
    source: 'core: Page response',
    breaks:
      'A page has the version that its object is at, also where the page itself has not changed since it was read.',
    kind: 'copy',
    variant: breaks('paging', 'assemblePage', (right) => {
      const kept = new Map<string, Page>();
      return async (areas, call, reading, object, view, section, page, filter) => {
        const fresh = await right(areas, call, reading, object, view, section, page, filter);
        const known = kept.get(fresh.href + object.oid);
        if (known !== undefined && JSON.stringify(known.data) === JSON.stringify(fresh.data)) return known;
        kept.set(fresh.href + object.oid, fresh);
        return fresh;
      };
    }),
    async shows({ edda }) {
      const made = await makeWithFiles(edda, 12);
      await edda.page(made, 'files', 1);
      await edda.merge(made, 1, { note: 'note' });
      return at((await edda.page(made, 'files', 1)).json, '/version') !== 2;
    },
  },

  'paging.nested-entries-of-a-page-without-id': {
    source: 'core: System properties inside data',
    breaks: 'Objects inside an array have an $entryId, also those inside the entries of a page.',
    kind: 'combination',
    variant: replaces('paging', 'assemblePage', async (right, ...args) => {
      const page = await right(...args);
      return { ...page, data: page.data.map((entry) => withoutNestedIds(entry)) };
    }),
    async shows({ edda }) {
      const files = many(11, (number) => ({ name: `file ${number}`, revisions: [{ text: 'text' }] }));
      const made = await edda.make('Document', { title: 'title', files });
      const page = (await edda.page(made, 'files', 1)).json;
      return at(page, '/data/0/revisions/0/text') === 'text' && at(page, '/data/0/revisions/0/$entryId') === undefined;
    },
  },

  'paging.total-under-a-supplied-value': {
    source: 'core: Server side paging 5',
    breaks:
      'A filter whose value comes with the request shapes the counts of the page link, as one with a value of its own does.',
    kind: 'combination',
    variant: replaces('entries', 'totalOf', (right, areas, reading, object, section, filter) => {
      return right(areas, reading, object, section, filter?.filter.equals === undefined ? undefined : filter);
    }),
    async shows({ edda }) {
      const files = many(16, (number) => ({ name: `file ${number}`, category: number > 12 ? 'letter' : 'drawing' }));
      const made = await edda.make('Document', { title: 'title', files });
      const read = await edda.read(made, '?softTypeFilterId=byCategory&fileGroup.category=drawing');
      return at(pageLink(read, 'files'), '/totalNumber') !== 12;
    },
  },

  'paging.sets-by-entry-id': {
    source: 'core: Server side paging 4',
    breaks: 'Page 0 is the set of the first read, also when entries were removed from it.',
    kind: 'moment',
    variant: replaces(
      'paging',
      'assemblePage',
      async (right, areas, call, reading, object, view, section, page, filter) => {
        const fresh = await right(areas, call, reading, object, view, section, page, filter);
        if (section.items !== undefined || filter !== undefined) return fresh;
        const all = await reading.entries(object.oid, section.port, { from: 0, to: 10_000 });
        const [from, to] = [page * entriesPerPage, (page + 1) * entriesPerPage];
        const data = all.filter(({ entryId }) => entryId > from && entryId <= to);
        return { ...fresh, data: data.map((entry) => areas.entries.entryOut(call.space, section.member, entry)) };
      },
    ),
    async shows({ edda }) {
      const made = await makeWithFiles(edda, 14);
      await edda.operate(made, 1, [{ op: 'remove', path: '/files/3/' }]);
      const first = at(await edda.read(made), '/data/files');
      const page = at((await edda.page(made, 'files', 0)).json, '/data');
      return JSON.stringify(first) !== JSON.stringify(page);
    },
  },

  'paging.no-links-for-readers': {
    source: 'core: Server side paging 2',
    breaks: 'A user who may only read gets the page links as well.',
    kind: 'role',
    variant: replaces('hypermedia', 'linksOf', (right, areas, call, object, view, slices, filter) => {
      const links = right(areas, call, object, view, slices, filter);
      return areas.auth.mayUse(call.user, call.space, 'PUT') ? links : links.filter(({ rel }) => rel === 'self');
    }),
    async shows({ edda, rita }) {
      const made = await makeWithFiles(edda, 11);
      return pageLink(await rita.read(made), 'files') === undefined;
    },
  },
};

function makeWithFiles(client: Client, count: number): Promise<Made> {
  return client.make('Document', { title: 'title', files: many(count, (number) => ({ name: `file ${number}` })) });
}

function pageLink(read: unknown, sectionPath: string): unknown {
  return listAt(read, '/links').find((link) => at(link, '/rel') === 'page' && at(link, '/sectionPath') === sectionPath);
}

/** Only arrays inside the entry lose the ids of their items. */
function withoutNestedIds<Entry extends object>(entry: Entry): Entry {
  const pairs = Object.entries(entry).map(([name, value]: [string, unknown]) => [
    name,
    Array.isArray(value) ? value.map((item: unknown) => withoutId(item)) : value,
  ]);
  return { ...entry, ...Object.fromEntries(pairs) };
}

function withoutId(item: unknown): unknown {
  return typeof item === 'object' && item !== null ? { ...item, $entryId: undefined } : item;
}
