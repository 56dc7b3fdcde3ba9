import { routes } from '../../../contract/routes.ts';
import { breaks, replaces, together, type Variant } from '../../breaks.ts';
import { mapped } from '../../dialect/choice.ts';
import type { Mistakes } from '../mistake.ts';
import { named, withRevisions } from '../proofs.ts';
import { at, listAt, many } from '../service.ts';
import { changes, type EntryOut, keptUntilOwnWrite, stampOf, stampsAllBut } from '../variant-parts.ts';

/** Files of two categories in turn. */
const mixed = (count: number) =>
  many(count, (number) => ({ name: `f${number}`, category: number % 2 === 0 ? 'drawing' : 'text' }));

export const pageResponsesMistakes: Mistakes = {
  'pages.packed-one-is-the-first': {
    source: 'core: Server side paging 4',
    breaks: 'A later page has entries of its own, for a client that takes packed answers too.',
    variant: replaces('paging', 'assemblePage', (right, areas, call, reading, object, view, section, page, filter) => {
      const isPacked = call.headers['accept-encoding']?.includes('gzip') === true;
      return right(areas, call, reading, object, view, section, isPacked ? 0 : page, filter);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: named(11) });
      const path = `/api/space/main/softtype/page/Document/documentFull/files/${made.oid}/1`;
      return listAt((await edda.get(path, { 'accept-encoding': 'gzip' })).json, '/data').length === 10;
    },
  },
  'pages.of-inner-array-keep-what-was-replaced': {
    source: 'core: Server side paging 4',
    breaks: 'A later page shows what its entries hold now, one of an array inside an entry as well.',
    variant: breaks('paging', 'assemblePage', (right) => {
      const kept = new Map<string, Awaited<ReturnType<typeof right>>['data']>();
      return async (areas, call, reading, object, view, section, page, filter) => {
        const body = await right(areas, call, reading, object, view, section, page, filter);
        if (section.items === undefined || page === 0) return body;
        const key = JSON.stringify([object.oid, section.path, page, section.items.length]);
        const data = kept.get(key) ?? body.data;
        kept.set(key, data);
        return { ...body, data };
      };
    }),
    async shows(service) {
      const { made, port } = await withRevisions(service, 12);
      const id = String(at((await service.edda.page(made, port, 1)).json, '/data/0/$entryId'));
      await service.edda.operate(made, 1, [{ op: 'replace', path: `/${port}/${id}/text`, value: 'new' }]);
      return at((await service.edda.page(made, port, 1)).json, '/data/0/text') !== 'new';
    },
  },
  'pages.href-without-value-of-filter': {
    source: 'core: Page response, href',
    breaks: 'href leads to the page, also to a filtered one, for which the filter needs its value.',
    variant: changes('entries', 'pageHref', (href, _areas, _object, _view, _section, page) =>
      typeof page === 'number' ? href.replace(/&[^&]*$/, '') : href,
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', documentWith(12, { category: 'letter' }));
      const page = await edda.page(made, 'files', 1, '?softTypeFilter=byCategory&fileGroup.category=letter');
      return (await edda.get(String(at(page.json, '/href')))).status !== 200;
    },
  },
  'pages.inner-ones-unnumbered-behind-the-first': {
    source: 'core: Page response, data; System properties, $entryId',
    breaks: 'Entries of each page have their ids, be it a later page of an array inside an entry.',
    variant: changes('paging', 'assemblePage', (body, _areas, _call, _reading, _object, _view, section, page) => {
      if (section.items === undefined || page === 0) return body;
      return { ...body, data: body.data.map(({ $entryId: _id, ...members }) => members as EntryOut) };
    }),
    async shows(service) {
      const { made, port } = await withRevisions(service, 12);
      return at((await service.edda.page(made, port, 1)).json, '/data/0/$entryId') === undefined;
    },
  },
  'pages.nested-kept-with-its-entry': {
    source: 'core: Page response, version',
    breaks:
      'The version of a page is that of the object, also where its entries stand inside one that has not changed.',
    variant: breaks('paging', 'assemblePage', (right) => {
      const kept = new Map<string, number>();
      return async (areas, call, reading, object, view, section, page, filter) => {
        const made = await right(areas, call, reading, object, view, section, page, filter);
        if (section.items === undefined) return made;
        const key = JSON.stringify([object.oid, section.path, page, section.items]);
        const version = kept.get(key) ?? made.version;
        kept.set(key, version);
        return { ...made, version };
      };
    }),
    async shows(service) {
      const { made, port } = await withRevisions(service, 12);
      await service.edda.page(made, port, 1);
      await service.edda.merge(made, 1, { title: 'u' });
      return at((await service.edda.page(made, port, 1)).json, '/version') !== 2;
    },
  },
  'paging.version-of-the-first-look': {
    source: 'core: Page response',
    breaks: 'A page tells the version that its object has now.',
    variant: breaks('paging', 'assemblePage', (right) => {
      const versions = new Map<string, number>();
      return async (areas, call, reading, object, ...args) => {
        const version = versions.get(object.oid) ?? object.version;
        versions.set(object.oid, version);
        return { ...(await right(areas, call, reading, object, ...args)), version };
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: named(11) });
      await edda.page(made, 'files', 1);
      await edda.merge(made, 1, { note: 'n' });
      return at((await edda.page(made, 'files', 1)).json, '/version') !== 2;
    },
  },
  'reading.page-texts-lose-trailing-space': {
    source: 'core: Page response',
    breaks: 'A page holds the entries as they are, spaces at the end of their texts included.',
    variant: changes('paging', 'assemblePage', (body) => ({
      ...body,
      data: body.data.map((entry) => withTrimmedTexts(entry)),
    })),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: many(12, (n) => ({ name: `f${n}`, comment: 'c ' })) });
      return at((await edda.page(made, 'files', 1)).json, '/data/0/comment') !== 'c ';
    },
  },
  'paging.page-version-counts-no-moves': {
    source: 'core: Page response, version',
    breaks: 'The version of a page is that of its object, promotes included.',
    variant: together(
      stampsAllBut('promoteObject'),
      replaces('paging', 'assemblePage', async (right, areas, call, reading, object, ...rest) => ({
        ...(await right(areas, call, reading, object, ...rest)),
        version: stampOf(object.content, object.version),
      })),
    ),
    shows: async ({ edda }) => {
      const made = await edda.make('Document', {
        title: 'pages of a moved one',
        files: many(12, (number) => ({ name: `f${number}` })),
      });
      await edda.move(made, 1);
      return at((await edda.page(made, 'files', 1)).json, '/version') !== 2;
    },
  },
  'paging.references-unnumbered-behind-the-first-page': {
    source: 'core: Page response, row data',
    breaks: 'Each entry of a page has its entry id, also a reference on a later page.',
    variant: changes('paging', 'assemblePage', (page, _areas, ...asked) => {
      const [, , , , section, number] = asked;
      if (section.member.kind !== 'references' || number === 0) return page;
      return { ...page, data: page.data.map((entry) => ({ ...entry, $entryId: undefined })) as never };
    }),
    async shows({ edda }) {
      const part = await edda.make('Part');
      const describes = many(11, () => ({ value: { $oid: part.oid } }));
      const made = await edda.make('Document', { describes });
      const [entry] = listAt((await edda.page(made, 'describes', 1)).json, '/data');
      return entry !== undefined && at(entry, '/$entryId') === undefined;
    },
  },
  'paging.page-kept-until-the-array-grows': {
    source: 'core: Page response, row data',
    breaks: 'A page has the entries as they are, also where only a member of one has changed.',
    variant: breaks('paging', 'assemblePage', (right) => {
      const kept = new Map<string, Awaited<ReturnType<typeof right>>['data']>();
      return async (areas, call, reading, object, view, section, number, filter) => {
        const page = await right(areas, call, reading, object, view, section, number, filter);
        const total = await areas.entries.totalOf(reading, object, section, filter);
        const key = `${page.href} ${total}`;
        const data = kept.get(key) ?? page.data;
        kept.set(key, data);
        return { ...page, data };
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: named(11) });
      await edda.page(made, 'files', 1);
      await edda.operate(made, 1, [{ op: 'replace', path: '/files/11/name', value: 'renamed' }]);
      return at((await edda.page(made, 'files', 1)).json, '/data/0/name') === 'n11';
    },
  },
  'paging.page-as-old-as-its-entries': {
    source: 'core: Page response, row version',
    breaks: 'The version of a page is that of the object, also when something else of it was edited.',
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
      const made = await edda.make('Document', { files: named(11) });
      await edda.page(made, 'files', 1);
      await edda.merge(made, 1, { note: 'n' });
      return at((await edda.page(made, 'files', 1)).json, '/version') !== 2;
    },
  },
  'pages.references-are-numbered-anew': {
    source: 'core: Page response, data',
    breaks: 'An entry has one id, on a later page of references too.',
    variant: changes('paging', 'assemblePage', (page, _areas, ...args) => {
      const [, , , , section, number] = args;
      return section.member.kind === 'references' && number > 0
        ? { ...page, data: page.data.map((entry, index) => ({ ...entry, $entryId: index + 1 })) }
        : page;
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Part');
      const describes = many(11, () => ({ value: { $oid: oid } }));
      const made = await edda.make('Document', { describes });
      const first = at((await edda.page(made, 'describes', 0)).json, '/data/0/$entryId');
      return at((await edda.page(made, 'describes', 1)).json, '/data/0/$entryId') === first;
    },
  },
  'page.href-of-the-outer-array': {
    source: 'core: Page response, href',
    breaks: 'The href of a page leads to that page, of an array inside an entry too.',
    variant: changes('paging', 'assemblePage', (page, _areas, ...args) => {
      const { path } = args[4];
      const [outer = ''] = path.split('/');
      return { ...page, href: page.href.replace(encodeURIComponent(path), encodeURIComponent(outer)) };
    }),
    async shows({ edda }) {
      const revisions = many(12, (number) => ({ text: `l${number}` }));
      const made = await edda.make('Document', { files: [{ name: 'n', revisions }] });
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      const page = await edda.page(made, `files/${id}/revisions`, 0);
      const again = await edda.get(String(at(page.json, '/href')));
      return JSON.stringify(again.json) !== JSON.stringify(page.json);
    },
  },
  'paging.edited-entry-without-id': {
    source: 'core: Page response, row data',
    breaks: 'Every entry of a page has its id, also one that was edited since it was made.',
    variant: withEditedEntriesUnnamed(),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: named(11) });
      const page = await edda.page(made, 'files', 1);
      const id = String(at(page.json, '/data/0/$entryId'));
      await edda.operate(made, 1, [{ op: 'replace', path: `/files/${id}/name`, value: 'edited' }]);
      return at((await edda.page(made, 'files', 1)).json, '/data/0/$entryId') === undefined;
    },
  },
  'paging.href-with-a-bare-value': {
    source: 'core: Page response, href',
    breaks: 'The href of a page leads to it, whatever the value is that the filter was given.',
    variant: replaces('entries', 'pageHref', (right, areas, object, view, section, page, filter) => {
      const [path = '', query] = right(areas, object, view, section, page, filter).split('?');
      return query === undefined || typeof page === 'string'
        ? path + (query ? `?${query}` : '')
        : `${path}?${decodeURIComponent(query)}`;
    }),
    async shows({ edda }) {
      const files = many(11, (number) => ({ name: `n${number}`, category: 'R&D' }));
      const made = await edda.make('Document', { files });
      const page = await edda.page(made, 'files', 1, '?softTypeFilter=byCategory&fileGroup.category=R%26D');
      return (await edda.get(String(at(page.json, '/href')))).status !== 200;
    },
  },
  'paging.one-digit': {
    source: 'core: Page response',
    breaks: 'The href of a page is the URI of that page, the eleventh page and those behind it included.',
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
  'paging.href-of-the-filtered-page': {
    source: 'core: Page response, row href',
    breaks: 'The href of a page is its own, also where the page was read with a filter before.',
    variant: breaks('paging', 'assemblePage', (right) => {
      const known = new Map<string, string>();
      return async (areas, call, reading, object, view, section, page, filter) => {
        const body = await right(areas, call, reading, object, view, section, page, filter);
        const key = `${object.oid} ${view.id} ${section.path} ${page}`;
        if (filter !== undefined) known.set(key, body.href);
        return { ...body, href: known.get(key) ?? body.href };
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: [{ name: 'n', category: 'drawing' }] });
      await edda.page(made, 'files', 0, '?softTypeFilter=drawings');
      return String(at((await edda.page(made, 'files', 0)).json, '/href')).includes('softTypeFilter');
    },
  },
  'paging.an-empty-entry-has-no-id': {
    source: 'core: Page response',
    breaks: 'Each entry of a page has its id, also one without any other member.',
    variant: changes('paging', 'assemblePage', (body) => {
      const data = body.data.map((entry) => (Object.keys(entry).length === 1 ? {} : entry));
      return { ...body, data: data as typeof body.data };
    }),
    async shows({ edda }) {
      const contacts = many(11, (number) => (number === 11 ? {} : { name: 'n' }));
      const made = await edda.make('Document', { contacts });
      return at((await edda.page(made, 'contacts', 1)).json, '/data/0/$entryId') === undefined;
    },
  },
  'reading.filtered-page-numbers-anew': {
    source: 'core: Page response, data',
    breaks: 'An entry of a page has its own $entryId, whether or not a filter left others out.',
    variant: changes(
      'paging',
      'assemblePage',
      (body, _areas, _call, _reading, _object, _view, _section, page, filter) => {
        if (filter === undefined) return body;
        return { ...body, data: body.data.map((entry, index) => ({ ...entry, $entryId: page * 10 + index + 1 })) };
      },
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'filtered', files: mixed(6) });
      const entries = listAt(await edda.read(made), '/data/files');
      const page = listAt((await edda.page(made, 'files', 0, '?softTypeFilter=drawings')).json, '/data');
      return at(page[0], '/$entryId') !== at(entries[1], '/$entryId');
    },
  },
  'paging.address-of-the-first-page': {
    source: 'core: Page response, row href',
    breaks: 'The address in a page is that of this page.',
    variant: changes(
      'paging',
      'assemblePage',
      (body, areas, _call, _reading, object, view, section, _page, filter) => ({
        ...body,
        href: areas.entries.pageHref(object, view, section, 0, filter),
      }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'address', files: named(12) });
      const { json } = await edda.page(made, 'files', 1);
      return listAt((await edda.get(String(at(json, '/href')))).json, '/data').length !== 2;
    },
  },
  'paging.version-of-what-is-referred-to': {
    source: 'core: Page response, row version',
    breaks: 'A page tells the version of the object that has the array, also where its entries lead to other objects.',
    variant: changes('paging', 'assemblePage', async (body, _areas, _call, reading, object, _view, section) => {
      const oid = section.member.kind === 'references' ? at(body.data[0], '/value/$oid') : undefined;
      const target = typeof oid === 'string' ? await reading.object(object.spaceId, oid) : undefined;
      return target === undefined ? body : { ...body, version: target.version };
    }),
    async shows({ edda }) {
      const part = await edda.make('Part');
      await edda.merge(part, 1, { note: 'n' });
      const made = await edda.make('Document', { describes: [{ value: { $oid: part.oid } }] });
      return at((await edda.page(made, 'describes', 0)).json, '/version') !== 1;
    },
  },
  'paging.page-that-is-called-otherwise': {
    source: 'core: Page response, row href',
    breaks: 'The URI in a page is that of the page, also where a configured filter with its own value made it.',
    variant: changes(
      'paging',
      'assemblePage',
      (body, _areas, _call, _reading, _object, _view, _section, _page, filter) =>
        filter?.filter.equals === undefined ? body : { ...body, href: body.href.replace(/\?.*/, '') },
    ),
    survives:
      'silence filter-in-page-link: whether the filter belongs to the URI of what it was read through is said of no read',
    async shows({ edda }) {
      const files = [{ name: 'a' }, { name: 'b', category: 'drawing' }];
      const made = await edda.make('Document', { files });
      const page = await edda.page(made, 'files', 0, '?softTypeFilter=drawings');
      const again = await edda.get(String(at(page.json, '/href')));
      return JSON.stringify(listAt(again.json, '/data')) !== JSON.stringify(listAt(page.json, '/data'));
    },
  },
  'pages.kept-until-own-edit': {
    source: 'core: Page response, version',
    breaks: 'A page tells the version that another user has made since.',
    variant: keptUntilOwnWrite(({ path }) => path === routes.page),
    async shows({ edda, emil }) {
      const made = await edda.make('Document', { files: named(11) });
      await edda.page(made, 'files', 1);
      await emil.merge(made, 1, { note: 'n' });
      return at((await edda.page(made, 'files', 1)).json, '/version') === 1;
    },
  },
};

function withTrimmedTexts(entry: EntryOut): EntryOut {
  const members = Object.entries(entry).map(
    ([name, value]) => [name, typeof value === 'string' ? value.trimEnd() : value] as const,
  );
  return { ...Object.fromEntries(members), $entryId: entry.$entryId };
}

/** Entries that were edited have no id on a page. */
function withEditedEntriesUnnamed(): Variant {
  return (classes) => {
    const edited = new Set<string>();
    return together(
      replaces('operations', 'setMember', (right, areas, run, target, value) => {
        const { entry } = target.row;
        if (entry !== undefined) edited.add(`${run.object.oid} ${entry.port} ${entry.entryId}`);
        return right(areas, run, target, value);
      }),
      replaces('paging', 'assemblePage', async (right, areas, ...args) => {
        const [, , object, , section] = args;
        const page = await right(areas, ...args);
        const data = page.data.map((entry) => {
          const isEdited = edited.has(`${object.oid} ${section.port} ${String(entry.$entryId)}`);
          return isEdited ? mapped(entry, ({ $entryId: _lost, ...rest }) => rest) : entry;
        });
        return { ...page, data: data as typeof page.data };
      }),
    )(classes);
  };
}

function firstDigit(page: number): number {
  return Number(String(page).charAt(0));
}

function documentWith(count: number, member: object = {}): object {
  return { title: 'long', files: many(count, (number) => ({ name: `file ${number}`, ...member })) };
}
