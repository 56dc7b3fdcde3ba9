import { isContent } from '../../../reference-server/areas/content.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, editPath, listAt, versionHeader } from '../service.ts';

export const readingMistakes: Batch = {
  'reading.version-inside-a-batch': {
    source: 'core: Versioning 1',
    breaks: 'The version inside the data is the one beside it, also in a batch that has edited the object before.',
    kind: 'combination',
    variant: replaces('instances', 'assembleInstance', async (right, areas, call, reading, object, ...rest) => {
      const read = await right(areas, call, reading, object, ...rest);
      const isEdited = call.isChangedHere?.(object.oid) ?? false;
      return isEdited ? { ...read, data: { ...read.data, $version: object.version - 1 } } : read;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'batch' });
      const { json } = await edda.batch([
        { method: 'PATCH', href: editPath(made), headers: versionHeader(1), body: { note: 'edited' } },
        { method: 'GET', href: made.path },
      ]);
      return at(json, '/1/body/version') !== at(json, '/1/body/data/$version');
    },
  },

  'reading.links-of-another-user': {
    source: 'core: SoftType read response, row links',
    breaks: 'Links are those of the user who reads, also when a user with another role has read the same before.',
    kind: 'role',
    variant: replaces('memory', 'rightsOf', () => ''),
    async shows({ edda, rita }) {
      const made = await edda.make('Document', { title: 'links' });
      await edda.read(made);
      return listAt(await rita.read(made), '/links').some((link) => at(link, '/method') === 'DELETE');
    },
  },

  'reading.schema-of-a-read-in-a-batch': {
    source: 'core: SoftType read response, row data',
    breaks: 'A read shows what its output schema has and nothing else, as an operation of a batch too.',
    kind: 'combination',
    variant: replaces('objects', 'viewOfRead', (right, areas, call, object) => {
      if (call.isSibling === undefined) return right(areas, call, object);
      const { outputSchemaId: _forgotten, ...params } = call.params;
      return right(areas, { ...call, params }, object);
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Document', { title: 'summary', note: 'not in the summary' });
      const href = `/api/space/main/softtype/Document/documentSummary/${oid}`;
      return at((await edda.batch([{ method: 'GET', href }])).json, '/0/body/data/note') !== undefined;
    },
  },

  'openapi.of-the-first-space': {
    source: 'core: Endpoint table, GET softtype.openApi',
    breaks: 'The dynamic definitions are those of the space in the path, also when those of another were read before.',
    kind: 'copy',
    variant: breaks('openApi', 'dynamicDocument', (right) => {
      let document: ReturnType<typeof right> | undefined;
      return (areas, space) => (document ??= right(areas, space));
    }),
    async shows({ edda }) {
      await edda.get('/space/main/SoftType/dynamic/softtype.openApi');
      return !(await edda.get('/space/depot/SoftType/dynamic/softtype.openApi')).text.includes('Dossier');
    },
  },
};

export const pagingMistakes: Batch = {
  'paging.last-entry-alone': {
    source: 'core: Page response, row data',
    breaks: 'Each entry of a page has its entry id, also one that is alone on the last page.',
    kind: 'place',
    variant: replaces('paging', 'assemblePage', async (right, areas, ...args) => {
      const body = await right(areas, ...args);
      const [only, ...more] = body.data;
      if (!isContent(only) || more.length > 0) return body;
      const { $entryId: _gone, ...entry } = only;
      return { ...body, data: [entry as typeof only] };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'eleven', files: named(11) });
      return at((await edda.page(made, 'files', 1)).json, '/data/0/$entryId') === undefined;
    },
  },

  'paging.pages-of-what-is-gone': {
    source: 'core: Server side paging 4',
    breaks: 'An array has as many pages as its entries fill, also after some of them were removed.',
    kind: 'copy',
    variant: breaks('entries', 'totalOf', (right) => {
      const most = new Map<string, number>();
      return async (areas, reading, object, section, filter) => {
        const key = [object.oid, section.path, filter?.filter.id, filter?.value].join(' ');
        const total = Math.max(most.get(key) ?? 0, await right(areas, reading, object, section, filter));
        most.set(key, total);
        return total;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'shrinks', files: named(21) });
      await edda.read(made);
      await edda.operate(made, 1, [{ op: 'remove', path: '/files/21/' }]);
      return pagesOf(await edda.read(made), 'files') !== 2;
    },
  },

  'paging.name-of-the-second-array': {
    source: 'core: Link object, row sectionPath',
    breaks: 'A page link names the array that it belongs to, also where another array of the object has one before it.',
    kind: 'combination',
    variant: replaces('hypermedia', 'linksOf', (right, areas, ...args) => {
      const links = right(areas, ...args);
      const sectionPath = links.find(({ rel }) => rel === 'page')?.sectionPath ?? '';
      return links.map((link) => (link.rel === 'page' ? { ...link, sectionPath } : link));
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'two', files: named(11), contacts: named(11) });
      return pagesOf(await edda.read(made), 'contacts') === undefined;
    },
  },

  'paging.address-of-the-first-page': {
    source: 'core: Page response, row href',
    breaks: 'The address in a page is that of this page.',
    kind: 'place',
    variant: replaces(
      'paging',
      'assemblePage',
      async (right, areas, call, reading, object, view, section, page, filter) => {
        const body = await right(areas, call, reading, object, view, section, page, filter);
        return { ...body, href: areas.entries.pageHref(object, view, section, 0, filter) };
      },
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'address', files: named(12) });
      const { json } = await edda.page(made, 'files', 1);
      return listAt((await edda.get(String(at(json, '/href')))).json, '/data').length !== 2;
    },
  },
};

export const cachingMistakes: Batch = {
  'caching.unchanged-once': {
    source: 'core: Errors, row 304',
    breaks: 'Data that have not changed are not sent again, however often they are asked for.',
    kind: 'moment',
    variant: breaks('caching', 'conditional', (right) => {
      const told = new Set<string>();
      return (areas, call, answer) => {
        const result = right(areas, call, answer);
        const key = `${call.url} ${result.headers?.ETag}`;
        if (result.status !== 304 || !told.has(key)) {
          if (result.status === 304) told.add(key);
          return result;
        }
        return right(areas, { ...call, headers: { ...call.headers, 'if-none-match': undefined } }, answer);
      };
    }),
    async shows({ cora }) {
      const path = '/api/collection/template';
      const condition = { 'If-None-Match': (await cora.get(path)).headers.get('etag') ?? '' };
      await cora.get(path, condition);
      return (await cora.get(path, condition)).status !== 304;
    },
  },

  'caching.tag-of-another-resource': {
    source: 'core: Versioning 4',
    breaks: 'Data that a client has not got yet are sent, also when it shows a tag that other data have.',
    kind: 'copy',
    variant: breaks('caching', 'conditional', (right) => {
      const current = new Map<string, string>();
      return (areas, call, answer) => {
        const result = right(areas, call, answer);
        current.set(call.url, result.headers?.ETag ?? '');
        const isKnown = [...current.values()].includes(call.headers['if-none-match'] ?? 'none');
        return isKnown ? areas.caching.notModified(result.headers ?? {}) : result;
      };
    }),
    async shows({ cora }) {
      const tag = (await cora.get('/api/collection/template')).headers.get('etag') ?? '';
      return (await cora.get('/api/collection/space', { 'If-None-Match': tag })).status === 304;
    },
  },
};

function pagesOf(read: unknown, section: string): unknown {
  const link = listAt(read, '/links').find((each) => at(each, '/sectionPath') === section);
  return at(link, '/pages');
}
