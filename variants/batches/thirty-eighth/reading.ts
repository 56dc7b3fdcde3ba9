import { headerNames } from '../../../contract/names.ts';
import { storedStates } from '../../../reference-server/areas/soft-type.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, encoded, listAt, many, pagePath, type Made, type Service } from '../service.ts';

export const readingMistakes: Batch = {
  'paging.rel-after-a-promote': {
    source: 'core: Link object, rel',
    breaks: 'The link to the pages of an array has the rel page, whatever state the object has reached.',
    kind: 'moment',
    variant: replaces('hypermedia', 'pageLink', (right, areas, object, ...rest) => {
      const link = right(areas, object, ...rest);
      return storedStates(object)['engineering']?.state === 'reviewed' ? { ...link, rel: 'pages' } : link;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(11) });
      await edda.move(made, 1);
      return pageLinks(await edda.read(made)).length === 0;
    },
  },
  'caching.only-the-beginning-counts': {
    source: 'core: Versioning 4',
    breaks: 'Data that changed is sent anew, wherever in it the change stands.',
    kind: 'value',
    variant: replaces('caching', 'etagOf', (right, areas, text) =>
      right(areas, typeof text === 'string' ? text.slice(0, 128) : text.subarray(0, 128)),
    ),
    async shows({ cora }) {
      const path = '/api/collection/user/profile';
      const name = 'n'.repeat(150);
      await cora.put(path, undefined, { displayName: `${name}a` });
      const held = (await cora.get(path)).headers.get('etag') ?? '';
      await cora.put(path, undefined, { displayName: `${name}b` });
      return (await cora.get(path, { 'if-none-match': held })).status === 304;
    },
  },
  'filters.count-of-another-value': {
    source: 'core: Server side paging 5',
    breaks: 'A filter with a value of the request counts what that value admits, not what an earlier one did.',
    kind: 'copy',
    variant: breaks('entries', 'totalOf', (right) => {
      const counts = new Map<string, number>();
      return async (areas, reading, object, section, filter) => {
        const key = [object.oid, object.version, section.path, filter?.filter.id ?? ''].join(' ');
        const count = counts.get(key) ?? (await right(areas, reading, object, section, filter));
        counts.set(key, count);
        return count;
      };
    }),
    async shows({ edda }) {
      const of = (category: string, count: number) =>
        many(count, (index) => ({ name: `${category}${index}`, category }));
      const made = await edda.make('Document', { title: 't', files: [...of('a', 11), ...of('b', 12)] });
      const query = '?softTypeFilterId=byCategory&fileGroup.category=';
      await edda.read(made, `${query}a`);
      return at(pageLinks(await edda.read(made, `${query}b`))[0], '/totalNumber') !== 12;
    },
  },
  'filters.foreign-letters-on-a-page': {
    source: 'core: Information filter',
    breaks: 'The filter is Base64 of JSON, whose texts may have any letters, on the page route as elsewhere.',
    kind: 'place',
    variant: replaces('messages', 'informationFilterOf', (right, areas, call) => {
      const filter = right(areas, call);
      const text = Buffer.from(call.headers[headerNames.informationFilter.toLowerCase()] ?? '', 'base64').toString();
      if (call.url.includes('/softtype/page/') && /[^ -~]/.test(text))
        throw new Refusal(400, 'Expected an information filter of plain letters.');
      return filter;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(11) });
      const page = await edda.get(pagePath(made, 'files', 1), {
        [headerNames.informationFilter]: encoded({ role: 'Prüfer' }),
      });
      return page.status !== 200;
    },
  },
  'paging.encoded-template': {
    source: 'core: Server side paging 3',
    breaks: 'The template of the page number stands in the link as it is, also where a value of the request filters.',
    kind: 'value',
    variant: replaces('entries', 'pageHref', (right, areas, object, view, section, page, filter) => {
      const href = right(areas, object, view, section, page, filter);
      const isGiven = filter !== undefined && filter.filter.equals === undefined;
      return isGiven ? href.replace('{pageNumber}', '%7BpageNumber%7D') : href;
    }),
    async shows({ edda }) {
      const files = many(11, (index) => ({ name: `n${index}`, category: 'a' }));
      const made = await edda.make('Document', { title: 't', files });
      const read = await edda.read(made, '?softTypeFilterId=byCategory&fileGroup.category=a');
      return !String(at(pageLinks(read)[0], '/href')).includes('{pageNumber}');
    },
  },
  'batch.page-without-its-query': {
    source: 'core: Batch operation, href',
    breaks: 'The href of an operation is the whole URI of its request, with the query of a page.',
    kind: 'place',
    variant: replaces('batch', 'prepareOperation', (right, areas, ...args) => {
      const prepared = right(areas, ...args);
      if (!prepared.call.url.includes('/softtype/page/')) return prepared;
      return { ...prepared, call: { ...prepared.call, query: new URLSearchParams() } };
    }),
    async shows(service) {
      const made = await someDrawings(service);
      const href = `${pagePath(made, 'files', 0)}?softTypeFilter=drawings`;
      const batch = await service.edda.batch([{ method: 'GET', href }]);
      return listAt(batch.json, '/0/body/data').length !== 2;
    },
  },
};

function someDrawings({ edda }: Service): Promise<Made> {
  const files = ['drawing', 'drawing', 'other'].map((category) => ({ name: category, category }));
  return edda.make('Document', { title: 't', files });
}

function pageLinks(read: unknown): readonly unknown[] {
  return listAt(read, '/links').filter((link) => at(link, '/rel') === 'page');
}
