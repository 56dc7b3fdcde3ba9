import { randomUUID } from 'node:crypto';
import type { Page } from '../../../contract/wire.ts';
import { Step, breaks, together, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, listAt, many } from '../service.ts';

const onPage = new Step();

/** An entry whose own arrays hold objects without their ids. */
function withoutInnerIds(entry: Page['data'][number]): Page['data'][number] {
  const inner = Object.entries(entry).flatMap(([name, value]) =>
    Array.isArray(value) ? [[name, value.map(({ $entryId: _id, ...rest }) => rest)] as const] : [],
  );
  return { ...entry, ...Object.fromEntries(inner) };
}

export const reading: Batch = {
  'reading.total-never-falls': {
    source: 'core: Link object, totalNumber',
    breaks: 'The total of a page link is the number of entries that the array has now.',
    kind: 'copy',
    variant: breaks('entries', 'firstSlice', (right) => {
      const most = new Map<string, number>();
      return async (areas, store, object, section, filter) => {
        const slice = await right(areas, store, object, section, filter);
        if (filter !== undefined) return slice;
        const key = `${object.oid} ${section.port}`;
        const total = Math.max(slice.total, most.get(key) ?? 0);
        most.set(key, total);
        return { ...slice, total };
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: many(13, (n) => ({ name: `f${n}` })) });
      const read = await edda.read(made);
      await edda.operate(made, 1, [{ op: 'remove', path: `/files/${String(at(read, '/data/files/0/$entryId'))}/` }]);
      const link = listAt(await edda.read(made), '/links').find((item) => at(item, '/sectionPath') === 'files');
      return at(link, '/totalNumber') !== 12;
    },
  },
  'reading.inner-ids-only-on-page-zero': {
    source: 'core: System properties, $entryId',
    breaks: 'Objects in an array inside an entry have their ids on every page that holds the entry.',
    kind: 'combination',
    variant: replaces('paging', 'assemblePage', async (right, areas, ...args) => {
      const body = await right(areas, ...args);
      return args[5] === 0 ? body : { ...body, data: body.data.map(withoutInnerIds) };
    }),
    async shows({ edda }) {
      const files = many(12, (n) => ({ name: `f${n}`, revisions: [{ text: `r${n}` }] }));
      const made = await edda.make('Document', { title: 't', files });
      const page = await edda.page(made, 'files', 1);
      return at(page.json, '/data/1/revisions/0/$entryId') === undefined;
    },
  },
  'reading.inner-arrays-whole-on-pages': {
    source: 'core: Limits, entries per array in a read',
    breaks: 'An array inside an entry of a page holds ten entries at most, as in a read of the instance.',
    kind: 'combination',
    variant: together(
      replaces('paging', 'assemblePage', (right, areas, ...args) => onPage.run(() => right(areas, ...args))),
      replaces('entries', 'nestedReadRange', (right, areas) =>
        onPage.isOn() ? { from: 0, to: 100_000 } : right(areas),
      ),
    ),
    async shows({ edda }) {
      const revisions = many(12, (n) => ({ text: `r${n}` }));
      const files = many(11, (n) => (n === 11 ? { name: 'last', revisions } : { name: `f${n}` }));
      const made = await edda.make('Document', { title: 't', files });
      const page = await edda.page(made, 'files', 1);
      return listAt(page.json, '/data/0/revisions').length > 10;
    },
  },
  'reading.page-kept-while-count-stays': {
    source: 'core: Page response, data',
    breaks: 'A later page shows its entries as they are at the version that it names.',
    kind: 'copy',
    variant: breaks('paging', 'assemblePage', (right) => {
      const kept = new Map<string, Page['data']>();
      return async (areas, call, store, object, view, section, page, filter) => {
        const body = await right(areas, call, store, object, view, section, page, filter);
        if (page === 0) return body;
        const total = await areas.entries.totalOf(store, object, section, filter);
        const key = `${object.oid} ${section.path} ${view.id} ${page} ${total} ${filter?.value}`;
        const data = kept.get(key) ?? body.data;
        kept.set(key, data);
        return { ...body, data };
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: many(12, (n) => ({ name: `f${n}` })) });
      const before = await edda.page(made, 'files', 1);
      const path = `/files/${String(at(before.json, '/data/0/$entryId'))}/name`;
      await edda.operate(made, 1, [{ op: 'replace', path, value: 'other' }]);
      return at((await edda.page(made, 'files', 1)).json, '/data/0/name') !== 'other';
    },
  },
  'filter.value-decoded-twice': {
    source: 'core: Server side paging 5',
    breaks: 'The value that is given for a filter is the one that the query parameter stands for.',
    kind: 'value',
    variant: replaces('entries', 'filterOf', (right, areas, ...args) => {
      const filter = right(areas, ...args);
      return filter && { ...filter, value: filter.value.replaceAll('+', ' ') };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'f', category: 'c++' }] });
      const read = await edda.read(made, '?softTypeFilterId=byCategory&fileGroup.category=c%2B%2B');
      return listAt(read, '/data/files').length === 0;
    },
  },
  'caching.tag-of-the-length': {
    source: 'core: Versioning 4',
    breaks: 'Data that changed is sent again, though it be as long as before.',
    kind: 'value',
    variant: replaces('caching', 'etagOf', (_right, _areas, representation) => `"${representation.length}"`),
    async shows({ cora }) {
      const path = '/api/collection/user/profile';
      await cora.put(path, undefined, { displayName: 'Cora A' });
      const tag = (await cora.get(path)).headers.get('etag') ?? '';
      await cora.put(path, undefined, { displayName: 'Cora B' });
      return (await cora.get(path, { 'if-none-match': tag })).status === 304;
    },
  },
  'caching.tags-end-with-the-process': {
    source: 'core: Versioning 4',
    breaks: 'A client that holds unchanged data gets 304, after a restart of the service too.',
    kind: 'moment',
    variant: breaks('caching', 'etagOf', (right) => {
      const salt = randomUUID();
      return (areas, representation) => right(areas, `${salt} ${String(representation)}`);
    }),
    async shows({ cora, restart }) {
      const tag = (await cora.get('/api/collection/template')).headers.get('etag') ?? '';
      await restart();
      return (await cora.get('/api/collection/template', { 'if-none-match': tag })).status !== 304;
    },
  },
  'openapi.kept-of-the-first-space': {
    source: 'core: What the service does, dynamic definition',
    breaks: 'The dynamic definitions are those of the space that the path names.',
    kind: 'copy',
    variant: breaks('openApi', 'readDynamicOpenApi', (right) => {
      let first: Parameters<typeof right>[1]['space'] | undefined;
      return (areas, call) => {
        first ??= call.space;
        return right(areas, { ...call, space: first });
      };
    }),
    async shows({ edda }) {
      await edda.get('/space/main/SoftType/dynamic/softtype.openApi');
      const { text } = await edda.get('/space/depot/SoftType/dynamic/softtype.openApi');
      return !text.includes('Dossier');
    },
  },
};
