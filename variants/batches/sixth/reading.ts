import type { Page } from '../../../contract/wire.ts';
import { breaks } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, listAt, many } from '../service.ts';

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
};
