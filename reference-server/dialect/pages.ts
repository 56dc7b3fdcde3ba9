import { replacing, together, type Fault } from '../faults/fault.ts';
import { Refusal } from '../problem.ts';
import { restating } from './choice.ts';

/** Behind the last page there are more pages, with nothing on them. */
export const endlessPages: Fault = replacing(
  'assemblePage',
  (right) => async (service, call, reading, object, view, section, page, filter) => {
    try {
      return await right(service, call, reading, object, view, section, page, filter);
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== 404) throw error;
      return {
        href: service.behaviours.pageHref(object, view, section, page, filter),
        data: [],
        version: object.version,
      };
    }
  },
);

/** An array without entries has no page at all. */
export const noPageOfNothing: Fault = replacing(
  'assemblePage',
  (right) => async (service, call, reading, object, view, section, page, filter) => {
    const body = await right(service, call, reading, object, view, section, page, filter);
    if (page === 0 && body.data.length === 0) throw new Refusal(404, `Array ${section.path} is empty.`);
    return body;
  },
);

/** Zeros in front of a page number do no harm; what is no number is the number of no page. */
export const loosePageNumbers: Fault = replacing('pageNumberOf', (right) => (call) => {
  const pageNumber = (call.params['pageNumber'] ?? '').replace(/^0+(?=\d)/, '');
  return restating({ 400: 404 }, () => right({ ...call, params: { ...call.params, pageNumber } }));
});

/** A filter goes by either name of the parameter; one that is unknown, or lacks its value, hides nothing. */
export const looseFilters: Fault = together(
  replacing('filterOf', (right) => (service, call, softType, parameter) => {
    const other = parameter === 'softTypeFilter' ? 'softTypeFilterId' : 'softTypeFilter';
    return right(service, call, softType, call.query.has(parameter) ? parameter : other);
  }),
  replacing('filterOf', (right) => (...args) => {
    try {
      return right(...args);
    } catch (error) {
      if (error instanceof Refusal) return undefined;
      throw error;
    }
  }),
);
