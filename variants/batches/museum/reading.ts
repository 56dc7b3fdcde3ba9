import { pageNumberTemplate } from '../../../contract/names.ts';
import type { Link } from '../../../contract/wire.ts';
import type { Answer } from '../../../reference-server/http/call.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import type { StoredEntry } from '../../../reference-server/ports/store.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { type Client, type Made, at, listAt, many } from '../service.ts';

const all = { from: 0, to: Number.MAX_SAFE_INTEGER };

const entriesPerPage = 10;

const profile = '/api/collection/user/profile';

const openApi = '/space/main/SoftType/dynamic/softtype.openApi';

/** Pages and links. */
const pages: Batch = {
  'paging.empty-page-behind-full-ones': {
    source: 'core: Server side paging 2',
    breaks: 'The pages of an array are those that its entries fill, so 20 entries are 2 pages.',
    kind: 'value',
    variant: replaces('paging', 'pagesOf', (_right, _areas, total) => Math.floor(total / entriesPerPage) + 1),
    async shows({ edda }) {
      return at(await pageLinkOf(edda, await withFiles(edda, 20)), '/pages') === 3;
    },
  },

  'paging.total-of-all': {
    source: 'core: Server side paging 5',
    breaks: 'A filter shapes what a page link tells of the array: it counts what the filter admits.',
    kind: 'combination',
    variant: replaces('entries', 'totalOf', (right, areas, reading, object, section) =>
      right(areas, reading, object, section),
    ),
    async shows({ edda }) {
      const files = many(17, (number) => ({ name: `${number}`, category: number < 13 ? 'drawing' : 'letter' }));
      const made = await edda.make('Document', { title: 'a', files });
      return at(await pageLinkOf(edda, made, '?softTypeFilterId=drawings'), '/totalNumber') === 17;
    },
  },

  'paging.template-is-encoded': {
    source: 'core: Server side paging 3',
    breaks: 'The href of a page link holds the template with its braces, for the client to fill in.',
    kind: 'value',
    variant: breaks('hypermedia', 'pageLink', (right) => (areas, ...rest): Link => {
      const link = right(areas, ...rest);
      return { ...link, href: link.href.replace(pageNumberTemplate, encodeURIComponent(pageNumberTemplate)) };
    }),
    async shows({ edda }) {
      return !String(at(await pageLinkOf(edda, await withFiles(edda, 11)), '/href')).includes(pageNumberTemplate);
    },
  },

  'paging.equal-entries-change-places': {
    source: 'core: Server side paging 4',
    breaks: 'Later pages hold the rest of the array, also where entries hold the same.',
    kind: 'combination',
    variant: replaces('entries', 'entriesOf', async (right, areas, reading, object, section, range, filter) => {
      if (range.from === 0 || section.items !== undefined) return right(areas, reading, object, section, range, filter);
      const entries = await right(areas, reading, object, section, all, filter);
      return withTiesReversed(entries).slice(range.from, range.to);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'a', files: many(20, () => ({ name: 'b' })) });
      const first = listAt(await edda.read(made), '/data/files').map((entry) => at(entry, '/$entryId'));
      const second = listAt((await edda.page(made, 'files', 1)).json, '/data').map((entry) => at(entry, '/$entryId'));
      return second.some((id) => first.includes(id));
    },
  },

  'paging.last-page-is-full': {
    source: 'core: Server side paging 4',
    breaks: 'The last page holds what is left, and repeats nothing to be full.',
    kind: 'value',
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

  'links.regardless-of-role': {
    source: 'core: What the service does (hypermedia conventions)',
    breaks: 'Links describe what the user who asks may do, not what anybody may.',
    kind: 'role',
    variant: replaces('hypermedia', 'linksOf', (right, areas, call, object, view, slices, filter) => {
      const softType = areas.objects.softTypeOf(call.space, object.softType);
      const paged = right(areas, call, object, view, slices, filter).filter(({ rel }) => rel === 'page');
      return [...areas.hypermedia.operationLinks(object, softType, view), ...paged];
    }),
    async shows({ edda, rita }) {
      const made = await edda.make('Document', { title: 'a' });
      return listAt(await rita.read(made), '/links').some((link) => at(link, '/method') === 'PATCH');
    },
  },
};

/** What is cached, and what is told of the API itself. */
const others: Batch = {
  'etag.of-second-and-length': {
    source: 'core: Versioning 4',
    breaks: 'Data that changed are sent, however soon they changed and however long they are.',
    kind: 'moment',
    variant: (classes) => {
      const kept = new Map<string, { readonly second: number; readonly length: number; readonly etag: string }>();
      return breaks('caching', 'conditional', (right) => (areas, call, answer): Answer => {
        const plain = right(areas, { ...call, headers: { ...call.headers, 'if-none-match': undefined } }, answer);
        if (plain.status !== 200) return plain;
        const key = `${call.url} ${call.headers['authorization'] ?? ''}`;
        const known = kept.get(key);
        const second = Math.floor(areas.clock.now() / 1000);
        const length = (answer.raw ?? JSON.stringify(answer.body)).length;
        const isSame = known?.second === second && known.length === length;
        const etag = isSame ? known.etag : (plain.headers?.['ETag'] ?? '');
        kept.set(key, { second, length, etag });
        const headers = { ...plain.headers, ETag: etag };
        const condition = call.headers['if-none-match'];
        const isHeld = condition !== undefined && areas.caching.ifNoneMatch(condition, etag);
        return isHeld ? areas.caching.notModified(headers) : { ...plain, headers };
      })(classes);
    },
    async shows({ cora }) {
      for (const name of ['one', 'two', 'six', 'ten']) {
        const etag = (await cora.get(profile)).headers.get('etag') ?? '';
        await cora.put(profile, undefined, { displayName: name });
        if ((await cora.get(profile, { 'if-none-match': etag })).status === 304) return true;
      }
      return false;
    },
  },

  'openapi.path-parameters-optional': {
    source: 'core: What the service does (OpenAPI definitions)',
    breaks: 'The definitions are OpenAPI, where each parameter of a path is required.',
    kind: 'value',
    variant: replaces('openApi', 'dynamicDocument', (right, areas, space) => {
      const loosen = (_name: string, value: unknown): unknown =>
        isContent(value) && value['in'] === 'path' ? { ...value, required: undefined } : value;
      return JSON.parse(JSON.stringify(right(areas, space), loosen)) as ReturnType<typeof right>;
    }),
    async shows({ edda }) {
      const { json } = await edda.get(openApi);
      const parameters = Object.values(at(json, '/components/parameters') ?? {});
      return parameters.some((parameter) => at(parameter, '/in') === 'path' && at(parameter, '/required') !== true);
    },
  },

  'openapi.required-members-lost': {
    source: 'core: What the service does (OpenAPI definitions)',
    breaks: 'The dynamic definitions are those of the configured SoftTypes, mandatory members included.',
    kind: 'value',
    variant: replaces('openApi', 'dynamicDocument', (right, areas, space) => {
      const loosen = (_name: string, value: unknown): unknown =>
        isContent(value) && value['type'] === 'object' ? { ...value, required: undefined } : value;
      return JSON.parse(JSON.stringify(right(areas, space), loosen)) as ReturnType<typeof right>;
    }),
    async shows({ edda }) {
      const { text } = await edda.get(openApi);
      return !text.includes('"required":["title"]');
    },
  },
};

/** Mistakes that others made about pages, links, caches and definitions. */
export const readingExhibits: Batch = { ...pages, ...others };

function withFiles(client: Client, count: number, category = 'letter'): Promise<Made> {
  return client.make('Document', {
    title: 'a',
    files: many(count, (number) => ({ name: `file ${number}`, category })),
  });
}

async function pageLinkOf(client: Client, made: Made, query = ''): Promise<unknown> {
  return listAt(await client.read(made, query), '/links').find((link) => at(link, '/rel') === 'page');
}

/** Entries that hold the same stand in reverse order among themselves. */
function withTiesReversed(entries: readonly StoredEntry[]): readonly StoredEntry[] {
  const alike = Map.groupBy(entries, ({ content }) => JSON.stringify(content));
  return entries.flatMap(({ content }) => alike.get(JSON.stringify(content))?.pop() ?? []);
}
