import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, many, pagePath } from '../service.ts';

/** Reads of objects, of pages and of what is no object. */
export const readingMistakes: Batch = {
  'paging.href-with-a-bare-value': {
    source: 'core: Page response, href',
    breaks: 'The href of a page leads to it, whatever the value is that the filter was given.',
    kind: 'value',
    variant: replaces('entries', 'pageHref', (right, areas, object, view, section, page, filter) => {
      const [path = '', query] = right(areas, object, view, section, page, filter).split('?');
      return query === undefined || typeof page === 'string'
        ? path + (query ? `?${query}` : '')
        : `${path}?${decodeURIComponent(query)}`;
    }),
    async shows({ edda }) {
      const files = many(11, (number) => ({ name: `n${number}`, category: 'R&D' }));
      const made = await edda.make('Document', { title: 't', files });
      const page = await edda.page(made, 'files', 1, '?softTypeFilter=byCategory&fileGroup.category=R%26D');
      return (await edda.get(String(at(page.json, '/href')))).status !== 200;
    },
  },

  'paging.no-filter-beside-a-filter': {
    source: 'core: Common request headers, Svc-InformationFilter',
    breaks: 'The information filter is required on a page, on one of a filtered array too.',
    kind: 'combination',
    variant: replaces('messages', 'informationFilterOf', (right, areas, call) =>
      call.headers['svc-informationfilter'] === undefined && call.query.has('softTypeFilter') ? {} : right(areas, call),
    ),
    async shows({ edda }) {
      const path = pagePath(await edda.make('Document', { title: 't' }), 'files', 0);
      return (await edda.get(`${path}?softTypeFilter=drawings`, { 'Svc-InformationFilter': '' })).status === 200;
    },
  },

  'paging.not-modified-for-any-tag': {
    source: 'core: Errors, row 200',
    breaks: 'A page is part of a SoftType: there is no tag of it, so that a GET has its data.',
    kind: 'place',
    survives:
      'What If-None-Match does on reads of SoftTypes is said by exclusion only, and HTTP has 304 for any tag of what is there.',
    variant: replaces('paging', 'readPage', async (right, areas, call, reading) => {
      const answer = await right(areas, call, reading);
      return call.headers['if-none-match'] === '*' ? areas.caching.notModified(answer.headers ?? {}) : answer;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      return (await edda.get(pagePath(made, 'files', 0), { 'if-none-match': '*' })).status === 304;
    },
  },
};
