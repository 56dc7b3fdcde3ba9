import type { Answer } from '../../../reference-server/http/call.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { breaks, within, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, listAt, many, pagePath } from '../service.ts';

export const readingMistakes: Batch = {
  'reading.version-of-unchanged-view': {
    source: 'core: SoftType read response',
    breaks:
      'A read shows the version that the object has now, also when nothing that its output schema shows has changed.',
    kind: 'copy',
    variant: breaks('memory', 'rememberedRead', (right) => {
      const kept = new Map<string, { readonly content: string; readonly answer: Answer }>();
      return async (areas, call, reading, object, view, assemble) => {
        if (view === areas.objects.viewOfRead({ ...call, params: {} }, object).view)
          return right(areas, call, reading, object, view, assemble);
        const body = await assemble();
        const key = `${object.oid} ${view.id} ${areas.memory.rightsOf(call)}`;
        const content = JSON.stringify({ ...body.data, $version: 0 });
        const known = kept.get(key);
        if (known?.content === content) return known.answer;
        const answer = { status: 200, body };
        kept.set(key, { content, answer });
        return answer;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'card', remark: 'seen' });
      const path = `/api/space/main/softtype/Document/documentSummary/${made.oid}`;
      await edda.get(path);
      await edda.merge(made, 1, { note: 'not on the card' });
      return at((await edda.get(path)).json, '/version') !== 2;
    },
  },

  'reading.keywords-as-set': {
    source: 'core: SoftType read response',
    breaks:
      'The data of a read is the content of the instance: a list of plain values that holds one twice holds it twice.',
    kind: 'value',
    variant: replaces('contents', 'inputFrom', (right, areas, rules, softType, view, body) => {
      const input = right(areas, rules, softType, view, body);
      const pairs = Object.entries(input.content).map(([name, value]) => [
        name,
        Array.isArray(value) ? [...new Set<unknown>(value)] : value,
      ]);
      return { ...input, content: Object.fromEntries(pairs) as typeof input.content };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'score', keywords: ['do', 're', 'do'] });
      return listAt(await edda.read(made), '/data/keywords').length !== 3;
    },
  },

  'reading.ids-on-later-pages': {
    source: 'core: System properties inside `data`',
    breaks:
      'Every object inside an array has an $entryId, also in an array inside an entry that only a later page delivers.',
    kind: 'place',
    variant: replaces('paging', 'assemblePage', async (right, areas, ...args) => {
      const body = await right(areas, ...args);
      if (args[5] === 0) return body;
      return { ...body, data: body.data.map((entry) => ({ ...entry, ...itemsWithoutIds(entry) })) };
    }),
    async shows({ edda }) {
      const files = many(11, (number) => ({ name: `file ${number}`, revisions: [{ text: 'first' }] }));
      const made = await edda.make('Document', { title: 'eleven', files });
      const page = (await edda.page(made, 'files', 1)).json;
      return at(page, '/data/0/revisions/0/text') === 'first' && at(page, '/data/0/revisions/0/$entryId') === undefined;
    },
  },

  'reading.links-for-readers': {
    source: 'core: What the service does',
    breaks: 'The links of a read are those that the current user may follow, under every output schema.',
    kind: 'role',
    variant: replaces('hypermedia', 'linksOf', (right, areas, call, object, view, ...rest) => {
      const isDefault = view === areas.objects.viewOfRead({ ...call, params: {} }, object).view;
      const generous = within(areas, { auth: { mayUse: () => true } });
      return right(isDefault ? areas : generous, call, object, view, ...rest);
    }),
    async shows({ edda, rita }) {
      const { oid } = await edda.make('Document', { title: 'to be read' });
      const path = `/api/space/main/softtype/Document/documentSummary/${oid}`;
      const links = listAt((await rita.get(path)).json, '/links');
      return links.some((link) => at(link, '/method') !== 'GET');
    },
  },

  'reading.definitions-of-first-space': {
    source: 'core: What the service does',
    breaks:
      'The dynamic definition of a space describes the SoftTypes configured there, whichever space was asked about before.',
    kind: 'copy',
    variant: breaks('openApi', 'readDynamicOpenApi', (right) => {
      let first: Answer | undefined;
      return async (areas, call) => {
        const answer = first ?? (await right(areas, call));
        if (answer.status === 200) first = answer;
        return answer;
      };
    }),
    async shows({ edda }) {
      await edda.get('/space/main/SoftType/dynamic/softtype.openApi');
      return !(await edda.get('/space/depot/SoftType/dynamic/softtype.openApi')).text.includes('Dossier');
    },
  },
};

export const pagingMistakes: Batch = {
  'paging.links-of-references': {
    source: 'core: Server side paging (GET rules) 2',
    breaks: 'An array with more than ten entries has a page link, also when its entries are references.',
    kind: 'place',
    variant: replaces('hypermedia', 'pageLinksOf', (right, areas, object, view, slice, filter) => {
      return slice.section.member.kind === 'references' ? [] : right(areas, object, view, slice, filter);
    }),
    async shows({ edda }) {
      const parts = await Promise.all(many(11, (number) => edda.make('Part', { name: `part ${number}` })));
      const describes = parts.map(({ oid }) => ({ value: { $oid: oid } }));
      const made = await edda.make('Document', { title: 'assembly', describes });
      const links = listAt(await edda.read(made), '/links');
      return !links.some((link) => at(link, '/rel') === 'page' && at(link, '/sectionPath') === 'describes');
    },
  },

  'paging.href-of-nested': {
    source: 'core: Page response',
    breaks: 'The href of a page leads to that page, also for an array inside an entry.',
    kind: 'place',
    variant: replaces('entries', 'pageHref', (right, areas, object, view, section, page, filter) => {
      const [root = ''] = section.path.split('/');
      const named = typeof page === 'number' ? { ...section, path: root } : section;
      return right(areas, object, view, named, page, filter);
    }),
    async shows({ edda }) {
      const revisions = many(21, (number) => ({ text: `revision ${number}` }));
      const made = await edda.make('Document', { title: 'revised', files: [{ name: 'a' }, { name: 'b', revisions }] });
      const page = await edda.get(pagePath(made, 'files/2/revisions', 1));
      const again = await edda.get(String(at(page.json, '/href')));
      return JSON.stringify(at(again.json, '/data')) !== JSON.stringify(at(page.json, '/data'));
    },
  },

  'paging.pages-by-id': {
    source: 'core: Server side paging (GET rules) 2',
    breaks: 'Entries are delivered in sets of ten, also after one of the first ten was removed.',
    kind: 'moment',
    variant: replaces('entries', 'entriesOf', async (right, areas, reading, object, section, range, filter) => {
      if (section.items !== undefined || filter !== undefined)
        return right(areas, reading, object, section, range, filter);
      const all = await right(areas, reading, object, section, { from: 0, to: 1_000_000 });
      return all.filter(({ entryId }) => entryId > range.from && entryId <= range.to);
    }),
    async shows({ edda }) {
      const files = many(25, (number) => ({ name: `file ${number}` }));
      const made = await edda.make('Document', { title: 'gap', files });
      await edda.operate(made, 1, [{ op: 'remove', path: '/files/3/' }]);
      return listAt((await edda.page(made, 'files', 0)).json, '/data').length !== 10;
    },
  },
};

/** The arrays of an entry, their items without ids. */
function itemsWithoutIds(entry: object): object {
  const arrays = Object.entries(entry).filter(([, value]) => Array.isArray(value));
  return Object.fromEntries(arrays.map(([name, value]) => [name, (value as readonly unknown[]).map(withoutId)]));
}

function withoutId(item: unknown): unknown {
  if (!isContent(item)) return item;
  const { $entryId: _id, ...rest } = item;
  return rest;
}
