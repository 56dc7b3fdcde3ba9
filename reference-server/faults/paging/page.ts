import { Refusal } from '../../problem.ts';
import { isJson, withBody } from '../answer.ts';
import { replacing, together, type FaultsOf } from '../fault.ts';
import { pageAltered, within, withParameter } from '../reads.ts';

export const pageFaults = {
  'paging.page.documented-route-served': together(
    replacing(
      'pageHref',
      (right) =>
        (...args) =>
          withParameter(right(...args), 'by=link'),
    ),
    replacing('readPage', (right) => async (service, call, reading) => {
      if (call.query.has('by')) return right(service, call, reading);
      throw new Refusal(404, 'Pages are reached by their links.');
    }),
  ),

  'paging.page-zero.equals-first-read': replacing(
    'assemblePage',
    (right) => (service, call, reading, object, view, section, page, filter) => {
      const next = within(service, { pageRange: (number) => service.behaviours.pageRange(number + 1) });
      const wrong = page === 0 && filter === undefined;
      return right(wrong ? next : service, call, reading, object, view, section, page, filter);
    },
  ),

  'paging.page-one.holds-the-rest': replacing(
    'assemblePage',
    (right) => async (service, call, reading, object, view, section, page, filter) => {
      const total = await service.behaviours.totalOf(service, reading, object, section);
      const wrong = page === 1 && total === 18 && filter === undefined;
      const filled = within(service, { pageRange: () => ({ from: total - 10, to: total }) });
      return right(wrong ? filled : service, call, reading, object, view, section, page, filter);
    },
  ),

  'paging.pages.cover-array-once': replacing('pageRange', (right) => (page) => {
    const { from, to } = right(page);
    return { from: page === 3 ? from - 1 : from, to };
  }),

  'paging.page.holds-at-most-ten': replacing(
    'assemblePage',
    (right) => async (service, call, reading, object, view, section, page, filter) => {
      const total = await service.behaviours.totalOf(service, reading, object, section);
      const wrong = page === 1 && total > 30;
      const unlimited = within(service, { pageRange: () => ({ from: 10, to: total }) });
      return right(wrong ? unlimited : service, call, reading, object, view, section, page, filter);
    },
  ),

  'paging.page-body.href-leads-back': replacing(
    'assemblePage',
    (right) =>
      async (service, call, reading, object, ...rest) => ({
        ...(await right(service, call, reading, object, ...rest)),
        href: service.behaviours.locationOf(object.spaceId, object.oid),
      }),
  ),

  'paging.page-body.data-is-array': pageAltered((body, call) => ({
    ...body,
    data: { [call.params['arrayPortId'] ?? '']: body['data'] },
  })),

  'paging.page-body.entry-ids-address-entries': pageAltered((body, call) =>
    call.params['pageNumber'] === '0' ? body : { ...body, data: countedFromOne(body['data']) },
  ),

  'paging.page-body.version-of-owner': replacing('readPage', (right) => {
    const seen = new Map<string, unknown>();
    return async (service, call, reading) =>
      withBody(await right(service, call, reading), (body) => {
        const state = JSON.stringify([call.url, body['data']]);
        const version = seen.get(state) ?? body['version'];
        seen.set(state, version);
        return { ...body, version };
      });
  }),
} satisfies Partial<FaultsOf<'paging'>>;

function countedFromOne(entries: unknown): unknown {
  if (!Array.isArray(entries)) return entries;
  return entries.map((entry: unknown, index) => (isJson(entry) ? { ...entry, $entryId: index + 1 } : entry));
}
