import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, encoded, listAt, many } from '../service.ts';

export const readingMistakes: Batch = {
  'reading.demote-for-readers': {
    source: 'core: SoftType read response',
    breaks: 'Links are those of the current user: nobody is offered a demote who may not do one.',
    kind: 'role',
    variant: replaces('hypermedia', 'linksOf', (right, areas, call, object, view, slices, filter) => {
      const links = right(areas, call, object, view, slices, filter);
      const all = areas.hypermedia.operationLinks(object, areas.objects.softTypeOf(call.space, object.softType), view);
      const hidden = all.filter(({ rel }) => rel === 'demote' && !links.some((link) => link.rel === rel));
      return [...links, ...hidden];
    }),
    async shows(service) {
      const edda = service.edda;
      const made = await edda.make('Document', { title: 't' });
      await edda.move(made, 1);
      const links = listAt(await service.rita.read(made), '/links');
      return links.some((link) => at(link, '/method') === 'PUT');
    },
  },

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

  'filter.alphabet-of-urls': {
    source: 'core: Information filter',
    breaks: 'The information filter is a Base64 string, whichever of its characters occur in it.',
    kind: 'value',
    variant: replaces('messages', 'informationFilterOf', (right, areas, call) => {
      if (/[+/]/.test(call.headers['svc-informationfilter'] ?? '')) throw new Refusal(400, 'This is no Base64.');
      return right(areas, call);
    }),
    async shows(service) {
      const edda = service.edda;
      const { path } = await edda.make('Document', { title: 't' });
      const answer = await edda.get(path, { 'svc-informationfilter': encoded({ role: '????????' }) });
      return answer.status !== 200;
    },
  },

  'caching.first-characters-of-a-tag': {
    source: 'core: Common request headers',
    breaks: 'Only the ETag that the client has stored saves it the content, and not one that begins alike.',
    kind: 'value',
    variant: replaces('caching', 'ifNoneMatch', (right, areas, header, etag) => {
      const opening = header.replace(/"$/, '');
      return right(areas, header, etag) || (opening.length > 1 && etag.startsWith(opening));
    }),
    async shows(service) {
      const cora = service.cora;
      const etag = (await cora.get('/api/collection/space')).headers.get('etag') ?? '';
      const answer = await cora.get('/api/collection/space', { 'if-none-match': `${etag.slice(0, 12)}"` });
      return answer.status === 304;
    },
  },

  'openapi.of-the-space-asked-first': {
    source: 'core: What the service does',
    breaks: 'The dynamic definitions are those of the SoftTypes of the space that is asked.',
    kind: 'copy',
    variant: breaks('openApi', 'readDynamicOpenApi', (right) => {
      let first: Parameters<typeof right>[1]['space'] | undefined;
      return (areas, call) => {
        first ??= call.space;
        return right(areas, { ...call, space: first });
      };
    }),
    async shows(service) {
      const edda = service.edda;
      await edda.get('/space/main/SoftType/dynamic/softtype.openApi');
      return !(await edda.get('/space/depot/SoftType/dynamic/softtype.openApi')).text.includes('Dossier');
    },
  },

  'collection.read-by-a-space-administrator': {
    source: 'core: What the service does',
    breaks: 'The collection is open to its administrators, and not to those of a space.',
    kind: 'role',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      const spaces = [...areas.configuration.spaces.values()];
      const isOne = spaces.some((space) => areas.auth.rolesOf(user, space).includes('administrator'));
      if (isOne && call.method === 'GET' && call.url.startsWith('/api/collection/')) return;
      right(areas, user, access, call);
    }),
    shows: async (service) => (await service.alma.get('/api/collection/space')).status === 200,
  },
};

export const pagingMistakes: Batch = {
  'paging.version-of-equal-entries': {
    source: 'core: Page response',
    breaks: 'A page tells the version that its object has now, also where its entries are those of the time before.',
    kind: 'copy',
    variant: breaks('paging', 'assemblePage', (right) => {
      const known = new Map<string, { readonly text: string; readonly version: number }>();
      return async (areas, call, reading, object, view, section, page, filter) => {
        const body = await right(areas, call, reading, object, view, section, page, filter);
        const text = JSON.stringify(body.data);
        const before = known.get(body.href);
        if (before?.text === text) return { ...body, version: before.version };
        known.set(body.href, { text, version: body.version });
        return body;
      };
    }),
    async shows(service) {
      const edda = service.edda;
      const made = await edda.make('Document', { title: 't', contacts: named(12) });
      await edda.page(made, 'contacts', 1);
      await edda.move(made, 1);
      return at((await edda.page(made, 'contacts', 1)).json, '/version') !== 2;
    },
  },

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

  'paging.total-before-a-removal': {
    source: 'core: Server side paging 2',
    breaks: 'A page link tells how many entries there are now, also when there were more.',
    kind: 'copy',
    variant: breaks('entries', 'totalOf', (right) => {
      const most = new Map<string, number>();
      return async (areas, reading, object, section, filter) => {
        const total = await right(areas, reading, object, section, filter);
        if (filter !== undefined || section.items !== undefined) return total;
        const key = `${object.oid} ${section.port}`;
        most.set(key, Math.max(total, most.get(key) ?? 0));
        return most.get(key) ?? total;
      };
    }),
    async shows(service) {
      const edda = service.edda;
      const made = await edda.make('Document', { title: 't', contacts: named(12) });
      const id = at(await edda.read(made), '/data/contacts/0/$entryId');
      await edda.operate(made, 1, [{ op: 'remove', path: `/contacts/${id}/` }]);
      const links = listAt(await edda.read(made), '/links');
      return links.some((link) => at(link, '/totalNumber') === 12);
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
