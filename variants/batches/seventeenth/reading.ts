import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, listAt, many } from '../service.ts';

export const readingMistakes: Batch = {
  'reading.version-left-out-of-a-summary': {
    source: 'core: System properties inside data',
    breaks: 'The version stands in the data as well, whatever members its output schema has.',
    kind: 'place',
    variant: replaces('instances', 'dataOf', (right, areas, space, object, view, slices) => {
      const data = { ...right(areas, space, object, view, slices) };
      const all = areas.objects.softTypeOf(space, object.softType).members;
      if (view.names.size < all.size) Reflect.deleteProperty(data, '$version');
      return data;
    }),
    async shows(service) {
      const edda = service.edda;
      const { oid } = await edda.make('Document', { title: 't' });
      const read = await edda.get(`/api/space/main/softtype/Document/documentSummary/${oid}`);
      return at(read.json, '/data/$version') !== 1;
    },
  },
};

export const pagingMistakes: Batch = {
  'paging.ids-by-position': {
    source: 'core: Page response',
    breaks: 'An entry of a page has the id that it has anywhere, also when one before it was removed.',
    kind: 'moment',
    variant: replaces('paging', 'assemblePage', async (right, areas, call, reading, object, view, ...rest) => {
      const [section, page, filter] = rest;
      const body = await right(areas, call, reading, object, view, section, page, filter);
      if (filter !== undefined || section.items !== undefined) return body;
      return { ...body, data: body.data.map((entry, index) => ({ ...entry, $entryId: page * 10 + index + 1 })) };
    }),
    async shows(service) {
      const edda = service.edda;
      const made = await edda.make('Document', { title: 't', contacts: named(12) });
      const [first, last] = [await edda.read(made), await edda.page(made, 'contacts', 1)];
      const id = at(last.json, '/data/1/$entryId');
      const removed = `/contacts/${at(first, '/data/contacts/0/$entryId')}/`;
      await edda.operate(made, 1, [{ op: 'remove', path: removed }]);
      return at((await edda.page(made, 'contacts', 1)).json, '/data/0/$entryId') !== id;
    },
  },

  'paging.fourth-page-begins-early': {
    source: 'core: Server side paging 4',
    breaks: 'Each later page goes on where the one before it ends.',
    kind: 'value',
    variant: replaces('paging', 'pageRange', (right, areas, page) => {
      const { from, to } = right(areas, page);
      return page < 3 ? { from, to } : { from: from - 1, to: to - 1 };
    }),
    async shows(service) {
      const edda = service.edda;
      const made = await edda.make('Document', { title: 't', contacts: named(35) });
      return at((await edda.page(made, 'contacts', 3)).json, '/data/0/name') !== 'n31';
    },
  },

  'paging.template-encoded-under-a-filter': {
    source: 'core: Link object',
    breaks: 'The href of a page link holds the template as it is, also where it carries a filter.',
    kind: 'combination',
    variant: replaces('entries', 'pageHref', (right, areas, object, view, section, page, filter) => {
      const href = right(areas, object, view, section, page, filter);
      return href.includes('?') ? href.replace('{pageNumber}', '%7BpageNumber%7D') : href;
    }),
    async shows(service) {
      const edda = service.edda;
      const files = many(11, (number) => ({ name: `f${number}`, category: 'drawing' }));
      const made = await edda.make('Document', { title: 't', files });
      const links = listAt(await edda.read(made, '?softTypeFilterId=drawings'), '/links');
      const href = String(
        at(
          links.find((link) => at(link, '/rel') === 'page'),
          '/href',
        ),
      );
      return !href.includes('{pageNumber}');
    },
  },
};
