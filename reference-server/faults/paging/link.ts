import { pageNumberTemplate } from '../../../contract/names.ts';
import { Refusal } from '../../problem.ts';
import { replacing, together, type FaultsOf } from '../fault.ts';
import { pageLinkAltered, withParameter } from '../reads.ts';

export const linkFaults = {
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
