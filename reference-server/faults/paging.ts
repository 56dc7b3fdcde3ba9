import { pageNumberTemplate } from '../../contract/names.ts';
import { Refusal } from '../problem.ts';
import type { OrdinalRange } from '../store/store.ts';
import { isJson, withBody } from './answer.ts';
import { replacing, together, type FaultsOf } from './fault.ts';
import { isLongRoute, pageAltered, pageLinkAltered, within } from './reads.ts';

/** Longer than any array. */
const whole: OrdinalRange = { from: 0, to: 1_000_000 };

const instanceReadFaults = {
  'paging.instance-read.at-most-ten': replacing('readInstance', (right) => (service, call, reading) => {
    const generous = within(service, { firstReadRange: () => ({ from: 0, to: 11 }) });
    return right(isLongRoute(call) ? generous : service, call, reading);
  }),

  'paging.instance-read.short-array-complete': replacing('firstSlice', (right) => async (...args) => {
    const slice = await right(...args);
    return slice.total === 10 ? { ...slice, entries: slice.entries.slice(0, 9) } : slice;
  }),

  'paging.instance-read.every-array-limited': replacing('firstSlice', (right) => async (service, reading, object, section, filter) => {
    const softType = service.configuration.spaces.get(object.spaceId)?.template.softTypes.get(object.softType);
    const first = softType?.members.entries().find(([, member]) => member.kind === 'entries')?.[0];
    const limited = section.port === first ? service : within(service, { firstReadRange: () => whole });
    return right(limited, reading, object, section, filter);
  }),

  'paging.nested-array.limited': replacing('nestedReadRange', () => () => whole),
} satisfies Partial<FaultsOf<'paging'>>;

const linkFaults = {
  'paging.link.present-above-ten': replacing('isPaged', (right) => (total) => right(total - 1)),

  'paging.link.absent-up-to-ten': replacing('isPaged', (right) => (total) => right(total + 1)),

  'paging.link.section-path-names-array': replacing('linksOf', (right) => (...args) => {
    const links = right(...args);
    const sectionPath = links.find(({ rel }) => rel === 'page')?.sectionPath ?? '';
    return links.map((link) => (link.rel === 'page' ? { ...link, sectionPath } : link));
  }),

  'paging.link.pages-count': replacing('pagesOf', () => (total) => Math.floor(total / 10) + 1),

  'paging.link.total-number': pageLinkAltered(({ pages = 0 }) => ({ totalNumber: pages * 10 })),

  'paging.link.href-holds-template': pageLinkAltered(({ href }) => ({ href: href.replace(pageNumberTemplate, '1') })),

  'paging.link.method-is-get': pageLinkAltered(() => ({ method: 'POST' })),

  'paging.link.expanded-href-works': together(
    pageLinkAltered(({ href }) => ({ href: withParameter(href, 'counting=fromOne') })),
    replacing('pageNumberOf', (right) => (call) => {
      const page = call.query.has('counting') ? right(call) - 1 : right(call);
      if (page < 0) throw new Refusal(404, 'There is no page 0.');
      return page;
    }),
  ),

  'paging.link.follows-growth': replacing('totalOf', (right) => {
    const most = new Map<string, number>();
    return async (service, reading, object, section, filter) => {
      const total = await right(service, reading, object, section, filter);
      if (filter !== undefined) return total;
      const key = `${object.oid} ${section.path}`;
      most.set(key, Math.max(total, most.get(key) ?? 0));
      return most.get(key) ?? total;
    };
  }),
} satisfies Partial<FaultsOf<'paging'>>;

const pageFaults = {
  'paging.page.documented-route-served': together(
    replacing('pageHref', (right) => (...args) => withParameter(right(...args), 'by=link')),
    replacing('readPage', (right) => async (service, call, reading) => {
      if (call.query.has('by')) return right(service, call, reading);
      throw new Refusal(404, 'Pages are reached by their links.');
    }),
  ),

  'paging.page-zero.equals-first-read': replacing('assemblePage', (right) => (service, call, reading, object, view, section, page, filter) => {
    const next = within(service, { pageRange: (number) => service.behaviours.pageRange(number + 1) });
    const wrong = page === 0 && filter === undefined;
    return right(wrong ? next : service, call, reading, object, view, section, page, filter);
  }),

  'paging.page-one.holds-the-rest': replacing('assemblePage', (right) => async (service, call, reading, object, view, section, page, filter) => {
    const total = await service.behaviours.totalOf(service, reading, object, section);
    const wrong = page === 1 && total < 20 && filter === undefined;
    const filled = within(service, { pageRange: () => ({ from: total - 10, to: total }) });
    return right(wrong ? filled : service, call, reading, object, view, section, page, filter);
  }),

  'paging.pages.cover-array-once': replacing('pageRange', (right) => (page) => {
    const { from, to } = right(page);
    return { from: page === 3 ? from - 1 : from, to };
  }),

  'paging.page.holds-at-most-ten': replacing('assemblePage', (right) => async (service, call, reading, object, view, section, page, filter) => {
    const total = await service.behaviours.totalOf(service, reading, object, section);
    const wrong = page === 1 && total > 30;
    const unlimited = within(service, { pageRange: () => ({ from: 10, to: total }) });
    return right(wrong ? unlimited : service, call, reading, object, view, section, page, filter);
  }),

  'paging.page-body.href-leads-back': replacing('assemblePage', (right) => async (service, call, reading, object, ...rest) => ({
    ...(await right(service, call, reading, object, ...rest)),
    href: service.behaviours.locationOf(object.spaceId, object.oid),
  })),

  'paging.page-body.data-is-array': pageAltered((body, call) => ({ ...body, data: { [call.params['arrayPortId'] ?? '']: body['data'] } })),

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

const filterFaults = {
  'paging.filter.applies-to-page': replacing('assemblePage', (right) => (service, ...rest) => {
    const { entriesOf } = service.behaviours;
    const cutFirst = within(service, {
      entriesOf: async (itself, reading, object, section, range, applied) => {
        const entries = await entriesOf(itself, reading, object, section, range);
        if (applied === undefined || section.port !== applied.filter.port) return entries;
        return entries.filter(({ content }) => content[applied.filter.member] === applied.value);
      },
    });
    return right(cutFirst, ...rest);
  }),

  'paging.filter.value-on-page': replacing('filterOf', (right) => (service, call, softType, parameter) => {
    const applied = right(service, call, softType, parameter);
    const blank = applied?.filter.equals === undefined;
    return blank && parameter === 'softTypeFilter' ? undefined : applied;
  }),

  'paging.filter.shapes-links': replacing('totalOf', (right) => (service, reading, object, section) =>
    right(service, reading, object, section),
  ),
} satisfies Partial<FaultsOf<'paging'>>;

export const pagingFaults: FaultsOf<'paging'> = {
  ...instanceReadFaults,
  ...linkFaults,
  ...pageFaults,
  ...filterFaults,
};

function withParameter(href: string, parameter: string): string {
  return `${href}${href.includes('?') ? '&' : '?'}${parameter}`;
}

function countedFromOne(entries: unknown): unknown {
  if (!Array.isArray(entries)) return entries;
  return entries.map((entry: unknown, index) => (isJson(entry) ? { ...entry, $entryId: index + 1 } : entry));
}
