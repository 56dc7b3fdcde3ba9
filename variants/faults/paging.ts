import { pageNumberTemplate } from '../../contract/names.ts';
import { Refusal } from '../../reference-server/http/refusal.ts';
import type { OrdinalRange } from '../../reference-server/ports/store.ts';
import { type Variants, breaks, together, within, replaces } from '../breaks.ts';
import { freshlyRead, isJson, isLongRoute, alterPage, alterPageLink, withBody, withParameter } from './answers.ts';

const linkFaults = {
  'paging.link.present-above-ten': replaces('hypermedia', 'isPaged', (right, areas, total) => right(areas, total - 1)),

  'paging.link.absent-up-to-ten': replaces('hypermedia', 'isPaged', (right, areas, total) => right(areas, total + 1)),

  'paging.link.section-path-names-array': replaces('hypermedia', 'linksOf', (right, ...args) => {
    const links = right(...args);
    const sectionPath = links.find(({ rel }) => rel === 'page')?.sectionPath ?? '';
    return links.map((link) => (link.rel === 'page' ? { ...link, sectionPath } : link));
  }),

  'paging.link.pages-count': replaces('paging', 'pagesOf', (_right, _areas, total) => Math.floor(total / 10) + 1),

  'paging.link.total-number': alterPageLink(({ pages = 0 }) => ({ totalNumber: pages * 10 })),

  'paging.link.href-holds-template': alterPageLink(({ href }) => ({ href: href.replace(pageNumberTemplate, '1') })),

  'paging.link.method-is-get': alterPageLink(() => ({ method: 'POST' })),

  'paging.link.expanded-href-works': together(
    alterPageLink(({ href }) => ({ href: withParameter(href, 'counting=fromOne') })),
    replaces('paging', 'pageNumberOf', (right, areas, call) => {
      const page = call.query.has('counting') ? right(areas, call) - 1 : right(areas, call);
      if (page < 0) throw new Refusal(404, 'There is no page 0.');
      return page;
    }),
  ),

  'paging.link.follows-growth': breaks('entries', 'totalOf', (right) => {
    const most = new Map<string, number>();
    return async (areas, reading, object, section, filter) => {
      const total = await right(areas, reading, object, section, filter);
      if (filter !== undefined) return total;
      const key = `${object.oid} ${section.path}`;
      most.set(key, Math.max(total, most.get(key) ?? 0));
      return most.get(key) ?? total;
    };
  }),
} satisfies Variants;

const pageFaults = {
  'paging.page.documented-route-served': together(
    replaces('entries', 'pageHref', (right, ...args) => withParameter(right(...args), 'by=link')),
    replaces('paging', 'readPage', async (right, areas, call, reading) => {
      if (call.query.has('by')) return right(areas, call, reading);
      throw new Refusal(404, 'Pages are reached by their links.');
    }),
  ),

  'paging.page-zero.equals-first-read': replaces(
    'paging',
    'assemblePage',
    (right, areas, call, reading, object, view, section, page, filter) => {
      const next = within(areas, { paging: { pageRange: (number) => areas.paging.pageRange(number + 1) } });
      const wrong = page === 0 && filter === undefined;
      return right(wrong ? next : areas, call, reading, object, view, section, page, filter);
    },
  ),

  'paging.page-one.holds-the-rest': replaces(
    'paging',
    'assemblePage',
    async (right, areas, call, reading, object, view, section, page, filter) => {
      const total = await areas.entries.totalOf(reading, object, section);
      const wrong = page === 1 && total === 18 && filter === undefined;
      const filled = within(areas, { paging: { pageRange: () => ({ from: total - 10, to: total }) } });
      return right(wrong ? filled : areas, call, reading, object, view, section, page, filter);
    },
  ),

  'paging.pages.cover-array-once': replaces('paging', 'pageRange', (right, areas, page) => {
    const { from, to } = right(areas, page);
    return { from: page === 3 ? from - 1 : from, to };
  }),

  'paging.page.holds-at-most-ten': replaces(
    'paging',
    'assemblePage',
    async (right, areas, call, reading, object, view, section, page, filter) => {
      const total = await areas.entries.totalOf(reading, object, section);
      const wrong = page === 1 && total > 30;
      const unlimited = within(areas, { paging: { pageRange: () => ({ from: 10, to: total }) } });
      return right(wrong ? unlimited : areas, call, reading, object, view, section, page, filter);
    },
  ),

  'paging.page-body.href-leads-back': replaces(
    'paging',
    'assemblePage',
    async (right, areas, call, reading, object, ...rest) => ({
      ...(await right(areas, call, reading, object, ...rest)),
      href: areas.objects.locationOf(object.spaceId, object.oid),
    }),
  ),

  'paging.page-body.data-is-array': alterPage((body, call) => ({
    ...body,
    data: { [call.params['arrayPortId'] ?? '']: body['data'] },
  })),

  'paging.page-body.entry-ids-address-entries': alterPage((body, call) =>
    call.params['pageNumber'] === '0' ? body : { ...body, data: countedFromOne(body['data']) },
  ),

  'paging.page-body.version-of-owner': breaks('paging', 'readPage', (right) => {
    const seen = new Map<string, unknown>();
    return async (areas, call, reading) =>
      withBody(await right(areas, call, reading), (body) => {
        const state = JSON.stringify([call.url, body['data']]);
        const version = seen.get(state) ?? body['version'];
        seen.set(state, version);
        return { ...body, version };
      });
  }),
} satisfies Variants;

/** Longer than any array. */
const whole: OrdinalRange = { from: 0, to: 1_000_000 };

const instanceReadFaults = {
  'paging.instance-read.at-most-ten': replaces('instances', 'readInstance', (right, areas, call, reading) => {
    const generous = within(areas, {
      memory: { rememberedRead: freshlyRead },
      entries: { firstReadRange: () => ({ from: 0, to: 11 }) },
    });
    return right(isLongRoute(call) ? generous : areas, call, reading);
  }),

  'paging.instance-read.short-array-complete': replaces('entries', 'firstSlice', async (right, ...args) => {
    const slice = await right(...args);
    return slice.total === 10 ? { ...slice, entries: slice.entries.slice(0, 9) } : slice;
  }),

  'paging.instance-read.every-array-limited': replaces(
    'entries',
    'firstSlice',
    async (right, areas, reading, object, section, filter) => {
      const softType = areas.configuration.spaces.get(object.spaceId)?.template.softTypes.get(object.softType);
      const first = softType?.members.entries().find(([, member]) => member.kind === 'entries')?.[0];
      const limited = section.port === first ? areas : within(areas, { entries: { firstReadRange: () => whole } });
      return right(limited, reading, object, section, filter);
    },
  ),

  'paging.nested-array.limited': replaces('entries', 'nestedReadRange', () => whole),
} satisfies Variants;

const filterFaults = {
  'paging.filter.applies-to-page': replaces('paging', 'assemblePage', (right, areas, ...rest) => {
    const cutFirst = within(areas, {
      entries: {
        entriesOf: async (reading, object, section, range, applied) => {
          const entries = await areas.entries.entriesOf(reading, object, section, range);
          if (applied === undefined || section.port !== applied.filter.port) return entries;
          return entries.filter(({ content }) => content[applied.filter.member] === applied.value);
        },
      },
    });
    return right(cutFirst, ...rest);
  }),

  'paging.filter.value-on-page': replaces('entries', 'filterOf', (right, areas, call, softType, parameter) => {
    const applied = right(areas, call, softType, parameter);
    const blank = applied?.filter.equals === undefined;
    return blank && parameter === 'softTypeFilter' ? undefined : applied;
  }),

  'paging.filter.shapes-links': replaces('entries', 'totalOf', (right, areas, reading, object, section) =>
    right(areas, reading, object, section),
  ),
} satisfies Variants;

export const pagingFaults = {
  ...instanceReadFaults,
  ...linkFaults,
  ...pageFaults,
  ...filterFaults,
} satisfies Variants;

function countedFromOne(entries: unknown): unknown {
  if (!Array.isArray(entries)) return entries;
  return entries.map((entry: unknown, index) => (isJson(entry) ? { ...entry, $entryId: index + 1 } : entry));
}
